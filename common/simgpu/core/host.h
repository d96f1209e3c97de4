/*
 * host.h: recording what a host thread does in the execution graph
 */
#ifndef SIMGPU_CORE_HOST_H
#define SIMGPU_CORE_HOST_H

#include <stdint.h>

#include "graph/record/record.h"

/* Record a call that is neither an operation nor a wait: it costs modelled host
 * time. */
void simgpu_host_call(const char *name, uint32_t site);

/* The same for a call that takes host_ps of modelled time. */
void simgpu_host_busy(const char *name, uint32_t site, uint64_t host_ps);

/*
 * Record a call of the calling thread that ends latency_ps after all of deps
 * (nodes of this or other processes) have ended.
 */
void simgpu_host_record(const char *call, uint32_t site, uint64_t latency_ps,
                        const struct graph_ref *deps, int ndeps);

/* Record that the calling thread starts again where this node of its process,
 * which has ended, was issued (GRAPH_AGAIN). */
void host_begin_again(const char *call, uint32_t site, struct graph_ref at);

/* Record that the calling thread touches bytes, which
 * takes no modelled time. Returns the node. */
uint32_t host_touch(const char *call, uint32_t site,
                    const struct graph_access *access);

/* Convert n to a node's number of dependences. Ends the run if a node can't
 * have that many. */
uint16_t host_ndeps(int n);

#endif
