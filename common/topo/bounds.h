/*
 * bounds.h: limits that no program can beat on a machine
 *
 * Bytes may go from GPU to GPU by any paths, through other GPUs and the host,
 * in any number of pieces, all at the same time. Each piece still occupies the
 * links, copy engines and memories of its path. The least time for all bytes is
 * the solution of a linear program. Any prices on the resources give a lower
 * bound (its dual): the cost of the cheapest paths of all bytes, divided by the
 * value of all resources per second.
 */
#ifndef COMMLAB_TOPO_BOUNDS_H
#define COMMLAB_TOPO_BOUNDS_H

#include "topo/topo.h"

enum { BOUNDS_GPUS = 16 };

/* Bandwidth in bytes/s of a single copy between two GPUs of a node. direct: by
 * peer access if the GPUs have it. 0 if there is no path. */
double bounds_alone(const struct topo *t, int from, int to, int direct);

enum bounds_ways {
    BOUNDS_ANY,
    BOUNDS_NVLINKS /* between GPUs, over NVLinks only */
};

/*
 * A lower bound, in seconds, for moving nbytes[from][to] bytes between the GPUs
 * of the first node. *reached (may be NULL) gets a time, without latencies,
 * that a good choice of pieces and paths achieves. The optimum lies between the
 * two, which are about one percent apart. NaN if there are more than
 * BOUNDS_GPUS GPUs, or if a path is missing.
 */
double bounds_move(const struct topo *t, enum bounds_ways ways,
                   double nbytes[BOUNDS_GPUS][BOUNDS_GPUS], double *reached);

#endif
