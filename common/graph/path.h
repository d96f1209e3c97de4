/*
 * path.h: the critical path, what determined when a run ended
 *
 * From the operation that ended last, back to what it waited for longest, and so
 * on to the run's beginning. The steps are a chain without gaps: each begins
 * where the one before it ends, so what they take adds up to the run's time.
 * Only making a step on this path shorter makes the run shorter.
 *
 *     rank 0   --host--[== kernel ==]                     [= update =]
 *     rank 1   --host--[===== slow kernel =====][all-reduce]
 *     path     ------------------------------------------------------>
 *
 * An operation of several ranks is a step of the one that came last to it.
 */
#ifndef COMMLAB_GRAPH_PATH_H
#define COMMLAB_GRAPH_PATH_H

#include "graph/replay.h"

enum path_part {
    PATH_HOST,   /* a call's time on the host thread */
    PATH_DEVICE, /* an operation on a device, from its start */
    PATH_WAIT,   /* a host thread, after what it waited for; or MPI */
};

struct path_step {
    uint32_t node; /* position */
    enum path_part part;
    uint64_t begin_ps, end_ps; /* begin < end */
};

struct path {
    struct path_step *step; /* from the run's beginning to its end */
    size_t n;
};

/* `time` as replay_times() gives it. -1: no memory. */
int path_find(struct path *p, const struct graph *g,
              const struct replay_time *time);
void path_release(struct path *p);

#endif
