/*
 * choice.h: NCCL's choice within NCCL_ALGO and NCCL_PROTO (private to
 * common/topo)
 *
 * NCCL chooses the pair of algorithm and protocol with the smallest time in the
 * model (tuning.h). Where a curve T (curve.h) states the time of the free
 * choice, the model only compares: each pair is its line latency + S /
 * bandwidth, so it is chosen for one range of sizes, or never. Restricted to a
 * set A (NCCL_ALGO, NCCL_PROTO), the time of a size is then
 *
 *   - T, if the free choice is in A;
 *   - else given by the curve C of A's own latency and bandwidth, but
 *     continuing from T where A was last chosen, and at most T where it is next
 *     chosen.
 *
 * Both are continuous, grow with the size, and are never below the free
 * choice's time.
 */
#ifndef COMMLAB_TOPO_CHOICE_H
#define COMMLAB_TOPO_CHOICE_H

#include "topo/curve.h"

struct choice {
    enum topo_algo algo;
    enum topo_proto proto;
    struct tuning_table free, allowed; /* allowed: GBps 0 for all others */
};

/*
 * The choice for a size among the bits of algos and protos; for messages there
 * is none. lines: compare lines, for choice_us(). Returns -1 if nothing is
 * allowed.
 */
int choice_make(const struct topo *t, struct choice *c,
                const struct tuning_table *table, int algos, int protos,
                double nbytes, int lines);

/* Its time where there is a curve: `all` is T, `own` is C, curves of the limits
 * of free and allowed. */
double choice_us(const struct choice *c, const struct calibration_curve *all,
                 const struct calibration_curve *own, double nbytes);

#endif
