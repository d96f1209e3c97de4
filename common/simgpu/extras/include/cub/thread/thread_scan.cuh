/* cub/thread/thread_scan.cuh: prefix sums of a thread's items */
#ifndef SIMGPU_CUB_THREAD_SCAN_CUH
#define SIMGPU_CUB_THREAD_SCAN_CUH

#include "cub/util_type.cuh"

namespace cub
{
namespace internal
{
/* out[i] = items[0] op ... op items[i], after `before` if there is such a
 * value; an exclusive scan leaves out items[i]. Returns the sum of all,
 * including `before`. */
template <int I, class T, class Op>
T ThreadScanInclusive(const T *items, T *out, Op op)
{
    T sum = out[0] = items[0];
    for (int i = 1; i < I; i++)
        out[i] = sum = op(sum, items[i]);
    return sum;
}
template <int I, class T, class Op>
T ThreadScanInclusive(const T *items, T *out, Op op, T before, bool use = true)
{
    T sum = use ? op(before, items[0]) : items[0];
    out[0] = sum;
    for (int i = 1; i < I; i++)
        out[i] = sum = op(sum, items[i]);
    return sum;
}
template <int I, class T, class Op>
T ThreadScanExclusive(const T *items, T *out, Op op, T before, bool use = true)
{
    T sum = items[0];
    if (use) {
        sum = op(before, sum);
        out[0] = before;
    }
    for (int i = 1; i < I; i++) {
        const T item = items[i];
        out[i] = sum;
        sum = op(sum, item);
    }
    return sum;
}
template <int I, class T, class Op, class... More>
T ThreadScanInclusive(T (&items)[I], T (&out)[I], Op op, More... more)
{
    return ThreadScanInclusive<I>((const T *)items, (T *)out, op, more...);
}
template <int I, class T, class Op, class... More>
T ThreadScanExclusive(T (&items)[I], T (&out)[I], Op op, More... more)
{
    return ThreadScanExclusive<I>((const T *)items, (T *)out, op, more...);
}
} // namespace internal
} // namespace cub
#endif
