/* Points for times: the formula, its ends, and the messages. */
#include <check.h>
#include <math.h>   /* fabs */
#include <string.h> /* strstr */

#include "judge/points.h"
#include "suite.h"

const struct judge_lab *const judge_labs[] = {NULL};

static const struct plan_case c = {
    .name = "c", .points = 8, .timed = 1, .full = 1.2, .none = 10};

/* A verdict on a right result that took `us` microseconds. */
static struct judge_verdict timed(double us, double reference_us,
                                  double limit_us)
{
    struct judge_verdict v = JUDGE_VERDICT_NONE;
    v.pass = 1;
    v.score = 1;
    v.time_us = us;
    v.reference_us = reference_us;
    v.limit_us = limit_us;
    points_judge_time(&c, &v);
    return v;
}

static const struct {
    double us, score;
} scores[] = {
    {100, 1},        {120, 1},          {1000, 0},
    {1000000, 0},    {346.410162, 0.5}, // the geometric mean of 1.2 and 10
    {203.885, 0.75}, {588.566, 0.25},
};

START_TEST(points_fall_with_the_logarithm_of_the_ratio)
{
    const struct judge_verdict v = timed(scores[_i].us, 100, 50);
    ck_assert_msg(fabs(v.score - scores[_i].score) < 1e-5, "%g us: %g",
                  scores[_i].us, v.score);
    ck_assert_int_eq(v.pass, scores[_i].score == 1);
    ck_assert_int_eq(v.suspected, 0);
    ck_assert_int_eq(points_outcome(&v), v.pass ? OUTCOME_PASS : OUTCOME_FAIL);
    ck_assert(fabs(points_earned(&c, &v) - 8 * scores[_i].score) < 0.005);
}
END_TEST

START_TEST(slow_work_is_told_how_fast_is_enough)
{
    const struct judge_verdict v = timed(203.885, 100, 50);
    ck_assert_str_eq(v.message,
                     "the result is right, but takes 2.04 times as long as the "
                     "reference; 1.2 times is enough for all points");
}
END_TEST

/* A verdict on a measured time, whose ratio is in [low, high]. */
static struct judge_verdict measured(double low, double high)
{
    struct judge_verdict v = JUDGE_VERDICT_NONE;
    v.pass = 1;
    v.score = 1;
    v.time_us = 50 * (low + high);
    v.reference_us = 100;
    v.low = low;
    v.high = high;
    points_judge_time(&c, &v);
    return v;
}

START_TEST(of_a_measured_ratio_the_end_that_favours_the_student_counts)
{
    struct judge_verdict v = measured(1.1, 9);
    ck_assert(v.pass && v.score == 1);
    v = measured(3.46410162, 100);
    ck_assert_double_eq_tol(v.score, 0.5, 1e-6);
    ck_assert_str_eq(v.message,
                     "the result is right, but takes 51.73 (3.46 to 100.00) "
                     "times as long as the reference; 1.2 times is enough for "
                     "all points");
}
END_TEST

START_TEST(a_quarter_of_the_reference_is_looked_at)
{
    struct judge_verdict v = measured(0.1, 0.24);
    ck_assert(!v.pass && v.suspected && v.score == 0);
    ck_assert(measured(0.1, 0.25).pass);
    v = measured(0.1, 0.26); // may be above 0.25: not suspected
    ck_assert(v.pass && !v.suspected);
}
END_TEST

/* Nobody is accused: a forgotten line makes a run fast. */
START_TEST(faster_than_the_machine_lacks_work)
{
    const struct judge_verdict v = timed(49, 100, 50);
    ck_assert(!v.pass && !v.suspected && v.score == 0);
    ck_assert_int_eq(points_outcome(&v), OUTCOME_FAIL);
    ck_assert_str_eq(v.message,
                     "work is missing: what this case has to move and compute "
                     "takes this machine at least 50 us, and the run took 49 "
                     "us");
    ck_assert(timed(50, 100, 50).pass);
    ck_assert(timed(.999, 2, 1).pass); // that is within what is rounded
    ck_assert(!timed(.9989, 2, 1).pass);
}
END_TEST

/* What is left of the points if a person says that it is possible. */
START_TEST(beneath_a_suspicion_is_the_score_of_the_time)
{
    ck_assert_double_eq(measured(0.1, 0.24).beneath, 1);
    ck_assert_str_eq(measured(0.1, 0.24).beneath_message, "");
}
END_TEST

START_TEST(without_a_reference_the_result_alone_counts)
{
    ck_assert(timed(1e6, NAN, NAN).score == 1);
}
END_TEST

START_TEST(what_was_not_timed_has_no_points)
{
    const struct judge_verdict v = timed(NAN, 100, 50);
    ck_assert(!v.pass && v.score == 0 && strstr(v.message, "not timed"));
}
END_TEST

START_TEST(a_time_is_shown_against_reference_and_limit)
{
    char text[128];
    struct judge_verdict v = timed(412.34, 398.06, 210);
    ck_assert_str_eq(points_text(&c, &v, text, sizeof text),
                     "412.3 us, reference 398.1 us, lower bound 210.0 us");
    v.limit_us = NAN;
    ck_assert_str_eq(points_text(&c, &v, text, sizeof text),
                     "412.3 us, reference 398.1 us");
    v.low = 0.981;
    v.high = 1.25;
    ck_assert_str_eq(points_text(&c, &v, text, sizeof text),
                     "412.3 us, reference 398.1 us, 0.98 to 1.25 times the "
                     "reference");
    memset(text, '#', sizeof text);
    ck_assert_str_eq(points_text(&c, &v, text, 33),
                     "412.3 us, reference 398.1 us, 0.");
    ck_assert_int_eq(text[33], '#');
    ck_assert_str_eq(points_text(&c, &v, text, 8), "412.3 u");
    ck_assert_str_eq(points_text(&c, &v, text, 16), "412.3 us, refer");
    v.time_us = 0; // nothing was done
    ck_assert_str_eq(points_text(&c, &v, text, sizeof text), "");
    v.time_us = v.reference_us = .05; // the least that is shown
    v.low = NAN;
    ck_assert_str_eq(points_text(&c, &v, text, sizeof text),
                     "0.1 us, reference 0.1 us");
    const struct plan_case untimed = {.points = 1};
    v.time_us = 412.34;
    ck_assert_str_eq(points_text(&untimed, &v, text, sizeof text), "");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("points");
    TCase *const t = tcase_create("points");
    tcase_add_loop_test(t, points_fall_with_the_logarithm_of_the_ratio, 0,
                        sizeof scores / sizeof *scores);
    tcase_add_test(t, slow_work_is_told_how_fast_is_enough);
    tcase_add_test(t,
                   of_a_measured_ratio_the_end_that_favours_the_student_counts);
    tcase_add_test(t, a_quarter_of_the_reference_is_looked_at);
    tcase_add_test(t, faster_than_the_machine_lacks_work);
    tcase_add_test(t, beneath_a_suspicion_is_the_score_of_the_time);
    tcase_add_test(t, without_a_reference_the_result_alone_counts);
    tcase_add_test(t, what_was_not_timed_has_no_points);
    tcase_add_test(t, a_time_is_shown_against_reference_and_limit);
    suite_add_tcase(s, t);
    return suite_run(s);
}
