/*
 * route.h: the resources between two places (private to common/topo)
 */
#ifndef COMMLAB_TOPO_ROUTE_H
#define COMMLAB_TOPO_ROUTE_H

#include "topo/machine.h"

/* Who moves the bytes, and so which resources besides the links. */
enum route_by {
    ROUTE_COPY,   /* copy engines, through peer access */
    ROUTE_STAGED, /* copy engines, through the host */
    ROUTE_NCCL    /* NCCL's kernels, by peer access as far as NCCL uses it */
};

/* As topo_path(). */
int route_find(const struct topo *t, int32_t from, int32_t to, enum route_by by,
               struct topo_path *out);

/* How far two GPUs or NICs of one node are apart without NVLinks. A pci of -1
 * is the CPU itself. */
enum machine_reach route_reach(const struct topo *t, int cpu_a, int pci_a,
                               int cpu_b, int pci_b);

/* NVLinks that bytes between two GPUs of one node can take, 0: none. */
int route_nvlinks(const struct topo *t, int local_a, int local_b);

/* Does NCCL reach the memory of one from the other? Locals of one node. */
int route_nccl_p2p(const struct topo *t, int local_a, int local_b);

/* The NIC that a GPU uses, -1 if its node has none. */
int route_nic(const struct topo *t, int local);

#endif
