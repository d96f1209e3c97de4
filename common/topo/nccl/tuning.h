/*
 * tuning.h: the cost of NCCL's algorithms and protocols (private to
 * common/topo)
 *
 * The time of S bytes by one algorithm and protocol:
 *
 *     T(S) = L + x + fill sqrt(x / (x + ramp fill)),  x = S / B
 *
 *   L     latency: NCCL's own constants for each hop (its src/graph/tuning.cc
 *         and topo.h, 2.30), slower on older GPUs (arch.c), plus the network's
 *         latency beyond InfiniBand's.
 *   B     bandwidth: that of the links, given the algorithm's traffic on them
 *         (traffic.h) and the share of a link that NCCL's kernels achieve; for
 *         LL and LL128, what their flags leave of it.
 *   fill  the time to fill a pipeline. Chunks grow with the size, and so does
 *         the time until all stages work, up to a largest chunk: that is some
 *         latencies, or for NVLS a loop over the chunks of all ranks. If chunks
 *         don't grow (LL's, and Simple's at some sites), the pipeline is full
 *         from one loop on.
 *
 * Hosts that pass on the chunks of NVLSTree make x longer and add a wait.
 *
 * NCCL chooses the smallest time of its own, simpler model, which agrees well
 * enough that this model takes the smallest of its own times.
 */
#ifndef COMMLAB_TOPO_NCCL_TUNING_H
#define COMMLAB_TOPO_NCCL_TUNING_H

#include "topo/nccl/shape.h"
#include "topo/nccl/traffic.h"

/* True if the operation consists of messages: TOPO_P2P. */
int tuning_is_message(enum topo_op op);

struct tuning { /* one algorithm and protocol; GBps 0: not supported */
    double us;
    double GBps;       /* the operation's size over its time */
    double unknown_us; /* the part of us that NCCL's choice doesn't know of */
    double fill_us;
    double loop_us;   /* tree: limit for a loop over chunks of LL's size or a
                         site's fixed size; 0: no limit */
    double loop;      /* with a site's fixed size: bytes that fill all channels;
                         0: any do */
    double ring_loop; /* the same of an all-reduce's ring, for NCCL's choice */
    double slots;     /* its channels; both are 0 for all other cells */
    double host_GBps; /* rate that hosts can pass on; 0: faster than links */
    double wait_us;   /* hosts' wait from end to end of both trees */
    double wait;      /* bytes from which on all channels wait */
};

struct tuning_table { /* the cells of an operation: [algorithm][protocol] */
    struct tuning at[TOPO_ALGOS][TOPO_PROTOS];
};

/*
 * Model an operation over the ranks of a shape, n > 1. healthy: as if no cable
 * were degraded. Returns 0, or -1 if memory runs out.
 */
int tuning_fill(const struct topo *t, struct shape *s, enum topo_op op,
                int healthy, struct tuning_table *table);

/* Model one message with traffic f. */
void tuning_message(const struct topo *t, const struct shape *pair,
                    const struct traffic *f, int healthy,
                    struct tuning_table *table);

/*
 * If the machine has several nodes, turn its floor, the time of the smallest
 * all-reduce over the whole machine, into a latency of its network.
 */
void tuning_floor(struct topo *t);

/*
 * Raise a time in us by the machine's floor, if it has one: a host that
 * launches a collective every floor_us hides shorter ones (a 4-norm of both).
 */
double tuning_raise(const struct topo *t, const struct shape *s, double us);

double tuning_time(const struct topo *t, struct tuning of, double nbytes);

/* The time that NCCL chooses by. It doesn't include that of hosts. */
double tuning_guess(const struct topo *t, struct tuning of, double nbytes);

/* The smallest latency and the largest bandwidth of a table, independently of
 * each other: the limits for small and for large sizes. */
struct tuning tuning_limits(const struct tuning_table *table);

#endif
