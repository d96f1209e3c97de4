/* cub/block/block_adjacent_difference.cuh: of an item and its neighbour */
#ifndef SIMGPU_CUB_BLOCK_ADJACENT_DIFFERENCE_CUH
#define SIMGPU_CUB_BLOCK_ADJACENT_DIFFERENCE_CUH

#include "cub/util_type.cuh"

namespace cub
{
namespace detail
{
/* The ends of each thread's items, for its neighbours. */
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
    /* op(item, the one before); the tile's first stays, or has `before`. */
    template <int I, class Out, class Op>
    void SubtractLeft(T (&in)[I], Out (&out)[I], Op op)
    {
        left(in, out, op, (const T *)nullptr);
    }
    template <int I, class Out, class Op>
    void SubtractLeft(T (&in)[I], Out (&out)[I], Op op, T before)
    {
        left(in, out, op, &before);
    }
    /* op(item, the next one); the tile's last stays. */
    template <int I, class Out, class Op>
    void SubtractRight(T (&in)[I], Out (&out)[I], Op op)
    {
        const int me = detail::thread_number();
        temp.ends.put(in);
        for (int i = 0; i + 1 < I; i++)
            out[i] = op(in[i], in[i + 1]);
        out[I - 1] =
            me + 1 < N ? op(in[I - 1], temp.ends.first[me + 1]) : in[I - 1];
    }

  private:
    TempStorage &temp;
    static TempStorage &own()
    {
        __shared__ TempStorage t;
        return t;
    }
    template <int I, class Out, class Op>
    void left(T (&in)[I], Out (&out)[I], Op op, const T *before)
    {
        const int me = detail::thread_number();
        temp.ends.put(in);
        for (int i = I - 1; i > 0; i--)
            out[i] = op(in[i], in[i - 1]);
        out[0] = me       ? op(in[0], temp.ends.last[me - 1])
                 : before ? op(in[0], *before)
                          : in[0];
    }
};
} // namespace cub
#endif
