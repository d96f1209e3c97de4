/*
 * cooperative_groups.h: groups of threads that synchronise and exchange values
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"
#ifdef __SIMNVCC__

#include <type_traits> /* std::decay */

namespace cooperative_groups
{
namespace details
{
static inline unsigned block_rank()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
static inline unsigned block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
static inline unsigned long long grid_block()
{
    return blockIdx.x + (unsigned long long)gridDim.x *
                            (blockIdx.y + gridDim.y * blockIdx.z);
}
static inline unsigned below()
{
    return (1u << simgpu::lane()) - 1;
}
} // namespace details

/* ---- the block ----------------------------------------------------------- */

class thread_block
{
  public:
    static void sync()
    {
        __syncthreads();
    }
    static unsigned thread_rank()
    {
        return details::block_rank();
    }
    static unsigned size()
    {
        return details::block_size();
    }
    static unsigned num_threads()
    {
        return details::block_size();
    }
    static dim3 group_index()
    {
        return dim3(blockIdx);
    }
    static dim3 thread_index()
    {
        return dim3(threadIdx);
    }
    static dim3 group_dim()
    {
        return blockDim;
    }
    static dim3 dim_threads()
    {
        return blockDim;
    }
    struct arrival_token {
    };
    arrival_token barrier_arrive() const
    {
        return arrival_token();
    }
    void barrier_wait(arrival_token &&) const
    {
        __syncthreads();
    }
};

static inline thread_block this_thread_block()
{
    return thread_block();
}

/* ---- the grid ------------------------------------------------------------ */

class grid_group
{
  public:
    static bool is_valid()
    {
        return simgpu_is_cooperative();
    }
    static void sync()
    {
        simgpu_sync_grid();
    }
    static unsigned long long thread_rank()
    {
        return details::grid_block() * details::block_size() +
               details::block_rank();
    }
    static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static unsigned long long num_threads()
    {
        return num_blocks() * details::block_size();
    }
    static unsigned long long size()
    {
        return num_threads();
    }
    static unsigned long long block_rank()
    {
        return details::grid_block();
    }
    static dim3 group_dim()
    {
        return gridDim;
    }
    static dim3 dim_blocks()
    {
        return gridDim;
    }
    static dim3 block_index()
    {
        return dim3(blockIdx);
    }
    struct arrival_token {
    };
    arrival_token barrier_arrive() const
    {
        return arrival_token();
    }
    void barrier_wait(arrival_token &&) const
    {
        simgpu_sync_grid();
    }
};

static inline grid_group this_grid()
{
    return grid_group();
}

} // namespace cooperative_groups

#include "cooperative_groups/cluster_group.h"

namespace cooperative_groups
{
/* ---- some lanes of a warp ------------------------------------------------ */

/* Threads of one warp, given by a mask. Ranks number the lanes in the mask. */
class coalesced_group
{
  protected:
    unsigned mask;
    unsigned part, nparts; // this group's part of its parent

    unsigned lane_of(unsigned rank) const
    {
        unsigned m = mask;
        for (unsigned i = 0; i < rank && m; i++)
            m &= m - 1;
        return m ? (unsigned)__builtin_ctz(m) : (unsigned)simgpu::lane();
    }
    /* Convert bits for lanes of the warp to bits for ranks. */
    unsigned pack(unsigned bits) const
    {
        unsigned out = 0, rank = 0;
        for (unsigned m = mask; m; m &= m - 1, rank++)
            out |= (bits >> __builtin_ctz(m) & 1) << rank;
        return out;
    }

  public:
    explicit coalesced_group(unsigned mask, unsigned part = 0,
                             unsigned nparts = 1)
        : mask(mask), part(part), nparts(nparts)
    {
    }
    unsigned simgpu_mask() const
    {
        return mask;
    }
    unsigned thread_rank() const
    {
        return (unsigned)__popc(mask & details::below());
    }
    unsigned size() const
    {
        return (unsigned)__popc(mask);
    }
    unsigned num_threads() const
    {
        return size();
    }
    unsigned meta_group_rank() const
    {
        return part;
    }
    unsigned meta_group_size() const
    {
        return nparts;
    }
    void sync() const
    {
        __syncwarp(mask);
    }
    template <class T> T shfl(T v, unsigned rank) const
    {
        return simgpu::shuffle(mask, v, (int)lane_of(rank % size()));
    }
    template <class T> T shfl_down(T v, unsigned delta) const
    {
        const unsigned to = thread_rank() + delta;
        return simgpu::shuffle(mask, v,
                               to < size() ? (int)lane_of(to) : simgpu::lane());
    }
    template <class T> T shfl_up(T v, unsigned delta) const
    {
        const unsigned me = thread_rank();
        return simgpu::shuffle(
            mask, v, me >= delta ? (int)lane_of(me - delta) : simgpu::lane());
    }
    template <class T> T shfl_xor(T v, unsigned with) const
    {
        const unsigned to = thread_rank() ^ with;
        return simgpu::shuffle(mask, v,
                               to < size() ? (int)lane_of(to) : simgpu::lane());
    }
    int any(int predicate) const
    {
        return __any_sync(mask, predicate);
    }
    int all(int predicate) const
    {
        return __all_sync(mask, predicate);
    }
    unsigned ballot(int predicate) const
    {
        return pack(__ballot_sync(mask, predicate));
    }
    template <class T> unsigned match_any(T v) const
    {
        return pack(__match_any_sync(mask, v));
    }
    template <class T> unsigned match_all(T v, int &same) const
    {
        return pack(__match_all_sync(mask, v, &same));
    }
};

/* Inlined, so that threads in different branches don't form one group. */
static __forceinline__ coalesced_group coalesced_threads()
{
    return coalesced_group(simgpu_converged());
}

template <unsigned SIZE, class PARENT = void>
class thread_block_tile : public coalesced_group
{
  public:
    thread_block_tile(unsigned part, unsigned nparts)
        : coalesced_group(SIZE >= 32 ? ~0u
                                     : ((1u << (SIZE % 32)) - 1)
                                           << (simgpu::lane() / SIZE * SIZE),
                          part, nparts)
    {
    }
    /* A tile that does not know its parent. */
    template <class OTHER>
    thread_block_tile(const thread_block_tile<SIZE, OTHER> &g)
        : coalesced_group(g)
    {
    }
    static constexpr unsigned size()
    {
        return SIZE;
    }
    static constexpr unsigned num_threads()
    {
        return SIZE;
    }
    unsigned thread_rank() const
    {
        return (unsigned)simgpu::lane() % SIZE;
    }
};

} // namespace cooperative_groups

