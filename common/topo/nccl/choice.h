/*
 * choice.h: NCCL's choice within NCCL_ALGO and NCCL_PROTO (private to
 * common/topo)
 *
 * NCCL chooses the pair of algorithm and protocol with the smallest time in the
 * model (tuning.h). If a curve T (curve.h) gives the time of the free choice,
 * the model only compares: each pair is its line latency + S / bandwidth, so it
 * is chosen for one range of sizes, or never. Restricted to a set A (NCCL_ALGO,
 * NCCL_PROTO), the time for a size is then
 *
 *   - T, if the free choice is in A;
 *   - else what the curve C of A's own latency and bandwidth gives, but
 *     continuing from T where A was last chosen, and at most a little less than
 *     T where A is next chosen.
 *
 * These times are continuous, rise with the size, and are never below that of
 * the free choice.
 */
#ifndef COMMLAB_TOPO_NCCL_CHOICE_H
#define COMMLAB_TOPO_NCCL_CHOICE_H

#include "topo/nccl/curve.h"

struct choice {
    enum topo_algo algo;
    enum topo_proto proto;
    struct cell_table free, allowed; /* allowed: GBps is 0 for all
                                          other pairs */
};

/*
 * NCCL's choice for a size among the bits of algos and protos, which don't
 * apply to messages. lines: compare lines, for choice_us(). Returns -1 if
 * nothing is allowed.
 */
int choice_make(const struct topo *t, struct choice *c,
                const struct cell_table *table, int algos, int protos,
                double nbytes, int lines);

/* The time of the choice if there is a curve: `all` is T and `own` is C, the
 * curves for the limits of free and allowed. */
double choice_us(const struct choice *c, const struct calibration_curve *all,
                 const struct calibration_curve *own, double nbytes);

#endif
