/*
 * parallel.h: the kernels under Thrust's and CUB's host algorithms
 *
 * Each is an ordinary kernel, recorded like the program's own: what it touches
 * is checked, and takes modelled time. Blocks run one after the other here, so
 * work that must be done in order (a scan, a selection) is a loop of one
 * thread; other work has a thread for each item. All results are the same in
 * every run.
 *
 * Device code calls the same functions, which then loop.
 */
#ifndef SIMGPU_PARALLEL_H
#define SIMGPU_PARALLEL_H

#include <new>
#include <type_traits>
#include <utility>

#include "cuda_runtime.h"

#if __cplusplus < 201402L
#error "Thrust and CUB need at least -std=c++14; the real ones need -std=c++17"
#endif

namespace simgpu
{
enum { ITEMS_BLOCK = 256, REDUCE_TILE = 2048 };

static inline bool in_host_code()
{
    return simgpu_is_outside();
}

/* Call f(i) for the thread's i. */
template <class F> __global__ void parallel_items(F f, size_t n)
{
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}

/* Call f() in one thread. */
template <class F> __global__ void parallel_once(F f)
{
    f();
}

/* Call f(i) for all i < n. */
template <class F> cudaError_t for_items(cudaStream_t stream, size_t n, F f)
{
    if (!in_host_code()) {
        for (size_t i = 0; i < n; i++)
            f(i);
        return cudaSuccess;
    }
    if (n == 0)
        return cudaSuccess;
    const unsigned blocks = (unsigned)((n + ITEMS_BLOCK - 1) / ITEMS_BLOCK);
    parallel_items<<<blocks, ITEMS_BLOCK, 0, stream>>>(f, n);
    return cudaPeekAtLastError();
}

template <class F> cudaError_t run_once(cudaStream_t stream, F f)
{
    if (!in_host_code()) {
        f();
        return cudaSuccess;
    }
    parallel_once<<<1, 1, 0, stream>>>(f);
    return cudaPeekAtLastError();
}

/* first[0] op first[1] ... over n > 0 items. */
template <class T, class It, class Op> T fold(It first, size_t n, Op op)
{
    T sum = *first;
    for (size_t i = 1; i < n; i++)
        sum = op(sum, first[i]);
    return sum;
}

/* The number of partial results that reduce_items() needs memory for. */
static inline size_t reduce_partials(size_t n)
{
    return n / REDUCE_TILE + 1;
}

/* *out = init op first[0] op first[1] ... over n items,
 * through partial results. */
template <class T, class It, class Out, class Op>
cudaError_t reduce_items(cudaStream_t stream, T *partials, It first, size_t n,
                         Out out, T init, Op op)
{
    const size_t tile = REDUCE_TILE, ntiles = (n + tile - 1) / tile;
    if (ntiles <= 1)
        return run_once(
            stream, [=] { *out = n ? op(init, fold<T>(first, n, op)) : init; });
    const cudaError_t error = for_items(stream, ntiles, [=](size_t i) {
        const size_t left = n - i * tile;
        new (partials + i)
            T(fold<T>(first + i * tile, left < tile ? left : tile, op));
    });
    return error ? error : run_once(stream, [=] {
        *out = op(init, fold<T>(partials, ntiles, op));
    });
}

/* out[i] = first[0] op ... first[i], after init if there is one; exclusive
 * leaves out first[i]. May work in place. */
template <class T, class It, class Out, class Op>
void scan_inclusive(It first, size_t n, Out out, Op op)
{
    if (n == 0)
        return;
    T sum = *first;
    *out = sum;
    for (size_t i = 1; i < n; i++) {
        sum = op(sum, first[i]);
        out[i] = sum;
    }
}
template <class T, class It, class Out, class Op>
void scan_inclusive_from(It first, size_t n, Out out, T sum, Op op)
{
    for (size_t i = 0; i < n; i++) {
        sum = op(sum, first[i]);
        out[i] = sum;
    }
}
template <class T, class It, class Out, class Op>
void scan_exclusive(It first, size_t n, Out out, T sum, Op op)
{
    for (size_t i = 0; i < n; i++) {
        T next = op(sum, first[i]);
        out[i] = sum;
        sum = next;
    }
}
} // namespace simgpu

#include "simgpu/parallel_sort.h"
#endif
