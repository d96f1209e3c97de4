/*
 * bounds.h: what no program can beat on a machine
 *
 * Bytes may go from GPU to GPU by any ways, through other GPUs and the host, in
 * as many pieces as one likes, all at the same time. Every piece still takes
 * room on the links, copy engines and memories of its way. The least time in
 * which all of it can be done is a linear program; any prices on the resources
 * give a bound from below (its dual): what the cheapest ways of all bytes cost,
 * over what all resources sell in a second.
 */
#ifndef COMMLAB_TOPO_BOUNDS_H
#define COMMLAB_TOPO_BOUNDS_H

#include "topo/topo.h"

enum { BOUNDS_GPUS = 16 };

/* One way, alone, between two GPUs of a node in bytes/s. direct: by peer access
 * where there is any. 0 if there is no way. */
double bounds_alone(const struct topo *t, int from, int to, int direct);

enum bounds_ways {
    BOUNDS_ANY,
    BOUNDS_NVLINKS /* between GPUs by NVLinks alone */
};

/*
 * Seconds that moving nbytes[from][to] bytes between the GPUs of the first node
 * takes at least; and, through `reached` (may be NULL), what can be reached with
 * pieces and ways chosen well, latencies left out: the answer lies between the
 * two, which are within a percent or so. NaN with more than BOUNDS_GPUS GPUs, or
 * if there is no such way.
 */
double bounds_move(const struct topo *t, enum bounds_ways ways,
                   double nbytes[BOUNDS_GPUS][BOUNDS_GPUS], double *reached);

#endif
