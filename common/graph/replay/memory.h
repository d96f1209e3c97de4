/*
 * memory.h: how much memory is allocated, over modelled time
 *
 * An allocation begins at the end of the call recorded before it on its rank
 * or, in stream order, when the operation that starts its life has run. It ends
 * when the operation that frees it has run; an allocation that is never freed
 * lasts to the end. Before the first node of a rank, time is 0.
 */
#ifndef COMMLAB_GRAPH_MEMORY_H
#define COMMLAB_GRAPH_MEMORY_H

#include "graph/replay/replay.h"

struct memory_change {
    uint64_t at_ps;
    int64_t nbytes; /* growth of what is allocated; negative if it shrinks */
    int32_t place;
};

struct memory { /* changes by (place, time), frees before allocations */
    struct memory_change *change;
    size_t n;
};

/* Find all allocations of a run, by place, from graph_note_alloc(). Returns 0,
 * or -1 if memory runs out. Call memory_release() in either case. */
int memory_find(struct memory *m, const struct graph *g,
                const struct replay_time *time);
void memory_release(struct memory *m);

#endif
