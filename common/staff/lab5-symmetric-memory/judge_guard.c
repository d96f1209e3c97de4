/*
 * judge_guard.c: no operation reads or writes past the end of a buffer
 *
 * The bytes after a buffer of the heap also belong to the heap, so the bounds
 * of allocations don't catch an access that goes too far. The execution graph
 * has every access: none may touch a guard (cases_alloc()).
 */
#include "drawn.h" /* GUARD_NBYTES */
#include "graph/record/read.h"
#include "judge5.h"

enum { MOST = 8 }; /* guards of a rank in an iteration */

/* The rank's latest guards before its iteration. Returns their number. */
static int find_guards(const struct graph *g, int rank, uint32_t before,
                       struct graph_access guard[MOST])
{
    int n = 0;
    for (uint32_t at = before; at-- > g->first[rank] && n < MOST;) {
        const struct graph_view *const v = &g->nodes[at];
        if (v->node.kind == GRAPH_MEMSET && v->naccesses == 1 &&
            v->accesses->end - v->accesses->begin == GUARD_NBYTES)
            guard[n++] = *v->accesses;
    }
    return n;
}

static int touches(const struct graph_access *a, const struct graph_access *b)
{
    return a->alloc == b->alloc && a->begin < b->end && b->begin < a->end &&
           (a->write & GRAPH_TOUCH) <= GRAPH_ATOMIC &&
           !(a->write & GRAPH_ROUGH);
}

/* The operations of an iteration on a rank against one guard. */
static void keep_off(const struct judge_task *t, int rank, int iteration,
                     const struct graph_access *guard, int owner,
                     struct judge_verdict *v)
{
    struct spans_window w;
    if (spans_window(t, rank, iteration, &w) != 0)
        return;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const n = &t->graph->nodes[at];
        for (size_t i = 0; i < n->naccesses; i++)
            if (touches(&n->accesses[i], guard))
                judge_fail(
                    v,
                    "rank %d: %s (%s) %s %llu bytes past the end of a "
                    "buffer in rank %d's heap",
                    rank, n->name, n->site,
                    (n->accesses[i].write & GRAPH_TOUCH) == GRAPH_READ
                        ? "reads"
                        : "writes",
                    (unsigned long long)(n->accesses[i].end - guard->begin),
                    owner);
    }
}

void judge5_guards(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            struct graph_access guard[MOST];
            struct spans_window w;
            if (spans_window(t, r, i, &w) != 0)
                return; // real GPUs: no graph
            const int n = find_guards(t->graph, r, w.first, guard);
            for (int k = 0; k < n; k++)
                for (int by = 0; by < t->nranks; by++)
                    keep_off(t, by, i, &guard[k], r, v);
        }
}
