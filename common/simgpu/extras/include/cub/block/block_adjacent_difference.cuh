/* cub/block/block_adjacent_difference.cuh: differences of adjacent items */
#ifndef SIMGPU_CUB_BLOCK_ADJACENT_DIFFERENCE_CUH
#define SIMGPU_CUB_BLOCK_ADJACENT_DIFFERENCE_CUH

#include "cub/util_type.cuh"

namespace cub
{
namespace detail
{
/* The first and last item of each thread, for its neighbours. */
template <class T, int N> struct ends {
    place<T, N> first, last;
    template <int I> void put(T (&items)[I])
    {
        first[thread_number()] = items[0];
        last[thread_number()] = items[I - 1];
        __syncthreads();
    }
};
} // namespace detail

template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockAdjacentDifference
{
    enum { N = X * Y * Z };

  public:
    struct TempStorage {
        detail::ends<T, N> ends;
    };
    BlockAdjacentDifference() : temp(own()) {}
    explicit BlockAdjacentDifference(TempStorage &temp) : temp(temp) {}
    /* op(item, previous item). The tile's first item
     * stays, or uses `before`. */
    template <int I, class Out, class Op>
    void SubtractLeft(T (&in)[I], Out (&out)[I], Op op)
    {
        left(in, out, op, (T *)nullptr);
    }
    template <int I, class Out, class Op>
    void SubtractLeft(T (&in)[I], Out (&out)[I], Op op, T before)
    {
        left(in, out, op, &before);
    }
    /* Only for the first `valid` items of the tile; all others stay. */
    template <int I, class Out, class Op>
    void SubtractLeftPartialTile(T (&in)[I], Out (&out)[I], Op op, int valid)
    {
        left(in, out, op, (T *)nullptr, valid);
    }
    template <int I, class Out, class Op>
    void SubtractLeftPartialTile(T (&in)[I], Out (&out)[I], Op op, int valid,
                                 T before)
    {
        left(in, out, op, &before, valid);
    }
    /* op(item, next item). The tile's last item stays, or uses `after`. */
    template <int I, class Out, class Op>
    void SubtractRight(T (&in)[I], Out (&out)[I], Op op)
    {
        right(in, out, op, (T *)nullptr, N * I);
    }
    template <int I, class Out, class Op>
    void SubtractRight(T (&in)[I], Out (&out)[I], Op op, T after)
    {
        right(in, out, op, &after, N * I);
    }
    template <int I, class Out, class Op>
    void SubtractRightPartialTile(T (&in)[I], Out (&out)[I], Op op, int valid)
    {
        right(in, out, op, (T *)nullptr, valid);
    }

  private:
    TempStorage &temp;
    static TempStorage &own()
    {
        __shared__ TempStorage t;
        return t;
    }
    template <int I, class Out, class Op>
    void left(T (&in)[I], Out (&out)[I], Op op, T *before, int valid = N * I)
    {
        const int me = detail::thread_number();
        temp.ends.put(in);
        for (int i = I - 1; i > 0; i--)
            out[i] = me * I + i < valid ? op(in[i], in[i - 1]) : in[i];
        if (me * I < valid)
            out[0] = me       ? op(in[0], temp.ends.last[me - 1])
                     : before ? op(in[0], *before)
                              : in[0];
        else
            out[0] = in[0];
    }
    template <int I, class Out, class Op>
    void right(T (&in)[I], Out (&out)[I], Op op, T *after, int valid)
    {
        const int me = detail::thread_number();
        temp.ends.put(in);
        for (int i = 0; i + 1 < I; i++)
            out[i] = me * I + i + 1 < valid ? op(in[i], in[i + 1]) : in[i];
        if ((me + 1) * I < valid)
            out[I - 1] = op(in[I - 1], temp.ends.first[me + 1]);
        else
            out[I - 1] =
                after && me + 1 == N ? op(in[I - 1], *after) : in[I - 1];
    }
};
} // namespace cub
#endif
