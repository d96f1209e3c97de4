/* cub/device/device_reduce.cuh: reducing an array, or each of its runs */
#ifndef SIMGPU_CUB_DEVICE_REDUCE_CUH
#define SIMGPU_CUB_DEVICE_REDUCE_CUH

#include <limits>

#include "cub/device/temporary.cuh"

namespace cub
{
namespace detail
{
/* The initial value for arithmetic types, which any number replaces. */
template <class T> T lowest()
{
    return std::numeric_limits<T>::has_infinity
               ? -std::numeric_limits<T>::infinity()
               : std::numeric_limits<T>::lowest();
}
template <class T> T highest()
{
    return std::numeric_limits<T>::has_infinity
               ? std::numeric_limits<T>::infinity()
               : std::numeric_limits<T>::max();
}
} // namespace detail

struct DeviceReduce {
    template <class In, class Out, class N, class Op, class T>
    static cudaError_t Reduce(void *temp, size_t &nbytes, In in, Out out, N n,
                              Op op, T init, cudaStream_t stream = nullptr)
    {
        typedef detail::result_t<Op, T, detail::value_t<In>> sum;
        const size_t count = (size_t)n;
        cudaError_t error;
        if (detail::only_asks(temp, nbytes,
                              sizeof(sum) * simgpu::reduce_partials(count),
                              &error))
            return error;
        return simgpu::reduce_items<sum>(stream, (sum *)temp, in, count, out,
                                         (sum)init, op);
    }
    template <class In, class Out, class N>
    static cudaError_t Sum(void *temp, size_t &nbytes, In in, Out out, N n,
                           cudaStream_t stream = nullptr)
    {
        return Reduce(temp, nbytes, in, out, n, std::plus<>(),
                      detail::output_t<Out, In>(), stream);
    }
    template <class In, class Out, class N>
    static cudaError_t Min(void *temp, size_t &nbytes, In in, Out out, N n,
                           cudaStream_t stream = nullptr)
    {
        return Reduce(temp, nbytes, in, out, n, ::cuda::minimum<>(),
                      detail::highest<detail::value_t<In>>(), stream);
    }
    template <class In, class Out, class N>
    static cudaError_t Max(void *temp, size_t &nbytes, In in, Out out, N n,
                           cudaStream_t stream = nullptr)
    {
        return Reduce(temp, nbytes, in, out, n, ::cuda::maximum<>(),
                      detail::lowest<detail::value_t<In>>(), stream);
    }
    template <class In, class Out, class N, class Op, class F, class T>
    static cudaError_t TransformReduce(void *temp, size_t &nbytes, In in,
                                       Out out, N n, Op op, F f, T init,
                                       cudaStream_t stream = nullptr)
    {
        return Reduce(temp, nbytes, thrust::make_transform_iterator(in, f), out,
                      n, op, init, stream);
    }

    /* The first smallest or largest item, as a pair (index,
     * value) or separately. */
    template <class In, class Out, class N>
    static cudaError_t ArgMin(void *temp, size_t &nbytes, In in, Out out, N n,
                              cudaStream_t stream = nullptr)
    {
        return best(temp, nbytes, in, n, std::less<>(), pair_to<Out>{out},
                    stream);
    }
    template <class In, class Out, class N>
    static cudaError_t ArgMax(void *temp, size_t &nbytes, In in, Out out, N n,
                              cudaStream_t stream = nullptr)
    {
        return best(temp, nbytes, in, n, std::greater<>(), pair_to<Out>{out},
                    stream);
    }
    template <class In, class Out, class Index>
    static cudaError_t ArgMin(void *temp, size_t &nbytes, In in, Out out,
                              Index index, ::int64_t n,
                              cudaStream_t stream = nullptr)
    {
        return best(temp, nbytes, in, n, std::less<>(),
                    both_to<Out, Index>{out, index}, stream);
    }
    template <class In, class Out, class Index>
    static cudaError_t ArgMax(void *temp, size_t &nbytes, In in, Out out,
                              Index index, ::int64_t n,
                              cudaStream_t stream = nullptr)
    {
        return best(temp, nbytes, in, n, std::greater<>(),
                    both_to<Out, Index>{out, index}, stream);
    }

    template <class K, class KOut, class V, class VOut, class Runs, class Op,
              class N>
    static cudaError_t ReduceByKey(void *temp, size_t &nbytes, K keys,
                                   KOut kout, V values, VOut vout, Runs runs,
                                   Op op, N n, cudaStream_t stream = nullptr)
    {
        return detail::once(temp, nbytes, stream, [=] {
            size_t run = 0;
            for (size_t i = 0; i < (size_t)n; run++) {
                const detail::value_t<K> key = keys[i];
                detail::value_t<V> sum = values[i];
                while (++i < (size_t)n && key == keys[i])
                    sum = op(sum, values[i]);
                kout[run] = key;
                vout[run] = sum;
            }
            *runs = (detail::value_t<Runs>)run;
        });
    }

  private:
    template <class Out> struct pair_to {
        Out out;
        template <class T> void operator()(size_t i, const T &value) const
        {
            typedef detail::value_t<Out> pair;
            *out = pair((typename pair::Key)i, (typename pair::Value)value);
        }
    };
    template <class Out, class Index> struct both_to {
        Out out;
        Index index;
        template <class T> void operator()(size_t i, const T &value) const
        {
            *out = value;
            *index = (detail::value_t<Index>)i;
        }
    };
    template <class In, class N, class Better, class To>
    static cudaError_t best(void *temp, size_t &nbytes, In in, N n,
                            Better better, To to, cudaStream_t stream)
    {
        return detail::once(temp, nbytes, stream, [=] {
            if ((::int64_t)n <= 0)
                return;
            size_t at = 0;
            detail::value_t<In> value = in[0];
            for (size_t i = 1; i < (size_t)n; i++)
                if (better(in[i], value)) {
                    at = i;
                    value = in[i];
                }
            to(at, value);
        });
    }
};
} // namespace cub
#endif
