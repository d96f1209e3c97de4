/*
 * host.h: what a host thread does, in the execution graph
 */
#ifndef SIMGPU_CORE_HOST_H
#define SIMGPU_CORE_HOST_H

#include "core/proc.h"

/*
 * Record a call of the calling thread that ends latency_ps after all of deps
 * (nodes of this process or of others) have ended.
 */
void host_record(const char *call, uint32_t site, uint64_t latency_ps,
                 const struct graph_ref *deps, int ndeps);

/* Record that the calling thread touches bytes, in no time. */
void host_touch(const char *call, uint32_t site,
                const struct graph_access *access);

/* A number of deps as a node holds it. Too many end the run with a message. */
uint16_t host_ndeps(int n);

#endif