#include "cooperative_groups/large_tile.h"

namespace cooperative_groups
{
template <unsigned SIZE, class PARENT>
static inline thread_block_tile<SIZE, PARENT> tiled_partition(const PARENT &g)
{
    return thread_block_tile<SIZE, PARENT>(
        (unsigned)(g.thread_rank() / SIZE),
        (unsigned)((g.num_threads() + SIZE - 1) / SIZE));
}

/* A partition whose size is known at run time. */
class thread_group : public coalesced_group
{
    int is_block;

  public:
    thread_group(const thread_block &) : coalesced_group(~0u), is_block(1) {}
    thread_group(const coalesced_group &g) : coalesced_group(g), is_block(0) {}
    unsigned thread_rank() const
    {
        return is_block ? details::block_rank()
                        : coalesced_group::thread_rank();
    }
    unsigned size() const
    {
        return is_block ? details::block_size() : coalesced_group::size();
    }
    unsigned num_threads() const
    {
        return size();
    }
    void sync() const
    {
        if (is_block)
            __syncthreads();
        else
            coalesced_group::sync();
    }
};

/* Partition a block. The last tile has the remaining threads. */
static inline thread_group tiled_partition(const thread_group &g, unsigned size)
{
    if (size > 32)
        return g;
    const unsigned part = g.thread_rank() / size, left = g.size() - part * size;
    return coalesced_group(~0u >> (32 - (left < size ? left : size))
                                      << (unsigned)simgpu::lane() / size * size,
                           part, (g.size() + size - 1) / size);
}

/* Partition some lanes: each `size` of them, numbered by their ranks. */
static inline coalesced_group tiled_partition(const coalesced_group &g,
                                              unsigned size)
{
    if (g.size() <= size)
        return g;
    const unsigned part = g.thread_rank() / size;
    unsigned mine = 0, rank = 0;
    for (unsigned m = g.simgpu_mask(); m; m &= m - 1, rank++)
        if (rank / size == part)
            mine |= m & -m;
    return coalesced_group(mine, part, (g.size() + size - 1) / size);
}

/* The lanes with the same value of the predicate. */
template <class G>
static inline coalesced_group binary_partition(const G &g, bool predicate)
{
    const unsigned mask = g.simgpu_mask();
    const unsigned yes = __ballot_sync(mask, predicate);
    if (yes == mask || yes == 0)
        return coalesced_group(mask);
    return coalesced_group(predicate ? yes : mask & ~yes, predicate, 2);
}

/* The lanes with the same label. Parts are in the order
 * of their first lanes. */
template <class G, class L>
static inline coalesced_group labeled_partition(const G &g, L label)
{
    const unsigned mine = __match_any_sync(g.simgpu_mask(), label);
    const unsigned first = mine & -mine;
    const unsigned firsts =
        __ballot_sync(g.simgpu_mask(), first >> simgpu::lane() & 1);
    return coalesced_group(mine, (unsigned)__popc(firsts & (first - 1)),
                           (unsigned)__popc(firsts));
}
template <class G>
static inline coalesced_group labeled_partition(const G &g, bool label)
{
    return binary_partition(g, label);
}

static inline bool elect_one(const coalesced_group &g)
{
    return g.thread_rank() == 0;
}

/* ---- functions for groups ------------------------------------------------ */

template <class G> static inline void sync(const G &g)
{
    g.sync();
}
template <class G> static inline unsigned long long thread_rank(const G &g)
{
    return g.thread_rank();
}
template <class G> static inline unsigned long long group_size(const G &g)
{
    return g.size();
}
/* One thread calls f(arguments); the broadcast form gives
 * all threads its result. */
template <class G, class F, class... A>
static inline void invoke_one(const G &g, F &&f, A &&...arguments)
{
    if (g.thread_rank() == 0)
        f(static_cast<A &&>(arguments)...);
}
template <class G, class F, class... A>
static inline auto invoke_one_broadcast(const G &g, F &&f, A &&...arguments) ->
    typename std::remove_reference<
        decltype(f(static_cast<A &&>(arguments)...))>::type
{
    typename std::decay<decltype(f(static_cast<A &&>(arguments)...))>::type
        result = {};
    if (g.thread_rank() == 0)
        result = f(static_cast<A &&>(arguments)...);
    return g.shfl(result, 0);
}

} // namespace cooperative_groups

#include "cooperative_groups/collectives.h"

#endif
#endif
