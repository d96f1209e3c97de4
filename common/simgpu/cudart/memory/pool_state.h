/*
 * pool_state.h: what a pool knows, for the files that implement pools
 */
#ifndef SIMGPU_CUDART_POOL_STATE_H
#define SIMGPU_CUDART_POOL_STATE_H

#include "cudart/api.h"

struct CUmemPoolHandle_st {
    struct CUmemPoolHandle_st *next;
    int device, is_default, imported; /* HEAP_PINNED: of a NUMA node */
    int32_t place;                    /* then: its memory, in the graph */
    uint64_t open;                    /* and the devices that reach it */
    struct cudaMemPoolProps props;
    uint64_t used, most_used, reserved, most_reserved, threshold;
    int reuse[3]; /* FollowEventDependencies, AllowOpportunistic, ... */
};

/* NULL if it is not a live pool. */
struct CUmemPoolHandle_st *pool_find(cudaMemPool_t pool);

/* Counts an allocation in a pool, or in the one that its device uses now. */
void pool_note(struct CUmemPoolHandle_st *pool, int device, void *p,
               size_t nbytes);

/* A pool of another process, on a device; NULL if there is no such device. And
 * an allocation of it, of which only its owner counts the bytes. */
struct CUmemPoolHandle_st *pool_import(int device);
void pool_import_piece(struct CUmemPoolHandle_st *pool, void *p);

#endif
