/*
 * Draws: the values that judges expect, for requests that make sense.
 */
#include <check.h>
#include <string.h> /* memcmp */

#include "judge/data.h"
#include "judge/judge.h"
#include "suite.h"

enum { OWN, SHARED };

/* Bytes that are the seed's lowest. */
static int own(const struct draw_from *from, const int64_t *arg, void *out,
               size_t nbytes)
{
    memset(out, (int)(from->seed & 0xFF), nbytes);
    return nbytes == (size_t)arg[0] ? 0 : -1;
}

static const struct draw_row draws[] = {
    [OWN] = {own, 0}, [SHARED] = {own, 1}, {0}};
static const struct judge_lab lab = {.lab = "lab", .draws = draws},
                              plain = {.lab = "plain"};
const struct judge_lab *const judge_labs[] = {&lab, NULL};
static const struct draw_from from = {.nranks = 3, .seed = 77};

START_TEST(inputs_are_those_that_judges_fill_in)
{
    float got[50], want[50];
    struct draw_ask d = {.what = DRAW_DATA, .arg = {DATA_FLOAT}};
    ck_assert_int_eq(draw_make(&plain, from, &d, got, sizeof got), 0);
    data_fill(want, 50, DATA_FLOAT, 77);
    ck_assert(memcmp(got, want, sizeof got) == 0);
    d.what = DRAW_SUMS;
    ck_assert_int_eq(draw_make(&plain, from, &d, got, sizeof got), 0);
    data_fill_sum(want, 50, DATA_FLOAT, 3, 77);
    ck_assert(memcmp(got, want, sizeof got) == 0);
}
END_TEST

START_TEST(a_path_leads_from_the_seed)
{
    char got[50], want[50];
    const struct draw_ask d = {
        .what = DRAW_DATA, .npath = 2, .path = {5, 9}, .arg = {DATA_INT8}};
    ck_assert_int_eq(draw_make(&lab, from, &d, got, sizeof got), 0);
    data_fill(want, 50, DATA_INT8, judge_seed(judge_seed(77, 5), 9));
    ck_assert(memcmp(got, want, sizeof got) == 0);
}
END_TEST

static const struct {
    struct draw_ask d;
    size_t nbytes;
    int status;
} asked[] = {
    {{.what = OWN, .arg = {8}}, 8, 0},
    {{.what = SHARED, .of_root = 1, .arg = {8}}, 8, 0},
    {{.what = OWN, .of_root = 1, .arg = {8}}, 8, -1}, // rank 0's alone
    {{.what = DRAW_DATA, .of_root = 1, .arg = {DATA_INT8}}, 8, -1},
    {{.what = OWN, .arg = {8}}, 9, -1},
    {{.what = SHARED + 1}, 8, -1},
    {{.what = 1 << 30}, 8, -1},
    {{.what = DRAW_SUMS - 1}, 8, -1},
    {{.what = DRAW_DATA, .arg = {DATA_TYPES}}, 8, -1},
    {{.what = DRAW_DATA, .arg = {-1}}, 8, -1},
    {{.what = DRAW_DATA, .arg = {DATA_DOUBLE}}, 12, -1}, // one and a half
    {{.what = DRAW_DATA, .npath = DRAW_PATH + 1}, 8, -1},
};

START_TEST(requests_that_make_no_sense_are_refused)
{
    char out[16];
    ck_assert_int_eq(draw_make(&lab, from, &asked[_i].d, out, asked[_i].nbytes),
                     asked[_i].status);
    if (asked[_i].d.what >= 0)
        ck_assert_int_eq(
            draw_make(&plain, from, &asked[_i].d, out, asked[_i].nbytes), -1);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("draw");
    TCase *const t = tcase_create("draw");
    tcase_add_test(t, inputs_are_those_that_judges_fill_in);
    tcase_add_test(t, a_path_leads_from_the_seed);
    tcase_add_loop_test(t, requests_that_make_no_sense_are_refused, 0,
                        (int)(sizeof asked / sizeof *asked));
    suite_add_tcase(s, t);
    return suite_run(s);
}
