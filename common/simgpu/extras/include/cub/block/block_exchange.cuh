/* cub/block/block_exchange.cuh: rearranging a block's items */
#ifndef SIMGPU_CUB_BLOCK_EXCHANGE_CUH
#define SIMGPU_CUB_BLOCK_EXCHANGE_CUH

#include "cub/block/block_load.cuh"

namespace cub
{
template <class T, int X, int I, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange
{
    enum { N = X * Y * Z };
    typedef detail::blocked blocked;
    typedef detail::striped striped;
    typedef detail::warp_striped warp_striped;

  public:
    struct TempStorage {
        detail::place<T, N * I> items;
    };
    BlockExchange() : temp(own()) {}
    explicit BlockExchange(TempStorage &temp) : temp(temp) {}
#define SIMGPU_EXCHANGE(name, from, to)                                        \
    template <class Out> void name(const T(&in)[I], Out(&out)[I])              \
    {                                                                          \
        put(in, from);                                                         \
        take(out, to);                                                         \
    }                                                                          \
    void name(T(&items)[I])                                                    \
    {                                                                          \
        name(items, items);                                                    \
    }
    SIMGPU_EXCHANGE(StripedToBlocked, striped{N}, blocked{I})
    SIMGPU_EXCHANGE(BlockedToStriped, blocked{I}, striped{N})
    SIMGPU_EXCHANGE(WarpStripedToBlocked, warp_striped{I}, blocked{I})
    SIMGPU_EXCHANGE(BlockedToWarpStriped, blocked{I}, warp_striped{I})
#undef SIMGPU_EXCHANGE
    /* Move each item to the position given by its rank. */
#define SIMGPU_SCATTER(name, to)                                               \
    template <class Out, class Rank>                                           \
    void name(const T(&in)[I], Out(&out)[I], Rank(&ranks)[I])                  \
    {                                                                          \
        put(in, [&](int, int i) { return (int)ranks[i]; });                    \
        take(out, to);                                                         \
    }                                                                          \
    template <class Rank> void name(T(&items)[I], Rank(&ranks)[I])             \
    {                                                                          \
        name(items, items, ranks);                                             \
    }
    /* Move items with a rank or a flag. Positions that get
     * no item are undefined. */
    template <class Out, class Rank>
    void ScatterToStripedGuarded(const T (&in)[I], Out (&out)[I],
                                 Rank (&ranks)[I])
    {
        put_some(in, ranks, [&](int i) { return ranks[i] >= 0; });
        take(out, striped{N});
    }
    template <class Rank>
    void ScatterToStripedGuarded(T (&items)[I], Rank (&ranks)[I])
    {
        ScatterToStripedGuarded(items, items, ranks);
    }
    template <class Out, class Rank, class Flag>
    void ScatterToStripedFlagged(const T (&in)[I], Out (&out)[I],
                                 Rank (&ranks)[I], Flag (&flags)[I])
    {
        put_some(in, ranks, [&](int i) { return (bool)flags[i]; });
        take(out, striped{N});
    }
    template <class Rank, class Flag>
    void ScatterToStripedFlagged(T (&items)[I], Rank (&ranks)[I],
                                 Flag (&flags)[I])
    {
        ScatterToStripedFlagged(items, items, ranks, flags);
    }
    SIMGPU_SCATTER(ScatterToBlocked, blocked{I})
    SIMGPU_SCATTER(ScatterToStriped, striped{N})
#undef SIMGPU_SCATTER

  private:
    TempStorage &temp;
    static TempStorage &own()
    {
        __shared__ TempStorage t;
        return t;
    }
    template <class Where> void put(const T (&in)[I], Where where)
    {
        for (int i = 0; i < I; i++)
            temp.items[where(detail::thread_number(), i)] = in[i];
        __syncthreads();
    }
    template <class Rank, class If>
    void put_some(const T (&in)[I], Rank (&ranks)[I], If moves)
    {
        // positions that get no item are read, too
        for (int i = 0; i < I; i++)
            temp.items[striped{N}(detail::thread_number(), i)] = in[i];
        __syncthreads();
        for (int i = 0; i < I; i++)
            if (moves(i))
                temp.items[(int)ranks[i]] = in[i];
        __syncthreads();
    }
    template <class Out, class Where> void take(Out (&out)[I], Where where)
    {
        for (int i = 0; i < I; i++)
            out[i] = temp.items[where(detail::thread_number(), i)];
    }
};
} // namespace cub
#endif
