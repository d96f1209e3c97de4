/*
 * cost.h: what an operation takes on a machine
 *
 * A latency, then work on resources. Work is counted in bytes: those that a
 * transfer moves; for a collective, those on its busiest link; for a kernel,
 * those that its device's memory could move in the time that the kernel takes
 * alone. So rates of flows can be compared, and equal rates are a fair share:
 * two kernels that share a device's compute each get half of it, whatever mix of
 * flops and bytes they have.
 */
#ifndef COMMLAB_GRAPH_COST_H
#define COMMLAB_GRAPH_COST_H

#include "graph/maxmin.h"
#include "graph/read.h"
#include "graph/replay.h"

struct cost {
    uint64_t latency_ps;
    double work; /* 0: the latency is all */
    double cap;  /* work per second it can do alone, 0: as its resources can */
    const struct maxmin_use *use; /* until the next cost_of() of the table */
    int nuses;
    int busiest; /* the use that is its bottleneck on an idle machine */
};

/* options may be NULL. Returns NULL without memory. */
struct cost_table *cost_table_new(const struct topo *topo,
                                  const struct replay_options *options);
void cost_table_free(struct cost_table *t);

/*
 * The cost of node `at` of g; for a node with a match, of the whole operation,
 * whose members are given in the order of their ranks. Returns 0, or -1 with a
 * line in err: the machine doesn't have a place, or can't do the collective.
 */
int cost_of(struct cost_table *t, const struct graph *g, uint32_t at,
            struct cost *out, char *err, size_t err_nbytes);

/*
 * Host-only operations with a match: time from the moment that all have come
 * that it waits for. `at` and `with` say between which nodes a message goes; of
 * operations of all members, `with` is one of another node, if there is one.
 */
uint64_t cost_mpi_ps(const struct cost_table *t, const struct graph_node *at,
                     const struct graph_node *with);

#endif
