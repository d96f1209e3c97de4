/*
 * atomic.h: atomic operations on a word of another PE
 *
 * Operations that fetch return the old value.
 */
#ifndef SIMGPU_NVSHMEM_ATOMIC_H
#define SIMGPU_NVSHMEM_ATOMIC_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, type): types of bitwise operations; of arithmetic; of
 * fetch, set and swap only. */
#define SIMGPU_SHMEM_BITS(X)                                                   \
    X(uint, unsigned int)                                                      \
    X(ulong, unsigned long)                                                    \
    X(ulonglong, unsigned long long)                                           \
    X(int32, int32_t)                                                          \
    X(uint32, uint32_t)                                                        \
    X(int64, int64_t)                                                          \
    X(uint64, uint64_t)
#define SIMGPU_SHMEM_COUNTS(X)                                                 \
    SIMGPU_SHMEM_BITS(X)                                                       \
    X(int, int)                                                                \
    X(long, long)                                                              \
    X(longlong, long long)                                                     \
    X(size, size_t)                                                            \
    X(ptrdiff, ptrdiff_t)
#define SIMGPU_SHMEM_REALS(X)                                                  \
    X(half, half)                                                              \
    X(float, float)                                                            \
    X(double, double)

#define SIMGPU_ATOMIC(NAME, T)                                                 \
    T nvshmem_##NAME##_atomic_fetch(const T *dest, int pe);                    \
    void nvshmem_##NAME##_atomic_set(T *dest, T value, int pe);                \
    T nvshmem_##NAME##_atomic_swap(T *dest, T value, int pe);
SIMGPU_SHMEM_COUNTS(SIMGPU_ATOMIC)
SIMGPU_SHMEM_REALS(SIMGPU_ATOMIC)
#undef SIMGPU_ATOMIC

#define SIMGPU_ATOMIC(NAME, T)                                                 \
    void nvshmem_##NAME##_atomic_inc(T *dest, int pe);                         \
    T nvshmem_##NAME##_atomic_fetch_inc(T *dest, int pe);                      \
    void nvshmem_##NAME##_atomic_add(T *dest, T value, int pe);                \
    T nvshmem_##NAME##_atomic_fetch_add(T *dest, T value, int pe);             \
    T nvshmem_##NAME##_atomic_compare_swap(T *dest, T cond, T value, int pe);
SIMGPU_SHMEM_COUNTS(SIMGPU_ATOMIC)
#undef SIMGPU_ATOMIC

#define SIMGPU_ATOMIC(NAME, T)                                                 \
    void nvshmem_##NAME##_atomic_and(T *dest, T value, int pe);                \
    void nvshmem_##NAME##_atomic_or(T *dest, T value, int pe);                 \
    void nvshmem_##NAME##_atomic_xor(T *dest, T value, int pe);                \
    T nvshmem_##NAME##_atomic_fetch_and(T *dest, T value, int pe);             \
    T nvshmem_##NAME##_atomic_fetch_or(T *dest, T value, int pe);              \
    T nvshmem_##NAME##_atomic_fetch_xor(T *dest, T value, int pe);
SIMGPU_SHMEM_BITS(SIMGPU_ATOMIC)
#undef SIMGPU_ATOMIC

#define SIMGPU_ATOMIC(NAME, T)                                                 \
    void nvshmemx_##NAME##_atomic_add(T *dest, T value, int pe);               \
    T nvshmemx_##NAME##_atomic_fetch_add(T *dest, T value, int pe);
SIMGPU_SHMEM_REALS(SIMGPU_ATOMIC)
#undef SIMGPU_ATOMIC

#ifdef __cplusplus
}
#endif
#endif
