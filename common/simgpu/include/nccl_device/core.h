/*
 * core.h: teams and pointers in kernels
 */
#ifndef SIMGPU_NCCL_DEVICE_CORE_H
#define SIMGPU_NCCL_DEVICE_CORE_H

#include "../simgpu/nccl_window.h"
#include "coop.h"
#include "host.h"
#include "ptr.h"

struct ncclTeamTagWorld {
};
struct ncclTeamTagLsa {
};
struct ncclTeamTagRail {
};

/* ---- teams --------------------------------------------------------------- */

__device__ static inline ncclTeam ncclTeamWorld(const ncclDevComm &comm)
{
    return {comm.nRanks, comm.rank, 1};
}

/* The ranks that reach each other by loads and stores. */
__device__ static inline ncclTeam ncclTeamLsa(const ncclDevComm &comm)
{
    return {comm.lsaSize, comm.lsaRank, 1};
}

/* The ranks with the same place in their LSA teams as this one. */
__device__ static inline ncclTeam ncclTeamRail(const ncclDevComm &comm)
{
    return ncclTeamOuterFactor(ncclTeamWorld(comm), comm.lsaSize);
}

__device__ static inline int ncclTeamRankToWorld(const ncclDevComm &comm,
                                                 ncclTeam team, int rank)
{
    return comm.rank + (rank - team.rank) * team.stride;
}

__device__ static inline int ncclTeamRankToLsa(const ncclDevComm &comm,
                                               ncclTeam team, int rank)
{
    return comm.lsaRank + (rank - team.rank) * team.stride;
}

/* ---- windows ------------------------------------------------------------- */

/* This rank and the first one of its LSA team, by a window that is checked. The
 * window is in host memory, which kernels may not touch: no access is recorded
 * here. */
struct simgpu_window_ranks {
    int own, lsa_first;
};
static __attribute__((noinline, no_sanitize("thread"), unused)) //
simgpu_window_ranks
simgpu_window_of(ncclWindow_t w, const char *call)
{
    simgpu_nccl_pointer(w, 0, -1, call);
    const simgpu_window *const p = *(const simgpu_window *const *)w;
    return {p->rank, p->lsa_first};
}

__device__ static inline void *ncclGetLocalPointer(ncclWindow_t w,
                                                   size_t offset)
{
    const int rank = simgpu_window_of(w, __func__).own;
    return simgpu_nccl_pointer(w, offset, rank, __func__);
}

/* peer is a rank of the LSA team. */
__device__ static inline void *ncclGetLsaPointer(ncclWindow_t w, size_t offset,
                                                 int peer)
{
    const int first = simgpu_window_of(w, __func__).lsa_first;
    return simgpu_nccl_pointer(w, offset, peer < 0 ? -2 : first + peer,
                               __func__);
}

/* peer is a rank of the communicator, or of the team. */
__device__ static inline void *ncclGetPeerPointer(ncclWindow_t w, size_t offset,
                                                  int peer)
{
    return simgpu_nccl_pointer(w, offset, peer < 0 ? -2 : peer, __func__);
}

__device__ static inline void *ncclGetPeerPointer(ncclWindow_t w, size_t offset,
                                                  ncclTeam team, int peer)
{
    const int own = simgpu_window_of(w, __func__).own;
    const int rank = own + (peer - team.rank) * team.stride;
    return simgpu_nccl_pointer(w, offset, rank < 0 ? -2 : rank, __func__);
}

__device__ static inline void *
ncclGetMultimemPointer(ncclWindow_t w, size_t offset, ncclMultimemHandle mm)
{
    return simgpu_nccl_multimem(w, offset, mm.mcBasePtr, __func__);
}

__device__ static inline void *
ncclGetLsaMultimemPointer(ncclWindow_t w, size_t offset,
                          const ncclDevComm &comm)
{
    return simgpu_nccl_multimem(w, offset, comm.lsaMultimem.mcBasePtr,
                                __func__);
}

/* The communicator's window that contains ptr. */
template <class Coop>
__device__ static inline ncclWindow_t
ncclFindWindow(Coop, const ncclDevComm &comm, const void *ptr)
{
    return (ncclWindow_t)simgpu_nccl_find(comm.windowTable, ptr);
}

/* ---- the resource buffer ------------------------------------------------- */

__device__ static inline void *
ncclGetResourceBufferLocalPointer(const ncclDevComm &comm,
                                  ncclDevResourceHandle h)
{
    return ncclGetLocalPointer(comm.resourceWindow,
                               ncclGetResourceBufferOffset(h));
}

__device__ static inline void *
ncclGetResourceBufferLsaPointer(const ncclDevComm &comm,
                                ncclDevResourceHandle h, int peer)
{
    return ncclGetLsaPointer(comm.resourceWindow,
                             ncclGetResourceBufferOffset(h), peer);
}

__device__ static inline void *ncclGetResourceBufferPeerPointer(
    const ncclDevComm &comm, ncclDevResourceHandle h, ncclTeam team, int peer)
{
    return ncclGetPeerPointer(comm.resourceWindow,
                              ncclGetResourceBufferOffset(h), team, peer);
}

__device__ static inline void *ncclGetResourceBufferMultimemPointer(
    const ncclDevComm &comm, ncclDevResourceHandle h, ncclMultimemHandle mm)
{
    return ncclGetMultimemPointer(comm.resourceWindow,
                                  ncclGetResourceBufferOffset(h), mm);
}

__device__ static inline void *
ncclGetResourceBufferLsaMultimemPointer(const ncclDevComm &comm,
                                        ncclDevResourceHandle h)
{
    return ncclGetResourceBufferMultimemPointer(comm, h, comm.lsaMultimem);
}

__device__ static inline ncclSymPtr<char>
ncclGetResourceBuffer(const ncclDevComm &comm, ncclDevResourceHandle h)
{
    return ncclSymPtr<char>(comm.resourceWindow,
                            ncclGetResourceBufferOffset(h));
}

/* ---- ncclSymPtr's members ------------------------------------------------ */

template <class T> __device__ inline T *ncclSymPtr<T>::localPtr() const
{
    return window ? (T *)ncclGetLocalPointer(window, offset) : (T *)offset;
}
template <class T> __device__ inline T *ncclSymPtr<T>::lsaPtr(int peer) const
{
    return (T *)ncclGetLsaPointer(window, offset, peer);
}
template <class T> __device__ inline T *ncclSymPtr<T>::peerPtr(int peer) const
{
    return (T *)ncclGetPeerPointer(window, offset, peer);
}
template <class T>
__device__ inline T *ncclSymPtr<T>::peerPtr(ncclTeam team, int peer) const
{
    return (T *)ncclGetPeerPointer(window, offset, team, peer);
}
template <class T>
__device__ inline T *ncclSymPtr<T>::multimemPtr(ncclMultimemHandle mm) const
{
    return (T *)ncclGetMultimemPointer(window, offset, mm);
}
template <class T>
__device__ inline T *ncclSymPtr<T>::lsaMultimemPtr(const ncclDevComm &c) const
{
    return (T *)ncclGetLsaMultimemPointer(window, offset, c);
}

#endif
