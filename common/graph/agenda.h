/*
 * agenda.h: what happens next, and when
 *
 * A heap of events, at most one for each node, ordered by time; events
 * of one time by the node's place in (rank, queue, index). Entries can be moved
 * while they wait.
 */
#ifndef COMMLAB_GRAPH_AGENDA_H
#define COMMLAB_GRAPH_AGENDA_H

#include "graph/read.h"

#define AGENDA_NEVER (UINT64_C(1) << 62) /* ps: 53 days */

struct agenda {
    const struct graph *graph;
    struct agenda_event {
        uint64_t ps;
        uint32_t rank, queue; /* the node's: what breaks ties */
        uint32_t node;        /* position in the graph */
    } * event;
    uint32_t count, room;
    uint32_t *place; /* by node: of its event, plus 1; 0: none */
};

/* -1: no memory. */
int agenda_init(struct agenda *a, const struct graph *graph);
void agenda_release(struct agenda *a);

/* The node's event happens at this time, whenever it was to happen before.
 * -1: no memory. */
int agenda_set(struct agenda *a, uint32_t node, uint64_t ps);

/* Take out the first event. There must be one. */
struct agenda_event agenda_pop(struct agenda *a);

#endif
