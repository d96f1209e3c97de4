/*
 * traffic.h: bytes of an operation on each link (private to common/topo)
 */
#ifndef COMMLAB_TOPO_TRAFFIC_H
#define COMMLAB_TOPO_TRAFFIC_H

#include "topo/shape.h"

enum traffic_kind { /* of a resource; other: PCIe, hosts, memories */
                    TRAFFIC_NVLINK,
                    TRAFFIC_NET,
                    TRAFFIC_OTHER,
                    TRAFFIC_KINDS
};

struct traffic { /* per byte of the operation's size (of nccl-tests) */
    int n;
    struct topo_load *load;
    double sec; /* lower bound, from its loads and its hops' limits */
    double busiest[TRAFFIC_KINDS]; /* seconds of the busiest of each kind */
    double healthy[TRAFFIC_KINDS]; /* if no cable were degraded */
};

/*
 * The traffic of an operation, owned by s. NULL if memory runs out.
 */
const struct traffic *traffic_of(const struct topo *t, struct shape *s,
                                 enum topo_op op, enum topo_algo algo);

/* Of one message; the caller frees it. */
struct traffic *traffic_message(const struct topo *t, int32_t from, int32_t to);

void traffic_free(struct traffic *f); /* NULL is allowed */

#endif
