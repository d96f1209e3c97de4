/* cub/warp/warp_load.cuh: a warp's tile, from memory to its lanes and back */
#ifndef SIMGPU_CUB_WARP_LOAD_CUH
#define SIMGPU_CUB_WARP_LOAD_CUH

#include "cub/block/block_load.cuh"

namespace cub
{
enum WarpLoadAlgorithm { // but for STRIPED, all give a lane consecutive items
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
    /* from, items[, valid[, what the others get]] */
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
    /* to, items[, valid] */
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
