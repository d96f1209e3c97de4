/*
 * explain_case.h: one counterfactual of explain.c (private to common/graph)
 *
 * A case changes the copy of the run and marks the operations that its cause
 * consists of. explain.c replays the copy, and names the marked call site with
 * the largest weight.
 */
#ifndef COMMLAB_GRAPH_EXPLAIN_CASE_H
#define COMMLAB_GRAPH_EXPLAIN_CASE_H

#include "graph/explain.h"
#include "graph/overlap.h"
#include "graph/whatif.h"

struct study {
    const struct graph *g;
    const struct topo *topo;
    char *in;                       /* by position: it is measured */
    char *setup;                    /* by position: a call that is left out */
    const struct replay_time *time; /* of the run without set-up */
    uint64_t length_ps;
    uint64_t most_ps; /* a change can't have saved more than this */
    struct whatif w;
    uint64_t *hit; /* by position: weight of a marked operation, 0: none */
};

/* A change of s->w. Returns 1 if there is something to change, 0 if the case
 * doesn't apply, -1 if memory runs out. Sets ratio and resource of f, and may
 * set most_ps. */
typedef int explain_case(struct study *s, struct explain_finding *f);

extern explain_case *const explain_cases[EXPLAIN_KINDS]; /* NULL: overlap */

/* In explain_peers.c: causes in how ranks and GPUs are used together. */
explain_case explain_imbalance, explain_chain, explain_root, explain_placement,
    explain_ungrouped;

/* The time from an operation's start to its end. */
static inline uint64_t study_took(const struct study *s, uint32_t at)
{
    return s->time[at].end_ps - s->time[at].start_ps;
}

/* True if it moves bytes from one GPU to another: a message, or a copy. */
int study_is_p2p(const struct graph_view *v);

#endif
