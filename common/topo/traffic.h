/*
 * traffic.h: which links an operation uses (private to common/topo)
 */
#ifndef COMMLAB_TOPO_TRAFFIC_H
#define COMMLAB_TOPO_TRAFFIC_H

#include "topo/shape.h"

struct traffic { /* per byte of the operation's size, as nccl-tests counts */
    int n;
    struct topo_load *load;
    double sec; /* no faster than this, by its loads and its hops' caps */
};

/*
 * The traffic of an operation, kept in s: the caller doesn't free it. NULL when
 * there is no memory.
 */
const struct traffic *traffic_of(const struct topo *t, struct shape *s,
                                 enum graph_op op, enum topo_algo algo);

/* Of one message; the caller frees it. */
struct traffic *traffic_message(const struct topo *t, int32_t from, int32_t to);

void traffic_free(struct traffic *f); /* NULL is allowed */

#endif
