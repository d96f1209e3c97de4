/*
 * cluster_group.h: the blocks of a cluster; part of cooperative_groups.h
 */
#ifndef SIMGPU_CLUSTER_GROUP_H
#define SIMGPU_CLUSTER_GROUP_H

namespace cooperative_groups
{
class cluster_group
{
  public:
    struct arrival_token {
    };
    static arrival_token barrier_arrive()
    {
        __cluster_barrier_arrive();
        return arrival_token();
    }
    static void barrier_wait()
    {
        __cluster_barrier_wait();
    }
    static void barrier_wait(arrival_token &&)
    {
        __cluster_barrier_wait();
    }
    static void sync()
    {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    static dim3 block_index()
    {
        return __clusterRelativeBlockIdx();
    }
    static unsigned block_rank()
    {
        return __clusterRelativeBlockRank();
    }
    static dim3 thread_index()
    {
        const dim3 b = block_index();
        return dim3(b.x * blockDim.x + threadIdx.x,
                    b.y * blockDim.y + threadIdx.y,
                    b.z * blockDim.z + threadIdx.z);
    }
    static unsigned thread_rank()
    {
        return block_rank() * details::block_size() + details::block_rank();
    }
    static dim3 dim_blocks()
    {
        return __clusterDim();
    }
    static unsigned num_blocks()
    {
        return __clusterSizeInBlocks();
    }
    static dim3 dim_threads()
    {
        const dim3 n = __clusterDim();
        return dim3(n.x * blockDim.x, n.y * blockDim.y, n.z * blockDim.z);
    }
    static unsigned num_threads()
    {
        return num_blocks() * details::block_size();
    }
    static unsigned size()
    {
        return num_threads();
    }
    static unsigned query_shared_rank(const void *p)
    {
        return __cluster_query_shared_rank(p);
    }
    template <class T> static __forceinline__ T *map_shared_rank(T *p, int rank)
    {
        return (T *)__cluster_map_shared_rank((const void *)p, (unsigned)rank);
    }
};

static inline cluster_group this_cluster()
{
    return cluster_group();
}
} // namespace cooperative_groups

#endif
