/*
 * flows.h: work in progress, and its rates
 *
 * A flow is the work of an operation. Starting or stopping a flow changes the
 * rates of the flows that share resources with it, directly or through others.
 * flows_settle() finds the new rates once for all changes at one time, and
 * reschedules the ends of the flows.
 */
#ifndef COMMLAB_GRAPH_FLOWS_H
#define COMMLAB_GRAPH_FLOWS_H

#include "graph/agenda.h"
#include "graph/cost.h"

struct flows;

struct flows *flows_new(const struct topo *topo, struct agenda *agenda);
void flows_free(struct flows *f);

/*
 * Announce the work of a node, which starts after its latency; copies the cost.
 * Returns -1 if memory runs out.
 */
int flows_prepare(struct flows *f, uint32_t node, const struct cost *cost);

/* The work of a node starts. Returns 1 if it has none and so has ended, -1 if
 * memory runs out. */
int flows_start(struct flows *f, uint32_t node, uint64_t now_ps);

/* The work of a node is done. Returns the resource that bound it longest. */
int flows_stop(struct flows *f, uint32_t node, uint64_t now_ps);

/* From now on flows can use this part (0 to 1) of a resource. */
void flows_scale(struct flows *f, int resource, double part);

/* Find the rates from now on, after all changes at this time. Returns -1 if
 * memory runs out. */
int flows_settle(struct flows *f, uint64_t now_ps);

#endif
