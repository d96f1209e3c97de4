/*
 * Least squares: what is found has the least cost of its neighbourhood, as the
 * cost is defined, and stays within its limits.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "topo/fit/leastsq.h"

enum { MOST = LEASTSQ_UNKNOWNS + 1 };

struct problem {
    int n, m;
    double scale, anchor, lo, hi, start;
    double x[3]; /* that is found */
    int calls;
};

static double at(double t, const double *x, int n)
{
    return x[0] * exp(-.4 * t) + (n > 1 ? x[1] * t : 0) +
           (n > 2 ? sin(x[2] * t) : 0);
}

/* A curve through points, one of which is far off. */
static int residuals(void *user, const double *x, double *r)
{
    struct problem *const p = user;
    static const double real[] = {2, -.5, .7};
    p->calls++;
    for (int i = 0; i < p->m; i++) {
        const double t = .5 * i, off = i == 3 ? 4 : .01 * (i % 3 - 1);
        r[i] = at(t, real, p->n) + off - at(t, x, p->n);
    }
    return 0;
}

static double cost(struct problem *p, const double *x)
{
    double r[20], sum = 0;
    residuals(p, x, r);
    for (int i = 0; i < p->m; i++)
        sum += log1p(r[i] * r[i] / (p->scale * p->scale));
    for (int k = 0; k < p->n; k++) {
        const double from = fmin(fmax(p->start, p->lo), p->hi);
        sum += p->anchor * (x[k] - from) * (x[k] - from);
    }
    return sum;
}

static int solve(struct problem *p, double x[MOST])
{
    double lo[MOST], hi[MOST];
    for (int k = 0; k < MOST; k++) {
        lo[k] = p->lo;
        hi[k] = p->hi;
        x[k] = p->start;
    }
    return leastsq_solve(&(struct leastsq){.n = p->n,
                                           .m = p->m,
                                           .lo = lo,
                                           .hi = hi,
                                           .scale = p->scale,
                                           .anchor = p->anchor,
                                           .residuals = residuals,
                                           .user = p},
                         x);
}

static struct problem problems[] = {
    {1, 10, .1, 0, -9, 9, 0, {0}, 0},    {2, 10, .1, 0, -9, 9, 0, {0}, 0},
    {3, 12, .1, 0, -9, 9, .3, {0}, 0},   {1, 10, .1, 5, -9, 9, 1.5, {0}, 0},
    {2, 10, .1, 20, -9, 9, 1, {0}, 0},   {3, 12, .1, .5, -9, 9, .3, {0}, 0},
    {2, 10, 2, 0, -9, 9, 0, {0}, 0},     {1, 10, .1, 0, -9, 1.2, 0, {0}, 0},
    {2, 10, .1, 0, -.2, 9, 5, {0}, 0},   {1, 10, .1, .5, 3, 9, 0, {0}, 0},
    {2, 10, .1, 0, -9, 1.99, 0, {0}, 0}, {1, 10, .1, 5000, -9, 9, 1.5, {0}, 0}};
enum { NPROBLEMS = sizeof problems / sizeof *problems };

START_TEST(no_step_makes_what_is_found_better)
{
    struct problem *const p = &problems[_i];
    double x[MOST];
    ck_assert_int_eq(solve(p, x), 0);
    const double least = cost(p, x);
    for (int k = 0; k < p->n; k++)
        for (int way = -1; way <= 1; way += 2) {
            const double was = x[k];
            ck_assert_msg(x[k] >= p->lo && x[k] <= p->hi, "x[%d] = %g", k,
                          x[k]);
            x[k] = fmin(fmax(was + way * 1e-3, p->lo), p->hi);
            ck_assert_msg(cost(p, x) >= least - 1e-9, "x[%d] = %.9g: %.9g", k,
                          x[k], cost(p, x) - least);
            x[k] = was;
        }
}
END_TEST

/* What is far off does not count: the others are met as if it weren't there. */
START_TEST(an_outlier_moves_nothing)
{
    double x[MOST];
    struct problem p = problems[1];
    ck_assert_int_eq(solve(&p, x), 0);
    ck_assert_double_eq_tol(x[0], 2, .02);
    ck_assert_double_eq_tol(x[1], -.5, .02);
    ck_assert_int_lt(p.calls, 60);
}
END_TEST

static int never(void *user, const double *x, double *r)
{
    (void)user;
    (void)x;
    (void)r;
    return -1;
}

/* Only from 1.5 on is there no value. */
static int up_to(void *user, const double *x, double *r)
{
    (void)user;
    r[0] = r[1] = 2 - x[0];
    return x[0] < 1.5 ? 0 : -1;
}

START_TEST(where_nothing_can_be_found_nothing_is)
{
    double lo[MOST] = {0}, hi[MOST], x[MOST] = {0};
    for (int k = 0; k < MOST; k++)
        hi[k] = 9;
    struct leastsq q = {
        .n = 1, .m = 2, .lo = lo, .hi = hi, .scale = 1, .residuals = never};
    ck_assert_int_eq(leastsq_solve(&q, x), -1);
    q.residuals = up_to;
    ck_assert_int_eq(leastsq_solve(&q, x), 0);
    ck_assert(x[0] > 1.4 && x[0] < 1.5);
    q.n = 0;
    x[0] = 1;
    ck_assert_int_eq(leastsq_solve(&q, x), 0);
    ck_assert_double_eq(x[0], 1);
    q.n = LEASTSQ_UNKNOWNS;
    ck_assert_int_eq(leastsq_solve(&q, x), 0);
    q.n++;
    ck_assert_int_eq(leastsq_solve(&q, x), -1);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: leastsq");
    TCase *const t = tcase_create("leastsq");
    tcase_add_loop_test(t, no_step_makes_what_is_found_better, 0, NPROBLEMS);
    tcase_add_test(t, an_outlier_moves_nothing);
    tcase_add_test(t, where_nothing_can_be_found_nothing_is);
    suite_add_tcase(s, t);
    return suite_run(s);
}
