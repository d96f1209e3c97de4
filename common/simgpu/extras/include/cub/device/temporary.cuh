/*
 * temporary.cuh: temporary memory for CUB's algorithms on the host
 *
 * Programs call each algorithm twice: without memory, to find out how much it
 * needs, and then with the memory.
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
/* True if the call only asks for the size, or provides too little memory;
 * *error is then the call's result. */
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
/* Call f() in one thread; this needs no memory. */
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
