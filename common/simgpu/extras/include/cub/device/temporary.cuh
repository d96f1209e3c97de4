/*
 * temporary.cuh: the temporary memory of CUB's algorithms of host code
 *
 * Each is called twice: without memory, to ask how much, then with it.
 */
#ifndef SIMGPU_CUB_TEMPORARY_CUH
#define SIMGPU_CUB_TEMPORARY_CUH

#include "cub/block/block_histogram.cuh" // CUB's own bring these with them
#include "cub/block/block_merge_sort.cuh"
#include "cub/block/block_reduce.cuh"
#include "cub/block/block_store.cuh"
#include "cub/iterator/iterators.cuh"
#include "thrust/detail/standard.h"

namespace cub
{
namespace detail
{
/* True if the call only asks, or has too little; then *error is its result. */
static inline bool only_asks(void *temp, size_t &nbytes, size_t needed,
                             cudaError_t *error)
{
    *error = cudaSuccess;
    if (!temp)
        nbytes = needed ? needed : 1;
    else if (nbytes < needed)
        *error = cudaErrorInvalidValue;
    return !temp || *error;
}
static inline size_t rounded(size_t nbytes)
{
    return (nbytes + 255) / 256 * 256;
}
/* f() by one thread; no memory is needed. */
template <class F>
cudaError_t once(void *temp, size_t &nbytes, cudaStream_t stream, F f)
{
    cudaError_t error;
    return only_asks(temp, nbytes, 0, &error) ? error
                                              : simgpu::run_once(stream, f);
}
template <class F>
cudaError_t each(void *temp, size_t &nbytes, size_t n, cudaStream_t stream, F f)
{
    cudaError_t error;
    return only_asks(temp, nbytes, 0, &error) ? error
                                              : simgpu::for_items(stream, n, f);
}
} // namespace detail
} // namespace cub
#endif
