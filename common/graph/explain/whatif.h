/*
 * whatif.h: replays of a run with changes
 *
 * A counterfactual is a copy of a graph in which something costs less or is
 * ordered otherwise. Its replay says what the change would save:
 *
 *     run        |==host==|====kernel====|~~all-reduce~~|
 *     changed             |====kernel====|~~all-reduce~~|
 *                <------->  saved
 *
 * Changes are made to `graph` (its nodes belong to the copy; their arrays are
 * shared, so they are replaced, never written to) and to the costs in `cost`.
 * The original does not change.
 */
#ifndef COMMLAB_GRAPH_WHATIF_H
#define COMMLAB_GRAPH_WHATIF_H

#include "graph/record/index.h"
#include "graph/replay/replay.h"

/* Resources of one kind, by the first word of their names. */
enum whatif_class {
    WHATIF_COMPUTE, /* fp32, tf32, fp16, fp64 */
    WHATIF_HBM,
    WHATIF_NVLINK, /* NVLink and C2C */
    WHATIF_PCIE,   /* PCIe, sockets, host memory and copy engines */
    WHATIF_NETWORK,
    WHATIF_CLASSES
};

struct whatif_cost { /* for one operation; all its members have the same */
    double work;     /* factor applied to its work */
    double latency;  /* factor applied to its latency */
};

struct whatif {
    struct graph graph; /* the copy */
    struct whatif_cost *cost;
    unsigned free_classes; /* set of 1 << enum whatif_class: infinitely fast */
    const char *in; /* by position: 1 if it is in the measured part of the
                       run */

    const struct graph *original;
    const struct topo *topo;
    struct replay_options options;
    struct graph_index index; /* private */
    struct arena moves;       /* private: arrays of the copy */
    struct maxmin_use *use;   /* private */
    int room;
};

/*
 * Make a copy of g. `in` has nnodes flags, which the caller keeps. options:
 * sets of algorithms and protocols, and a table of costs. Returns -1 if memory
 * runs out.
 */
int whatif_init(struct whatif *w, const struct graph *g,
                const struct topo *topo, const struct replay_options *options,
                const char *in);
void whatif_release(struct whatif *w);

/* Undo all changes. */
void whatif_reset(struct whatif *w);

/* Whether the node at a position is to keep its dependence on another. */
typedef int whatif_keep(const struct graph *g, uint32_t at,
                        struct graph_ref on);

/* Drop those of a node's dependences that are not to be kept. Returns -1 if
 * memory runs out. */
int whatif_keep_deps(struct whatif *w, uint32_t at, whatif_keep *keep);

/* Let no rank wait for another: an operation of several ranks costs the same,
 * but starts separately on each of them. Returns -1 if memory runs out. */
int whatif_alone(struct whatif *w);

/* Run each rank on another GPU: on place[p] instead of p, for p < nplaces.
 * Returns -1 if memory runs out. */
int whatif_move(struct whatif *w, const int32_t *place, int nplaces);

/*
 * Replay the copy. The caller frees the result. NULL, with a line in err, if it
 * can't be replayed, for example because the changed order is a cycle. If
 * memory runs out, errno is ENOMEM, and a result may be wrong.
 */
struct replay *whatif_replay(struct whatif *w, char *err, size_t err_nbytes);

/* The time from the first call of the measured part to its last end. */
uint64_t whatif_length_ps(const struct whatif *w, const struct replay *r);

enum whatif_class whatif_class_of(const struct topo *topo, int resource);

#endif
