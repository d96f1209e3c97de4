/*
 * Rows of a larger result: what is said of those that are wrong. Two ranks have
 * three rows of four numbers each.
 */
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* memset */

#include "judge/advice.h"
#include "judge/blocks.h"
#include "suite.h"

const struct judge_lab *const judge_labs[] = {NULL};

enum { RANKS = 2, ROWS = 3, ROW = 4, ALL = RANKS * ROWS * ROW };

static double want[ALL], bound[ALL];
static size_t part; /* of the rows that are compared */

static size_t at(const void *arg, int rank, size_t row)
{
    (void)arg;
    return ((size_t)rank * ROWS + row) * ROW;
}

static void where(const void *arg, int rank, size_t i, char *out, size_t nbytes)
{
    (void)arg;
    snprintf(out, nbytes, "x[%zu] on rank %d", i, rank);
}

static void fill(void)
{
    for (int i = 0; i < ALL; i++) {
        want[i] = 1 + i * i / 8.0;
        bound[i] = 1e-3;
    }
}

/* Compare what rank 1 shows. */
static struct judge_verdict compare(const float *got)
{
    const struct blocks b = {.want = want,
                             .bound = bound,
                             .row = ROW,
                             .nrows = ROWS,
                             .nranks = RANKS,
                             .part = part,
                             .at = at};
    struct judge_verdict v = {.pass = 1, .score = 1};
    blocks_compare(&b, got, 1, where, &v);
    return v;
}

static void right(float got[ROWS * ROW])
{
    fill();
    for (size_t i = 0; i < ROWS * ROW; i++)
        got[i] = (float)want[at(NULL, 1, 0) + i];
}

static void expect(const float *got, const char *begin, const char *says)
{
    const struct judge_verdict v = compare(got);
    ck_assert_msg(!v.pass && strncmp(v.message, begin, strlen(begin)) == 0 &&
                      strstr(v.message, says) != NULL,
                  "it should begin with \"%s\" and say \"%s\":\n%s", begin,
                  says, v.message);
}

START_TEST(rows_within_their_bounds_pass)
{
    float got[ROWS * ROW];
    right(got);
    got[3] += 5e-4f;
    const struct judge_verdict v = compare(got);
    ck_assert(v.pass && !v.message[0]);
}
END_TEST

START_TEST(wrong_rows_tell_their_cause)
{
    float got[ROWS * ROW];
    right(got);
    for (int i = 0; i < ROWS * ROW; i++)
        got[i] *= 2;
    expect(got, "x[0] on rank 1 is 38, should be 19 (within 0.001; 12 of 12",
           "2 times too large");
    memset(got, ADVICE_POISON, sizeof got);
    expect(got, "x[0] on rank 1", "Nothing was written there");
    right(got);
    for (int i = 0; i < ROW; i++)
        got[ROW + i] = 0;
    expect(got, "x[4] on rank 1 is 0", "All of these are 0");
}
END_TEST

START_TEST(rows_of_another_rank_are_recognised)
{
    float got[ROWS * ROW];
    right(got);
    for (int i = ROW; i < ROWS * ROW; i++)
        got[i] = (float)want[i];
    expect(got, "x[4] on rank 1", "These are the rows of rank 0");
}
END_TEST

START_TEST(rows_in_another_order_are_recognised)
{
    float got[ROWS * ROW];
    right(got);
    for (int i = 0; i < ROW; i++) {
        got[i] = (float)want[at(NULL, 1, 2) + (size_t)i];
        got[2 * ROW + i] = (float)want[at(NULL, 1, 0) + (size_t)i];
    }
    expect(got, "x[0] on rank 1",
           "row 0 of rank 1 has what belongs\nin row 2 of rank 1");
}
END_TEST

/* Rank 1's rows are one from each of three ranks. */
START_TEST(parts_of_other_ranks_are_recognised)
{
    float got[ROWS * ROW];
    right(got);
    for (int i = 0; i < ROW; i++)
        got[ROW + i] = (float)want[at(NULL, 1, 2) + (size_t)i];
    struct judge_verdict v = compare(got);
    ck_assert_ptr_null(strstr(v.message, "block, in the place"));
    part = 1;
    expect(got, "x[4] on rank 1",
           "This is rank 2's block, in the place of "
           "rank 1's");
    got[0] += 1; // right for no rank
    v = compare(got);
    ck_assert_ptr_null(strstr(v.message, "block, in the place"));
}
END_TEST

/* One number that is wrong makes its row no other row. */
START_TEST(one_wrong_number_is_not_taken_for_another_row)
{
    float got[ROWS * ROW];
    right(got);
    got[5] += 1;
    const struct judge_verdict v = compare(got);
    ck_assert(!v.pass && !strstr(v.message, "belongs") &&
              !strstr(v.message, "the rows of"));
    ck_assert_msg(strstr(v.message, "1 of 12 differ") != NULL, "%s", v.message);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("judge: blocks");
    TCase *const t = tcase_create("blocks");
    tcase_add_test(t, rows_within_their_bounds_pass);
    tcase_add_test(t, wrong_rows_tell_their_cause);
    tcase_add_test(t, rows_of_another_rank_are_recognised);
    tcase_add_test(t, rows_in_another_order_are_recognised);
    tcase_add_test(t, parts_of_other_ranks_are_recognised);
    tcase_add_test(t, one_wrong_number_is_not_taken_for_another_row);
    suite_add_tcase(s, t);
    return suite_run(s);
}
