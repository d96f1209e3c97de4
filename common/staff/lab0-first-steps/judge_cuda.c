/* judge_cuda.c: copies, kernels and streams */
#include <stdlib.h> /* malloc */

#include "judge/data.h"
#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "judge0.h"
#include "terms.h"

/* Twice the input of a rank, in floats. The caller frees them. */
static float *doubled(const struct judge_task *t, int rank, int iteration,
                      size_t n, size_t guards)
{
    float *const want = malloc((n + guards) * sizeof *want);
    data_fill(want, n, DATA_FLOAT, judge_input_seed(t, rank, iteration));
    for (size_t i = 0; i < n; i++)
        want[i] *= 2;
    for (size_t i = n; i < n + guards; i++)
        want[i] = TERMS_GUARD;
    return want;
}

/* Bytes in a rank's first iteration: those that copies move from ordinary or
 * pinned memory to the device (up) or back (down), and those that kernels
 * write. */
struct moved {
    double up, down, written;
};

static struct moved moved_by(const struct judge_task *t, int rank)
{
    struct moved m = {0};
    struct spans_window w;
    if (spans_window(t, rank, 0, &w) != 0)
        return m;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const v = &t->graph->nodes[at];
        if (v->part != 0)
            continue;
        for (size_t i = 0; v->node.kind == GRAPH_COPY && i < v->nmoves; i++) {
            const double nbytes = (double)v->moves[i].nbytes;
            m.up += v->moves[i].from < 0 && v->moves[i].to >= 0 ? nbytes : 0;
            m.down += v->moves[i].to < 0 && v->moves[i].from >= 0 ? nbytes : 0;
        }
        for (size_t i = 0; v->node.kind == GRAPH_KERNEL && i < v->naccesses;
             i++)
            if ((v->accesses[i].write & GRAPH_TOUCH) == GRAPH_WRITE)
                m.written +=
                    (double)(v->accesses[i].end - v->accesses[i].begin);
    }
    return m;
}

/* The whole vector travels up, is doubled by a kernel, and travels down. */
static void judge_trip_made(const struct judge_task *t, int rank,
                            struct judge_verdict *v)
{
    const double nbytes = (double)(judge0_count(t) * sizeof(float));
    const struct moved m = moved_by(t, rank);
    const struct {
        const char *what;
        double nbytes;
    } rows[] = {{"are copied to the device", m.up},
                {"are doubled by kernels", m.written},
                {"are copied back", m.down}};
    for (size_t i = 0; t->graph && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].nbytes < nbytes)
            judge_fail_method(
                v,
                "of the %.0f bytes of rank %d's vector, %.0f %s: the "
                "GPU is to double all of them",
                nbytes, rank, rows[i].nbytes, rows[i].what);
}

void judge0_trip(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t n = judge0_count(t), whole = n + TERMS_GUARDS;
    for (int r = 0; r < t->nranks; r++) {
        for (int i = 0; i < t->iterations; i++) {
            float *const want = doubled(t, r, i, n, TERMS_GUARDS);
            judge0_floats(t, r, i, "out", want, whole, v);
            free(want);
        }
        judge_trip_made(t, r, v);
        const double left = judge_count(t, r, 0, "device_bytes", v);
        if (!(left <= 0))
            judge_fail_method(
                v,
                "the result is right, but rank %d leaves %.0f bytes of "
                "device memory allocated",
                r, left);
    }
}

/* Bytes that a kernel writes; 0 for any other operation. */
static uint64_t written_by(const struct graph_view *v)
{
    uint64_t n = 0;
    for (size_t i = 0; v->node.kind == GRAPH_KERNEL && i < v->naccesses; i++)
        if ((v->accesses[i].write & GRAPH_TOUCH) == GRAPH_WRITE)
            n += v->accesses[i].end - v->accesses[i].begin;
    return n;
}

/* Each kernel of a rank's first iteration has a thread for each element that it
 * writes. */
