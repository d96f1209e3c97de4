/*
 * large_tile.h: tiles of several warps; part of cooperative_groups.h
 *
 * The threads exchange values through an array of the block, as they do through
 * shared memory on a GPU. A kernel may provide that memory (block_tile_memory);
 * simgpu doesn't use it.
 */
#ifndef SIMGPU_LARGE_TILE_H
#define SIMGPU_LARGE_TILE_H

namespace cooperative_groups
{
namespace details
{
/* One value for each thread of the block. */
template <class T> static inline T *block_values()
{
    alignas(T) static thread_local char values[1024 * sizeof(T)];
    return (T *)values;
}
} // namespace details

template <unsigned MAX_BLOCK_SIZE = 1024> struct block_tile_memory {
};
template <unsigned MAX_BLOCK_SIZE>
static inline thread_block
this_thread_block(block_tile_memory<MAX_BLOCK_SIZE> &)
{
    return thread_block();
}

template <unsigned SIZE> class large_tile
{
    unsigned part, nparts;

  public:
    large_tile(unsigned part, unsigned nparts) : part(part), nparts(nparts) {}
    static constexpr unsigned size()
    {
        return SIZE;
    }
    static constexpr unsigned num_threads()
    {
        return SIZE;
    }
    static unsigned thread_rank()
    {
        return details::block_rank() % SIZE;
    }
    unsigned meta_group_rank() const
    {
        return part;
    }
    unsigned meta_group_size() const
    {
        return nparts;
    }
    static void sync()
    {
        simgpu_tile_barrier(SIZE);
    }
    /* The first thread calls f(values of all threads, in order). Each thread's
     * result is the value that f leaves at its position. */
    template <class T, class F> static T simgpu_gather(const T &v, F f)
    {
        T *const values = details::block_values<T>();
        T &mine = values[details::block_rank()];
        mine = v;
        sync();
        if (thread_rank() == 0)
            f(&mine);
        sync();
        const T result = mine;
        sync(); // only then may other values be stored here
        return result;
    }
    template <class T> static T shfl(T v, unsigned rank)
    {
        const T *const all = details::block_values<T>();
        const unsigned first = details::block_rank() - thread_rank();
        details::block_values<T>()[details::block_rank()] = v;
        sync();
        const T result = all[first + rank % SIZE];
        sync();
        return result;
    }
    static int any(int predicate)
    {
        return simgpu_gather(predicate != 0, [](bool *all) {
            for (unsigned i = 1; i < SIZE; i++)
                all[0] |= all[i];
            for (unsigned i = 1; i < SIZE; i++)
                all[i] = all[0];
        });
    }
    static int all(int predicate)
    {
        return !any(!predicate);
    }
};

#define SIMGPU_LARGE_TILE(SIZE)                                                \
    template <class PARENT>                                                    \
    class thread_block_tile<SIZE, PARENT> : public large_tile<SIZE>            \
    {                                                                          \
      public:                                                                  \
        using large_tile<SIZE>::large_tile;                                    \
        template <class OTHER>                                                 \
        thread_block_tile(const thread_block_tile<SIZE, OTHER> &g)             \
            : large_tile<SIZE>(g.meta_group_rank(), g.meta_group_size())       \
        {                                                                      \
        }                                                                      \
    };
SIMGPU_LARGE_TILE(64)
SIMGPU_LARGE_TILE(128)
SIMGPU_LARGE_TILE(256)
SIMGPU_LARGE_TILE(512)
SIMGPU_LARGE_TILE(1024)
#undef SIMGPU_LARGE_TILE

} // namespace cooperative_groups

#endif
