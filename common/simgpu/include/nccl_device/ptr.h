/*
 * ptr.h: ncclSymPtr, a window and an offset for a type of element
 */
#ifndef SIMGPU_NCCL_DEVICE_PTR_H
#define SIMGPU_NCCL_DEVICE_PTR_H

#include <cuda_runtime.h>

#include "host.h"

template <class T> struct ncclSymPtr {
    using ElementType = T;
    ncclWindow_t window;
    size_t offset; /* in bytes */

    __host__ __device__ constexpr ncclSymPtr(ncclWindow_t window = nullptr,
                                             size_t offset = 0)
        : window(window), offset(offset)
    {
    }
    template <class U> __host__ __device__ operator ncclSymPtr<U>() const
    {
        return {window, offset};
    }
    template <class Int> __host__ __device__ ncclSymPtr &operator+=(Int n)
    {
        offset += (size_t)n * sizeof(T);
        return *this;
    }
    template <class Int> __host__ __device__ ncclSymPtr &operator-=(Int n)
    {
        offset -= (size_t)n * sizeof(T);
        return *this;
    }
#ifdef __CUDACC__
    __device__ T *localPtr() const;
    __device__ T *lsaPtr(int peer) const;
    __device__ T *peerPtr(int peer) const;
    __device__ T *peerPtr(ncclTeam team, int peer) const;
    __device__ T *multimemPtr(ncclMultimemHandle mmHandle) const;
    __device__ T *lsaMultimemPtr(const ncclDevComm &comm) const;
#endif
};

template <class T, class Int>
__host__ __device__ inline ncclSymPtr<T> operator+(ncclSymPtr<T> p, Int n)
{
    return p += n;
}
template <class T, class Int>
__host__ __device__ inline ncclSymPtr<T> operator-(ncclSymPtr<T> p, Int n)
{
    return p -= n;
}
template <class T>
__host__ __device__ inline ptrdiff_t operator-(ncclSymPtr<T> a, ncclSymPtr<T> b)
{
    return (ptrdiff_t)(a.offset - b.offset) / (ptrdiff_t)sizeof(T);
}
template <class T>
__host__ __device__ inline bool operator==(ncclSymPtr<T> a, ncclSymPtr<T> b)
{
    return a.window == b.window && a.offset == b.offset;
}
template <class T>
__host__ __device__ inline bool operator!=(ncclSymPtr<T> a, ncclSymPtr<T> b)
{
    return !(a == b);
}

#endif
