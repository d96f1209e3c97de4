/*
 * judge_direct.c: the judge of lab 7's part 6
 *
 * The results are those of part 5 without a capacity. How they came about is in
 * the graph: no host waits between the router and the experts, no collective
 * and no message carries anything, and a rank's kernels store no more to
 * another GPU than the choices that go there, and flags.
 */
#include <string.h> /* strcmp */

#include "graph/record/read.h"
#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "judge7.h"

enum { GPUS = 64 };

struct moved { /* bytes from GPU to GPU in an iteration */
    double bytes[GPUS][GPUS];
};

static int is_known(const struct graph_move *m)
{
    return m->from >= 0 && m->to >= 0 && m->from < GPUS && m->to < GPUS;
}

static void add_moves(const struct judge_task *t, int rank, int iteration,
                      struct moved *out)
{
    struct spans_window w;
    if (spans_window(t, rank, iteration, &w) != 0)
        return;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const op = &t->graph->nodes[at];
        for (size_t i = 0; i < op->nmoves; i++)
            if (is_known(&op->moves[i]))
                out->bytes[op->moves[i].from][op->moves[i].to] +=
                    (double)op->moves[i].nbytes;
    }
}

void judge7_moved(const struct judge_task *t, const struct judge7_choices *c,
                  int it, double there, double back, struct judge_verdict *v)
{
    const double flags =
        64.0 * c->nexperts * (double)plan_int(t->c, "rounds", 1);
    static struct moved moved;
    if (!t->spans)
        return;
    moved = (struct moved){{{0}}};
    for (int r = 0; r < t->nranks; r++)
        add_moves(t, r, it, &moved);
    for (int i = 0; i < t->nranks * t->nranks && v->pass; i++) {
        const int r = i / t->nranks, s = i % t->nranks;
        const double want = judge7_flow(c, r, s).choices * there +
                            judge7_flow(c, s, r).choices * back;
        const double got = moved.bytes[r][s];
        if (r != s && got > want + flags)
            judge_fail_method(
                v,
                "the result is right, but %.0f bytes go from rank %d to rank "
                "%d, where its choices take %.0f",
                got, r, s, want);
    }
}

void judge7_no_host(const struct judge_task *t, struct judge_verdict *v)
{
    judge_no_waits(t, "the counts travel with the tokens, in the flags", v);
    judge_no_mpi(t, "kernels store into the other ranks' memory", v);
    for (int r = 0; r < t->nranks; r++)
        if (!(judge_count(t, r, 0, "collectives", v) <= 0) ||
            !(judge_count(t, r, 0, "messages", v) <= 0))
            judge_fail_method(
                v,
                "the result is right, but rank %d communicates by NCCL's "
                "calls: here kernels store into the other ranks' memory",
                r);
}

static int is_kind(const struct judge_task *t, const char *kind)
{
    return strcmp(t->c->kind, kind) == 0;
}

void judge7_direct(const struct judge_task *t, struct judge_verdict *v)
{
    for (int it = 0; it < t->iterations; it++) {
        struct judge7_choices c = judge7_choices(t, it);
        const double token = c.dim * (double)sizeof(float);
        judge7_outputs(t, &c, it, v);
        if (v->pass)
            judge7_moved(t, &c, it, is_kind(t, "direct-combine") ? 0 : token,
                         is_kind(t, "direct-dispatch") ? 0 : token, v);
        judge7_choices_free(&c);
    }
    if (v->pass)
        judge7_no_host(t, v);
}
