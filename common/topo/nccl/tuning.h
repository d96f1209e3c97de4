/*
 * tuning.h: the cost of NCCL's algorithms and protocols (private to
 * common/topo)
 *
 * A table has a cell (cell.h) for each algorithm and protocol that NCCL can
 * use. NCCL chooses between them by a simpler model of its own (tuner.h).
 */
#ifndef COMMLAB_TOPO_NCCL_TUNING_H
#define COMMLAB_TOPO_NCCL_TUNING_H

#include "topo/nccl/cell.h"
#include "topo/nccl/shape.h"
#include "topo/nccl/traffic.h"

/* True if the operation consists of messages: TOPO_P2P. */
int tuning_is_message(enum topo_op op);

/* The number of steps of a ring: algbw = busbw * n / steps. */
int tuning_ring_steps(enum topo_op op, int n);

/*
 * Model an operation over the ranks of a shape, n > 1. healthy: as if no cable
 * were degraded. Returns 0, or -1 if memory runs out.
 */
int tuning_fill(const struct topo *t, struct shape *s, enum topo_op op,
                int healthy, struct cell_table *table);

/* Model one message with traffic f. */
void tuning_message(const struct topo *t, const struct shape *pair,
                    const struct traffic *f, int healthy,
                    struct cell_table *table);

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

#endif
