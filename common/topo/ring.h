/*
 * ring.h: rings over direct NVLinks (private to common/topo)
 *
 * NCCL splits a collective over channels, each a ring through all GPUs on links
 * of its own. In a cube mesh the rings are Hamiltonian cycles of the graph
 * whose edges are the links: found by depth-first search, widest first, until
 * the links that are left hold no further one.
 */
#ifndef COMMLAB_TOPO_RING_H
#define COMMLAB_TOPO_RING_H

#include "topo/machine.h"

enum { RING_MAX = 16 };

struct ring {
    int gpu[MACHINE_GPUS]; /* locals of a node, in ring order */
    int width;             /* links of each hop, each way */
    int channels;          /* width for 2 GPUs, else width each way round */
};

/*
 * The rings through n GPUs of a node, n >= 2: how many were put into ring[],
 * 0 if there is none. The first GPU of each is local[0].
 */
int ring_find(const struct topo *t, const int *local, int n,
              struct ring ring[RING_MAX]);

#endif
