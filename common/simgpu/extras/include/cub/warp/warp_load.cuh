/* cub/warp/warp_load.cuh: loading and storing a warp's tile */
#ifndef SIMGPU_CUB_WARP_LOAD_CUH
#define SIMGPU_CUB_WARP_LOAD_CUH

#include "cub/block/block_load.cuh"

namespace cub
{
enum WarpLoadAlgorithm { // all but STRIPED give a lane consecutive items
    WARP_LOAD_DIRECT,
    WARP_LOAD_STRIPED,
    WARP_LOAD_VECTORIZE,
    WARP_LOAD_TRANSPOSE
};
enum WarpStoreAlgorithm {
    WARP_STORE_DIRECT,
    WARP_STORE_STRIPED,
    WARP_STORE_VECTORIZE,
    WARP_STORE_TRANSPOSE
};

template <class T, int I, WarpLoadAlgorithm A = WARP_LOAD_DIRECT, int W = 32,
          int = 0>
class WarpLoad
{
  public:
    struct TempStorage {
    };
    WarpLoad() {}
    explicit WarpLoad(TempStorage &) {}
    /* Arguments: from, items[, valid[, value of the others]]. */
    template <class It, class... More>
    void Load(It from, T (&items)[I], More... more)
    {
        const int me = simgpu::lane() % W;
        if (A == WARP_LOAD_STRIPED)
            detail::load(me, from, items, detail::striped{W}, more...);
        else
            detail::load(me, from, items, detail::blocked{I}, more...);
    }
};

template <class T, int I, WarpStoreAlgorithm A = WARP_STORE_DIRECT, int W = 32,
          int = 0>
class WarpStore
{
  public:
    struct TempStorage {
    };
    WarpStore() {}
    explicit WarpStore(TempStorage &) {}
    /* Arguments: to, items[, valid]. */
    template <class It, class... More>
    void Store(It to, T (&items)[I], More... more)
    {
        const int me = simgpu::lane() % W;
        if (A == WARP_STORE_STRIPED)
            detail::store(me, to, items, detail::striped{W}, more...);
        else
            detail::store(me, to, items, detail::blocked{I}, more...);
    }
};
} // namespace cub
#endif
