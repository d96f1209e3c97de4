/*
 * tuner.h: NCCL's choice of an algorithm and a protocol (private to
 * common/topo)
 *
 * topo_nccl() in topo.h with a shape that has been searched (shape_search()).
 */
#ifndef COMMLAB_TOPO_NCCL_TUNER_H
#define COMMLAB_TOPO_NCCL_TUNER_H

#include "topo/nccl/shape.h"

/* True if NCCL may choose the pair for a collective. */
int tuner_usable(const struct topo *t, const struct shape *s, enum topo_op op,
                 enum topo_algo algo, enum topo_proto proto);

/* Choose among the bits of algos and protos. Returns 0, or -1 if nothing is
 * allowed. */
int tuner_choose(const struct topo *t, const struct shape *s, enum topo_op op,
                 double nbytes, int algos, int protos, enum topo_algo *algo,
                 enum topo_proto *proto);

/*
 * The next size above nbytes from which the times that NCCL expects are other
 * lines: its shares of trees change at 64 bytes times powers of two, and its
 * rings between nodes at one more size. INFINITY: there is none.
 */
double tuner_next_lines(const struct topo *t, const struct shape *s,
                        double nbytes);

#endif
