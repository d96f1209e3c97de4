/* cub/device/device_segmented_sort.cuh: sorting each segment separately */
#ifndef SIMGPU_CUB_DEVICE_SEGMENTED_SORT_CUH
#define SIMGPU_CUB_DEVICE_SEGMENTED_SORT_CUH

#include "cub/device/device_radix_sort.cuh"

namespace cub
{
namespace detail
{
/* One thread sorts a segment, digit by digit. The result is in `to`. */
template <class K, class From, class To>
void sort_segment(From from, To to, To temp, size_t n, int begin, int end,
                  bool down)
{
    bool into_to = (end - begin + simgpu::DIGIT - 1) / simgpu::DIGIT % 2;
    for (size_t i = 0; i < n; i++)
        (into_to ? temp : to).take(i, from, i);
    for (int shift = begin; shift < end; shift += simgpu::DIGIT) {
        simgpu::radix_pass<K>(
            into_to ? temp : to, into_to ? to : temp, n, shift,
            (int)simgpu::least(end - shift, simgpu::DIGIT), down);
        into_to = !into_to;
    }
}
template <class K> keys_only<K> behind(keys_only<K> a, size_t by)
{
    return {a.keys + by, {}};
}
template <class K, class V> pairs<K, V> behind(pairs<K, V> a, size_t by)
{
    return {a.keys + by, a.values + by};
}
template <class K, class From, class To, class Begin, class End>
cudaError_t sort_segments(void *temp, size_t &nbytes, From from, To to,
                          size_t n, size_t nsegments, Begin begins, End ends,
                          int begin, int end, bool down, cudaStream_t stream)
{
    cudaError_t error;
    if (only_asks(temp, nbytes, sort_temp(to, n), &error))
        return error;
    const To other = sort_place(to, temp, n);
    return simgpu::for_items(stream, nsegments, [=](size_t s) {
        const size_t at = (size_t)begins[s];
        if (begins[s] < ends[s])
            sort_segment<K>(behind(from, at), behind(to, at), behind(other, at),
                            (size_t)ends[s] - at, begin, end, down);
    });
}
} // namespace detail

#define SIMGPU_SORT(Keys, Pairs, down)                                         \
    template <class K, class N, class S, class Begin, class End>               \
    static cudaError_t Keys(                                                   \
        void *temp, size_t &nbytes, const K *in, K *out, N n, S nsegments,     \
        Begin begins, End ends SIMGPU_BITS, cudaStream_t stream = nullptr)     \
    {                                                                          \
        return detail::sort_segments<K>(                                       \
            temp, nbytes, detail::keys_only<const K>{in, {}},                  \
            detail::keys_only<K>{out, {}}, (size_t)n, (size_t)nsegments,       \
            begins, ends, SIMGPU_FROM_TO, down, stream);                       \
    }                                                                          \
    template <class K, class V, class N, class S, class Begin, class End>      \
    static cudaError_t Pairs(void *temp, size_t &nbytes, const K *in, K *out,  \
                             const V *vin, V *vout, N n, S nsegments,          \
                             Begin begins, End ends SIMGPU_BITS,               \
                             cudaStream_t stream = nullptr)                    \
    {                                                                          \
        return detail::sort_segments<K>(                                       \
            temp, nbytes, detail::pairs<const K, const V>{in, vin},            \
            detail::pairs<K, V>{out, vout}, (size_t)n, (size_t)nsegments,      \
            begins, ends, SIMGPU_FROM_TO, down, stream);                       \
    }
struct DeviceSegmentedRadixSort {
#define SIMGPU_BITS    , int begin = 0, int end = 8 * sizeof(K)
#define SIMGPU_FROM_TO begin, end
    SIMGPU_SORT(SortKeys, SortPairs, false)
    SIMGPU_SORT(SortKeysDescending, SortPairsDescending, true)
#undef SIMGPU_BITS
#undef SIMGPU_FROM_TO
};
struct DeviceSegmentedSort {
#define SIMGPU_BITS
#define SIMGPU_FROM_TO 0, 8 * sizeof(K)
    SIMGPU_SORT(SortKeys, SortPairs, false)
    SIMGPU_SORT(SortKeysDescending, SortPairsDescending, true)
    SIMGPU_SORT(StableSortKeys, StableSortPairs, false)
    SIMGPU_SORT(StableSortKeysDescending, StableSortPairsDescending, true)
#undef SIMGPU_BITS
#undef SIMGPU_FROM_TO
};
#undef SIMGPU_SORT
} // namespace cub
#endif
