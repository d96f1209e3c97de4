/*
 * whatif.h: replays of a changed run
 *
 * A counterfactual is a copy of a graph in which something costs less or is
 * ordered otherwise. Its replay says what the change would save:
 *
 *     run        |==host==|====kernel====|~~all-reduce~~|
 *     changed             |====kernel====|~~all-reduce~~|
 *                <------->  saved
 *
 * Changes are made to `graph` (its nodes are the copy's own; their arrays are
 * shared, and are replaced rather than written to) and to the costs in `cost`.
 * Nothing of the original changes.
 */
#ifndef COMMLAB_GRAPH_WHATIF_H
#define COMMLAB_GRAPH_WHATIF_H

#include "graph/index.h"
#include "graph/replay.h"

/* Resources of one kind, by the first word of their names. */
enum whatif_class {
    WHATIF_COMPUTE, /* fp32, tf32, fp16, fp64 */
    WHATIF_HBM,
    WHATIF_NVLINK, /* and c2c */
    WHATIF_PCIE,   /* with sockets, host memory and copy engines */
    WHATIF_NETWORK,
    WHATIF_CLASSES
};

struct whatif_cost { /* of one operation; all its members have the same */
    double work;     /* its work is multiplied with this */
    int no_latency;
};

struct whatif {
    struct graph graph; /* the copy */
    struct whatif_cost *cost;
    unsigned free_classes; /* 1 << enum whatif_class: infinitely fast */
    const char *in; /* by position: the part of the run that is measured */

    const struct graph *original;
    const struct topo *topo;
    struct replay_options options;
    struct graph_index index; /* private */
    struct arena moves;       /* private: arrays of the copy */
    struct maxmin_use *use;   /* private */
    int room;
};

/* `in`: nnodes flags, which the caller keeps. options: sets of algorithms and
 * protocols, and a table of costs. Returns -1 if memory runs out. */
int whatif_init(struct whatif *w, const struct graph *g,
                const struct topo *topo, const struct replay_options *options,
                const char *in);
void whatif_release(struct whatif *w);

/* Undo all changes. */
void whatif_reset(struct whatif *w);

/* Let no rank wait for another: an operation of several ranks costs the same,
 * but each of them starts by itself. Returns -1 if memory runs out. */
int whatif_alone(struct whatif *w);

/* Run each rank on another GPU: place[p] instead of p, for p < nplaces. Returns
 * -1 if memory runs out. */
int whatif_move(struct whatif *w, const int32_t *place, int nplaces);

/*
 * Replay the copy. The result is freed by the caller; NULL, with a line in err,
 * if it can't be replayed, for example because the changed order is a cycle.
 * Where memory runs out errno is ENOMEM, and a result may be wrong.
 */
struct replay *whatif_replay(struct whatif *w, char *err, size_t err_nbytes);

/* From the first call of what is measured to its last end. */
uint64_t whatif_length_ps(const struct whatif *w, const struct replay *r);

enum whatif_class whatif_class_of(const struct topo *topo, int resource);

#endif
