/*
 * replay.h: from a graph and a machine to the start and end of every operation
 *
 * A replay is a discrete-event simulation. An operation becomes ready when
 * everything before it has ended (record.h), passes its latency, then does an
 * amount of work on resources (a device's compute, its memory, its copy
 * engines, each direction of each link on a path). Concurrent work on a
 * resource shares its rate max-min fairly.
 *
 *     kernel      compute and memory at once: the slower of the two, if alone
 *     copy        the path between its places, including copy engines
 *     put         likewise, over the network; its latency counts from the time
 *                 at which the kernel began it, even if its queue is busy
 *     collective  begins when all ranks have arrived; NCCL's algorithm and
 *                 protocol, the machine's calibrated time, the links it uses;
 *                 meanwhile it takes a share of its devices' compute (that of
 *                 the CTAs that its communicator fixes, if it does)
 *     send, recv  begin when both have arrived; the path between their devices
 *     MPI         latency and bytes/rate of messages, ceil(log2 n) steps for a
 *                 collective; host only, so nothing is shared
 *
 * Times are picoseconds in 64-bit integers. Events at the same time are handled
 * in the order of (rank, queue, index), and shares are computed after all of
 * them. So the result is the same to the last digit on every machine, and
 * shifting a graph in time shifts all times by the same amount.
 */
#ifndef COMMLAB_GRAPH_REPLAY_H
#define COMMLAB_GRAPH_REPLAY_H

#include "graph/record/read.h"
#include "topo/topo.h"

struct cost;       /* cost.h: the cost of an operation */
struct cost_table; /* cost.h: a cache of costs */

/* Changes the cost of node `at`, which stands for all members of its match. */
typedef void replay_change(void *arg, uint32_t at, struct cost *cost);

struct replay_options {
    uint64_t base_ps; /* start of the graph: the time of its cut (live.h) */
    struct topo_sets algos, protos; /* NCCL_ALGO and NCCL_PROTO */
    unsigned fixed; /* kinds of communication (overlap.h) that take fixed_ps
                         and no resources: 1 << GRAPH_COLL | ...; 0: none */
    uint64_t fixed_ps;
    int fast_host;            /* calls cost the host no time */
    int unfinished;           /* the job ended early: operations that can't end
                                 last REPLAY_OPEN_PS longer than others */
    struct cost_table *costs; /* from earlier replays with the same machine and
                                 sets, for reuse; NULL: make one */
    const struct graph *costs_of; /* the graph, with the same positions, for
                                     whose operations these costs are; NULL:
                                     this one */
    replay_change *change; /* called for each device operation; may be NULL */
    void *change_arg;
};

#define REPLAY_OPEN_PS UINT64_C(10000000)

struct replay_time {
    uint64_t issue_ps; /* its host part has ended */
    uint64_t ready_ps; /* everything before it has ended */
    uint64_t start_ps; /* its latency begins: all members have arrived */
    uint64_t end_ps;
    int32_t bound; /* resource that bound its work longest; -1: none */
};

struct replay; /* the result */

/*
 * Replay all nodes of `graph` on machine `topo`; options may be NULL. The graph
 * must outlive the result. Returns NULL on failure, with a line in err: a match
 * lacks a member, nodes wait in a cycle, or the machine lacks a place.
 */
struct replay *replay_run(const struct graph *graph, const struct topo *topo,
                          const struct replay_options *options, char *err,
                          size_t err_nbytes);
void replay_free(struct replay *r);

/* The times of a node; NULL if the graph lacks it. */
const struct replay_time *replay_node(const struct replay *r,
                                      struct graph_ref ref);

/* The times of all nodes, by position in the graph. */
const struct replay_time *replay_times(const struct replay *r);

/* The end of the last recorded call of host thread `thread` of `rank`; the
 * start of the graph if there is none. */
uint64_t replay_host_ps(const struct replay *r, uint32_t rank, uint32_t thread);

/* The end of the last operation. */
uint64_t replay_end_ps(const struct replay *r);

#endif
