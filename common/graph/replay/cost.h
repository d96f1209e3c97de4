/*
 * cost.h: the cost of an operation on a machine
 *
 * A cost is a latency, followed by work on resources. Work is measured in
 * bytes: the bytes of a transfer; the bytes on a collective's busiest link; for
 * a kernel, the bytes that its device's memory could move in the time that the
 * kernel takes alone. This makes the rates of flows comparable, so that equal
 * rates are a fair share: two kernels on one device each get half of its
 * compute, independently of their mix of flops and bytes.
 */
#ifndef COMMLAB_GRAPH_COST_H
#define COMMLAB_GRAPH_COST_H

#include "base/maxmin.h"
#include "graph/record/read.h"
#include "graph/replay/replay.h"

struct cost {
    uint64_t latency_ps;
    double work; /* 0: only latency */
    double cap;  /* limit of work per second; 0: only resources limit it */
    const struct maxmin_use *use; /* valid until the table's next cost_of() */
    int nuses;
    int busiest; /* index of the use that is the bottleneck on an idle
                    machine */
};

/* options may be NULL. Returns NULL if memory runs out. */
struct cost_table *cost_table_new(const struct topo *topo,
                                  const struct replay_options *options);
void cost_table_free(struct cost_table *t);

/*
 * The cost of node `at` of g; for a node with a match, that of the whole
 * operation. Returns 0, or -1 with a line in err: the machine lacks a place, or
 * can't do the collective.
 */
int cost_of(struct cost_table *t, const struct graph *g, uint32_t at,
            struct cost *out, char *err, size_t err_nbytes);

/*
 * The time that a host-only operation with a match takes once every member that
 * it waits for is ready. A message goes from the machine node of `at` to that
 * of `with`. In an operation of all members, `with` is a member on another
 * machine node if there is one.
 */
uint64_t cost_mpi_ps(const struct cost_table *t, const struct graph_node *at,
                     const struct graph_node *with);

#endif
