/*
 * replay_run.h: the state of a replay, shared by replay.c and meet.c
 *
 * A node changes its phase when its event is due, or when the last node that it
 * waits for has ended. Each consequence becomes an event, at the same time at
 * the earliest, so nothing recurses.
 */
#ifndef COMMLAB_GRAPH_RUN_H
#define COMMLAB_GRAPH_RUN_H

#include "graph/replay/agenda.h"
#include "graph/replay/cost.h"
#include "graph/replay/flows.h"
#include "graph/replay/harm.h"
#include "graph/replay/order.h"
#include "graph/replay/replay.h"

/* The meaning of a node's event. */
enum phase {
    PHASE_NONE,
    PHASE_HOST,    /* its host part has ended */
    PHASE_LATENCY, /* its latency has passed, its work begins */
    PHASE_WORK,    /* its work is done */
    PHASE_END,     /* it ends, with nothing else to do */
    PHASE_ENDED,
};

struct node_state {
    enum phase phase;
    uint32_t ready : 1;   /* everything before it has ended */
    uint32_t nready : 31; /* in a match's first member: ready members */
    uint64_t begun_ps;    /* everything before it that isn't on the network has
                             ended */
    uint64_t arrival_ps;  /* in a host-only match's first member: arrival of the
                             data that others wait for */
};

enum { RUN_CTAS = GRAPH_MAX_CTAS + 1 };

/* A replay in progress. */
struct replay_run {
    const struct graph *g;
    const struct topo *topo;
    struct replay_time *time;
    struct order order; /* nbefore and nbatch are counted down */
    struct agenda agenda;
    struct cost_table *costs;
    struct flows *flows;
    struct harms harms;
    struct node_state *state; /* by node */
    unsigned fixed;           /* as in replay_options, like the next
                                 five fields */
    uint64_t fixed_ps;
    int fast_host;
    int unfinished;
    const struct graph *costs_of; /* never NULL */
    replay_change *change;
    void *change_arg;
    int *nbusy; /* by GPU and CTAs (graph_ctas()): NCCL's operations that run
                   on it */
    uint32_t nended;
    char *err;
    size_t err_nbytes;
};

static inline const struct graph_node *run_node(const struct replay_run *r,
                                                uint32_t at)
{
    return &r->g->nodes[at].node;
}

/* The sum of two times, at most AGENDA_NEVER. */
uint64_t run_after(uint64_t ps, uint64_t more_ps);

/* Say in r->err that memory ran out, and return -1. */
int run_no_memory(struct replay_run *r);

/* Schedule the node's event. Returns -1 if memory runs out. */
int run_schedule(struct replay_run *r, uint32_t at, enum phase phase,
                 uint64_t ps);

/*
 * Host-only node `at`, which has a match, is ready: schedule the ends of the
 * members whose ends are now known. Returns -1 if memory runs out.
 */
int run_meet(struct replay_run *r, uint32_t at, uint64_t now_ps);

#endif
