/*
 * shape.h: a communicator as NCCL sees it (private to common/topo)
 *
 * A shape consists of the communicator's GPUs on each node, the rings that NCCL
 * finds over their links, and the bandwidth that NCCL assumes for them. It is
 * made once for each set of places, and cached in the machine.
 */
#ifndef COMMLAB_TOPO_NCCL_SHAPE_H
#define COMMLAB_TOPO_NCCL_SHAPE_H

#include "topo/machine.h"
#include "topo/nccl/ring.h"
#include "topo/nccl/search.h"

struct shape_group { /* the ranks on one node */
    int node, n;
    const int32_t *place; /* ascending, or by CPU for a ring over PCIe */
    const int32_t *exit;  /* those at which channels leave the node */
    int nexits;
    int nrings; /* 0: one ring over place[] in order */
    struct ring ring[RING_MAX];
    int channels; /* number of channels on its rings; bw: GB/s of each in
                     NCCL's model */
    double bw;
    int nvlink; /* all hops are over NVLinks */
    double net; /* GB/s of the NICs of its GPUs, in NCCL's model */
};

struct traffic; /* traffic of an operation, per byte of its size: traffic.h */
struct choice;  /* what NCCL chooses for an operation, by size: choice.h */

struct shape {
    struct shape *next;
    int n;
    int32_t *place;  /* place[i] is that of rank i */
    int32_t *sorted; /* node by node: the groups' places */
    int32_t *exits;  /* exits of all groups */
    int ngroups;
    struct shape_group *group;
    int most;     /* ranks in its largest group */
    int nvlink;   /* true for all groups */
    int channels; /* number of rings over all nodes */
    double bw;
    int nvls; /* NVLink SHARP is available inside nodes */
    int searched;
    struct search_results found;                   /* by shape_search() */
    struct traffic *traffic[TOPO_OPS][TOPO_ALGOS]; /* traffic_of() keeps it */
    struct choice *choices;                        /* so does choice_of() */
};

/* Heads are the GPUs of a node that reduce for NVLS and send between nodes. */
enum { SHAPE_NVLS_HEADS = 32 };

/*
 * The shape of a communicator, owned by t. NULL, with a line in err, if a place
 * is not a GPU or occurs twice.
 */
struct shape *shape_of(const struct topo *t, const int32_t *place, int n,
                       char *err, size_t err_nbytes);

/* The same for a collective. NULL also if its nodes aren't connected. */
struct shape *shape_connected(const struct topo *t, const int32_t *place, int n,
                              char *err, size_t err_nbytes);

/* Search for NCCL's channels on each node, and keep what all nodes have.
 * Returns 0, or -1 if memory runs out. */
int shape_search(const struct topo *t, struct shape *s);

void shape_free(struct shape *s);

#endif
