#include "cudart/graphs/graph_memory.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* malloc */

#include "core/device.h"
#include "core/heap/heap.h"
#include "core/stream/stream.h"
#include "cudart/memory/life.h"

struct memory {
    struct memory *next;
    void *p;
    size_t nbytes;
    int device, refs, alive; /* refs: nodes; alive: between begin and end */
};

static struct memory *all;
static size_t most[PROC_MAX_DEVICES]; /* high-water mark of reserved bytes */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct memory *find(const void *p)
{
    struct memory *m = all;
    while (m && m->p != p)
        m = m->next;
    return m;
}

int graph_memory_has(const void *p)
{
    pthread_mutex_lock(&lock);
    const int has = find(p) != NULL;
    pthread_mutex_unlock(&lock);
    return has;
}

static size_t reserved(int device, int used_only)
{
    size_t nbytes = 0;
    for (const struct memory *m = all; m; m = m->next)
        if (m->device == device && (!used_only || m->alive))
            nbytes += m->nbytes;
    return nbytes;
}

cudaError_t graph_memory_add(struct cudaMemAllocNodeParamsV2 *p, uint32_t site)
{
    const int device = p->poolProps.location.id;
    if (p->poolProps.allocType != cudaMemAllocationTypePinned ||
        p->poolProps.location.type != cudaMemLocationTypeDevice || device < 0 ||
        device >= simgpu_proc()->ndevices || p->bytesize == 0)
        return cudaErrorInvalidValue;
    struct memory *const m = calloc(1, sizeof *m);
    if (!m || simgpu_heap_alloc(device, p->bytesize, HEAP_ORDINARY, site,
                                &m->p) != 0) {
        free(m);
        return cudaErrorMemoryAllocation;
    }
    m->nbytes = p->bytesize;
    m->device = device;
    m->refs = 1;
    pthread_mutex_lock(&lock);
    m->next = all;
    all = m;
    if (reserved(device, 0) > most[device])
        most[device] = reserved(device, 0);
    pthread_mutex_unlock(&lock);
    p->dptr = m->p;
    return cudaSuccess;
}

/* Remove it from the list. The caller frees the memory,
 * and must hold the lock. */
static void forget(struct memory *m)
{
    struct memory **link = &all;
    while (*link != m)
        link = &(*link)->next;
    *link = m->next;
    free(m);
}

void graph_memory_keep(void *p)
{
    pthread_mutex_lock(&lock);
    struct memory *const m = find(p);
    if (m)
        m->refs++;
    pthread_mutex_unlock(&lock);
}

void graph_memory_drop(void *p)
{
    pthread_mutex_lock(&lock);
    struct memory *const m = find(p);
    const int last = m && --m->refs == 0 && !m->alive;
    if (last)
        forget(m);
    pthread_mutex_unlock(&lock);
    if (last)
        simgpu_heap_free(p);
}

enum graph_memory_end graph_memory_end(void *p)
{
    pthread_mutex_lock(&lock);
    struct memory *const m = find(p);
    enum graph_memory_end end = !m          ? GRAPH_MEMORY_NONE
                                : !m->alive ? GRAPH_MEMORY_ENDED
                                : m->refs   ? GRAPH_MEMORY_KEPT
                                            : GRAPH_MEMORY_LAST;
    if (m)
        m->alive = 0;
    if (end == GRAPH_MEMORY_LAST)
        forget(m);
    pthread_mutex_unlock(&lock);
    return end;
}

cudaError_t graph_memory_begin_on(struct stream *s, void *p, uint32_t site)
{
    pthread_mutex_lock(&lock);
    struct memory *const m = find(p);
    const int again = m && m->alive;
    if (m)
        m->alive = 1;
    pthread_mutex_unlock(&lock);
    // as in CUDA: the graph was launched again before it was freed
    if (!m || again)
        return cudaErrorInvalidValue;
    life_use(s, p, "cudaGraphAddMemAllocNode", site);
    return cudaSuccess;
}

cudaError_t graph_memory_end_on(struct stream *s, void *p, uint32_t site)
{
    life_use(s, p, "cudaGraphAddMemFreeNode", site);
    graph_memory_end(p);
    return cudaSuccess;
}

/* ---- queries ------------------------------------------------------------- */

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    return api_return(device >= 0 && device < simgpu_proc()->ndevices
                          ? cudaSuccess
                          : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                           enum cudaGraphMemAttributeType attr,
                                           void *value)
{
    if (device < 0 || device >= simgpu_proc()->ndevices)
        return api_return(cudaErrorInvalidDevice);
    if (!value || (int)attr < 0 || attr > cudaGraphMemAttrReservedMemHigh)
        return api_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    const int high = attr == cudaGraphMemAttrUsedMemHigh ||
                     attr == cudaGraphMemAttrReservedMemHigh;
    *(uint64_t *)value =
        high ? most[device]
             : reserved(device, attr == cudaGraphMemAttrUsedMemCurrent);
    pthread_mutex_unlock(&lock);
    return api_return(cudaSuccess);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                           enum cudaGraphMemAttributeType attr,
                                           void *value)
{
    if (device < 0 || device >= simgpu_proc()->ndevices)
        return api_return(cudaErrorInvalidDevice);
    if (!value || *(uint64_t *)value != 0 ||
        (attr != cudaGraphMemAttrUsedMemHigh &&
         attr != cudaGraphMemAttrReservedMemHigh))
        return api_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    most[device] = reserved(device, 0);
    pthread_mutex_unlock(&lock);
    return api_return(cudaSuccess);
}
