/* What a wrong result tells about the mistake. */
#include <check.h>
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
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("guess");
    TCase *const t = tcase_create("guess");
    tcase_add_loop_test(t, a_result_of_other_inputs_or_operations_is_recognised,
                        0, sizeof guesses / sizeof *guesses);
    tcase_add_loop_test(t, wrong_numbers_tell_their_cause, 0,
                        sizeof wrong / sizeof *wrong);
    tcase_add_test(t, poison_is_what_nobody_wrote);
    suite_add_tcase(s, t);
    return suite_run(s);
}
