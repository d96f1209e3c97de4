/*
 * run.h: a replay under way: what replay.c and meet.c share
 *
 * A node moves on when its event in the agenda comes (enum phase), and when the
 * last thing that it waits for has happened. Whatever that sets off is put into
 * the agenda, at the earliest at the same moment; nothing recurses.
 */
#ifndef COMMLAB_GRAPH_RUN_H
#define COMMLAB_GRAPH_RUN_H

#include "graph/agenda.h"
#include "graph/cost.h"
#include "graph/flows.h"
#include "graph/order.h"
#include "graph/replay.h"

/* What the event of a node in the agenda means. */
enum phase {
    PHASE_NONE,
    PHASE_HOST,    /* its host part is over */
    PHASE_LATENCY, /* its latency is over, its work begins */
    PHASE_WORK,    /* its work is done */
    PHASE_END,     /* it ends, nothing else to do */
    PHASE_ENDED,
};

struct node_state {
    enum phase phase;
    uint32_t ready : 1;   /* all that orders it has ended */
    uint32_t nready : 31; /* of a match's first member: members that are */
    uint64_t arrival_ps;  /* likewise, host-only: of what they wait for */
};

/* A replay under way. */
struct run {
    const struct graph *g;
    const struct topo *topo;
    struct replay_time *time;
    struct order order; /* nbefore and nbatch count down */
    struct agenda agenda;
    struct cost_table *costs;
    struct flows *flows;
    struct node_state *state; /* by node */
    int *nbusy;               /* by GPU: collectives that run on it */
    uint32_t nended;
    char *err;
    size_t err_nbytes;
};

static inline const struct graph_node *run_node(const struct run *r,
                                                uint32_t at)
{
    return &r->g->nodes[at].node;
}

/* A moment later; never later than AGENDA_NEVER. */
uint64_t run_after(uint64_t ps, uint64_t more_ps);

/* The node's event is at this time. -1: no memory. */
int run_schedule(struct run *r, uint32_t at, enum phase phase, uint64_t ps);

/*
 * Host-only node `at`, which has a match, is ready: those of its members end
 * whose ends are known now. -1: no memory.
 */
int run_meet(struct run *r, uint32_t at, uint64_t now_ps);

#endif