static void judge_threads(const struct judge_task *t, int rank,
                          struct judge_verdict *v)
{
    struct spans_window w;
    if (spans_window(t, rank, 0, &w) != 0)
        return;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const k = &t->graph->nodes[at];
        const uint64_t elements = written_by(k) / sizeof(float);
        if (k->node.elem_size < elements) {
            judge_fail_method(
                v,
                "the result is right, but rank %d's kernel %s has %u "
                "threads and writes %llu elements: the contract asks "
                "for a thread for each",
                rank, k->name, k->node.elem_size, (unsigned long long)elements);
            return;
        }
    }
}

void judge0_axpy(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t n = judge0_count(t);
    float *const x = malloc(2 * n * sizeof *x), *const y = x + n;
    for (int r = 0; r < t->nranks; r++) {
        for (int i = 0; i < t->iterations; i++) {
            const uint64_t seed = judge_input_seed(t, r, i);
            data_fill(x, n, DATA_FLOAT, seed);
            data_fill(y, n, DATA_FLOAT, judge_seed(seed, TERMS_Y));
            for (size_t k = 0; k < n; k++)
                y[k] += TERMS_A * x[k];
            judge0_floats(t, r, i, "y", y, n, v);
            judge_origin(t, r, i, "y", 0, n * sizeof *y, rank_set_of(r), v);
        }
        if (v->pass)
            judge_threads(t, r, v);
    }
    free(x);
}

/* True if kernel b writes to what kernel a has written. */
static int writes_again(const struct graph_view *a, const struct graph_view *b)
{
    for (size_t i = 0; i < a->naccesses; i++)
        for (size_t k = 0; k < b->naccesses; k++)
            if (a->accesses[i].alloc == b->accesses[k].alloc &&
                (a->accesses[i].write & GRAPH_TOUCH) == GRAPH_WRITE &&
                (b->accesses[k].write & GRAPH_TOUCH) == GRAPH_WRITE &&
                a->accesses[i].begin < b->accesses[k].end &&
                b->accesses[k].begin < a->accesses[i].end)
                return 1;
    return 0;
}

/* The first two kernels of a rank's first iteration that write the same floats
 * ran on two streams, and the host did not wait. */
static void judge_streams(const struct judge_task *t, int rank,
                          struct judge_verdict *v)
{
    struct spans_window w;
    const struct graph_view *first = NULL, *next = NULL;
    if (spans_window(t, rank, 0, &w) != 0)
        return;
    for (uint32_t at = w.first; at <= w.last && !next; at++) {
        const struct graph_view *const n = &t->graph->nodes[at];
        if (first && written_by(n) && writes_again(first, n))
            next = n;
        else if (!first && written_by(n))
            first = n;
    }
    if (!next)
        judge_fail_method(
            v,
            "the result is right, but rank %d has one kernel where two "
            "belong, the second one on stream `two`",
            rank);
    else if (next->node.queue == first->node.queue)
        judge_fail_method(
            v,
            "the result is right, but both kernels of rank %d are on "
            "one stream: the second one belongs on stream `two`",
            rank);
    judge_no_waits(t, "an event orders two streams without it", v);
}

void judge0_order(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t n = judge0_count(t);
    for (int r = 0; r < t->nranks; r++) {
        for (int i = 0; i < t->iterations; i++) {
            float *const want = doubled(t, r, i, n, 0);
            for (size_t k = 0; k < n; k++)
                want[k] += 1;
            judge0_floats(t, r, i, "x", want, n, v);
            judge_origin(t, r, i, "x", 0, n * sizeof *want, rank_set_of(r), v);
            free(want);
        }
        if (v->pass && t->graph)
            judge_streams(t, r, v);
    }
}

void judge0_overlap(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t n = judge0_count(t);
    for (int r = 0; r < t->nranks; r++) {
        for (int i = 0; i < t->iterations; i++) {
            float *const want = doubled(t, r, i, n, 0);
            judge0_floats(t, r, i, "out", want, n, v);
            free(want);
        }
        judge_trip_made(t, r, v);
    }
}
