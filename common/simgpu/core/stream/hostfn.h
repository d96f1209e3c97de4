/*
 * hostfn.h: the host function that a stream runs, and the calls it makes
 *
 * A function of cudaLaunchHostFunc() may call MPI. Such a call follows what the
 * function follows, and is over before the function is:
 *
 *     stream    copy ---> host function, part 0    part 1 ---> copy
 *                   \                             /
 *     calls          +---> MPI_Send -------------+
 *
 * In the graph, the calls of each stream's functions are those of a thread.
 */
#ifndef SIMGPU_CORE_STREAM_HOSTFN_H
#define SIMGPU_CORE_STREAM_HOSTFN_H

#include "core/stream/op.h"

/* Run the function as the stream's operation. */
void hostfn_run(struct op *op, void (*fn)(void *), void *data);

/* Record a call of the calling thread, whose number *n gets. Returns the
 * node. */
uint32_t hostfn_record(struct graph_node *n,
                       const struct graph_access *accesses);

#endif
