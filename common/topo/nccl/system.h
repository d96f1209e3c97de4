/*
 * system.h: a node's links as NCCL sees them (private to common/topo)
 *
 * Before NCCL searches for channels (search.h), it makes a graph of the GPUs
 * that a communicator has on a node, and of all NICs: an end of the graph is a
 * GPU, a NIC's port (a net), a CPU or the NVSwitch. PCIe bridges lie between.
 * Between two ends it knows one path, with the rate of its slowest link and a
 * type that grows with the distance. Paths that NCCL doesn't use are diverted:
 * through CPUs where peer access or GPUDirect is off, and through another GPU
 * to that GPU's NIC (PXN).
 *
 * This follows NCCL 2.28.9, src/graph/topo.cc and paths.cc. Rates are NCCL's
 * assumptions, not measurements, in thousandths of a GB/s: integers, so that
 * the search decides the same with every compiler.
 */
#ifndef COMMLAB_TOPO_NCCL_SYSTEM_H
#define COMMLAB_TOPO_NCCL_SYSTEM_H

#include <stdint.h>

#include "topo/machine.h"

enum system_type { /* types of paths and links, in NCCL's order */
                   SYSTEM_LOC,
                   SYSTEM_NVL,
                   SYSTEM_NVB, /* NVLinks through another GPU */
                   SYSTEM_C2C,
                   SYSTEM_PIX,
                   SYSTEM_PXB,
                   SYSTEM_P2C, /* NVLink-C2C, and PCIe beyond the CPU */
                   SYSTEM_PXN, /* NVLinks to the GPU next to a NIC */
                   SYSTEM_PHB,
                   SYSTEM_SYS,
                   SYSTEM_NET,
                   SYSTEM_DIS
};

enum {
    SYSTEM_LINKS = 26,     /* at most, in a path */
    SYSTEM_CHANNELS = 64,  /* [MAXCHANNELS] */
    SYSTEM_GPUS = 72,      /* in a node; further ones are like these */
    SYSTEM_LOCAL = 5000000 /* rate inside an end [LOC_BW] */
};

struct system_link { /* one direction */
    int from, to;    /* nodes of the graph; ends come first */
    int type;
    int rate, left; /* left: by the search's channels */
    int back;       /* the link of the other direction; -1: none */
};

struct system_path {
    int nlinks, rate, type; /* nlinks 0 and SYSTEM_DIS: none */
    int16_t link[SYSTEM_LINKS];
};

struct system_net {
    int rate, left;
    int gpu; /* the GPU that uses it first; -1: none */
    double latency;
};

struct system {
    const struct topo *t;
    int ngpus, nnets, ncpus, nends, nnodes;
    int local[SYSTEM_GPUS]; /* a GPU's number in the machine, in the order of
                               the file */
    int rank[SYSTEM_GPUS];  /* its rank in the node */
    int pcie[SYSTEM_GPUS];  /* its PCIe link, towards the root */
    int vswitch;            /* the NVSwitch's node; -1: there is none */
    int inter;              /* there are ranks on other nodes */
    int nhosts;
    int max_rate, total_rate; /* a path's, and a GPU's links' */
    int nlinks;
    struct system_link *link;
    struct system_net *net;
    struct system_path *path; /* [from end][to end] */
};

/*
 * The system of n GPUs (numbers within a node, by rank). inter: the
 * communicator has ranks on other nodes. NULL if memory runs out.
 */
struct system *system_of(const struct topo *t, const int *local, int n,
                         int inter);
void system_free(struct system *s); /* NULL is allowed */

static inline struct system_path *system_path(const struct system *s, int from,
                                              int to)
{
    return &s->path[from * s->nends + to];
}

/* The ends of nets follow those of GPUs. */
static inline int system_net(const struct system *s, int net)
{
    return s->ngpus + net;
}

/*
 * List the ends from `first` on, n of them, that are nearest to an end: with
 * the highest rate and, among these, the lowest type. Returns their number.
 */
int system_nearest(const struct system *s, int end, int first, int n,
                   int *list);

/* The net that a GPU uses for a channel; -1: none. */
int system_net_of(const struct system *s, int gpu, int channel);

#endif
