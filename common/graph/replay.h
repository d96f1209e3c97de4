/*
 * replay.h: graph + machine -> a start and an end for every operation
 *
 * Replay is a discrete-event simulation. An operation becomes ready when all
 * that orders it has ended (record.h), passes its latency, then does an amount
 * of work on resources (a device's compute, its memory, its copy engines, each
 * direction of each link on a path). Work that shares a resource at the same
 * modelled moment shares its rate max-min fairly.
 *
 *     kernel      compute and memory at once: the slower of the two, alone
 *     copy        the path between its places, copy engines included
 *     collective  begins when all ranks have come; NCCL's algorithm and
 *                 protocol, the machine's calibrated time, the links it uses;
 *                 meanwhile it takes a share of its devices' compute
 *     send, recv  begin when both have come; the path between their devices
 *     MPI         latency and bytes/rate of messages, ceil(log2 n) steps for a
 *                 collective; host only, so nothing is shared
 *
 * Times are picoseconds in 64-bit integers. Events of one time are taken in the
 * order of (rank, queue, index) and shares are found after all of them, so the
 * answer is the same to the last digit on every machine, and a graph that is
 * shifted in time gives times that are shifted by as much.
 */
#ifndef COMMLAB_GRAPH_REPLAY_H
#define COMMLAB_GRAPH_REPLAY_H

#include "graph/read.h"
#include "topo/topo.h"

struct cost_table; /* cost.h: what the machine has been asked, remembered */

struct replay_options {
    uint64_t base_ps; /* when the graph begins: the time of its cut (live.h) */
    int algos;        /* topo_algo_set() of NCCL_ALGO, 0: all */
    int protos;       /* topo_proto_set() of NCCL_PROTO, 0: all */
    struct cost_table *costs; /* of earlier replays of the same machine and
                                 sets, to go on with; NULL: a new one */
};

struct replay_time {
    uint64_t issue_ps; /* host part over */
    uint64_t ready_ps; /* all that orders it has ended */
    uint64_t start_ps; /* its latency begins: for a match, all have come */
    uint64_t end_ps;
    int32_t bound; /* resource that bound its work the longest, -1: none */
};

struct replay; /* the result */

/*
 * Replay all nodes of `graph` on machine `topo`; options may be NULL. The graph
 * must outlive the result. On failure returns NULL and writes a line that says
 * what and where to err: a match that lacks a participant, a cycle, a place that
 * the machine doesn't have.
 */
struct replay *replay_run(const struct graph *graph, const struct topo *topo,
                          const struct replay_options *options, char *err,
                          size_t err_nbytes);
void replay_free(struct replay *r);

/* NULL when the graph doesn't hold it. */
const struct replay_time *replay_node(const struct replay *r,
                                      struct graph_ref ref);

/* Of all nodes, by position in the graph. */
const struct replay_time *replay_times(const struct replay *r);

/* When host thread `thread` of `rank` had made its last recorded call; the
 * graph's beginning if it made none. */
uint64_t replay_host_ps(const struct replay *r, uint32_t rank, uint32_t thread);

/* End of the last operation. */
uint64_t replay_end_ps(const struct replay *r);

#endif
