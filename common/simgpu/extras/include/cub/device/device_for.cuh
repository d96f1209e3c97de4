/* cub/device/device_for.cuh: calling a function for each item, or each index */
#ifndef SIMGPU_CUB_DEVICE_FOR_CUH
#define SIMGPU_CUB_DEVICE_FOR_CUH

#include "cub/device/temporary.cuh"

namespace cub
{
struct DeviceFor {
    template <class N, class F>
    static std::enable_if_t<std::is_integral<N>::value, cudaError_t>
    Bulk(N n, F f, cudaStream_t stream = nullptr)
    {
        return simgpu::for_items(stream, (size_t)n,
                                 [=](size_t i) mutable { f((N)i); });
    }
    template <class N, class F>
    static cudaError_t Bulk(void *temp, size_t &nbytes, N n, F f,
                            cudaStream_t stream = nullptr)
    {
        return detail::each(temp, nbytes, (size_t)n, stream,
                            [=](size_t i) mutable { f((N)i); });
    }
    template <class It, class N, class F>
    static cudaError_t ForEachN(It first, N n, F f,
                                cudaStream_t stream = nullptr)
    {
        return simgpu::for_items(stream, (size_t)n,
                                 [=](size_t i) mutable { f(first[i]); });
    }
    template <class It, class F>
    static cudaError_t ForEach(It first, It last, F f,
                               cudaStream_t stream = nullptr)
    {
        return ForEachN(first, last - first, f, stream);
    }
};
} // namespace cub
#endif
