/*
 * judge_window.c: the judges of lab 5's cases of parts 6 to 8
 *
 * A right sum does not show how it was made. The bytes that the graph has on
 * each GPU's links do. In two-shot by loads and stores, 2 (n - 1)/n of the
 * vector enter and leave a GPU. If the switch adds, every GPU sends its vector
 * to the switch once and receives its n-th of the sum; then it sends that n-th
 * and receives the whole sum: (1 + 1/n) of the vector each way.
 */
#include <math.h>   /* sqrt */
#include <stdlib.h> /* malloc */

#include "graph/record/read.h"
#include "judge5.h"

/* True on GPUs that ranks share, where the case runs nothing. */
static int has_no_nccl(const struct judge_task *t)
{
    return !t->spans && judge5_metric(t, 0, 0, "has_nccl") == 0;
}

/* ---- one kernel, and no host --------------------------------------------- */

/* The operations of a kind in an iteration of a rank. A kernel that waits is
 * several operations, the parts of the kernel: only the first counts. */
static int operations(const struct judge_task *t, int rank, int iteration,
                      enum graph_kind kind)
{
    struct spans_window w;
    int n = 0;
    if (spans_window(t, rank, iteration, &w) != 0)
        return 0;
    for (uint32_t at = w.first + 1; at <= w.last; at++) {
        const struct graph_view *const op = &t->graph->nodes[at];
        n += op->node.kind == kind && op->part == 0;
    }
    return n;
}

/* Expect one kernel for each call, besides those of the case itself, and no
 * meeting of the ranks through the host. */
static void judge_one_kernel(const struct judge_task *t, int calls, int own,
                             struct judge_verdict *v)
{
    for (int it = 0; t->spans && it < t->iterations; it++)
        for (int r = 0; r < t->nranks && v->pass; r++) {
            const int kernels = operations(t, r, it, GRAPH_KERNEL) - own;
            const int mpi = operations(t, r, it, GRAPH_MPI);
            if (kernels != calls)
                judge_fail_method(
                    v,
                    "the result is right, but rank %d launches %d "
                    "kernels in %d calls: one call is one kernel",
                    r, kernels, calls);
            else if (mpi > 0)
                judge_fail_method(
                    v,
                    "the result is right, but rank %d calls MPI %d "
                    "times: kernels meet by window_meet()",
                    r, mpi);
        }
}

/* `percent_of_nccl`: the time that is allowed. */
static void judge_against_nccl(const struct judge_task *t, size_t nbytes,
                               struct judge_verdict *v)
{
    const int64_t percent = plan_int(t->c, "percent_of_nccl", 0);
    const double nccl = judge5_nccl_us(t, nbytes);
    if (v->pass && spans_time_us(t, 0) > (double)percent / 100 * nccl &&
        percent > 0)
        judge_fail_method(
            v,
            "it takes %.1f us; NCCL's all-reduce takes %.1f us, and "
            "%lld %% of that is required",
            spans_time_us(t, 0), nccl, (long long)percent);
}

/* ---- all-reduces --------------------------------------------------------- */

/* Expect every byte to cross the links through the switch, and no more of them
 * than if each rank has one n-th of the sum. */
static void judge_switched(const struct judge_task *t,
                           const struct judge5_moved *moved,
                           struct judge_verdict *v)
{
    enum { REST = 4096 }; /* bytes: flags, and parts that end at a float4 */
    const double calls = (double)plan_int(t->c, "calls", 3);
    const double vector = calls * (double)(judge5_count(t) * sizeof(float));
    const double most = (1 + 1.0 / t->nranks) * vector + calls * REST;
    if (!(moved->by_switch >= 2 * t->nranks * vector))
        judge_fail_method(v,
                          "the result is right, but %.0f bytes cross the links "
                          "through the switch, should be %.0f: use "
                          "multimem_load_sum() and multimem_store()",
                          moved->by_switch, 2 * t->nranks * vector);
    judge5_each_way(moved, most,
                    "each rank asks the switch for its n-th of the sum", v);
}

void judge5_window(const struct judge_task *t, struct judge_verdict *v)
{
    const int calls = (int)plan_int(t->c, "calls", 3);
    if (has_no_nccl(t))
        return;
    judge5_compare(t, "out", (size_t)calls * judge5_count(t), judge5_want_sum,
                   judge5_from_all, v);
    if (v->pass)
        judge5_no_nccl(t, v);
    judge_one_kernel(t, calls, calls > 1 ? calls : 0, v);
    for (int it = 0; t->spans && it < t->iterations && v->pass; it++) {
        const struct judge5_moved moved = judge5_moved(t, it);
        if (plan_int(t->c, "multimem", 0))
            judge_switched(t, &moved, v);
        else
            judge5_shared(t, &moved, v);
    }
    judge_against_nccl(t, judge5_count(t) * sizeof(float), v);
}

