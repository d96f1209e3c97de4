/* What a wrong result tells about the mistake. */
#include <check.h>
#include <math.h>   /* NAN */
#include <string.h> /* strstr */

#include "judge/advice.h"
#include "judge/guess.h"
#include "suite.h"

enum { NRANKS = 3, COUNT = 4 };

static const float in[NRANKS][COUNT] = {
    {1, 2, -1, 0}, {2, 1, 2, 1}, {5, 4, 6, 7}};

static struct guess guess_of(int root, int op)
{
    return (struct guess){.in = in,
                          .count = COUNT,
                          .type = DATA_FLOAT,
                          .nranks = NRANKS,
                          .root = root,
                          .op = op};
}

const struct judge_lab *const judge_labs[] = {NULL};

static const struct {
    float got[COUNT];
    int root, op, rank;
    const char *says;
} guesses[] = {
    {{2, 1, 2, 1}, 2, -1, 0, "the input of rank 1, but the root is rank 2"},
    {{1, 2, -1, 0}, -1, DATA_SUM, 0, "the rank's own input, unchanged"},
    {{1, 2, -1, 0}, -1, DATA_SUM, 2, "the input of rank 0 alone"},
    {{1, 1, -1, 0}, -1, DATA_SUM, 0, "the min over all ranks' inputs, not the"},
    {{10, 8, -12, 0}, -1, DATA_SUM, 0, "the prod over all ranks' inputs"},
    {{10, 8, -12, 1}, -1, DATA_SUM, 0, "7 is 6\ngeneral advice"},
    {{8, 7, 7, 9}, -1, DATA_SUM, 0, "7 is 6\ngeneral advice"},
};

START_TEST(a_result_of_other_inputs_or_operations_is_recognised)
{
    const struct guess g = guess_of(guesses[_i].root, guesses[_i].op);
    struct judge_verdict v = {.message = "7 is 6\ngeneral advice"};
    guess_explain(&g, guesses[_i].got, guesses[_i].rank, &v);
    ck_assert_msg(strstr(v.message, guesses[_i].says), "%s", v.message);
    ck_assert_msg(strncmp(v.message, "7 is 6\n", 7) == 0, "%s", v.message);
}
END_TEST

/* ---- another type -------------------------------------------------------- */

enum { MOST = NRANKS * COUNT * sizeof(double) };

/* What rank 1 has after a collective of `passed` where there are elements of
 * `type`: in place, or into a buffer that nothing was written to. */
static void collective(const struct guess *g, enum data_type passed, int place,
                       void *got)
{
    const size_t nbytes = g->count * data_size(g->type);
    const char *const all = g->in;
    memcpy(got, all + nbytes, nbytes);
    if (!place)
        memset(got, ADVICE_POISON, nbytes);
    if (g->op < 0) {
        memcpy(got, all + (size_t)g->root * nbytes,
               g->count * data_size(passed));
        return;
    }
    memcpy(got, all, g->count * data_size(passed));
    for (int r = 1; r < NRANKS; r++)
        data_combine(got, all + (size_t)r * nbytes, g->count, passed,
                     (enum data_op)g->op);
}

static const struct {
    enum data_type type, passed;
    size_t count;
    int root, op, place;
    const char *says;
} types[] = {
    {DATA_FLOAT, DATA_HALF, COUNT, 2, -1, 1,
     "7 is 6\nOnly 8 of its 16 bytes were sent: 4 elements of 2 bytes, not of "
     "4.\nDoes the call pass the type float, on all ranks?"},
    {DATA_FLOAT, DATA_INT8, COUNT, 2, -1, 0,
     "Only 4 of its 16 bytes were sent"},
    {DATA_INT64, DATA_INT32, COUNT, -1, DATA_SUM, 1,
     "Only 16 of its 32 bytes were reduced: 4 elements of 4 bytes, not of 8"},
    {DATA_INT64, DATA_INT32, COUNT, -1, DATA_SUM, 0, "Only 16 of its 32 bytes"},
    {DATA_FLOAT, DATA_INT32, COUNT, -1, DATA_SUM, 1,
     "This is the sum of the ranks' bytes as elements of type int32.\nDoes the "
     "call pass the type float"},
    {DATA_DOUBLE, DATA_FLOAT, 1, -1, DATA_SUM, 1,
     "own input, unchanged: is it reduced, with the right count and type?\nA "
     "call with a type of fewer bytes than double looks like"},
    {DATA_HALF, DATA_INT8, 1, -1, DATA_SUM, 1,
     "call with a type of fewer bytes than half looks like"},
};

