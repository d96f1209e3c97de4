#include "cudart/graphs/user_object.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* calloc */

#include "core/report.h"

struct CUuserObject_st {
    void *p;
    cudaHostFn_t destroy;
    unsigned refs;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static cudaError_t change(struct CUuserObject_st *o, unsigned count, int gain)
{
    if (!o || count == 0 || count > INT_MAX)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    if (!gain && count > o->refs) {
        pthread_mutex_unlock(&lock);
        return cudaErrorInvalidValue;
    }
    o->refs = gain ? o->refs + count : o->refs - count;
    const int gone = o->refs == 0;
    pthread_mutex_unlock(&lock);
    if (gone) {
        o->destroy(o->p);
        free(o);
    }
    return cudaSuccess;
}

static struct held *find(struct held *all, const struct CUuserObject_st *o)
{
    while (all && all->object != o)
        all = all->next;
    return all;
}

static void note(struct held **all, struct CUuserObject_st *o, unsigned count)
{
    struct held *h = find(*all, o);
    if (!h) {
        h = simgpu_need(calloc(1, sizeof *h), "a graph");
        h->object = o;
        h->next = *all;
        *all = h;
    }
    h->count += count;
}

cudaError_t user_object_hold(struct held **all, struct CUuserObject_st *o,
                             unsigned count, int move)
{
    const cudaError_t err = move ? cudaSuccess : change(o, count, 1);
    if (err == cudaSuccess)
        note(all, o, count);
    return err;
}

cudaError_t user_object_unhold(struct held *all, struct CUuserObject_st *o,
                               unsigned count)
{
    struct held *const h = find(all, o);
    if (!h || count > h->count)
        return cudaErrorInvalidValue;
    h->count -= count;
    return change(o, count, 0);
}

void user_objects_copy(struct held **to, const struct held *from)
{
    for (; from; from = from->next)
        user_object_hold(to, from->object, from->count, 0);
}

void user_objects_drop(struct held *all)
{
    for (struct held *next; all; all = next) {
        next = all->next;
        if (all->count)
            change(all->object, all->count, 0);
        free(all);
    }
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr,
                                 cudaHostFn_t destroy,
                                 unsigned int initialRefcount,
                                 unsigned int flags)
{
    if (!object_out || !destroy || initialRefcount == 0 ||
        flags != cudaUserObjectNoDestructorSync)
        return api_return(cudaErrorInvalidValue);
    struct CUuserObject_st *const o = malloc(sizeof *o);
    if (!o)
        return api_return(cudaErrorMemoryAllocation);
    *o = (struct CUuserObject_st){ptr, destroy, initialRefcount};
    *object_out = o;
    return api_return(cudaSuccess);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    return api_return(change(object, count, 1));
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    return api_return(change(object, count, 0));
}