/* `out` has the sums of both ways. */
static double want_race(const struct judge_task *t, const uint64_t *seed, int r,
                        size_t i)
{
    return judge5_want_sum(t, seed, r, i % judge5_count(t));
}

void judge5_window_race(const struct judge_task *t, struct judge_verdict *v)
{
    const double most = (double)plan_int(t->c, "percent", 100) / 100;
    if (has_no_nccl(t))
        return;
    judge5_compare(t, "out", 2 * judge5_count(t), want_race, judge5_from_all,
                   v);
    if (v->pass)
        judge5_no_nccl(t, v);
    const double loads = judge5_range_us(t, "by loads #0", 1);
    const double by_switch = judge5_range_us(t, "by switch #0", 1);
    if (v->pass && t->spans && !(by_switch <= most * loads))
        judge_fail_method(
            v,
            "the result is right, but takes %.1f us by the switch and "
            "%.1f us by loads; %.0f %% of that is required",
            by_switch, loads, 100 * most);
}

/* ---- all-reduce and norm ------------------------------------------------- */

static size_t param(const struct judge_task *t, const char *key, int64_t value)
{
    return (size_t)plan_int(t->c, key, value);
}

/* Element i of a rank's residual after `calls` calls; the input of number k is
 * k times the first one. */
static double residual_after(const struct judge_task *t, const uint64_t *seed,
                             int r, size_t i, size_t calls)
{
    const size_t count = param(t, "rows", 4) * param(t, "width", 64);
    double sum = 0;
    for (int k = 0; k < t->nranks; k++)
        sum += judge5_input(seed[k], i);
    return judge5_input(seed[r], count + i) +
           sum * (double)(calls * (calls + 1) / 2);
}

static double want_residual(const struct judge_task *t, const uint64_t *seed,
                            int r, size_t i)
{
    return residual_after(t, seed, r, i, param(t, "calls", 3));
}

/* Set a row of `out` after `calls` calls. */
static void want_row(const struct judge_task *t, const uint64_t *seed, int r,
                     size_t row, size_t calls, float *out)
{
    const size_t width = param(t, "width", 64), first = row * width;
    const size_t gain = 2 * param(t, "rows", 4) * width;
    double squares = 0;
    for (size_t i = 0; i < width; i++) {
        const double x = residual_after(t, seed, r, first + i, calls);
        squares += x * x;
    }
    const double scale = 1 / sqrt(squares / (double)width + 1e-5);
    for (size_t i = 0; i < width; i++)
        out[i] = (float)(residual_after(t, seed, r, first + i, calls) * scale *
                         judge5_input(seed[r], gain + i));
}

static void compare_norms(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t rows = param(t, "rows", 4), width = param(t, "width", 64);
    const size_t all = param(t, "calls", 3) * rows;
    const size_t nbytes = all * width * sizeof(float);
    float *const want = malloc(nbytes + 1);
    for (int it = 0; it < t->iterations && v->pass; it++) {
        uint64_t *const seed = judge5_seeds(t, it);
        for (int r = 0; r < t->nranks && v->pass; r++) {
            const float *const got = judge_output(t, r, it, "out", nbytes, v);
            for (size_t row = 0; row < all; row++)
                want_row(t, seed, r, row % rows, row / rows + 1,
                         want + row * width);
            if (got)
                data_compare_near(got, want, all * width, DATA_FLOAT, 1e-5,
                                  1e-6, r, v);
            judge5_descend(t, r, it, "out", all * width, judge5_from_all, seed,
                           v);
        }
        free(seed);
    }
    free(want);
}

void judge5_fused(const struct judge_task *t, struct judge_verdict *v)
{
    const int calls = (int)plan_int(t->c, "calls", 3);
    const size_t count = param(t, "rows", 4) * param(t, "width", 64);
    if (has_no_nccl(t))
        return;
    judge5_compare(t, "residual", count, want_residual, judge5_from_all, v);
    compare_norms(t, v);
    if (v->pass)
        judge5_no_nccl(t, v);
    judge_one_kernel(t, calls, calls - 1, v);
    judge_against_nccl(t, count * sizeof(float), v);
}
