/*
 * replay.h: graph + machine -> a start and an end for every operation
 *
 * Replay is a discrete-event simulation. An operation becomes ready when all
 * that orders it has ended, passes its latency, then does an amount of work on
 * resources (a device's compute, its memory, its copy engines, each direction
 * of each link on a path). Work that shares a resource at the same modelled
 * moment shares its rate max-min fairly.
 *
 * Times are picoseconds in 64-bit integers. Ties break by (time, rank, queue,
 * index), so the answer is the same to the last digit on every machine.
 */
#ifndef COMMLAB_GRAPH_REPLAY_H
#define COMMLAB_GRAPH_REPLAY_H

#include "graph/read.h"
#include "topo/topo.h"

struct replay_time {
    uint64_t issue_ps; /* host part over */
    uint64_t ready_ps; /* all that orders it has ended */
    uint64_t start_ps; /* its latency begins: for a match, all have come */
    uint64_t end_ps;
    int32_t bound; /* resource that bound its work the longest, -1: none */
};

struct replay; /* the result */

/*
 * Replay all nodes of `graph` on machine `topo`. On failure returns NULL and
 * writes a line that says what and where to err: a match that lacks a
 * participant, a cycle, a place that the machine doesn't have.
 */
struct replay *replay_run(const struct graph *graph, const struct topo *topo,
                          char *err, size_t err_nbytes);
void replay_free(struct replay *r);

const struct replay_time *replay_node(const struct replay *r,
                                      struct graph_ref ref);

/* When host thread `thread` of `rank` had made its last recorded call. */
uint64_t replay_host_ps(const struct replay *r, uint32_t rank, uint32_t thread);

/* End of the last operation. */
uint64_t replay_end_ps(const struct replay *r);

#endif
