/*
 * judge_recover.c: judges of parts 2 and 3, in which ranks fail
 */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy, strcmp */

#include "judge10.h"

enum { DONE, BROKEN, LATE };

static int victim_of(const struct judge_task *t)
{
    return (int)plan_int(t->c, "victim", -1);
}

/* ---- part 2 -------------------------------------------------------------- */

static int wanted_end(const struct judge_task *t)
{
    const char *const what = plan_text(t->c, "what", "done");
    return strcmp(what, "done") == 0     ? DONE
           : strcmp(what, "broken") == 0 ? BROKEN
                                         : LATE;
}

/* How long it took: to the deadline, and not past it, if it is late. */
static void judge_took(const struct judge_task *t, int rank, int iteration,
                       int want, struct judge_verdict *v)
{
    const double took = judge10_metric(t, rank, iteration, "took_us");
    const double deadline = (double)plan_int(t->c, "deadline_us", 2000);
    if (want == LATE && !(took >= deadline))
        judge_fail(v,
                   "rank %d gives up after %.1f us, before the deadline of "
                   "%.0f us",
                   rank, took, deadline);
    else if (!(took <= 1.1 * deadline))
        judge_fail(v, "rank %d waits %.1f us, past the deadline of %.0f us",
                   rank, took, deadline);
}

void judge10_wait(const struct judge_task *t, struct judge_verdict *v)
{
    static const char *const name[] = {"TEAM_DONE", "TEAM_BROKEN", "TEAM_LATE"};
    const int want = wanted_end(t);
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const int i = n / t->nranks, r = n % t->nranks;
        if (r == victim_of(t))
            continue;
        const double end = judge10_metric(t, r, i, "end");
        if (end != want)
            judge_fail(v, "*end is %s on rank %d, should be %s",
                       end == DONE || end == BROKEN || end == LATE
                           ? name[(int)end]
                           : "not set",
                       r, name[want]);
        else if (want == DONE && judge10_metric(t, r, i, "is_idle") != 1)
            judge_fail(v, "rank %d returns before its stream is idle", r);
        else if (judge10_metric(t, r, i, "error") != 0)
            judge_fail(v,
                       "rank %d leaves an error: cudaGetLastError() returns "
                       "what cudaStreamQuery() returned, and a later check of "
                       "a kernel launch would find it",
                       r);
        judge_took(t, r, i, want, v);
    }
}

/* ---- part 3 -------------------------------------------------------------- */

/* True if the rank fails in the case, or is left out. */
static int leaves(const struct judge_task *t, int rank)
{
    return rank == victim_of(t) || rank == plan_int(t->c, "victim2", -1) ||
           rank == plan_int(t->c, "slow", -1);
}

/* The others are numbered in the old order. */
static void judge_numbers(const struct judge_task *t, int iteration,
                          struct judge_verdict *v)
{
    int n = 0, at = 0;
    for (int r = 0; r < t->nranks; r++)
        n += !leaves(t, r);
    for (int r = 0; r < t->nranks; r++) {
        if (leaves(t, r))
            continue;
        const double rank = judge10_metric(t, r, iteration, "rank");
        const double nranks = judge10_metric(t, r, iteration, "nranks");
        if (rank != at || nranks != n)
            judge_fail(v,
                       "the former rank %d has rank %.0f of %.0f in the team, "
                       "should have rank %d of %d",
                       r, rank, nranks, at, n);
        at++;
    }
}

/* The others know their numbers in the new team, and sum their inputs. */
static void judge_team(const struct judge_task *t, int iteration,
                       struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 1000);
    float *const want = calloc(count, sizeof *want);
    float *const part = malloc(count * sizeof *part);
    for (int r = 0; r < t->nranks; r++) {
        data_fill(part, count, DATA_FLOAT, judge_input_seed(t, r, iteration));
        if (!leaves(t, r))
            data_combine(want, part, count, DATA_FLOAT, DATA_SUM);
    }
    judge_numbers(t, iteration, v);
    for (int r = 0; r < t->nranks; r++)
        if (!leaves(t, r))
            judge10_floats(t, r, iteration, "sum", want, count, v);
    free(want);
    free(part);
}

void judge10_shrink(const struct judge_task *t, struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const int i = n / t->nranks, r = n % t->nranks;
        if (r == 0)
            judge_team(t, i, v);
        if (!leaves(t, r) && judge10_metric(t, r, i, "is_idle") != 1)
            judge_fail(v,
                       "the stream of rank %d still works on the old "
                       "communicator when team_shrink() returns",
                       r);
    }
}

void judge10_leave(const struct judge_task *t, struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const int i = n / t->nranks, r = n % t->nranks;
        if (r == 0)
            judge_team(t, i, v);
        if (leaves(t, r) && judge10_metric(t, r, i, "has_comm") != 0)
            judge_fail(v, "t->comm of rank %d, which is left out, isn't NULL",
                       r);
    }
}

static void compare_state(const struct judge_task *t, int rank, int iteration,
                          const float *want, size_t count, int step,
                          struct judge_verdict *v)
{
    const double got = judge10_metric(t, rank, iteration, "step");
    if (got != step)
        judge_fail(v, "s->step is %.0f on rank %d, should be %d", got, rank,
                   step);
    judge10_floats(t, rank, iteration, "state", want, 2 * count, v);
}

void judge10_agree(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 1000);
    const int64_t everyone = (INT64_C(1) << t->nranks) - 1;
    const int all = (plan_int(t->c, "ahead", 0) & everyone) == everyone;
    float *const want = malloc(2 * count * sizeof *want);
    for (int i = 0; i < t->iterations; i++) {
        const uint64_t seed = judge_input_seed(t, 0, i);
        for (size_t k = 0; k < 2 * count; k++)
            want[k] = drawn_float(
                judge_seed(seed, (k < count ? 2 : 3) + (all ? 2u : 0u)),
                k % count);
        for (int r = 0; r < t->nranks; r++)
            compare_state(t, r, i, want, count, 5 + all, v);
    }
    free(want);
}

void judge10_trained(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 1000);
    const int nsteps = (int)plan_int(t->c, "steps", 8);
    const int before = (int)plan_int(t->c, "before", 0);
    int *const until = calloc((size_t)t->nranks, sizeof *until);
    float *const want = malloc(2 * count * sizeof *want);
    for (int r = 0; r < t->nranks; r++)
        until[r] = !leaves(t, r)       ? nsteps
                   : before > 0        ? before - 1
                   : r == victim_of(t) ? (int)plan_int(t->c, "at", 0)
                                       : (int)plan_int(t->c, "at2", 0);
    for (int i = 0; i < t->iterations; i++) {
        judge10_train(t, i, count, nsteps, until, want);
        judge_numbers(t, i, v);
        for (int r = 0; r < t->nranks; r++)
            if (!leaves(t, r))
                compare_state(t, r, i, want, count, nsteps, v);
    }
    free(until);
    free(want);
}
