/*
 * flows.h: work under way, and how fast it goes
 *
 * A flow is the work part of an operation. Starting and stopping flows changes
 * the rates of those that share resources with it, directly or through others;
 * flows_settle() finds the new rates, once for all that happened at a moment,
 * and moves the ends of the flows in the agenda.
 */
#ifndef COMMLAB_GRAPH_FLOWS_H
#define COMMLAB_GRAPH_FLOWS_H

#include "graph/agenda.h"
#include "graph/cost.h"

struct flows;

struct flows *flows_new(const struct topo *topo, struct agenda *agenda);
void flows_free(struct flows *f);

/*
 * A node will have work to do, when its latency is over; the cost is copied.
 * -1: no memory.
 */
int flows_prepare(struct flows *f, uint32_t node, const struct cost *cost);

/* Its work begins. 1 if there is none: the node has ended. -1: no memory. */
int flows_start(struct flows *f, uint32_t node, uint64_t now_ps);

/* Its event has come: it is done. Returns the resource that bound it longest. */
int flows_stop(struct flows *f, uint32_t node, uint64_t now_ps);

/* So much (0 to 1) of a resource is there for flows, until the next call. */
void flows_scale(struct flows *f, int resource, double part);

/* New rates, after all that happened at this moment. -1: no memory. */
int flows_settle(struct flows *f, uint64_t now_ps);

#endif
