// vector.cuh: element-wise kernels that move 16 bytes at a time
//
// Memory bandwidth limits such a kernel, and a GPU reaches most of its
// bandwidth if each thread accesses 16 bytes at once. So a thread takes the
// elements in packs:
#ifndef COMMLAB_LAB_VECTOR_CUH
#define COMMLAB_LAB_VECTOR_CUH

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of one load or store; threads of a block; threads that a multiprocessor
// of a data center's GPU holds.
enum { VECTOR_BYTES = 16, VECTOR_THREADS = 256, VECTOR_RESIDENT = 2048 };

// The number of blocks of VECTOR_THREADS threads for count elements, if a
// thread takes `each` at a time: enough for all elements, but no more blocks
// than the device runs at once.
static inline unsigned vector_blocks(size_t count, size_t each)
{
    int device = 0, nprocessors = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&nprocessors, cudaDevAttrMultiProcessorCount,
                           device);
    const size_t per_block = VECTOR_THREADS * each;
    const size_t full = (count + per_block - 1) / per_block;
    const size_t most =
        (size_t)nprocessors * (VECTOR_RESIDENT / VECTOR_THREADS);
    return (unsigned)(full < most ? full : most);
}

// N elements that are loaded and stored by one instruction.
template <int N, class T> struct alignas(N * sizeof(T)) vector_pack {
    T at[N];
};

// An array, and whether its elements are read, written or both.
enum vector_use { VECTOR_IN = 1, VECTOR_OUT = 2, VECTOR_INOUT = 3 };
template <class T, vector_use USE> struct vector_array {
    T *p;
};
template <class T>
static __device__ vector_array<T, VECTOR_IN> vector_in(const T *p)
{
    return {(T *)p};
}
template <class T>
static __device__ vector_array<T, VECTOR_OUT> vector_out(T *p)
{
    return {p};
}
template <class T>
static __device__ vector_array<T, VECTOR_INOUT> vector_inout(T *p)
{
    return {p};
}

// Elements i to i + N - 1 of an array, in registers.
template <int N, class T, vector_use USE> struct vector_lane {
    vector_pack<N, T> *const home, v;

    __device__ vector_lane(vector_array<T, USE> a, size_t i)
        : home((vector_pack<N, T> *)(a.p + i))
    {
        if (USE & VECTOR_IN)
            v = *home;
    }
    __device__ void store() const
    {
        if (USE & VECTOR_OUT)
            *home = v;
    }
};

// All packs are loaded before the first is stored, so arrays may be identical.
template <int N, class F, class... LANE>
static __device__ void vector_apply(F f, LANE &&...lane)
{
#pragma unroll
    for (int k = 0; k < N; k++)
        f(lane.v.at[k]...);
    (lane.store(), ...);
}

// The number of elements of the largest type in a pack.
template <class... T> static __host__ __device__ constexpr int vector_width()
{
    size_t largest = 1;
    ((largest = sizeof(T) > largest ? sizeof(T) : largest), ...);
    return (int)(VECTOR_BYTES / largest);
}

// Call f for count elements, with one element of each array, on all threads of
// the grid.
template <class F, class... T, vector_use... USE>
static __device__ void vector_each(size_t count, F f, vector_array<T, USE>... a)
{
    constexpr int N = vector_width<T...>();
    const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    const bool aligned = (((uintptr_t)a.p % (N * sizeof(T)) == 0) && ...);
    const size_t npacks = aligned ? count / N : 0;
    for (size_t i = first; i < npacks; i += step)
        vector_apply<N>(f, vector_lane<N, T, USE>(a, i * N)...);
    for (size_t i = npacks * N + first; i < count; i += step)
        vector_apply<1>(f, vector_lane<1, T, USE>(a, i)...);
}

#endif
