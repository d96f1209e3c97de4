/*
 * explain_case.h: one counterfactual of explain.c (private to common/graph)
 *
 * A case changes the copy of the run, and marks the operations that make up its
 * cause. explain.c replays the copy and names the call site whose marked
 * operations have the largest weight.
 */
#ifndef COMMLAB_GRAPH_EXPLAIN_CASE_H
#define COMMLAB_GRAPH_EXPLAIN_CASE_H

#include "graph/explain/explain.h"
#include "graph/explain/whatif.h"
#include "graph/replay/overlap.h"

struct study;

/*
 * Make a change to s->w. Returns 1 if there was something to change, 0 if the
 * case doesn't apply, -1 if memory runs out. Sets ratio and resource of f, and
 * may set most_ps.
 */
typedef int explain_case(struct study *s, struct explain_finding *f);

struct study {
    const struct graph *g;
    const struct topo *topo;
    char *in;                       /* by position: 1 if it is measured */
    char *setup;                    /* by position: 1 for a call that
                                       is left out */
    char *life;                     /* by position: 1 for what an
                                       allocation or a release costs */
    const struct replay_time *time; /* times of the run without set-up */
    uint64_t length_ps;
    uint64_t most_ps;    /* upper bound on what the change saves */
    explain_case *after; /* a change that is made first, or NULL */
    struct whatif w;
    uint64_t *hit; /* by position: weight of a marked operation, or 0 */
};

extern explain_case *const explain_cases[EXPLAIN_KINDS]; /* NULL for overlap */

/* In explain_host.c: causes that lie in what the host does. */
explain_case explain_launches, explain_batch, explain_events,
    explain_allocation, explain_calls, explain_sync, explain_input, explain_mpi;

/* Fill in s->life. Returns -1 if memory runs out. */
int explain_find_life(struct study *s);

/* In explain_streams.c: causes that lie between the streams of a device. */
explain_case explain_default_stream;

/* In explain_fault.c: the faults that were planted. */
explain_case explain_fault;

/* In explain_peers.c: causes that lie between ranks and GPUs. */
explain_case explain_imbalance, explain_chain, explain_root, explain_placement,
    explain_ungrouped;

/* The time from an operation's start to its end. */
static inline uint64_t study_took(const struct study *s, uint32_t at)
{
    return s->time[at].end_ps - s->time[at].start_ps;
}

/* Mark an operation, and let its call cost the host no time. */
static inline void study_free_host(struct study *s, uint32_t at)
{
    s->hit[at] = s->w.graph.nodes[at].node.host_ps + 1;
    s->w.graph.nodes[at].node.host_ps = 0;
}

/* True if one of two operations writes bytes that the other touches. */
int study_conflict(const struct graph_view *a, const struct graph_view *b);

/* True for an operation that moves bytes from one GPU to another: a
 * message or a copy. */
static inline int study_is_p2p(const struct graph_view *v)
{
    return v->node.kind != GRAPH_COLL && overlap_is_comm(v);
}

#endif
