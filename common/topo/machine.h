/*
 * machine.h: the parts of a machine (private to common/topo)
 *
 * All nodes of a machine are alike, so only the parts of one node are stored,
 * with the resource indices of node 0. Part p of node i uses resource
 * p.xxx + i * per_node.
 *
 *   cpu ---- socket a->b ---- cpu        a pair of resources per <cpu> pair
 *    |                         |
 *   pci (bridge)              pci        up (to the CPU) and down
 *    |      |                  |
 *   pci    pci                pci        the last ones are GPUs and NICs
 *   gpu    nic --- out, in    gpu
 *    \_________________________/         NVLinks: a resource per ordered pair,
 *                                        or up and down to NVSwitches
 */
#ifndef COMMLAB_TOPO_MACHINE_H
#define COMMLAB_TOPO_MACHINE_H

#include <pthread.h>

#include "topo/calibration.h"
#include "topo/reach.h"
#include "topo/topo.h"

/* A node is what NVLinks connect: a host, or a rack of hosts with their
 * CPUs. */
enum { /* limits of one node */
       MACHINE_CPUS = 288,
       MACHINE_PCIS = 4096,
       MACHINE_GPUS = 576,
       MACHINE_NICS = 1152,
       MACHINE_BRIDGES = 5, /* nested <pci> between a device and a CPU */
       MACHINE_NODES = TOPO_HOSTS
};

struct machine_cpu {
    int numa;
    char host[24];      /* host_hash: which host of a rack; "" if there
                           is only one */
    int amd, arm;       /* if neither, Intel */
    double nccl_socket; /* NCCL's assumption of GB/s between sockets */
    char affinity[256];
    int memory;           /* its resource */
    int to[MACHINE_CPUS]; /* resource towards each other CPU of its host */
};

struct machine_pci {
    char bus_id[16];
    int parent, cpu; /* parent -1: directly on the CPU */
    int nbridges;    /* <pci> between it and the CPU */
    int leaf_gpu;    /* GPU at this <pci>; -1: none */
    double lane_gts; /* 16.0 for "16.0 GT/s PCIe" */
    int width;
    int up, down; /* resources */
};

struct machine_gpu {
    char bus_id[16];
    int host; /* number of its host, in the order of the file */
    int dev, sm, pci, line;
    int switch_links;     /* number of NVLinks to switches */
    int self_links;       /* number of those that the file leads back to it */
    int no_gdr;           /* gdr="0": NICs can't reach its memory */
    int staged;           /* bytes to and from its NIC go through the host,
                             unless NCCL_NET_GDR_LEVEL says otherwise */
    int to_net, from_net; /* resources, if staged */
    double c2c_GBps;      /* nominal rate to its CPU, one way; 0:
                             connected by PCIe */
    int c2c_up, c2c_down; /* resources */
    /* resources; compute -1: has no such units */
    int compute[TOPO_MATHS], memory, engine, up, down;
};

struct machine_nic {
    char name[32];
    int cpu, pci; /* pci -1: directly on the CPU, or virtual */
    int no_gdr;   /* gdr="0": it can't reach memory of GPUs */
    double mbps;
    int out, in; /* resources */
};

struct machine_nccl { /* values of NCCL's environment variables: settings.h */
    int no_p2p, no_shm, no_nvls, sockets;
    int p2p, p2p_given; /* NCCL_P2P_LEVEL: enum reach */
    int gdr, gdr_given; /* NCCL_NET_GDR_LEVEL: enum reach, or -1 */
    int least_channels, most_channels; /* 0: no limit */
    double socket_GBps;
    int other_paths; /* paths may differ from those that a <curve> was
                        measured on */
};

struct machine_fabric { /* switches between nodes: fabric.h; leaves 0:
                           there are none */
    int leaves, nodes;  /* nodes: number of nodes per group of leaves */
    int rails;          /* leaves in a group, each for the NICs of one number */
    int uplinks;        /* per leaf */
    int first;          /* first resource: up 0, down 0, up 1... of leaf 0 */
    uint64_t seed;
};

struct shape; /* shape of a communicator: shape.h */

struct topo {
    char name[4400]; /* the argument of topo_load(), with "me" replaced */
    char file[4400]; /* the file that describes a node */
    int nnodes;
    int ncpus, npcis, ngpus, nnics; /* parts of one node */
    struct machine_cpu cpu[MACHINE_CPUS];
    struct machine_pci pci[MACHINE_PCIS];
    struct machine_gpu gpu[MACHINE_GPUS];
    struct machine_nic nic[MACHINE_NICS];
    unsigned char nvlinks[MACHINE_GPUS][MACHINE_GPUS]; /* number of direct
                                                          ones */
    int bundle[MACHINE_GPUS][MACHINE_GPUS]; /* resource of direct ones, one
                                               way */
    int host;                               /* resource of a node's host
                                               memory */
    int switched;                           /* NVLinks lead to NVSwitches */
    int no_nic;                             /* a NIC of the file is left out */
    int one_thread; /* one thread drives all GPUs of a node; 0: each GPU has
                       a process */
    int number[MACHINE_GPUS]; /* numbers of the file's GPUs, in the order of
                                 dev: 0, 1, 2... unless the machine is
                                 shuffled */
    int sick[2];              /* both directions of the degraded cable */
    double sick_left;         /* the share of its rate that it keeps; 1: no
                                 cable is degraded */

    struct calibration cal;
    const struct calibration_arch *arch; /* architecture of the GPUs */
    const struct calibration_fit *fit;
    struct topo_costs costs;
    struct machine_nccl nccl;
    int per_node, nresources;
    struct machine_fabric fabric;
    struct topo_resource *resource;
    struct topo_gpu *gpus; /* GPUs of all nodes */

    /* A cache of communicators' shapes, the only part that changes. */
    pthread_mutex_t lock;
    struct shape *shapes;
};

/* True if the CPUs belong to one host, that is, if a socket link
 * connects them. */
int machine_same_host(const struct topo *t, int cpu_a, int cpu_b);

/* Make resources, GPUs and costs from the parts and the calibration. Returns 0,
 * or -1 if memory runs out. */
int machine_build(struct topo *t);

/* PCIe bandwidth in GB/s: as measured on real machines, and as NCCL assumes. */
double machine_pcie(const struct topo *t, const struct machine_pci *p);
double machine_nccl_pcie(const struct machine_pci *p);

#endif
