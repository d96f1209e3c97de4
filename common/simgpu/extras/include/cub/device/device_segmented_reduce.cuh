/* cub/device/device_segmented_reduce.cuh: reducing each segment */
#ifndef SIMGPU_CUB_DEVICE_SEGMENTED_REDUCE_CUH
#define SIMGPU_CUB_DEVICE_SEGMENTED_REDUCE_CUH

#include "cub/device/device_reduce.cuh"

namespace cub
{
/* Segment i ranges from begins[i] to before ends[i]. */
struct DeviceSegmentedReduce {
    template <class In, class Out, class N, class Begin, class End, class Op,
              class T>
    static cudaError_t Reduce(void *temp, size_t &nbytes, In in, Out out,
                              N nsegments, Begin begins, End ends, Op op,
                              T init, cudaStream_t stream = nullptr)
    {
        typedef detail::result_t<Op, T, detail::value_t<In>> sum;
        return detail::each(temp, nbytes, (size_t)nsegments, stream,
                            [=](size_t s) {
                                sum all = (sum)init;
                                for (auto i = begins[s]; i < ends[s]; i++)
                                    all = op(all, in[i]);
                                out[s] = all;
                            });
    }
    template <class In, class Out, class N, class Begin, class End>
    static cudaError_t Sum(void *temp, size_t &nbytes, In in, Out out,
                           N nsegments, Begin begins, End ends,
                           cudaStream_t stream = nullptr)
    {
        return Reduce(temp, nbytes, in, out, nsegments, begins, ends,
                      std::plus<>(), detail::output_t<Out, In>(), stream);
    }
    template <class In, class Out, class N, class Begin, class End>
    static cudaError_t Min(void *temp, size_t &nbytes, In in, Out out,
                           N nsegments, Begin begins, End ends,
                           cudaStream_t stream = nullptr)
    {
        return Reduce(temp, nbytes, in, out, nsegments, begins, ends,
                      ::cuda::minimum<>(),
                      detail::highest<detail::value_t<In>>(), stream);
    }
    template <class In, class Out, class N, class Begin, class End>
    static cudaError_t Max(void *temp, size_t &nbytes, In in, Out out,
                           N nsegments, Begin begins, End ends,
                           cudaStream_t stream = nullptr)
    {
        return Reduce(temp, nbytes, in, out, nsegments, begins, ends,
                      ::cuda::maximum<>(),
                      detail::lowest<detail::value_t<In>>(), stream);
    }
};
} // namespace cub
#endif
