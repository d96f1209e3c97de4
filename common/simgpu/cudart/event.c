#include "cudart/event.h"

#include <pthread.h>  /* pthread_mutex_t */
#include <stdlib.h>   /* calloc */
#include <sys/mman.h> /* mmap */
#include <unistd.h>   /* close */

#include "core/device.h"
#include "core/report.h"

/* all that were created, to validate handles */
static struct CUevent_st *events;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct CUevent_st *event_find(cudaEvent_t event)
{
    pthread_mutex_lock(&lock);
    struct CUevent_st *e = events;
    while (e && (e != event || !e->live))
        e = e->next;
    pthread_mutex_unlock(&lock);
    return e;
}

struct CUevent_st *event_new(unsigned flags)
{
    struct CUevent_st *const e = simgpu_need(calloc(1, sizeof *e), "an event");
    e->flags = flags;
    e->device = simgpu_device_current();
    e->fd = -1;
    e->live = e->refs = 1;
    pthread_mutex_lock(&lock);
    e->next = events;
    events = e;
    pthread_mutex_unlock(&lock);
    return e;
}

uint32_t event_ref(struct CUevent_st *e, int record)
{
    pthread_mutex_lock(&lock);
    e->refs++;
    const uint32_t number =
        record && e->shared ? atomic_fetch_add(&e->shared->issued, 1) + 1 : 0;
    pthread_mutex_unlock(&lock);
    return number;
}

void event_unref(struct CUevent_st *e)
{
    pthread_mutex_lock(&lock);
    const int last = --e->refs == 0;
    struct CUevent_st **link = &events;
    while (last && *link != e)
        link = &(*link)->next;
    if (last)
        *link = e->next;
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    captured_release(&e->captured);
    if (e->shared)
        munmap(e->shared, sizeof *e->shared);
    if (e->fd >= 0)
        close(e->fd);
    free(e);
}

cudaError_t event_share(struct CUevent_st *e, int fd)
{
    e->shared = mmap(NULL, sizeof *e->shared, PROT_READ | PROT_WRITE,
                     MAP_SHARED, fd, 0);
    if (e->shared == MAP_FAILED) {
        e->shared = NULL;
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

int event_is_live(cudaEvent_t event)
{
    return event_find(event) != NULL;
}
