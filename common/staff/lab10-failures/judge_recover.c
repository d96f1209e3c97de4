/*
 * judge_recover.c: judges of parts 2, 3 and 7: ranks that fail or are slow
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy, strcmp */

#include "judge/graph/calls.h"
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

/* How long it took: to the deadline, and not past it, if it is late; a few
 * questions to the communicator, if that is broken. */
static void judge_took(const struct judge_task *t, int rank, int iteration,
                       int wait, int want, struct judge_verdict *v)
{
    const double took = judge10_metric_at(t, rank, iteration, "took_us", wait);
    const double deadline = (double)plan_int(t->c, "deadline_us", 2000);
    // The wait that is over in time takes longer than this.
    const double soon = .3 * deadline;
    if (want == BROKEN && !(took <= soon))
        judge_fail(v,
                   "the communicator has an error, but rank %d waits %.1f us "
                   "before it reports that; %.1f us are enough",
                   rank, took, soon);
    else if (want == LATE && !(took >= deadline))
        judge_fail(v,
                   "rank %d gives up after %.1f us, before the deadline of "
                   "%.0f us",
                   rank, took, deadline);
    else if (!(took <= 1.1 * deadline))
        judge_fail(v,
                   "rank %d waits %.1f us, past the deadline of %.0f us: take "
                   "the time once before the loop, and compare in "
                   "microseconds; MPI_Wtime() returns seconds",
                   rank, took, deadline);
}

/* A rank's wait number `wait`. The first one ends well in every case. */
static void judge_one_wait(const struct judge_task *t, int rank, int iteration,
                           int wait, struct judge_verdict *v)
{
    static const char *const name[] = {"TEAM_DONE", "TEAM_BROKEN", "TEAM_LATE"};
    const int want = wait == 0 ? DONE : wanted_end(t);
    const double end = judge10_metric_at(t, rank, iteration, "end", wait);
    if (end != want)
        judge_fail(v, "*end is %s on rank %d, should be %s%s",
                   end == DONE || end == BROKEN || end == LATE ? name[(int)end]
                                                               : "not set",
                   rank, name[want],
                   wait == 0 ? ": the work takes a while, but all ranks do it"
                             : "");
    else if (want == DONE &&
             judge10_metric_at(t, rank, iteration, "is_idle", wait) != 1)
        judge_fail(v, "rank %d returns before its stream is idle", rank);
    else if (judge10_metric_at(t, rank, iteration, "error", wait) != 0)
        judge_fail(v,
                   "rank %d leaves an error: cudaGetLastError() returns "
                   "what cudaStreamQuery() returned, and a later check of "
                   "a kernel launch would find it",
                   rank);
    judge_took(t, rank, iteration, wait, want, v);
}

void judge10_wait(const struct judge_task *t, struct judge_verdict *v)
{
    const int nwaits = wanted_end(t) == DONE ? 1 : 2;
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const int i = n / t->nranks, r = n % t->nranks;
        for (int wait = 0; wait < nwaits; wait++)
            if (wait == 0 || r != victim_of(t))
                judge_one_wait(t, r, i, wait, v);
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

/* The old communicator is freed. The count comes from the rank's process: a
 * rank that fakes it saves one call. */
static void judge_ended(const struct judge_task *t, int rank, int iteration,
                        const char *call, struct judge_verdict *v)
{
    if (judge10_metric(t, rank, iteration, "ended") < 1)
        judge_fail_method(v,
                          "the result is right, but rank %d keeps the old "
                          "communicator: %s() frees it",
                          rank, call);
}

/* It is aborted: a rank that is gone doesn't destroy it with the others. */
static void judge_aborted(const struct judge_task *t, int rank, int iteration,
                          struct judge_verdict *v)
{
    judge_ended(t, rank, iteration, "ncclCommAbort", v);
    if (judge10_metric(t, rank, iteration, "aborted") < 1)
        judge_fail_method(v,
                          "the result is right, but rank %d frees the old "
                          "communicator by ncclCommDestroy(), which waits on a "
                          "GPU for ranks that are gone: ncclCommAbort() does "
                          "not wait",
                          rank);
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
        if (!leaves(t, r))
            judge_aborted(t, r, i, v);
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
        judge_ended(t, r, i, "ncclCommDestroy", v);
    }
}

/* The state that a case shows as number k. */
static void compare_state(const struct judge_task *t, int rank, int iteration,
                          int k, const float *want, size_t count, int step,
                          struct judge_verdict *v)
{
    char name[EVIDENCE_NAME];
    const double got = judge10_metric_at(t, rank, iteration, "step", k);
    if (got != step)
        judge_fail(v, "s->step is %.0f on rank %d, should be %d", got, rank,
                   step);
    snprintf(name, sizeof name, "state.%d", k);
    judge10_floats(t, rank, iteration, name, want, 2 * count, v);
}

/* Draws of a trial's values, by step: parameters, then moments. */
enum { BEFORE = 0, SMALLEST = 2, AHEAD = 4 };

/* True if half of a state, its parameters or its moments, is a draw. */
static int is_draw(const float *half, size_t count, uint64_t trial, int draw)
{
    const uint64_t seed = judge_seed(trial, (uint64_t)draw);
    for (size_t e = 0; e < count; e++)
        if (half[e] != drawn_float(seed, e))
            return 0;
    return 1;
}

