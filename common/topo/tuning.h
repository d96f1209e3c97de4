/*
 * tuning.h: NCCL's own cost model (private to common/topo)
 *
 * Among the allowed algorithms and protocols, NCCL chooses the one with the
 * smallest latency + bytes / bandwidth. The constants are those of its
 * src/graph/tuning.cc and topo.h (2.30). This model serves to choose: its times
 * are wrong by half for small sizes. curve.h calibrates them.
 */
#ifndef COMMLAB_TOPO_TUNING_H
#define COMMLAB_TOPO_TUNING_H

#include "topo/shape.h"

/* True if the operation consists of messages: TOPO_P2P. */
int tuning_is_message(enum topo_op op);

struct tuning { /* one algorithm and protocol; GBps 0: not supported */
    double us;
    double GBps; /* the operation's size over its time */
};

/*
 * The model of an operation over the ranks of a shape, n > 1. p2p_GBps: the
 * bandwidth of its traffic, for TOPO_P2P.
 */
struct tuning tuning_of(const struct topo *t, const struct shape *s,
                        enum topo_op op, enum topo_algo algo,
                        enum topo_proto proto, double p2p_GBps);

/* All of an operation: [algorithm][protocol]. */
struct tuning_table {
    struct tuning at[TOPO_ALGOS][TOPO_PROTOS];
};
void tuning_fill(const struct topo *t, const struct shape *s, enum topo_op op,
                 double p2p_GBps, struct tuning_table *table);

double tuning_time(struct tuning of, double nbytes); /* us */

/* The smallest latency and the largest bandwidth of a table, independently: the
 * limits for small and for large sizes. */
struct tuning tuning_limits(const struct tuning_table *table);

#endif
