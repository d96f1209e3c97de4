/*
 * cluster.h: clusters of blocks, in device code; part of cuda_runtime.h
 */
#ifndef SIMGPU_CLUSTER_H
#define SIMGPU_CLUSTER_H

#include "simgpu/kernel.h"

static inline dim3 __clusterDim()
{
    const simgpu_uint3 c = simgpu_cluster_dim();
    return dim3(c.x, c.y, c.z);
}
static inline dim3 __clusterGridDimInClusters()
{
    const dim3 c = __clusterDim();
    return dim3(gridDim.x / c.x, gridDim.y / c.y, gridDim.z / c.z);
}
static inline dim3 __clusterIdx()
{
    const dim3 c = __clusterDim();
    return dim3(blockIdx.x / c.x, blockIdx.y / c.y, blockIdx.z / c.z);
}
static inline dim3 __clusterRelativeBlockIdx()
{
    const dim3 c = __clusterDim();
    return dim3(blockIdx.x % c.x, blockIdx.y % c.y, blockIdx.z % c.z);
}
static inline unsigned __clusterRelativeBlockRank()
{
    const dim3 at = __clusterRelativeBlockIdx(), n = __clusterDim();
    return at.x + n.x * (at.y + n.y * at.z);
}
static inline unsigned __clusterSizeInBlocks()
{
    const dim3 n = __clusterDim();
    return n.x * n.y * n.z;
}
static inline bool __clusterDimIsSpecified()
{
    return __clusterSizeInBlocks() > 1;
}
/* Inlined, so that a mistake is reported at the program's line. */
static __forceinline__ void *__cluster_map_shared_rank(const void *p,
                                                       unsigned rank)
{
    return simgpu_cluster_map(p, rank);
}
static inline unsigned __cluster_query_shared_rank(const void *p)
{
    return simgpu_cluster_rank_of(p);
}
static inline bool __isCtaShared(const void *p)
{
    return simgpu_is_shared(p);
}
static inline bool __isClusterShared(const void *p)
{
    return simgpu_is_shared(p) || simgpu_cluster_has(p);
}
static inline void __threadfence_cluster()
{
    __threadfence();
}
static inline void __cluster_barrier_arrive()
{
    simgpu_cluster_arrive();
}
static inline void __cluster_barrier_arrive_relaxed()
{
    simgpu_cluster_arrive();
}
static inline void __cluster_barrier_wait()
{
    simgpu_cluster_wait();
}

#endif
