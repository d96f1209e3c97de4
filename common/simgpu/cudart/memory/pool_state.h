/*
 * pool_state.h: the state of a pool, for the files that implement pools
 */
#ifndef SIMGPU_CUDART_MEMORY_POOL_STATE_H
#define SIMGPU_CUDART_MEMORY_POOL_STATE_H

#include "core/proc.h" /* struct proc_id */
#include "cudart/api.h"

struct pool_id { /* names a pool in all processes; plain data */
    struct proc_id owner;
    uint64_t serial; /* counts the owner's pools */
};

struct CUmemPoolHandle_st {
    struct CUmemPoolHandle_st *next;
    int device, is_default, imported; /* device: HEAP_PINNED for a NUMA node */
    int32_t place;                    /* the NUMA node's place, if on one */
    uint64_t open;                    /* other devices with access */
    struct cudaMemPoolProps props;
    struct pool_id id; /* an imported pool has the exported one's */
    uint64_t used, most_used, reserved, most_reserved, threshold;
    int reuse[3]; /* FollowEventDependencies, AllowOpportunistic, ... */
};

/* NULL if it is not a live pool. */
struct CUmemPoolHandle_st *pool_find(cudaMemPool_t pool);

/* Count an allocation in a pool, or in the one that its
 * device currently uses. */
void pool_note(struct CUmemPoolHandle_st *pool, int device, void *p,
               size_t nbytes);

/* The number of the pool that p's memory is from; 0: of none. */
uint64_t pool_serial(const void *p);

/* A pool of another process, on a device, or NULL if there is no such device;
 * and an allocation from it, whose bytes only its owner counts. */
struct CUmemPoolHandle_st *pool_import(int device, struct pool_id id);
void pool_import_piece(struct CUmemPoolHandle_st *pool, void *p);

#endif
