/*
 * flows.h: work in progress, and its rates
 *
 * A flow is the work of an operation. When a flow starts or stops, the rates
 * change for all flows that share resources with it, directly or through
 * others. flows_settle() computes the new rates once for all changes at one
 * time, and reschedules the ends of the flows.
 */
#ifndef COMMLAB_GRAPH_FLOWS_H
#define COMMLAB_GRAPH_FLOWS_H

#include "graph/replay/agenda.h"
#include "graph/replay/cost.h"

struct flows;

struct flows *flows_new(const struct topo *topo, struct agenda *agenda);
void flows_free(struct flows *f);

/*
 * Announce the work of a node, which starts after its latency; copies the cost.
 * Returns -1 if memory runs out.
 */
int flows_prepare(struct flows *f, uint32_t node, const struct cost *cost);

/* Start the work of a node. Returns 1 if it has none and so has ended, -1 if
 * memory runs out. */
int flows_start(struct flows *f, uint32_t node, uint64_t now_ps);

/* End the work of a node. Returns the resource that bound it longest. */
int flows_stop(struct flows *f, uint32_t node, uint64_t now_ps);

/* From now on, let flows use this share (0 to 1) of a resource. */
void flows_scale(struct flows *f, int resource, double part);

/* Compute the rates from now on, after all changes at this time. Returns -1 if
 * memory runs out. */
int flows_settle(struct flows *f, uint64_t now_ps);

#endif
