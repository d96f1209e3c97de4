/* cub/block/block_store.cuh: storing a block's tile to memory */
#ifndef SIMGPU_CUB_BLOCK_STORE_CUH
#define SIMGPU_CUB_BLOCK_STORE_CUH

#include "cub/block/block_exchange.cuh"

namespace cub
{
enum BlockStoreAlgorithm { // as for loads
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class It, class T, int I, class... More>
void StoreDirectBlocked(int me, It to, T (&items)[I], More... more)
{
    detail::store(me, to, items, detail::blocked{I}, more...);
}
template <int N, class It, class T, int I, class... More>
void StoreDirectStriped(int me, It to, T (&items)[I], More... more)
{
    detail::store(me, to, items, detail::striped{N}, more...);
}
template <class It, class T, int I, class... More>
void StoreDirectWarpStriped(int me, It to, T (&items)[I], More... more)
{
    detail::store(me, to, items, detail::warp_striped{I}, more...);
}

template <class T, int X, int I, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT,
          int Y = 1, int Z = 1, int = 0>
class BlockStore
{
  public:
    struct TempStorage {
    };
    BlockStore() {}
    explicit BlockStore(TempStorage &) {}
    template <class It, class... More>
    void Store(It to, T (&items)[I], More... more)
    {
        const int me = detail::thread_number();
        if (A == BLOCK_STORE_STRIPED)
            StoreDirectStriped<X * Y * Z>(me, to, items, more...);
        else
            StoreDirectBlocked(me, to, items, more...);
    }
};
} // namespace cub
#endif
