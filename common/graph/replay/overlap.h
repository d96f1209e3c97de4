/*
 * overlap.h: communication hidden behind computation
 *
 * A device computes from the start of any of its kernels to that kernel's end.
 * Communication of a device (a collective, a send or receive, a copy from one
 * device to another) is *hidden* while the same device computes, and *exposed*
 * otherwise:
 *
 *     compute   |=======|      |=====|
 *     comm          |--------------|
 *                    hid exposed hid
 *
 * This is what a picture shows. Whether overlap made the run shorter is
 * answered by hidden.h.
 */
#ifndef COMMLAB_GRAPH_OVERLAP_H
#define COMMLAB_GRAPH_OVERLAP_H

#include "graph/replay/replay.h"

struct overlap;

/* The times at which each device computes. `time` is from replay_times(), and
 * must outlive the result. NULL if memory runs out. */
struct overlap *overlap_new(const struct graph *g,
                            const struct replay_time *time);
void overlap_free(struct overlap *o);

/* True if this node is communication. */
int overlap_is_comm(const struct graph_view *v);

/*
 * True if `place` computes at `from_ps`. *until_ps gets the time up to which
 * the answer holds, at most end_ps.
 */
int overlap_at(const struct overlap *o, int32_t place, uint64_t from_ps,
               uint64_t end_ps, uint64_t *until_ps);

/* The part of begin..end in which `place` computes. */
uint64_t overlap_hidden_ps(const struct overlap *o, int32_t place,
                           uint64_t begin_ps, uint64_t end_ps);

#endif
