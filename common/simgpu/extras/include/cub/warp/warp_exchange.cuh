/* cub/warp/warp_exchange.cuh: rearranging a warp's items */
#ifndef SIMGPU_CUB_WARP_EXCHANGE_CUH
#define SIMGPU_CUB_WARP_EXCHANGE_CUH

#include "cub/block/block_load.cuh"
#include "cub/warp/warp_reduce.cuh"

namespace cub
{
enum WarpExchangeAlgorithm { // both give the same result
    WARP_EXCHANGE_SMEM,
    WARP_EXCHANGE_SHUFFLE
};

template <class T, int I, int W = 32, int = 0, int = 0> class WarpExchange
{
  public:
    struct TempStorage {
        detail::place<T, W * I> items;
    };
    explicit WarpExchange(TempStorage &temp) : temp(temp) {}
    template <class Out> void BlockedToStriped(const T (&in)[I], Out (&out)[I])
    {
        exchange(in, out, detail::blocked{I}, detail::striped{W});
    }
    template <class Out> void StripedToBlocked(const T (&in)[I], Out (&out)[I])
    {
        exchange(in, out, detail::striped{W}, detail::blocked{I});
    }
    template <class Out, class Rank>
    void ScatterToStriped(const T (&in)[I], Out (&out)[I], Rank (&ranks)[I])
    {
        exchange(
            in, out, [&](int, int i) { return (int)ranks[i]; },
            detail::striped{W});
    }
    template <class Rank> void ScatterToStriped(T (&items)[I], Rank (&ranks)[I])
    {
        ScatterToStriped(items, items, ranks);
    }

  private:
    TempStorage &temp;
    template <class Out, class From, class To>
    void exchange(const T (&in)[I], Out (&out)[I], From from, To to)
    {
        const int me = simgpu::lane() % W;
        for (int i = 0; i < I; i++)
            temp.items[from(me, i)] = in[i];
        __syncwarp(detail::members<W>());
        for (int i = 0; i < I; i++)
            out[i] = temp.items[to(me, i)];
    }
};
} // namespace cub
#endif
