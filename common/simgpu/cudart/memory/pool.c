/*
 * pool.c: memory pools, from which streams allocate and free in order
 *
 * A pool reserves the memory that is in use, in granules. After a free it keeps
 * as many whole granules as its release threshold allows. Its memory is the
 * device's, not a separate space, or that of one of the host's NUMA nodes.
 * Devices other than the pool's own reach it only after cudaMemPoolSetAccess()
 * has allowed them to; cudaDeviceEnablePeerAccess() has no effect on it. (CUDA
 * C++ Programming Guide, stream-ordered memory allocator.)
 */
#include "cudart/memory/pool.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* calloc */

#include "core/device.h"
#include "core/heap/heap.h"
#include "core/report.h"
#include "cudart/graphs/capture.h"
#include "cudart/memory/pool_state.h"

enum { GRANULE = 32 << 20 }; /* as on an H100 */

struct piece { /* an allocation of a pool */
    struct piece *next;
    void *p;
    size_t nbytes;
    struct CUmemPoolHandle_st *pool; /* NULL once the pool is destroyed */
};

static struct {
    pthread_mutex_t lock;
    struct CUmemPoolHandle_st *pools;
    struct CUmemPoolHandle_st *current[PROC_MAX_DEVICES];
    struct piece *pieces;
    uint64_t npools; /* that ever were */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int valid(int device)
{
    return device >= 0 && device < simgpu_proc()->ndevices;
}

static struct CUmemPoolHandle_st *create(int device, int is_default)
{
    struct CUmemPoolHandle_st *const p =
        simgpu_need(calloc(1, sizeof *p), "a pool");
    p->device = device;
    p->is_default = is_default;
    p->id = (struct pool_id){simgpu_proc()->id, ++all.npools};
    p->reuse[0] = p->reuse[1] = p->reuse[2] = 1;
    p->next = all.pools;
    all.pools = p;
    return p;
}

/* A device's default pool. The caller must hold the lock. */
static struct CUmemPoolHandle_st *default_of(int device)
{
    struct CUmemPoolHandle_st *p = all.pools;
    while (p && (p->device != device || !p->is_default))
        p = p->next;
    return p ? p : create(device, 1);
}

static struct CUmemPoolHandle_st *current_of(int device)
{
    if (!all.current[device])
        all.current[device] = default_of(device);
    return all.current[device];
}

struct CUmemPoolHandle_st *pool_find(cudaMemPool_t pool)
{
    pthread_mutex_lock(&all.lock);
    struct CUmemPoolHandle_st *p = all.pools;
    while (p && p != pool)
        p = p->next;
    pthread_mutex_unlock(&all.lock);
    return p;
}

/* ---- allocations --------------------------------------------------------- */

/* nbytes, rounded up to whole granules. */
static uint64_t granules(uint64_t nbytes)
{
    return nbytes / GRANULE * GRANULE + (nbytes % GRANULE ? GRANULE : 0);
}

static void count_in(struct CUmemPoolHandle_st *pool, void *p, size_t nbytes)
{
    struct piece *const piece = simgpu_need(calloc(1, sizeof *piece), "a pool");
    *piece = (struct piece){all.pieces, p, nbytes, pool};
    all.pieces = piece;
    pool->used += nbytes;
    if (pool->used > pool->reserved)
        pool->reserved = granules(pool->used);
    if (pool->used > pool->most_used)
        pool->most_used = pool->used;
    if (pool->reserved > pool->most_reserved)
        pool->most_reserved = pool->reserved;
}

/* Release the memory that is not in use, except for `keep` bytes. */
static void trim(struct CUmemPoolHandle_st *pool, uint64_t keep)
{
    const uint64_t least = pool->used > keep ? pool->used : keep;
    if (pool->reserved > least)
        pool->reserved = granules(least);
}

void pool_freed(const void *p)
{
    pthread_mutex_lock(&all.lock);
    struct piece **link = &all.pieces;
    while (*link && (*link)->p != p)
        link = &(*link)->next;
    struct piece *const piece = *link;
    if (piece) {
        struct CUmemPoolHandle_st *const pool = piece->pool;
        *link = piece->next;
        if (pool) {
            pool->used -= piece->nbytes;
            trim(pool, pool->threshold / GRANULE * GRANULE);
        }
        free(piece);
    }
    pthread_mutex_unlock(&all.lock);
}

int pool_has(const void *p)
{
    pthread_mutex_lock(&all.lock);
    const struct piece *piece = all.pieces;
    while (piece && piece->p != p)
        piece = piece->next;
    pthread_mutex_unlock(&all.lock);
    return piece != NULL;
}

/* The devices that reach a pool's memory, as bits. */
static uint64_t reached_from(const struct CUmemPoolHandle_st *p)
{
    return p->device == HEAP_PINNED ? p->open
                                    : p->open | UINT64_C(1) << p->device;
}

void pool_note(struct CUmemPoolHandle_st *pool, int device, void *p,
               size_t nbytes)
{
    pthread_mutex_lock(&all.lock);
    struct CUmemPoolHandle_st *const of = pool ? pool : current_of(device);
    heap_open(p, reached_from(of));
    count_in(of, p, nbytes);
    pthread_mutex_unlock(&all.lock);
}

/* ---- pools --------------------------------------------------------------- */

/* Find where a pool's memory will be: a device, or HEAP_PINNED and a
 * NUMA node of this host. */
static cudaError_t place_of(const struct cudaMemLocation *where, int *device,
                            int32_t *place)
{
    const struct proc *const p = simgpu_proc();
    *device = HEAP_PINNED;
    switch (where->type) {
    case cudaMemLocationTypeDevice:
        *device = where->id;
        return valid(where->id) ? cudaSuccess : cudaErrorInvalidValue;
    case cudaMemLocationTypeHostNuma:
        return topo_numa_place(p->topo, simgpu_proc_place(0), where->id,
                               place) == 0
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    case cudaMemLocationTypeInvalid: return cudaErrorInvalidValue;
    default: return cudaErrorNotSupported;
    }
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool,
                              const struct cudaMemPoolProps *poolProps)
{
    API_ENTER();
    if (!memPool || !poolProps ||
        poolProps->allocType != cudaMemAllocationTypePinned)
        return api_return(cudaErrorInvalidValue);
    int device;
    int32_t place = 0;
    const cudaError_t err = place_of(&poolProps->location, &device, &place);
    if (err != cudaSuccess)
        return api_return(err);
    pthread_mutex_lock(&all.lock);
    struct CUmemPoolHandle_st *const p = create(device, 0);
    p->props = *poolProps;
    p->place = place;
    pthread_mutex_unlock(&all.lock);
    *memPool = p;
    return api_return(cudaSuccess);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool)
{
    API_ENTER();
    struct CUmemPoolHandle_st *const p = pool_find(memPool);
    if (!p || p->is_default)
        return api_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&all.lock);
    if (p->device != HEAP_PINNED && all.current[p->device] == p)
        all.current[p->device] = NULL;
    for (struct piece *x = all.pieces; x; x = x->next)
        if (x->pool == p)
            x->pool = NULL; // the allocation outlives the pool
    struct CUmemPoolHandle_st **link = &all.pools;
    while (*link != p)
        link = &(*link)->next;
    *link = p->next;
    pthread_mutex_unlock(&all.lock);
    free(p);
    return api_return(cudaSuccess);
}

