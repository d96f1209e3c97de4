/* cub/thread/thread_reduce.cuh: reducing a thread's items */
#ifndef SIMGPU_CUB_THREAD_REDUCE_CUH
#define SIMGPU_CUB_THREAD_REDUCE_CUH

#include "cub/util_type.cuh"

namespace cub
{
template <class T, int I, class Op> T ThreadReduce(const T (&items)[I], Op op)
{
    T sum = items[0];
    for (int i = 1; i < I; i++)
        sum = op(sum, items[i]);
    return sum;
}
template <class T, int I, class Op, class Sum>
Sum ThreadReduce(const T (&items)[I], Op op, Sum sum)
{
    for (int i = 0; i < I; i++)
        sum = op(sum, items[i]);
    return sum;
}
template <int I, class T, class Op> T ThreadReduce(const T *items, Op op)
{
    T sum = items[0];
    for (int i = 1; i < I; i++)
        sum = op(sum, items[i]);
    return sum;
}
template <int I, class T, class Op, class Sum>
Sum ThreadReduce(const T *items, Op op, Sum sum)
{
    for (int i = 0; i < I; i++)
        sum = op(sum, items[i]);
    return sum;
}
namespace internal // its namespace before CUB 3.0
{
using cub::ThreadReduce;
}
} // namespace cub
#endif
