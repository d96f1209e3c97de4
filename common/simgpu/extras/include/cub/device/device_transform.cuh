/* cub/device/device_transform.cuh: applying f to the items
 * of one or more arrays */
#ifndef SIMGPU_CUB_DEVICE_TRANSFORM_CUH
#define SIMGPU_CUB_DEVICE_TRANSFORM_CUH

#include <tuple>

#include "cub/device/temporary.cuh"

namespace cub
{
struct DeviceTransform {
    template <class... In, class Out, class N, class F>
    static cudaError_t Transform(std::tuple<In...> in, Out out, N n, F f,
                                 cudaStream_t stream = nullptr)
    {
        return simgpu::for_items(stream, (size_t)n, [=](size_t i) mutable {
            out[i] = call(in, i, f, std::index_sequence_for<In...>());
        });
    }
    template <class In, class Out, class N, class F>
    static cudaError_t Transform(In in, Out out, N n, F f,
                                 cudaStream_t stream = nullptr)
    {
        return Transform(std::tuple<In>(in), out, n, f, stream);
    }

  private:
    template <class Tuple, class F, size_t... I>
    static auto call(const Tuple &in, size_t i, F &f, std::index_sequence<I...>)
    {
        return f(std::get<I>(in)[i]...);
    }
};
} // namespace cub
#endif
