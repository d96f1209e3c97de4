/*
 * route.h: the resources between two places (private to common/topo)
 */
#ifndef COMMLAB_TOPO_ROUTE_H
#define COMMLAB_TOPO_ROUTE_H

#include "topo/machine.h"

/* How bytes are moved. This determines the resources besides the links. */
enum route_by {
    ROUTE_COPY,   /* copy engines, through peer access */
    ROUTE_STAGED, /* copy engines, through the host */
    ROUTE_LOADS,  /* a kernel's loads and stores */
    ROUTE_NICS,   /* NICs; in a node without any, peer access */
    ROUTE_NCCL    /* NCCL's kernels, by peer access if NCCL uses it */
};

/* Find a path, as topo_path() does. */
int route_find(const struct topo *t, int32_t from, int32_t to, enum route_by by,
               struct topo_path *out);

/* Distance between two GPUs or NICs of one node, ignoring NVLinks. A pci of -1
 * is the CPU itself. */
enum reach route_reach(const struct topo *t, int cpu_a, int pci_a, int cpu_b,
                       int pci_b);

/* Number of NVLinks between two GPUs of one node. */
int route_nvlinks(const struct topo *t, int local_a, int local_b);

/* The NIC that a GPU (local number) uses; -1 if its node has none. */
int route_nic(const struct topo *t, int local);

/* Distance between a GPU and a NIC (local numbers). */
enum reach route_nic_reach(const struct topo *t, int local, int nic);

/* True if NCCL passes bytes between a GPU and a NIC (local numbers) through the
 * host: there is no GPUDirect RDMA between these two. */
int route_staged(const struct topo *t, int local, int nic);

#endif
