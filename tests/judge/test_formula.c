/* Formulas: their values, and what is wrong with those that have none; names in
 * braces in a text. */
#include <check.h>
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "judge/formula.h"
#include "judge/judge.h"
#include "judge/numbers.h"
#include "suite.h"

const struct judge_lab *const judge_labs[] = {NULL};

static int names(void *arg, const char *name, double *value)
{
    (void)arg;
    static const struct {
        const char *name;
        double value;
    } known[] = {
        {"n", 8}, {"B_2", 0.5}, {"a_name_of_thirty_one_letters_ab", 9}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            *value = known[i].value;
            return 0;
        }
    return -1;
}

static const struct {
    const char *text;
    double value;
} good[] = {
    {"1 + 2 * 3", 7},
    {"(1 + 2) * 3", 9},
    {"10 - 3 - 2", 5},
    {"16 / 4 / 2", 2},
    {"2^3^2", 512},
    {"2^-1", 0.5},
    {"-2^2", -4},
    {"2 * -3", -6},
    {"2 * (n - 1) / n", 1.75},
    {"B_2*n", 4},
    {"1.5e3", 1500},
    {"min(3, n) + max(3, n)", 11},
    {"ceil(7 / 2) + floor(7 / 2)", 7},
    {"sqrt(2 * n)", 4},
    {"3 * (n > 7) + 2 * (n < 7)", 3},
    {" 1\n + 1 ", 2},
    {"\t2\t*\t3", 6},
    {"min(n, 3) - max(n, 3)", -5},
    {"(7 > 7) + (7 < 7)", 0},
    {"a_name_of_thirty_one_letters_ab", 9},
    {"((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))", 1},
    {"(1) + (((((((((((((((((((((((((((((2)))))))))))))))))))))))))))))", 3},
};

START_TEST(a_formula_has_a_value)
{
    char err[200] = "";
    double value = 0;
    ck_assert_msg(formula_value(good[_i].text, names, NULL, &value, err,
                                sizeof err) == 0 &&
                      value == good[_i].value,
                  "%s is %g: %s", good[_i].text, value, err);
}
END_TEST

static const struct {
    const char *text, *says;
} bad[] = {
    {"", "at column 1: the formula ends too early"},
    {"1 +", "at column 4: the formula ends too early"},
    {"1 2", "at column 3: an operator is missing"},
    {"(1", "at column 3: ')' is missing"},
    {"1)", "at column 2: an operator is missing"},
    {"* 2", "at column 1: a number, a name or '(' is missing"},
    {"2 * m", "at column 5: there is no number \"m\""},
    {"log(2)", "at column 5: there is no function \"log\": there are ceil, "
               "floor, sqrt, min, max"},
    {"min(2)", "at column 6: ',' is missing"},
    {"1 / (n - 8)", "at column 12: this divides by zero"},
    {"sqrt(-1)", "at column 9: the result is not a finite number"},
    {"10^400", "at column 7: the result is not a finite number"},
    {"inf", "at column 1: there is no number \"inf\""},
    {"a_name_of_thirty_two_letters_abc",
     "at column 1: a name has fewer than 32 letters"},
    {"min(1, 2", "at column 9: ')' is missing"},
    {".5", "at column 1: a number, a name or '(' is missing"},
    {"+5", "at column 1: a number, a name or '(' is missing"},
    {"1 + * 2 + m", "at column 5: a number, a name or '(' is missing"},
    {"((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))"
     ")",
     "at column 33: this is nested too deeply"},
};

START_TEST(a_bad_formula_is_explained)
{
    char err[200] = "";
    double value;
    ck_assert(formula_value(bad[_i].text, names, NULL, &value, err,
                            sizeof err) == -1);
    ck_assert_msg(strncmp(err, bad[_i].says, strlen(bad[_i].says)) == 0,
                  "%s: \"%s\", not \"%s\"", bad[_i].text, err, bad[_i].says);
}
END_TEST

/* ---- texts --------------------------------------------------------------- */

static const struct numbers two = {
    .of = {{.name = "n", .group = "n", .choice = {"4", "6"}, .nchoices = 2},
           {.name = "machine",
            .group = "machine",
            .choice = {"dgx-1v", "dgx-a100"},
            .nchoices = 2}},
    .n = 2};

static const struct {
    const char *text, *filled; /* NULL: an error */
} texts[] = {
    {"{n} ranks of a {machine}.\n", "6 ranks of a dgx-1v.\n"},
    {"{n}{n}{", "66{"},
    {"a set {1, 2}, {} and { n}", "a set {1, 2}, {} and { n}"},
    {"{m} ranks", NULL},
};

START_TEST(names_in_braces_become_numbers)
{
    char err[200] = "";
    const struct draw d = {{1, 0}};
    char *const filled =
        numbers_fill(&two, &d, texts[_i].text, err, sizeof err);
    if (texts[_i].filled)
        ck_assert_str_eq(filled, texts[_i].filled);
    else
        ck_assert_str_eq(err, "the plan has no number {m}");
    free(filled);
}
END_TEST

START_TEST(an_error_has_no_more_room_than_it_is_given)
{
    char err[32];
    double value;
    static const struct {
        size_t nbytes;
        const char *says;
    } rooms[] = {
        {4, "at "}, {14, "at column 1: "}, {20, "at column 1: the fo"}};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        memset(err, '#', sizeof err);
        formula_value("", names, NULL, &value, err, rooms[i].nbytes);
        ck_assert_str_eq(err, rooms[i].says);
        ck_assert_int_eq(err[rooms[i].nbytes], '#');
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("formula");
    TCase *const t = tcase_create("formula");
    tcase_add_loop_test(t, a_formula_has_a_value, 0,
                        sizeof good / sizeof *good);
    tcase_add_loop_test(t, a_bad_formula_is_explained, 0,
                        sizeof bad / sizeof *bad);
    tcase_add_test(t, an_error_has_no_more_room_than_it_is_given);
    tcase_add_loop_test(t, names_in_braces_become_numbers, 0,
                        sizeof texts / sizeof *texts);
    suite_add_tcase(s, t);
    return suite_run(s);
}
