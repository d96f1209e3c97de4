/*
 * judge_measure.c: parts 1 and 2: compares measurements with the graph
 */
#include <math.h>   /* fabs */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* qsort */

#include "judge6.h"

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

void lab6_expect_us(double us, double copy_us, const char *what,
                    struct judge_verdict *v)
{
    if (!(us >= .99 * copy_us && us <= 1.02 * copy_us + 15))
        judge_fail(v, "%s: you measured %.1f us, but the copy took %.1f us",
                   what, us, copy_us);
}

static void expect_count(int found, int wanted, const char *what,
                         struct judge_verdict *v)
{
    if (found != wanted)
        judge_fail_method(
            v,
            "%s: %d copies were made, should be %d, including the "
            "warm-up ones",
            what, found, wanted);
}

/* ---- part 1 -------------------------------------------------------------- */

void lab6_judge_access(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations; i++) {
        const double could = lab6_shown(t, i, "could");
        if (lab6_shown(t, i, "on") != could)
            judge_fail(v,
                       "after peer_access(p, 1), %.0f pairs have access; "
                       "%.0f could have it",
                       lab6_shown(t, i, "on"), could);
        if (lab6_shown(t, i, "off") != 0)
            judge_fail(v, "after peer_access(p, 0), %.0f pairs have access",
                       lab6_shown(t, i, "off"));
        if (lab6_shown(t, i, "last_error") != 0 ||
            lab6_shown(t, i, "last_error_off") != 0)
            judge_fail(v,
                       "peer_access() leaves an error behind: the next "
                       "cudaGetLastError() says %.0f",
                       fmax(lab6_shown(t, i, "last_error"),
                            lab6_shown(t, i, "last_error_off")));
    }
}

void lab6_judge_one_way(const struct judge_task *t, struct judge_verdict *v)
{
    struct lab6_copies c;
    const int warmup = (int)plan_int(t->c, "warmup", 2);
    const int counted = (int)plan_int(t->c, "iterations", 5);
    const double nbytes = (double)plan_int(t->c, "bytes", 64 << 20);
    if (!lab6_known(t, v))
        return;
    const struct topo *const machine = spans_topo(t->spans);
    const int n = topo_ngpus(machine) / topo_nnodes(machine); // on this node
    const int from = (int)plan_int(t->c, "from", 0) % n;
    for (int i = 0; i < t->iterations; i++)
        for (int to = 0; to < n; to++) {
            double us[MOST_COPIES];
            char what[40];
            if (to == from)
                continue;
            snprintf(what, sizeof what, "GPU %d to %d", from, to);
            lab6_copies(t, i, from, to, nbytes, &c);
            expect_count(c.n, warmup + counted, what, v);
            for (int k = warmup; k < c.n; k++)
                us[k - warmup] = c.at[k].end_us - c.at[k].begin_us;
            if (c.n > warmup)
                lab6_expect_us(1000 * lab6_shown(t, i, "ms.%d.%d", from, to),
                               median(us, c.n - warmup), what, v);
        }
}

void lab6_judge_both_ways(const struct judge_task *t, struct judge_verdict *v)
{
    struct lab6_copies forth, back;
    const int warmup = (int)plan_int(t->c, "warmup", 2);
    const int counted = (int)plan_int(t->c, "iterations", 5);
    const double nbytes = (double)plan_int(t->c, "bytes", 64 << 20);
    const int a = (int)plan_int(t->c, "a", 0), b = (int)plan_int(t->c, "b", 1);
    if (!lab6_known(t, v))
        return;
    for (int i = 0; i < t->iterations; i++) {
        double us[MOST_COPIES];
        lab6_copies(t, i, a, b, nbytes, &forth);
        lab6_copies(t, i, b, a, nbytes, &back);
        expect_count(forth.n, warmup + counted, "one way", v);
        expect_count(back.n, warmup + counted, "the other way", v);
        if (!v->pass)
            return;
        for (int k = 0; k < forth.n; k++) {
            const struct judge6_copy *const x = &forth.at[k], *const y =
                                                                  &back.at[k];
            const double begin = fmin(x->begin_us, y->begin_us);
            const double end = fmax(x->end_us, y->end_us);
            const double both =
                fmin(x->end_us, y->end_us) - fmax(x->begin_us, y->begin_us);
            if (both < .9 * (end - begin))
                judge_fail_method(
                    v,
                    "copy %d: the two directions don't run at the "
                    "same time: %.1f of %.1f us",
                    k, both, end - begin);
            if (k >= warmup)
                us[k - warmup] = end - begin;
        }
        lab6_expect_us(1000 * lab6_shown(t, i, "ms"), median(us, counted),
                       "both ways", v);
    }
}

void lab6_judge_latency(const struct judge_task *t, struct judge_verdict *v)
{
    struct lab6_copies c;
    struct topo_path path;
    const int iterations = (int)plan_int(t->c, "iterations", 5);
    const int from = (int)plan_int(t->c, "from", 0);
    const int to = (int)plan_int(t->c, "to", 1);
    if (!lab6_known(t, v) ||
        topo_path(spans_topo(t->spans), from, to, 1, &path) != 0)
        return;
    const double want =
        (double)(path.latency_ps + topo_costs(spans_topo(t->spans))->copy_ps) *
        1e-6;
    for (int i = 0; i < t->iterations; i++) {
        const double us = lab6_shown(t, i, "us");
        lab6_copies(t, i, from, to, 16, &c);
        if (c.n != iterations)
            judge_fail(v, "%d copies of 16 bytes were made, should be %d", c.n,
                       iterations);
        if (!(fabs(us / want - 1) < .05))
            judge_fail(v,
                       "you measured %.2f us, but copies follow each other "
                       "after %.2f us (does the link wait for the host?)",
                       us, want);
    }
}

/* ---- part 2 -------------------------------------------------------------- */

void lab6_judge_puzzle(const struct judge_task *t, struct judge_verdict *v)
{
    static const struct {
        int to;
        double published_ms;
    } copies[] = {{1, 4.3}, {2, 53.3}, {4, 8.5}};
    struct lab6_copies c;
    const double nbytes = (double)plan_int(t->c, "bytes", 400000000);
    if (!lab6_known(t, v))
        return;
    for (int i = 0; i < t->iterations; i++) {
        double last_begin = 0, first_end = INFINITY;
        for (int k = 0; k < 3; k++) {
            const int to = copies[k].to;
            const double ms = lab6_shown(t, i, "ms.0.%d", to);
            const int want = lab6_nvlinks(spans_topo(t->spans), 0, to);
            char what[40];
            snprintf(what, sizeof what, "GPU 0 to %d", to);
            lab6_copies(t, i, 0, to, nbytes, &c);
            expect_count(c.n, 1, what, v);
            if (c.n != 1)
                return;
            last_begin = fmax(last_begin, c.at[0].begin_us);
            first_end = fmin(first_end, c.at[0].end_us);
            lab6_expect_us(1000 * ms, c.at[0].end_us - c.at[0].begin_us, what,
                           v);
            if (fabs(ms / copies[k].published_ms - 1) > .03)
                judge_fail_method(v, "%s took %.2f ms; %.1f was published",
                                  what, ms, copies[k].published_ms);
            if (lab6_shown(t, i, "links.0.%d", to) != want)
                judge_fail(v, "%s: count_nvlinks() returns %.0f, should be %d",
                           what, lab6_shown(t, i, "links.0.%d", to), want);
        }
        if (last_begin >= first_end)
            judge_fail_method(v, "the three copies don't run at once: one ends "
                                 "before another starts");
    }
}
