/* The interval of a median: compared with counting all tosses; its coverage. */
#include <check.h>
#include <stdlib.h> /* srand48 */

#include "judge/interval.h"
#include "suite.h"

/* The share of the 2^n ways in which n values can lie on either side of the
 * median that have it outside [k-th smallest, k-th largest]. */
static double outside(int n, int k)
{
    int count = 0;
    for (int way = 0; way < 1 << n; way++) {
        const int below = __builtin_popcount((unsigned)way);
        count += below < k || n - below < k;
    }
    return (double)count / (1 << n);
}

START_TEST(it_is_the_narrowest_that_holds_95_percent)
{
    const int n = _i;
    double value[32];
    for (int i = 0; i < n; i++)
        value[i] = n - i; // sorted, value i is i + 1
    const struct interval t = interval_of(value, n);
    const int k = (int)t.low;
    ck_assert_int_eq((int)t.high, n + 1 - k);
    ck_assert_double_eq(t.middle, (n + 1) / 2.0);
    if (n >= 6)
        ck_assert_double_le(outside(n, k), 0.05);
    ck_assert_double_gt(outside(n, k + 1), 0.05);
}
END_TEST

START_TEST(an_outlier_at_either_end_is_worth_nothing)
{
    double value[] = {1.1, 0.9, 1.0, 1e9, 1.2, 0.8, 1.05, -1e9, 1.0};
    const struct interval t = interval_of(value, 9);
    ck_assert_double_eq(t.low, 0.8);
    ck_assert_double_eq(t.middle, 1.0);
    ck_assert_double_eq(t.high, 1.2);
}
END_TEST

START_TEST(it_misses_as_seldom_as_it_says)
{
    enum { N = 9, TRIES = 20000 };
    int missed = 0;
    srand48(42);
    for (int i = 0; i < TRIES; i++) {
        double value[N]; // of a skewed distribution with median 1
        for (int k = 0; k < N; k++) {
            const double u = drand48();
            value[k] = u < 0.5 ? 0.5 + u : 1 / (2 - 2 * u);
        }
        const struct interval t = interval_of(value, N);
        missed += t.low > 1 || t.high < 1;
    }
    const double share = (double)missed / TRIES;
    ck_assert_double_gt(share, 0.030); // 3.9 % by the formula
    ck_assert_double_lt(share, 0.048);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("judge: interval");
    TCase *const t = tcase_create("interval");
    tcase_add_loop_test(t, it_is_the_narrowest_that_holds_95_percent, 1, 20);
    tcase_add_test(t, an_outlier_at_either_end_is_worth_nothing);
    tcase_add_test(t, it_misses_as_seldom_as_it_says);
    suite_add_tcase(s, t);
    return suite_run(s);
}
