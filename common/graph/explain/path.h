/*
 * path.h: the critical path, which determines when a run ends
 *
 * The path leads from the operation that ended last back to the one that it
 * waited for longest, and so on to the beginning of the run. Its steps form a
 * chain without gaps: each begins when the previous one ends, so their times
 * add up to that of the run. Only shortening a step of this path shortens the
 * run.
 *
 *     rank 0   --host--[== kernel ==]                     [= update =]
 *     rank 1   --host--[===== slow kernel =====][all-reduce]
 *     path     ------------------------------------------------------>
 *
 * An operation of several ranks is a step of the rank that arrived last.
 */
#ifndef COMMLAB_GRAPH_PATH_H
#define COMMLAB_GRAPH_PATH_H

#include "graph/replay/replay.h"

enum path_part {
    PATH_HOST,   /* a call's time on the host thread */
    PATH_DEVICE, /* an operation on a device, from its start */
    PATH_WAIT,   /* a host thread after the end of a wait, or MPI */
};

struct path_step {
    uint32_t node; /* its position */
    enum path_part part;
    uint64_t begin_ps, end_ps; /* begin < end */
};

struct path {
    struct path_step *step; /* from the beginning of the run to its end */
    size_t n;
};

/* Find the path. `time` is from replay_times() of a run that ended. Returns -1
 * if memory runs out. */
int path_find(struct path *p, const struct graph *g,
              const struct replay_time *time);

/*
 * Find the path of a part of the run: from its first call to the last end of
 * its operations. `in` has a flag for each position: 1 for the operations of
 * the part, of which there is at least one. Other operations that delayed it
 * during this time are steps, too; the first step may have begun before it.
 */
int path_find_part(struct path *p, const struct graph *g,
                   const struct replay_time *time, const char *in);
void path_release(struct path *p);

/* The member of the node's match that arrived last, often the node itself. */
uint32_t path_last_to_come(const struct graph *g,
                           const struct replay_time *time, uint32_t at);

/*
 * Among the node's dependences and its predecessor in the queue, one that ended
 * when the node became ready. GRAPH_NOWHERE: the node waited for its own call.
 */
uint32_t path_awaited(const struct graph *g, const struct replay_time *time,
                      uint32_t at);

#endif
