/* cub/block/block_load.cuh: loading a block's tile from memory */
#ifndef SIMGPU_CUB_BLOCK_LOAD_CUH
#define SIMGPU_CUB_BLOCK_LOAD_CUH

#include "cub/util_type.cuh"

namespace cub
{
enum BlockLoadAlgorithm { // all but STRIPED give a thread consecutive items
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

namespace detail
{
/* The index in the tile of thread `me`'s item i: one of its
 * own I, or every step-th. */
struct blocked {
    int items;
    int operator()(int me, int i) const
    {
        return me * items + i;
    }
};
struct striped {
    int step;
    int operator()(int me, int i) const
    {
        return me + i * step;
    }
};
/* Striped by warps, each in its own part. */
struct warp_striped {
    int items;
    int operator()(int me, int i) const
    {
        return me / 32 * 32 * items + me % 32 + i * 32;
    }
};
template <class It, class T, int I, class Where>
void load(int me, It from, T (&items)[I], Where where)
{
    for (int i = 0; i < I; i++)
        items[i] = from[where(me, i)];
}
template <class It, class T, int I, class Where>
void load(int me, It from, T (&items)[I], Where where, int valid)
{
    for (int i = 0; i < I; i++)
        if (where(me, i) < valid)
            items[i] = from[where(me, i)];
}
template <class It, class T, int I, class Where, class Default>
void load(int me, It from, T (&items)[I], Where where, int valid,
          const Default &other)
{
    for (int i = 0; i < I; i++)
        items[i] = where(me, i) < valid ? (T)from[where(me, i)] : (T)other;
}
template <class It, class T, int I, class Where>
void store(int me, It to, T (&items)[I], Where where)
{
    for (int i = 0; i < I; i++)
        to[where(me, i)] = items[i];
}
template <class It, class T, int I, class Where>
void store(int me, It to, T (&items)[I], Where where, int valid)
{
    for (int i = 0; i < I; i++)
        if (where(me, i) < valid)
            to[where(me, i)] = items[i];
}
} // namespace detail

template <class It, class T, int I, class... More>
void LoadDirectBlocked(int me, It from, T (&items)[I], More... more)
{
    detail::load(me, from, items, detail::blocked{I}, more...);
}
template <int N, class It, class T, int I, class... More>
void LoadDirectStriped(int me, It from, T (&items)[I], More... more)
{
    detail::load(me, from, items, detail::striped{N}, more...);
}
template <class It, class T, int I, class... More>
void LoadDirectWarpStriped(int me, It from, T (&items)[I], More... more)
{
    detail::load(me, from, items, detail::warp_striped{I}, more...);
}

template <class T, int X, int I, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT,
          int Y = 1, int Z = 1, int = 0>
class BlockLoad
{
  public:
    struct TempStorage {
    };
    BlockLoad() {}
    explicit BlockLoad(TempStorage &) {}
    /* Arguments: from, items[, valid[, value of the others]]. */
    template <class It, class... More>
    void Load(It from, T (&items)[I], More... more)
    {
        const int me = detail::thread_number();
        if (A == BLOCK_LOAD_STRIPED)
            LoadDirectStriped<X * Y * Z>(me, from, items, more...);
        else
            LoadDirectBlocked(me, from, items, more...);
    }
};
} // namespace cub
#endif
