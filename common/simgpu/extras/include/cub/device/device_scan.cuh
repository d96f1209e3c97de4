/* cub/device/device_scan.cuh: prefix sums of an array, possibly in place */
#ifndef SIMGPU_CUB_DEVICE_SCAN_CUH
#define SIMGPU_CUB_DEVICE_SCAN_CUH

#include "cub/device/temporary.cuh"

namespace cub
{
struct DeviceScan {
    template <class In, class Out, class Op, class T, class N>
    static cudaError_t ExclusiveScan(void *temp, size_t &nbytes, In in, Out out,
                                     Op op, T init, N n,
                                     cudaStream_t stream = nullptr)
    {
        typedef detail::result_t<Op, T, detail::value_t<In>> sum;
        return detail::once(temp, nbytes, stream, [=] {
            simgpu::scan_exclusive(in, (size_t)n, out, (sum)init, op);
        });
    }
    template <class In, class Out, class N>
    static cudaError_t ExclusiveSum(void *temp, size_t &nbytes, In in, Out out,
                                    N n, cudaStream_t stream = nullptr)
    {
        return ExclusiveScan(temp, nbytes, in, out, std::plus<>(),
                             detail::value_t<In>(), n, stream);
    }
    template <class It, class N>
    static std::enable_if_t<std::is_integral<N>::value, cudaError_t>
    ExclusiveSum(void *temp, size_t &nbytes, It at, N n,
                 cudaStream_t stream = nullptr)
    {
        return ExclusiveSum(temp, nbytes, at, at, n, stream);
    }
    template <class In, class Out, class Op, class N>
    static cudaError_t InclusiveScan(void *temp, size_t &nbytes, In in, Out out,
                                     Op op, N n, cudaStream_t stream = nullptr)
    {
        typedef detail::result_t<Op, detail::value_t<In>, detail::value_t<In>>
            sum;
        return detail::once(temp, nbytes, stream, [=] {
            simgpu::scan_inclusive<sum>(in, (size_t)n, out, op);
        });
    }
    template <class In, class Out, class Op, class T, class N>
    static cudaError_t InclusiveScanInit(void *temp, size_t &nbytes, In in,
                                         Out out, Op op, T init, N n,
                                         cudaStream_t stream = nullptr)
    {
        typedef detail::result_t<Op, T, detail::value_t<In>> sum;
        return detail::once(temp, nbytes, stream, [=] {
            simgpu::scan_inclusive_from(in, (size_t)n, out, (sum)init, op);
        });
    }
    template <class In, class Out, class N>
    static cudaError_t InclusiveSum(void *temp, size_t &nbytes, In in, Out out,
                                    N n, cudaStream_t stream = nullptr)
    {
        return InclusiveScan(temp, nbytes, in, out, std::plus<>(), n, stream);
    }
    template <class It, class N>
    static std::enable_if_t<std::is_integral<N>::value, cudaError_t>
    InclusiveSum(void *temp, size_t &nbytes, It at, N n,
                 cudaStream_t stream = nullptr)
    {
        return InclusiveSum(temp, nbytes, at, at, n, stream);
    }

    /* ---- within runs of equal keys --------------------------------------- */

    template <class K, class V, class Out, class Op, class T, class N,
              class Equal = std::equal_to<>>
    static cudaError_t ExclusiveScanByKey(void *temp, size_t &nbytes, K keys,
                                          V values, Out out, Op op, T init, N n,
                                          Equal same = Equal(),
                                          cudaStream_t stream = nullptr)
    {
        return by_runs(temp, nbytes, keys, n, same, stream,
                       [=](size_t begin, size_t length) {
                           simgpu::scan_exclusive(values + begin, length,
                                                  out + begin, init, op);
                       });
    }
    template <class K, class V, class Out, class N>
    static cudaError_t ExclusiveSumByKey(void *temp, size_t &nbytes, K keys,
                                         V values, Out out, N n,
                                         cudaStream_t stream = nullptr)
    {
        return ExclusiveScanByKey(temp, nbytes, keys, values, out,
                                  std::plus<>(), detail::value_t<V>(), n,
                                  std::equal_to<>(), stream);
    }
    template <class K, class V, class Out, class Op, class N,
              class Equal = std::equal_to<>>
    static cudaError_t InclusiveScanByKey(void *temp, size_t &nbytes, K keys,
                                          V values, Out out, Op op, N n,
                                          Equal same = Equal(),
                                          cudaStream_t stream = nullptr)
    {
        return by_runs(temp, nbytes, keys, n, same, stream,
                       [=](size_t begin, size_t length) {
                           simgpu::scan_inclusive<detail::value_t<V>>(
                               values + begin, length, out + begin, op);
                       });
    }
    template <class K, class V, class Out, class N>
    static cudaError_t InclusiveSumByKey(void *temp, size_t &nbytes, K keys,
                                         V values, Out out, N n,
                                         cudaStream_t stream = nullptr)
    {
        return InclusiveScanByKey(temp, nbytes, keys, values, out,
                                  std::plus<>(), n, std::equal_to<>(), stream);
    }

  private:
    template <class K, class N, class Equal, class F>
    static cudaError_t by_runs(void *temp, size_t &nbytes, K keys, N n,
                               Equal same, cudaStream_t stream, F f)
    {
        return detail::once(temp, nbytes, stream, [=] {
            for (size_t i = 0, begin = 0; i < (size_t)n; begin = i) {
                while (++i < (size_t)n && same(keys[begin], keys[i]))
                    ;
                f(begin, i - begin);
            }
        });
    }
};
} // namespace cub
#endif
