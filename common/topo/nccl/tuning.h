/*
 * tuning.h: what NCCL's algorithms and protocols cost (private to common/topo)
 *
 * The time of S bytes by one algorithm and protocol:
 *
 *     T(S) = L + x + fill sqrt(x / (x + ramp fill)),  x = S / B
 *
 *   L     latency: NCCL's own constants for each hop (its src/graph/tuning.cc
 *         and topo.h, 2.30), slower on older GPUs (arch.c), plus what the
 *         network takes beyond InfiniBand.
 *   B     bandwidth: that of the links, given the algorithm's traffic on them
 *         (traffic.h) and the share of a link that NCCL's kernels achieve; for
 *         LL and LL128, what their flags leave of it.
 *   fill  a pipeline's time to fill. Chunks grow with the size, and so does the
 *         time until all stages work, up to a largest chunk: some latencies, or
 *         for NVLS a loop over the chunks of all ranks. Where chunks don't
 *         grow (LL's, and Simple's at some sites), full from one loop on.
 *
 * Hosts that pass on the chunks of NVLSTree make x longer, and add a wait.
 *
 * NCCL chooses the smallest time of its own, simpler model, which agrees well
 * enough to take the smallest of these.
 */
#ifndef COMMLAB_TOPO_TUNING_H
#define COMMLAB_TOPO_TUNING_H

#include "topo/shape.h"
#include "topo/traffic.h"

/* True if the operation consists of messages: TOPO_P2P. */
int tuning_is_message(enum topo_op op);

struct tuning { /* one algorithm and protocol; GBps 0: not supported */
    double us;
    double GBps; /* the operation's size over its time */
    double fill_us;
    double loop_us;   /* a tree's most, for a loop over chunks of LL's or a
                       site's fixed size; 0: no limit */
    double loop;      /* a site's: bytes that fill all channels; 0: any do */
    double slots;     /* of them, a ring's channels; 0: a tree */
    double host_GBps; /* that hosts can pass on; 0: faster than links */
    double wait_us;   /* for hosts, from end to end of both trees */
    double wait;      /* bytes from which on all channels wait */
};

struct tuning_table { /* all of an operation: [algorithm][protocol] */
    struct tuning at[TOPO_ALGOS][TOPO_PROTOS];
};

/*
 * The model of an operation over the ranks of a shape, n > 1. healthy: as if no
 * cable were degraded. Returns 0, or -1 if memory runs out.
 */
int tuning_fill(const struct topo *t, struct shape *s, enum topo_op op,
                int healthy, struct tuning_table *table);

/* The model of one message with traffic f. */
void tuning_message(const struct topo *t, const struct shape *pair,
                    const struct traffic *f, int healthy,
                    struct tuning_table *table);

/*
 * Turn a machine's floor, the time of the smallest all-reduce over all of it,
 * into what it says of its network's latency, if it has several nodes.
 */
void tuning_floor(struct topo *t);

/* A time in us, given that time if there is one: a host that launches a
 * collective every floor_us hides shorter ones (a 4-norm of both). */
double tuning_raise(const struct topo *t, const struct shape *s, double us);

double tuning_time(const struct topo *t, struct tuning of, double nbytes);

/* What NCCL chooses by: it knows nothing of its hosts' time. */
double tuning_guess(const struct topo *t, struct tuning of, double nbytes);

/* The smallest latency and the largest bandwidth of a table, independently: the
 * limits for small and for large sizes. */
struct tuning tuning_limits(const struct tuning_table *table);

#endif
