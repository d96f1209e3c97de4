/*
 * coll.h: a team's collectives
 *
 * All PEs of the team make the same calls in the same order, with symmetric
 * buffers. Counts are per PE (nelems elements for each), but for a broadcast or
 * a reduction nelems is the total. A collective returns when this PE's dest is
 * complete and its source may be reused.
 */
#ifndef SIMGPU_NVSHMEM_COLL_H
#define SIMGPU_NVSHMEM_COLL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Wait for all PEs. A barrier also waits until everything they
 * have put has arrived. */
SIMGPU_SHMEM_DECLARE(int, barrier, nvshmem_team_t team)
SIMGPU_SHMEM_DECLARE(int, team_sync, nvshmem_team_t team)
void nvshmem_barrier_all(void);
void nvshmemx_barrier_all_warp(void);
void nvshmemx_barrier_all_block(void);
void nvshmemx_barrier_all_on_stream(cudaStream_t stream);
void nvshmem_sync_all(void);
void nvshmemx_sync_all_warp(void);
void nvshmemx_sync_all_block(void);
void nvshmemx_sync_all_on_stream(cudaStream_t stream);
#define nvshmem_sync nvshmem_team_sync

#define SIMGPU_MOVES(ALLTOALL, BROADCAST, FCOLLECT, T)                         \
    SIMGPU_SHMEM_DECLARE(int, ALLTOALL, nvshmem_team_t team, T *dest,          \
                         const T *src, size_t nelems)                          \
    SIMGPU_SHMEM_DECLARE(int, BROADCAST, nvshmem_team_t team, T *dest,         \
                         const T *src, size_t nelems, int PE_root)             \
    SIMGPU_SHMEM_DECLARE(int, FCOLLECT, nvshmem_team_t team, T *dest,          \
                         const T *src, size_t nelems)
#define SIMGPU_TYPE(NAME, T)                                                   \
    SIMGPU_MOVES(NAME##_alltoall, NAME##_broadcast, NAME##_fcollect, T)
SIMGPU_SHMEM_TYPES(SIMGPU_TYPE)
SIMGPU_MOVES(alltoallmem, broadcastmem, fcollectmem, void)
#undef SIMGPU_TYPE
#undef SIMGPU_MOVES

/* X(name, type, operation) */
#define SIMGPU_SHMEM_BIT_REDUCE(X, OP)                                         \
    X(uchar, unsigned char, OP)                                                \
    X(ushort, unsigned short, OP)                                              \
    X(uint, unsigned int, OP)                                                  \
    X(ulong, unsigned long, OP)                                                \
    X(ulonglong, unsigned long long, OP)                                       \
    X(int8, int8_t, OP)                                                        \
    X(int16, int16_t, OP)                                                      \
    X(int32, int32_t, OP)                                                      \
    X(int64, int64_t, OP)                                                      \
    X(uint8, uint8_t, OP)                                                      \
    X(uint16, uint16_t, OP)                                                    \
    X(uint32, uint32_t, OP)                                                    \
    X(uint64, uint64_t, OP)                                                    \
    X(size, size_t, OP)
#define SIMGPU_SHMEM_REDUCE(X, OP)                                             \
    SIMGPU_SHMEM_BIT_REDUCE(X, OP)                                             \
    X(char, char, OP)                                                          \
    X(schar, signed char, OP)                                                  \
    X(short, short, OP)                                                        \
    X(int, int, OP)                                                            \
    X(long, long, OP)                                                          \
    X(longlong, long long, OP)                                                 \
    X(bfloat16, __nv_bfloat16, OP)                                             \
    X(half, half, OP)                                                          \
    X(float, float, OP)                                                        \
    X(double, double, OP)
#define SIMGPU_SHMEM_REDUCTIONS(X)                                             \
    SIMGPU_SHMEM_BIT_REDUCE(X, and)                                            \
    SIMGPU_SHMEM_BIT_REDUCE(X, or)                                             \
    SIMGPU_SHMEM_BIT_REDUCE(X, xor)                                            \
    SIMGPU_SHMEM_REDUCE(X, max)                                                \
    SIMGPU_SHMEM_REDUCE(X, min)                                                \
    SIMGPU_SHMEM_REDUCE(X, sum)                                                \
    SIMGPU_SHMEM_REDUCE(X, prod)

#define SIMGPU_REDUCTION(NAME, T, OP)                                          \
    SIMGPU_SHMEM_DECLARE(int, NAME##_##OP##_reduce, nvshmem_team_t team,       \
                         T *dest, const T *src, size_t nreduce)                \
    SIMGPU_SHMEM_DECLARE(int, NAME##_##OP##_reducescatter,                     \
                         nvshmem_team_t team, T *dest, const T *src,           \
                         size_t nreduce)
SIMGPU_SHMEM_REDUCTIONS(SIMGPU_REDUCTION)
#undef SIMGPU_REDUCTION

#ifdef __cplusplus
}
#endif
#endif