START_TEST(a_call_with_another_type_is_recognised)
{
    double all[MOST / sizeof(double)], got[MOST / sizeof(double)];
    const struct guess g = {.in = all,
                            .count = types[_i].count,
                            .type = types[_i].type,
                            .nranks = NRANKS,
                            .root = types[_i].root,
                            .op = types[_i].op};
    struct judge_verdict v = {.message = "7 is 6\ngeneral advice"};
    for (int r = 0; r < NRANKS; r++)
        data_fill((char *)all + (size_t)r * g.count * data_size(g.type),
                  g.count, g.type, (uint64_t)r);
    collective(&g, types[_i].passed, types[_i].place, got);
    guess_explain(&g, got, 1, &v);
    ck_assert_msg(strstr(v.message, types[_i].says), "%s", v.message);
}
END_TEST

static const struct {
    double is[COUNT], should[COUNT];
    const char *says;
} wrong[] = {
    {{2, 4, 6, 8}, {1, 2, 3, 4}, "2 times too large"},
    {{1, 2, 3, 4}, {4, 8, 12, 16}, "4 times too small"},
    {{0, 0, 0, 0}, {1, 2, 3, 4}, "Synchronise the\nstream"},
    {{-1e57, 2e57, 1e57, 1e57}, {1, 2, 3, 4}, "never written or\nset to zero"},
    {{1, 3, 2, 9}, {1.5, 2, 3, 4}, "Is a block, a root"},
    {{1e9, 3, 2, 9}, {1, 2, 3, 4}, "Is a block, a root"},
    {{1, 2, 3, 4}, {0, 0, 0, 0}, "Is a block, a root"},
};

START_TEST(wrong_numbers_tell_their_cause)
{
    struct advice a = {.n = 0};
    char text[256];
    for (int i = 0; i < COUNT; i++)
        advice_see(&a, wrong[_i].is[i], wrong[_i].should[i], &wrong[_i].is[i],
                   sizeof(double));
    advice_text(&a, text, sizeof text);
    ck_assert_msg(strstr(text, wrong[_i].says), "%s", text);
}
END_TEST

/* `n` elements, all `factor` times what they should be. */
static const struct {
    double factor;
    int n;
    const char *says;
} factors[] = {
    {2, 4, "2 times too large"},       {2, 3, "Is a block, a root"},
    {2.005, 4, "2 times too large"},   {2.007, 4, "Is a block, a root"},
    {1.995, 4, "2 times too large"},   {1.993, 4, "Is a block, a root"},
    {1024, 4, "1024 times too large"}, {1028, 4, "Is a block, a root"},
    {.5, 4, "2 times too small"},      {.5, 3, "Is a block, a root"},
    {1. / 1024, 4, "1024 times"},      {1. / 1028, 4, "Is a block, a root"},
    {1.5, 4, "Is a block, a root"},    {1, 4, "Is a block, a root"},
    {-2, 4, "Is a block, a root"},     {1e5, 4, "Is a block, a root"},
    {-1.1e5, 1, "far too large"},      {0, 1, "All of these are 0"},
    {NAN, 1, "None of these is a"},    {NAN, 4, "None of these is a"},
};

START_TEST(a_factor_is_told_within_its_limits)
{
    struct advice a = {.n = 0};
    char text[256];
    for (int i = 0; i < factors[_i].n; i++) {
        const double should = i - 5, is = factors[_i].factor * should;
        advice_see(&a, is, should, &is, sizeof is);
    }
    advice_text(&a, text, sizeof text);
    ck_assert_msg(strstr(text, factors[_i].says), "%s", text);
}
END_TEST

START_TEST(a_huge_number_in_place_of_a_zero_is_told)
{
    const double sizes[] = {0.9e5, 1.1e5};
    char text[256];
    for (int i = 0; i < 2; i++) {
        struct advice a = {.n = 0};
        advice_see(&a, sizes[i], 0, &sizes[i], sizeof sizes[i]);
        advice_text(&a, text, sizeof text);
        ck_assert_int_eq(strstr(text, "far too large") != NULL, i);
    }
}
END_TEST

