/* cub/device/device_adjacent_difference.cuh: differences of adjacent items */
#ifndef SIMGPU_CUB_DEVICE_ADJACENT_DIFFERENCE_CUH
#define SIMGPU_CUB_DEVICE_ADJACENT_DIFFERENCE_CUH

#include "cub/device/temporary.cuh"

namespace cub
{
/* Left: out[i] = op(item i, item i - 1), and the first item is copied. Right:
 * op(item i, item i + 1), and the last item is copied. */
struct DeviceAdjacentDifference {
    template <class In, class Out, class Op = std::minus<>, class N = uint32_t>
    static cudaError_t SubtractLeftCopy(void *temp, size_t &nbytes, In in,
                                        Out out, N n, Op op = Op(),
                                        cudaStream_t stream = nullptr)
    {
        return detail::each(temp, nbytes, (size_t)n, stream,
                            [=](size_t i) mutable {
                                out[i] = i ? op(in[i], in[i - 1]) : in[i];
                            });
    }
    template <class In, class Out, class Op = std::minus<>, class N = uint32_t>
    static cudaError_t SubtractRightCopy(void *temp, size_t &nbytes, In in,
                                         Out out, N n, Op op = Op(),
                                         cudaStream_t stream = nullptr)
    {
        return detail::each(
            temp, nbytes, (size_t)n, stream, [=](size_t i) mutable {
                out[i] = i + 1 < (size_t)n ? op(in[i], in[i + 1]) : in[i];
            });
    }
    /* In place, with one thread: it reads an item's
     * neighbour before changing it. */
    template <class It, class Op = std::minus<>, class N = uint32_t>
    static cudaError_t SubtractLeft(void *temp, size_t &nbytes, It it, N n,
                                    Op op = Op(), cudaStream_t stream = nullptr)
    {
        return detail::once(temp, nbytes, stream, [=]() mutable {
            for (size_t i = (size_t)n; i-- > 1;)
                it[i] = op(it[i], it[i - 1]);
        });
    }
    template <class It, class Op = std::minus<>, class N = uint32_t>
    static cudaError_t SubtractRight(void *temp, size_t &nbytes, It it, N n,
                                     Op op = Op(),
                                     cudaStream_t stream = nullptr)
    {
        return detail::once(temp, nbytes, stream, [=]() mutable {
            for (size_t i = 0; i + 1 < (size_t)n; i++)
                it[i] = op(it[i], it[i + 1]);
        });
    }
};
} // namespace cub
#endif
