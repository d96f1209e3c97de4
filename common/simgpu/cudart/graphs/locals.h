/*
 * locals.h: local variables that a graph outlives
 *
 * A node of a copy has the addresses of its source and target, and that of a
 * host function has its argument. A captured call notes them, like any other
 * node, and each launch uses them again. If they are those of a local variable,
 * they are only valid until its function returns:
 *
 *     void step(void)
 *     {
 *         int n = 1;
 *         cudaMemcpyAsync(p, &n, sizeof n, ...);    captured
 *     }
 *     step();
 *     cudaGraphLaunch(exec, stream);                reads what is there now
 */
#ifndef SIMGPU_CUDART_GRAPHS_LOCALS_H
#define SIMGPU_CUDART_GRAPHS_LOCALS_H

#include "cudart/graphs/cugraph.h"

/* A call at this site, whose caller's local variables begin at `frame`
 * (core/heap/host_memory.h), launches the graph: record each copy that uses a
 * local variable of a function that has returned, and warn of such arguments,
 * which the host function may ignore. Each node is reported once. */
void locals_check(const struct CUgraph_st *g, const void *frame, uint32_t site);

#endif