/* A step that isn't undone, or one too many that is. */
static void judge_undone(const struct judge_task *t, int rank, int iteration,
                         int k, uint64_t trial, int is_ahead,
                         struct judge_verdict *v)
{
    static const char *const name[] = {"param", "moment"};
    const size_t count = (size_t)plan_int(t->c, "count", 1000);
    char output[EVIDENCE_NAME];
    snprintf(output, sizeof output, "state.%d", k);
    const float *const got =
        judge_output(t, rank, iteration, output, 2 * count * sizeof *got, v);
    for (int half = 0; got && half < 2; half++) {
        const float *const at = got + (half ? count : 0);
        if (is_ahead && is_draw(at, count, trial, AHEAD + half))
            judge_fail(v,
                       "rank %d is one step ahead, and s->%s keeps the values "
                       "of that step: copy s->old_%s to it",
                       rank, name[half], name[half]);
        else if (!is_ahead && is_draw(at, count, trial, BEFORE + half))
            judge_fail(v,
                       "rank %d has made the smallest number of steps, and "
                       "s->%s becomes s->old_%s: only a rank that is ahead "
                       "undoes a step",
                       rank, name[half], name[half]);
    }
}

void judge10_agree(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)plan_int(t->c, "count", 1000);
    float *const want = malloc(2 * count * sizeof *want);
    for (int n = 0; n < t->iterations * DRAWN_AGREES; n++) {
        const int i = n / DRAWN_AGREES, k = n % DRAWN_AGREES;
        const uint64_t seed = judge_input_seed(t, 0, i);
        const struct drawn_ahead d = drawn_ahead(t->c, seed, k, t->nranks);
        const uint64_t of = judge_seed(seed, (uint64_t)k);
        for (size_t e = 0; e < 2 * count; e++)
            want[e] =
                drawn_float(judge_seed(of, SMALLEST + (e >= count)), e % count);
        for (int r = 0; r < t->nranks; r++) {
            judge_undone(t, r, i, k, of, d.mask >> r & 1, v);
            compare_state(t, r, i, k, want, count, d.step, v);
        }
    }
    free(want);
    judge_no_mpi_at_all(t, "the team agrees through its communicator", v);
}

/* A failure costs the deadline, and little more. */
static void judge_trained_in_time(const struct judge_task *t, int rank,
                                  int iteration, struct judge_verdict *v)
{
    const double took = judge10_metric(t, rank, iteration, "took_us");
    const double deadline = (double)plan_int(t->c, "deadline_us", 5000);
    const int nfailures = 1 + (plan_int(t->c, "victim2", -1) >= 0);
    const double most = (1 + nfailures) * deadline;
    if (plan_int(t->c, "silent", 0) && !(took >= deadline))
        judge_fail_method(v,
                          "the result is right, but rank %d trains for %.4g "
                          "us, though a rank fails silently and the deadline "
                          "is %.0f us: it gives up too early",
                          rank, took, deadline);
    if (!(took <= most))
        judge_fail_method(v,
                          "the result is right, but rank %d trains for %.4g "
                          "us; with a deadline of %.0f us and %d failure%s, "
                          "%.0f us are enough",
                          rank, took, deadline, nfailures,
                          nfailures > 1 ? "s" : "", most);
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
                compare_state(t, r, i, 0, want, count, nsteps, v);
    }
    free(until);
    free(want);
    for (int n = 0; n < t->iterations * t->nranks; n++)
        if (!leaves(t, n % t->nranks))
            judge_trained_in_time(t, n % t->nranks, n / t->nranks, v);
    judge_no_mpi_at_all(t, "the team sums through its communicator", v);
}

/* ---- part 7 -------------------------------------------------------------- */

/* Each rank's middle time of a hunt, in units of the draw. */
static const char *times_text(const struct judge_task *t, int iteration,
                              int hunt, char *out, size_t nbytes)
{
    const struct draw_from from = {.c = t->c,
                                   .seed = judge_input_seed(t, 0, iteration),
                                   .nranks = t->nranks};
    size_t at = 0;
    for (int r = 0; r < t->nranks && at < nbytes; r++)
        at += (size_t)snprintf(out + at, nbytes - at, "%s %d", r ? " :" : "",
                               drawn_middle(&from, r, hunt));
    return out;
}

void judge10_straggler(const struct judge_task *t, struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks * DRAWN_HUNTS; n++) {
        const int k = n % DRAWN_HUNTS;
        const int r = n / DRAWN_HUNTS % t->nranks;
        const int i = n / DRAWN_HUNTS / t->nranks;
        const int want =
            drawn_slow(t->c, judge_input_seed(t, 0, i), k, t->nranks);
        const double got = judge10_metric_at(t, r, i, "slow", k);
        char times[200];
        if (got != want)
            judge_fail(v,
                       "*slow is %.0f on rank %d in hunt %d of 0 to %d, should "
                       "be %d%s:\nthe middle times of the ranks' own work are "
                       "as%s%s",
                       got, r, k, DRAWN_HUNTS - 1, want,
                       want < 0 ? " (none is)" : "",
                       times_text(t, i, k, times, sizeof times),
                       got == t->nranks - 1 && want != t->nranks - 1
                           ? "\n(middle_of() sorts its array: compare with a "
                             "copy that keeps the order of the ranks)"
                           : "");
    }
    judge_no_mpi(t, "NCCL gathers the times", v);
}
