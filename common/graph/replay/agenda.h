/*
 * agenda.h: the events of a replay, in order of time
 *
 * A heap of events, at most one for each node. Events of the same time are
 * ordered by (rank, queue, index) of their nodes. A pending event can be moved
 * to another time.
 */
#ifndef COMMLAB_GRAPH_AGENDA_H
#define COMMLAB_GRAPH_AGENDA_H

#include "graph/record/read.h"

#define AGENDA_NEVER (UINT64_C(1) << 62) /* ps: 53 days */

struct agenda {
    const struct graph *graph;
    struct agenda_event {
        uint64_t ps;
        uint32_t rank, queue; /* the node's, to break ties */
        uint32_t node;        /* position in the graph */
    } * event;
    uint32_t count, room;
    uint32_t *place; /* by node: 1 + the index of its event; 0: none */
};

/* Returns -1 if memory runs out. */
int agenda_init(struct agenda *a, const struct graph *graph);
void agenda_release(struct agenda *a);

/* Schedule the node's event at this time, or move it to this time. Returns -1
 * if memory runs out. */
int agenda_set(struct agenda *a, uint32_t node, uint64_t ps);

/* Remove and return the first event. There must be one. */
struct agenda_event agenda_pop(struct agenda *a);

#endif