/* All elements are 2 times what they should be, but for the noise: by turns a
 * little more and a little less. */
static const struct {
    double noise;
    const char *says;
} noises[] = {{.003, "2 times too large"}, {.004, "Is a block, a root"}};

START_TEST(a_factor_is_that_of_all_elements)
{
    struct advice a = {.n = 0};
    char text[256];
    for (int i = 0; i < 4; i++) {
        const double is = 2 + (i % 2 ? -2 : 2) * noises[_i].noise;
        advice_see(&a, is, 1, &is, sizeof is);
    }
    advice_text(&a, text, sizeof text);
    ck_assert_msg(strstr(text, noises[_i].says), "%s", text);
}
END_TEST

START_TEST(one_element_of_another_kind_changes_the_advice)
{
    static const double is[] = {0, 1e9, 4, -8}, should[] = {1, 2, 2, -4};
    for (int from = 0; from < 3;
         from++) { // all with the last: 2 times as large
        struct advice a = {.n = 0};
        char text[256];
        for (int i = 0; i < 4; i++)
            advice_see(&a, is[i < 2 ? from : i], should[i < 2 ? from : i],
                       &is[i < 2 ? from : i], sizeof *is);
        advice_text(&a, text, sizeof text);
        ck_assert_msg(strstr(text, from == 2 ? "2 times too large"
                                             : "Is a block, a root"),
                      "%s", text);
    }
    struct advice none = {.n = 0};
    char text[8] = "#";
    ck_assert_str_eq(advice_text(&none, text, sizeof text), "");
}
END_TEST

START_TEST(poison_is_what_nobody_wrote)
{
    struct advice a = {.n = 0};
    char text[256];
    unsigned char bytes[sizeof(double)];
    double is;
    memset(bytes, ADVICE_POISON, sizeof bytes);
    memcpy(&is, bytes, sizeof is);
    advice_see(&a, is, 1, bytes, sizeof bytes);
    advice_text(&a, text, sizeof text);
    ck_assert_msg(strstr(text, "Nothing was written there"), "%s", text);
    bytes[sizeof bytes - 1]++; // of a second element all bytes but one
    memcpy(&is, bytes, sizeof is);
    advice_see(&a, is, 1, bytes, sizeof bytes);
    advice_text(&a, text, sizeof text);
    ck_assert_msg(!strstr(text, "Nothing was written there"), "%s", text);
}
END_TEST

/* Advice takes the place of what is behind the first line, and is cut where the
 * message ends. */
START_TEST(advice_is_no_longer_than_its_message)
{
    struct judge_verdict v[2] = {JUDGE_VERDICT_NONE};
    enum { ROOM = sizeof v->message };
    char text[101];
    strcpy(v->message, "first\nsecond\nthird");
    guess_replace_advice(v, "advice");
    ck_assert_str_eq(v->message, "first\nadvice");
    memset(v->message, 'x', ROOM - 10);
    v->message[ROOM - 10] = 0;
    memset(text, 'y', 100);
    text[100] = 0;
    guess_replace_advice(v, text);
    ck_assert_str_eq(v->message + ROOM - 11, "x\nyyyyyyyy");
    ck_assert(v[1].pass == 0 && v[1].not_implemented == 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("guess");
    TCase *const t = tcase_create("guess");
    tcase_add_loop_test(t, a_result_of_other_inputs_or_operations_is_recognised,
                        0, sizeof guesses / sizeof *guesses);
    tcase_add_loop_test(t, a_call_with_another_type_is_recognised, 0,
                        sizeof types / sizeof *types);
    tcase_add_loop_test(t, wrong_numbers_tell_their_cause, 0,
                        sizeof wrong / sizeof *wrong);
    tcase_add_loop_test(t, a_factor_is_told_within_its_limits, 0,
                        sizeof factors / sizeof *factors);
    tcase_add_test(t, a_huge_number_in_place_of_a_zero_is_told);
    tcase_add_loop_test(t, a_factor_is_that_of_all_elements, 0,
                        sizeof noises / sizeof *noises);
    tcase_add_test(t, one_element_of_another_kind_changes_the_advice);
    tcase_add_test(t, poison_is_what_nobody_wrote);
    tcase_add_test(t, advice_is_no_longer_than_its_message);
    suite_add_tcase(s, t);
    return suite_run(s);
}
