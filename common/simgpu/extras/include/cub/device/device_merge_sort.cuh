/* cub/device/device_merge_sort.cuh: sorting items by any order */
#ifndef SIMGPU_CUB_DEVICE_MERGE_SORT_CUH
#define SIMGPU_CUB_DEVICE_MERGE_SORT_CUH

#include "cub/device/temporary.cuh"

namespace cub
{
struct DeviceMergeSort {
    template <class K, class N, class Less>
    static cudaError_t StableSortKeys(void *temp, size_t &nbytes, K keys, N n,
                                      Less less, cudaStream_t stream = nullptr)
    {
        typedef detail::value_t<K> key;
        cudaError_t error;
        if (detail::only_asks(temp, nbytes, (size_t)n * sizeof(key), &error))
            return error;
        return simgpu::merge_sort<key, simgpu::no_value>(
            stream, simgpu::items<K, simgpu::no_values>{keys, {}},
            simgpu::items<key *, simgpu::no_values>{(key *)temp, {}}, (size_t)n,
            less);
    }
    template <class K, class V, class N, class Less>
    static cudaError_t StableSortPairs(void *temp, size_t &nbytes, K keys,
                                       V values, N n, Less less,
                                       cudaStream_t stream = nullptr)
    {
        typedef detail::value_t<K> key;
        typedef detail::value_t<V> value;
        const size_t front = detail::rounded((size_t)n * sizeof(key));
        cudaError_t error;
        if (detail::only_asks(temp, nbytes, front + (size_t)n * sizeof(value),
                              &error))
            return error;
        value *const other = (value *)(void *)((char *)temp + front);
        return simgpu::merge_sort<key, value>(
            stream, simgpu::items<K, V>{keys, values},
            simgpu::items<key *, value *>{(key *)temp, other}, (size_t)n, less);
    }
    template <class K, class N, class Less>
    static cudaError_t SortKeys(void *temp, size_t &nbytes, K keys, N n,
                                Less less, cudaStream_t stream = nullptr)
    {
        return StableSortKeys(temp, nbytes, keys, n, less, stream);
    }
    template <class K, class V, class N, class Less>
    static cudaError_t SortPairs(void *temp, size_t &nbytes, K keys, V values,
                                 N n, Less less, cudaStream_t stream = nullptr)
    {
        return StableSortPairs(temp, nbytes, keys, values, n, less, stream);
    }
};
} // namespace cub
#endif
