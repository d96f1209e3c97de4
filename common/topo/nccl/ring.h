/*
 * ring.h: rings over direct NVLinks (private to common/topo)
 *
 * NCCL splits a collective over channels, each of which is a ring through all
 * GPUs over its own links. In a cube mesh the rings are Hamiltonian cycles of
 * the graph whose edges are the links. A depth-first search finds them, widest
 * first, until the remaining links contain no further cycle.
 */
#ifndef COMMLAB_TOPO_NCCL_RING_H
#define COMMLAB_TOPO_NCCL_RING_H

#include "topo/machine.h"

enum { RING_MAX = 16, RING_GPUS = 64 };

struct ring {
    int gpu[RING_GPUS]; /* local numbers, in ring order */
    int width;          /* links per hop, each way */
    int channels;       /* 2 GPUs: width; more: width in each direction */
};

/*
 * Find rings through n >= 2 GPUs of a node. Returns how many it stored in
 * ring[]: 0 if there is none, or if n > RING_GPUS. The first GPU of each is
 * local[0].
 */
int ring_find(const struct topo *t, const int *local, int n,
              struct ring ring[RING_MAX]);

#endif
