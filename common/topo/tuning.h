/*
 * tuning.h: what NCCL thinks an operation costs (private to common/topo)
 *
 * NCCL chooses algorithm and protocol by the smallest latency + bytes /
 * bandwidth over what is allowed. The constants are those of its
 * src/graph/tuning.cc and topo.h (2.30). The choice is what this is for: the
 * time that it predicts is off by half for small sizes, and is calibrated in
 * curve.h.
 */
#ifndef COMMLAB_TOPO_TUNING_H
#define COMMLAB_TOPO_TUNING_H

#include "topo/shape.h"

/* Is the operation made of messages: TOPO_P2P? */
int tuning_is_message(enum graph_op op);

struct tuning { /* one algorithm and protocol; GBps 0: it can't do it */
    double us;
    double GBps; /* bytes of the operation's size over time */
};

/*
 * The model of an operation over the ranks of a shape, n > 1. p2p_GBps: for
 * TOPO_P2P, the bandwidth that its traffic allows.
 */
struct tuning tuning_of(const struct topo *t, const struct shape *s,
                        enum graph_op op, enum topo_algo algo,
                        enum topo_proto proto, double p2p_GBps);

/* All of an operation: [algorithm][protocol]. */
struct tuning_table {
    struct tuning at[TOPO_ALGOS][TOPO_PROTOS];
};
void tuning_fill(const struct topo *t, const struct shape *s, enum graph_op op,
                 double p2p_GBps, struct tuning_table *table);

double tuning_time(struct tuning of, double nbytes); /* us */

/* The smallest latency and the largest bandwidth of a table, each on its own:
 * what small and what large sizes come down to. */
struct tuning tuning_limits(const struct tuning_table *table);

#endif
