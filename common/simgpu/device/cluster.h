/*
 * cluster.h: thread block clusters
 *
 * The blocks of a cluster run at the same time, each on its own runner
 * (grid.h); clusters run one after the other. A block's shared memory is kept
 * until its whole cluster has ended. On a GPU it is gone when the block ends,
 * so using it after that is reported (shared.h).
 */
#ifndef SIMGPU_DEVICE_CLUSTER_H
#define SIMGPU_DEVICE_CLUSTER_H

#include "device/runner.h"

/* The coordinates of the n-th block to start; blocks
 * start cluster by cluster. */
struct simgpu_uint3 cluster_block(const struct launch *l, uint64_t n);

/* Call these when the block me->block starts, and when it has ended.
 * cluster_leave() returns when the runner may start another block. */
void cluster_enter(struct runner *me);
void cluster_leave(struct runner *me);

/* True if the next block belongs to a cluster that has started, and no runner
 * is free for it. */
int cluster_wants_runner(const struct grid *g);

/* Count a thread of the running block that has ended. */
void cluster_thread_ended(void);

/* Open the barrier if all threads that have not ended have arrived. */
void cluster_complete(struct grid *g, struct cluster *c);

#endif
