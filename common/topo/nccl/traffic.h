/*
 * traffic.h: bytes of an operation on each link (private to common/topo)
 */
#ifndef COMMLAB_TOPO_NCCL_TRAFFIC_H
#define COMMLAB_TOPO_NCCL_TRAFFIC_H

#include "topo/nccl/shape.h"

enum traffic_kind { /* kind of a resource; other: PCIe, hosts, memories */
                    TRAFFIC_NVLINK,
                    TRAFFIC_NET,
                    TRAFFIC_OTHER,
                    TRAFFIC_KINDS
};

struct traffic { /* traffic per byte of the operation's size (as in
                    nccl-tests) */
    int n;
    struct topo_load *load;
    double sec; /* lower bound from its loads and its hops' limits */
    double busiest[TRAFFIC_KINDS]; /* seconds of the busiest resource of
                                      each kind */
    double healthy[TRAFFIC_KINDS]; /* the same if no cable were degraded */
};

/*
 * The traffic of an operation, which s keeps. NULL if memory runs out.
 */
const struct traffic *traffic_of(const struct topo *t, struct shape *s,
                                 enum topo_op op, enum topo_algo algo);

/* Free what s keeps. */
void traffic_drop(struct shape *s);

/* The traffic of one message. The caller frees it. */
struct traffic *traffic_message(const struct topo *t, int32_t from, int32_t to);

void traffic_free(struct traffic *f); /* NULL is allowed */

#endif
