/*
 * cluster.h: thread block clusters
 *
 * The blocks of a cluster run at the same time, each on a runner of its own
 * (grid.h), one cluster after the other. Their shared memory is thread-local,
 * so a variable of another block lies at the same distance from that runner's
 * thread pointer. A block's shared memory stays until its whole cluster has
 * ended; who uses it after the block has ended is told, since on a GPU it is
 * gone by then.
 */
#ifndef SIMGPU_DEVICE_CLUSTER_H
#define SIMGPU_DEVICE_CLUSTER_H

#include "device/launch.h"

/* The coordinates of the n-th block to start: cluster by cluster. */
struct simgpu_uint3 cluster_block(const struct launch *l, uint64_t n);

/* A thread of the running block has ended. */
void cluster_thread_ended(void);

/* Blocks that have ended, whose shared memory is still there. */
extern int cluster_nstale;

/* Fail if p is in such a block; called where device code touches p. */
void cluster_check(const void *p, const void *pc);

#endif
