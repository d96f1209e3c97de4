/* cub/warp/warp_reduce.cuh: reducing a warp's values, in its first lane */
#ifndef SIMGPU_CUB_WARP_REDUCE_CUH
#define SIMGPU_CUB_WARP_REDUCE_CUH

#include "cub/util_type.cuh"

namespace cub
{
namespace detail
{
/* The lanes of this thread's logical warp, which has W lanes. */
template <int W> unsigned members()
{
    const unsigned all = W == 32 ? ~0u : (1u << (W % 32)) - 1;
    return all << (simgpu::lane() / W * W);
}
/* The value of the lane that follows this one by `by`,
 * which may be negative. */
template <int W, class T> T from_lane(T x, int by)
{
    return simgpu::shuffle(members<W>(), x, simgpu::lane() + by);
}
} // namespace detail

template <class T, int W = 32, int = 0> class WarpReduce
{
  public:
    struct TempStorage {
    };
    explicit WarpReduce(TempStorage &) {}
    /* Reduce the values of the first `valid` lanes. */
    template <class Op> T Reduce(T x, Op op, int valid = W)
    {
        const int lane = simgpu::lane() % W;
        for (int by = 1; by < W; by *= 2) {
            const T other = detail::from_lane<W>(x, lane + by < W ? by : 0);
            if (lane + by < valid)
                x = op(x, other);
        }
        return x;
    }
    T Sum(T x, int valid = W)
    {
        return Reduce(x, std::plus<>(), valid);
    }
    T Max(T x, int valid = W)
    {
        return Reduce(x, ::cuda::maximum<>(), valid);
    }
    T Min(T x, int valid = W)
    {
        return Reduce(x, ::cuda::minimum<>(), valid);
    }
    /* Reduce segments, which start where head is true, in their first lanes. */
    template <class Flag, class Op> T HeadSegmentedReduce(T x, Flag head, Op op)
    {
        const int lane = simgpu::lane() % W;
        const unsigned heads =
            __ballot_sync(detail::members<W>(), (int)(bool)head) >>
            (simgpu::lane() / W * W);
        int end = lane + 1;
        while (end < W && !(heads >> end & 1))
            end++;
        for (int by = 1; by < W; by *= 2) {
            const T other = detail::from_lane<W>(x, lane + by < W ? by : 0);
            if (lane + by < end)
                x = op(x, other);
        }
        return x;
    }
    template <class Flag> T HeadSegmentedSum(T x, Flag head)
    {
        return HeadSegmentedReduce(x, head, std::plus<>());
    }
};
} // namespace cub
#endif
