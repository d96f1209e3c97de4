/*
 * system_graph.h: the nodes and links of a system (private to common/topo)
 *
 * Makes them from the parts of a machine: the GPUs of a communicator, all NICs,
 * and what leads from these to their CPUs. system.c then finds the paths.
 */
#ifndef COMMLAB_TOPO_NCCL_SYSTEM_GRAPH_H
#define COMMLAB_TOPO_NCCL_SYSTEM_GRAPH_H

#include "topo/nccl/system.h"

struct system_graph {
    struct system *s;
    const struct topo *t;
    int *gpu_at, *nic_at, *pci_at, *cpu_at; /* nodes of the machine's parts;
                                               -1: not in the graph */
    int capacity;                           /* how many links fit */
    int *up;     /* by node: towards the root of its PCIe tree; -1: a CPU */
    int *nout;   /* by node: links from it... */
    int **out;   /* ...in the order in which NCCL follows them */
    int *bridge; /* by node: true for a PCIe bridge */
};

/* Number the nodes and connect them; s has its GPUs and the number of its nets.
 * Returns 0, or -1 if memory runs out. In both cases release the graph. */
int system_graph_make(struct system_graph *m);
void system_graph_release(struct system_graph *m);

#endif
