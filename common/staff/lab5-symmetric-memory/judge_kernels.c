/*
 * judge_kernels.c: whether kernels did what the host could have enqueued
 *
 * A copy and a flag of a stream move the same bytes as a put in a kernel, and
 * order them, so the results can't tell. Real GPUs have no graph: the judges
 * pass there.
 */
#include "graph/record/read.h"
#include "judge5.h"

/* True if bytes go from a GPU to another one, or to a switch that adds: places
 * of hosts are negative. */
int judge5_leaves(const struct graph_move *m)
{
    return m->from >= 0 && m->to >= 0 && m->from != m->to;
}

static int is_copy_to_peer(const struct graph_view *op)
{
    int leaves = 0;
    for (size_t i = 0; i < op->nmoves; i++)
        leaves |= judge5_leaves(&op->moves[i]);
    return leaves && op->node.kind == GRAPH_COPY;
}

void judge5_no_copies(const struct judge_task *t, int rank, int iteration,
                      struct judge_verdict *v)
{
    struct spans_window w;
    if (!v->pass || spans_window(t, rank, iteration, &w) != 0)
        return;
    for (uint32_t at = w.first; at <= w.last && v->pass; at++) {
        const struct graph_view *const op = &t->graph->nodes[at];
        if (is_copy_to_peer(op))
            judge_fail_method(v,
                              "the result is right, but rank %d copies data "
                              "from GPU to GPU by %s%s%s: let a kernel read "
                              "or write the other rank's memory",
                              rank, op->name, *op->site ? ", at " : "",
                              op->site);
    }
}

void judge5_launches(const struct judge_task *t, int rank, int iteration,
                     int most, struct judge_verdict *v)
{
    struct spans_window w;
    int n = 0;
    if (!v->pass || spans_window(t, rank, iteration, &w) != 0)
        return;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const op = &t->graph->nodes[at];
        n += op->node.kind == GRAPH_KERNEL && op->part == 0;
    }
    if (n > most)
        judge_fail_method(v,
                          "the result is right, but rank %d launches %d "
                          "kernels, where %d should run from the first round "
                          "to the last",
                          rank, n, most);
}
