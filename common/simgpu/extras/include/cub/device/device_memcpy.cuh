/* cub/device/device_memcpy.cuh: copying many buffers at once */
#ifndef SIMGPU_CUB_DEVICE_MEMCPY_CUH
#define SIMGPU_CUB_DEVICE_MEMCPY_CUH

#include "cub/device/temporary.cuh"

namespace cub
{
/* Copy bytes. */
struct DeviceMemcpy {
    template <class In, class Out, class Sizes>
    static cudaError_t Batched(void *temp, size_t &nbytes, In in, Out out,
                               Sizes sizes, long long n,
                               cudaStream_t stream = nullptr)
    {
        return detail::each(temp, nbytes, (size_t)n, stream,
                            [=](size_t i) mutable {
                                const char *const from = (const char *)in[i];
                                char *const to = (char *)out[i];
                                for (size_t j = 0; j < (size_t)sizes[i]; j++)
                                    to[j] = from[j];
                            });
    }
};
/* Copy the items of iterators. */
struct DeviceCopy {
    template <class In, class Out, class Sizes>
    static cudaError_t Batched(void *temp, size_t &nbytes, In in, Out out,
                               Sizes sizes, long long n,
                               cudaStream_t stream = nullptr)
    {
        return detail::each(temp, nbytes, (size_t)n, stream,
                            [=](size_t i) mutable {
                                auto from = in[i];
                                auto to = out[i];
                                for (size_t j = 0; j < (size_t)sizes[i]; j++)
                                    to[j] = from[j];
                            });
    }
};
} // namespace cub
#endif
