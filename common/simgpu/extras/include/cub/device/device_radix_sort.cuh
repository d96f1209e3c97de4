/* cub/device/device_radix_sort.cuh: sorting numbers by their bits */
#ifndef SIMGPU_CUB_DEVICE_RADIX_SORT_CUH
#define SIMGPU_CUB_DEVICE_RADIX_SORT_CUH

#include "cub/device/temporary.cuh"

namespace cub
{
namespace detail
{
template <class K> using keys_only = simgpu::items<K *, simgpu::no_values>;
template <class K, class V> using pairs = simgpu::items<K *, V *>;

template <class K> size_t sort_temp(keys_only<K>, size_t n)
{
    return rounded(n * sizeof(K));
}
template <class K, class V> size_t sort_temp(pairs<K, V>, size_t n)
{
    return rounded(n * sizeof(K)) + rounded(n * sizeof(V));
}
template <class K> keys_only<K> sort_place(keys_only<K>, void *temp, size_t)
{
    return {(K *)temp, {}};
}
template <class K, class V>
pairs<K, V> sort_place(pairs<K, V>, void *temp, size_t n)
{
    return {(K *)temp, (V *)(void *)((char *)temp + rounded(n * sizeof(K)))};
}

/* Sort from one array to another, through the temporary memory. */
template <class K, class From, class To>
cudaError_t sort_to(void *temp, size_t &nbytes, From from, To to, size_t n,
                    int begin, int end, bool down, cudaStream_t stream)
{
    cudaError_t error;
    if (only_asks(temp, nbytes, sort_temp(to, n), &error))
        return error;
    return simgpu::radix_sort<K>(stream, from, to, sort_place(to, temp, n), n,
                                 begin, end, down);
}
/* Sort within two buffers. The result is in the first. */
template <class K, class Items>
cudaError_t sort_within(void *temp, size_t &nbytes, Items a, Items b, size_t n,
                        int begin, int end, bool down, cudaStream_t stream)
{
    cudaError_t error;
    if (only_asks(temp, nbytes, 0, &error))
        return error;
    return simgpu::radix_sort<K>(stream, a, a, b, n, begin, end, down);
}
} // namespace detail

struct DeviceRadixSort {
#define SIMGPU_SORT(Keys, Pairs, down)                                         \
    template <class K, class N>                                                \
    static cudaError_t Keys(void *temp, size_t &nbytes, const K *in, K *out,   \
                            N n, int begin = 0, int end = 8 * sizeof(K),       \
                            cudaStream_t stream = nullptr)                     \
    {                                                                          \
        return detail::sort_to<K>(temp, nbytes,                                \
                                  detail::keys_only<const K>{in, {}},          \
                                  detail::keys_only<K>{out, {}}, (size_t)n,    \
                                  begin, end, down, stream);                   \
    }                                                                          \
    template <class K, class N>                                                \
    static cudaError_t Keys(void *temp, size_t &nbytes, DoubleBuffer<K> &keys, \
                            N n, int begin = 0, int end = 8 * sizeof(K),       \
                            cudaStream_t stream = nullptr)                     \
    {                                                                          \
        return detail::sort_within<K>(                                         \
            temp, nbytes, detail::keys_only<K>{keys.Current(), {}},            \
            detail::keys_only<K>{keys.Alternate(), {}}, (size_t)n, begin, end, \
            down, stream);                                                     \
    }                                                                          \
    template <class K, class V, class N>                                       \
    static cudaError_t Pairs(void *temp, size_t &nbytes, const K *in, K *out,  \
                             const V *vin, V *vout, N n, int begin = 0,        \
                             int end = 8 * sizeof(K),                          \
                             cudaStream_t stream = nullptr)                    \
    {                                                                          \
        return detail::sort_to<K>(temp, nbytes,                                \
                                  detail::pairs<const K, const V>{in, vin},    \
                                  detail::pairs<K, V>{out, vout}, (size_t)n,   \
                                  begin, end, down, stream);                   \
    }                                                                          \
    template <class K, class V, class N>                                       \
    static cudaError_t Pairs(void *temp, size_t &nbytes,                       \
                             DoubleBuffer<K> &keys, DoubleBuffer<V> &values,   \
                             N n, int begin = 0, int end = 8 * sizeof(K),      \
                             cudaStream_t stream = nullptr)                    \
    {                                                                          \
        return detail::sort_within<K>(                                         \
            temp, nbytes,                                                      \
            detail::pairs<K, V>{keys.Current(), values.Current()},             \
            detail::pairs<K, V>{keys.Alternate(), values.Alternate()},         \
            (size_t)n, begin, end, down, stream);                              \
    }
    SIMGPU_SORT(SortKeys, SortPairs, false)
    SIMGPU_SORT(SortKeysDescending, SortPairsDescending, true)
#undef SIMGPU_SORT
};
} // namespace cub
#endif
