/*
 * cell.h: the time of one algorithm and protocol (private to common/topo)
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
 *         don't grow (LL's, those of a ring's broadcast, and Simple's at some
 *         sites), the pipeline is full from one loop on.
 *
 * On Blackwell, a step of a ring with Simple or LL128 takes at least 11 us in
 * a node. The time of all steps is then a 2-norm of that least time and x, so
 * near the larger of the two, and the fill of a ring with Simple is added. A
 * message takes at least the time of the part that each of its channels carries
 * (peers.h).
 *
 * Hosts that pass on the chunks of NVLSTree make x longer and add a wait.
 */
#ifndef COMMLAB_TOPO_NCCL_CELL_H
#define COMMLAB_TOPO_NCCL_CELL_H

#include "topo/machine.h"

struct cell { /* one algorithm and protocol; GBps 0: not supported */
    double us;
    double GBps;    /* the operation's size over its time */
    double step_us; /* ring: the least for all of its steps; 0: none */
    double hops_us; /* the part of us that step_us includes */
    double part_us; /* messages: of the largest part of a channel */
    double fill_us;
    double loop_us;   /* limit for a loop over chunks of LL's size or a fixed
                         size; 0: no limit */
    double loop;      /* with a fixed size: bytes that fill all channels; 0: any
                         do */
    double host_GBps; /* rate that hosts can pass on; 0: faster than links */
    double wait_us;   /* hosts' wait from end to end of both trees */
    double wait;      /* bytes from which on all channels wait */
};

struct cell_table { /* the cells of an operation: [algorithm][protocol] */
    struct cell at[TOPO_ALGOS][TOPO_PROTOS];
};

double cell_time(const struct topo *t, struct cell of, double nbytes);

/* The part of it for which hosts are responsible. */
double cell_host_us(const struct topo *t, struct cell of, double nbytes);

/* The smallest latency and the largest bandwidth of a table, independently of
 * each other: the limits for small and for large sizes. */
struct cell cell_limits(const struct cell_table *table);

/* Let messages take at least the time in us that Simple takes for the largest
 * part of a message (peers.h). */
void cell_split(struct cell_table *table, double part_us);

#endif