static cudaError_t get_pool(cudaMemPool_t *out, int device, int the_default)
{
    if (!out)
        return cudaErrorInvalidValue;
    if (!valid(device))
        return cudaErrorInvalidDevice;
    pthread_mutex_lock(&all.lock);
    *out = the_default ? default_of(device) : current_of(device);
    pthread_mutex_unlock(&all.lock);
    return cudaSuccess;
}

static cudaError_t set_pool(int device, cudaMemPool_t pool)
{
    struct CUmemPoolHandle_st *const p = pool_find(pool);
    if (!valid(device) || !p || p->device != device || p->imported)
        return cudaErrorInvalidValue;
    all.current[device] = p;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    return api_return(get_pool(memPool, device, 1));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
    return api_return(get_pool(memPool, device, 0));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
    return api_return(set_pool(device, memPool));
}

/* The device of a location, for a type that pools support. */
static cudaError_t pooled(const struct cudaMemLocation *where,
                          enum cudaMemAllocationType type)
{
    if (!where || type != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    return where->type == cudaMemLocationTypeDevice ? cudaSuccess
                                                    : cudaErrorNotSupported;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool,
                                     struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    const cudaError_t err = pooled(location, type);
    return api_return(err ? err : get_pool(memPool, location->id, 1));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool,
                              struct cudaMemLocation *location,
                              enum cudaMemAllocationType type)
{
    const cudaError_t err = pooled(location, type);
    return api_return(err ? err : get_pool(memPool, location->id, 0));
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location,
                              enum cudaMemAllocationType type,
                              cudaMemPool_t memPool)
{
    const cudaError_t err = pooled(location, type);
    return api_return(err ? cudaErrorInvalidValue // not a pool of that location
                          : set_pool(location->id, memPool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
    struct CUmemPoolHandle_st *const p = pool_find(memPool);
    if (!p)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = capture_allows_unsafe();
    if (err != cudaSuccess)
        return api_return(err);
    pthread_mutex_lock(&all.lock);
    trim(p, minBytesToKeep);
    pthread_mutex_unlock(&all.lock);
    return api_return(cudaSuccess);
}

static int is_reuse(enum cudaMemPoolAttr attr)
{
    return attr >= cudaMemPoolReuseFollowEventDependencies &&
           attr <= cudaMemPoolReuseAllowInternalDependencies;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool,
                                    enum cudaMemPoolAttr attr, void *value)
{
    struct CUmemPoolHandle_st *const p = pool_find(memPool);
    if (!p || !value)
        return api_return(cudaErrorInvalidValue);
    if (is_reuse(attr)) {
        p->reuse[attr - cudaMemPoolReuseFollowEventDependencies] =
            *(int *)value != 0;
        return api_return(cudaSuccess);
    }
    const uint64_t number = *(uint64_t *)value;
    if (attr == cudaMemPoolAttrReleaseThreshold)
        p->threshold = number;
    else if (attr == cudaMemPoolAttrReservedMemHigh && number == 0)
        p->most_reserved = p->reserved;
    else if (attr == cudaMemPoolAttrUsedMemHigh && number == 0)
        p->most_used = p->used;
    else
        return api_return(cudaErrorInvalidValue);
    return api_return(cudaSuccess);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool,
                                    enum cudaMemPoolAttr attr, void *value)
{
    const struct CUmemPoolHandle_st *const p = pool_find(memPool);
    if (!p || !value)
        return api_return(cudaErrorInvalidValue);
    if (is_reuse(attr)) {
        *(int *)value =
            p->reuse[attr - cudaMemPoolReuseFollowEventDependencies];
        return api_return(cudaSuccess);
    }
    uint64_t *const out = value;
    switch (attr) {
    case cudaMemPoolAttrReleaseThreshold: *out = p->threshold; break;
    case cudaMemPoolAttrReservedMemCurrent: *out = p->reserved; break;
    case cudaMemPoolAttrReservedMemHigh: *out = p->most_reserved; break;
    case cudaMemPoolAttrUsedMemCurrent: *out = p->used; break;
    case cudaMemPoolAttrUsedMemHigh: *out = p->most_used; break;
    default: return api_return(cudaErrorInvalidValue);
    }
    return api_return(cudaSuccess);
}

/* Let a device reach a pool's memory, including what is already allocated, or
 * revoke that. */
static void open_pool(struct CUmemPoolHandle_st *p, int device,
                      enum cudaMemAccessFlags flags)
{
    const uint64_t bit = UINT64_C(1) << device;
    pthread_mutex_lock(&all.lock);
    p->open = flags ? p->open | bit : p->open & ~bit;
    for (const struct piece *x = all.pieces; x; x = x->next)
        if (x->pool == p)
            heap_open(x->p, reached_from(p));
    pthread_mutex_unlock(&all.lock);
}

static cudaError_t set_access(struct CUmemPoolHandle_st *p,
                              const struct cudaMemAccessDesc *d)
{
    const int device = d->location.id;
    if (d->flags == cudaMemAccessFlagsProtRead ||
        d->location.type != cudaMemLocationTypeDevice)
        return cudaErrorNotSupported;
    if (!valid(device) || (device == p->device && !d->flags))
        return cudaErrorInvalidDevice;
    if (p->device == HEAP_PINNED) {
        open_pool(p, device, d->flags);
        return cudaSuccess;
    }
    if (!topo_p2p(simgpu_proc()->topo, simgpu_proc_place(device),
                  simgpu_proc_place(p->device)) &&
        device != p->device)
        return cudaErrorInvalidDevice;
    open_pool(p, device, d->flags);
    device_grant(device, p->device,
                 d->flags == cudaMemAccessFlagsProtReadWrite);
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool,
                                 const struct cudaMemAccessDesc *descList,
                                 size_t count)
{
    struct CUmemPoolHandle_st *const p = pool_find(memPool);
    cudaError_t err = cudaSuccess;
    if (!p || (!descList && count))
        return api_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < count && err == cudaSuccess; i++)
        err = set_access(p, &descList[i]);
    return api_return(err);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
                                 cudaMemPool_t memPool,
                                 struct cudaMemLocation *location)
{
    const struct CUmemPoolHandle_st *const p = pool_find(memPool);
    if (!p || !flags || !location || !valid(location->id))
        return api_return(cudaErrorInvalidValue);
    *flags =
        (p->device == HEAP_PINNED ? (int)(p->open >> location->id & 1)
                                  : device_granted(location->id, p->device))
            ? cudaMemAccessFlagsProtReadWrite
            : cudaMemAccessFlagsProtNone;
    return api_return(cudaSuccess);
}

/* ---- imported pools ------------------------------------------------------ */

uint64_t pool_serial(const void *p)
{
    struct heap_block b;
    if (simgpu_heap_find(p, &b) != 0)
        return 0;
    pthread_mutex_lock(&all.lock);
    const struct piece *piece = all.pieces;
    while (piece && piece->p != b.base)
        piece = piece->next;
    const uint64_t serial = piece && piece->pool ? piece->pool->id.serial : 0;
    pthread_mutex_unlock(&all.lock);
    return serial;
}

struct CUmemPoolHandle_st *pool_import(int device, struct pool_id id)
{
    if (!valid(device))
        return NULL;
    pthread_mutex_lock(&all.lock);
    struct CUmemPoolHandle_st *const p = create(device, 0);
    p->imported = 1;
    p->id = id;
    pthread_mutex_unlock(&all.lock);
    return p;
}

void pool_import_piece(struct CUmemPoolHandle_st *pool, void *p)
{
    pthread_mutex_lock(&all.lock);
    count_in(pool, p, 0);
    pthread_mutex_unlock(&all.lock);
}
