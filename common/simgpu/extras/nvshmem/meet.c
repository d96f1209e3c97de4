/*
 * meet.c: the functions of nvshmem/coll.h
 */
#include "extras/nvshmem/request.h"

SHMEM_DEFINE(int, barrier, (nvshmem_team_t team), return 0,
             .kind = REQUEST_BARRIER, .team = team)
SHMEM_DEFINE(int, team_sync, (nvshmem_team_t team), return 0,
             .kind = REQUEST_SYNC, .team = team)

#define ALL(NAME, SCOPE, KIND)                                                 \
    void NAME(void)                                                            \
    {                                                                          \
        REQUEST(#NAME, SCOPE, NULL, .kind = (KIND),                            \
                .team = NVSHMEM_TEAM_WORLD);                                   \
    }
#define ALL_ON_STREAM(NAME, KIND)                                              \
    void NAME(cudaStream_t stream)                                             \
    {                                                                          \
        REQUEST(#NAME, SCOPE_STREAM, stream, .kind = (KIND),                   \
                .team = NVSHMEM_TEAM_WORLD);                                   \
    }
ALL(nvshmem_barrier_all, SCOPE_THREAD, REQUEST_BARRIER)
ALL(nvshmemx_barrier_all_warp, SCOPE_WARP, REQUEST_BARRIER)
ALL(nvshmemx_barrier_all_block, SCOPE_BLOCK, REQUEST_BARRIER)
ALL_ON_STREAM(nvshmemx_barrier_all_on_stream, REQUEST_BARRIER)
ALL(nvshmem_sync_all, SCOPE_THREAD, REQUEST_SYNC)
ALL(nvshmemx_sync_all_warp, SCOPE_WARP, REQUEST_SYNC)
ALL(nvshmemx_sync_all_block, SCOPE_BLOCK, REQUEST_SYNC)
ALL_ON_STREAM(nvshmemx_sync_all_on_stream, REQUEST_SYNC)

#define OF_TEAM(KIND, SIZE, N)                                                 \
    .kind = (KIND), .team = team, .dest = dest, .source = src, .size = (SIZE), \
    .nelems = (N)
/* clang-format off */
#define MOVES(ALLTOALL, BROADCAST, FCOLLECT, T, SIZE)                          \
    SHMEM_DEFINE(int, ALLTOALL,                                                \
                 (nvshmem_team_t team, T *dest, const T *src, size_t nelems),  \
                 return 0, OF_TEAM(REQUEST_ALLTOALL, SIZE, nelems))            \
    SHMEM_DEFINE(int, BROADCAST,                                               \
                 (nvshmem_team_t team, T *dest, const T *src, size_t nelems,   \
                  int PE_root),                                                \
                 return 0, OF_TEAM(REQUEST_BROADCAST, SIZE, nelems),           \
                 .root = PE_root)                                              \
    SHMEM_DEFINE(int, FCOLLECT,                                                \
                 (nvshmem_team_t team, T *dest, const T *src, size_t nelems),  \
                 return 0, OF_TEAM(REQUEST_FCOLLECT, SIZE, nelems))
/* clang-format on */
#define TYPE(NAME, T)                                                          \
    MOVES(NAME##_alltoall, NAME##_broadcast, NAME##_fcollect, T, sizeof(T))
SIMGPU_SHMEM_TYPES(TYPE)
MOVES(alltoallmem, broadcastmem, fcollectmem, void, 1)
