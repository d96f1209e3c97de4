/*
 * copies.h: copies that run at the same time
 */
#ifndef COMMLAB_TOPO_COPIES_H
#define COMMLAB_TOPO_COPIES_H

#include "topo/topo.h"

/*
 * Rates in bytes/s of n copies along their paths, max-min fair: rate[i] is that
 * of path[i]. Returns 0, or -1 when there is no memory.
 */
int copies_share(const struct topo *t, const struct topo_path *path, int n,
                 double *rate);

#endif
