/* cub/block/block_reduce.cuh: reducing a block's values, in its first thread */
#ifndef SIMGPU_CUB_BLOCK_REDUCE_CUH
#define SIMGPU_CUB_BLOCK_REDUCE_CUH

#include "cub/warp/warp_reduce.cuh"

namespace cub
{
enum BlockReduceAlgorithm { // all give the same result here
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
    BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS,
          int Y = 1, int Z = 1, int = 0>
class BlockReduce
{
    enum { N = X * Y * Z };

  public:
    struct TempStorage {
        detail::place<T, N> values;
    };
    BlockReduce() : temp(own()) {}
    explicit BlockReduce(TempStorage &temp) : temp(temp) {}
    /* Reduce the values of the first `valid` threads. */
    template <class Op> T Reduce(T x, Op op, int valid = N)
    {
        const int me = detail::thread_number();
        temp.values[me] = x;
        __syncthreads();
        if (me == 0)
            for (int i = 1; i < valid && i < N; i++)
                x = op(x, temp.values[i]);
        return x;
    }
    template <int I, class Op> T Reduce(T (&x)[I], Op op)
    {
        T sum = x[0];
        for (int i = 1; i < I; i++)
            sum = op(sum, x[i]);
        return Reduce(sum, op);
    }
    T Sum(T x, int valid = N)
    {
        return Reduce(x, std::plus<>(), valid);
    }
    template <int I> T Sum(T (&x)[I])
    {
        return Reduce(x, std::plus<>());
    }

  private:
    TempStorage &temp;
    static TempStorage &own()
    {
        __shared__ TempStorage t;
        return t;
    }
};
} // namespace cub
#endif
