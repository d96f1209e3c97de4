/*
 * copies.h: bandwidths of concurrent copies
 */
#ifndef COMMLAB_TOPO_COPIES_H
#define COMMLAB_TOPO_COPIES_H

#include "topo/topo.h"

/*
 * Max-min fair rates, in bytes/s, of n concurrent copies: rate[i] is the rate
 * of path[i]. Returns 0, or -1 if memory runs out.
 */
int copies_share(const struct topo *t, const struct topo_path *path, int n,
                 double *rate);

#endif
