/*
 * user_object.c: objects of the program that graphs keep alive
 */
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* calloc */

#include "core/report.h"
#include "cudart/cugraph.h"

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

static void note(struct CUgraph_st *g, struct CUuserObject_st *o,
                 unsigned count)
{
    struct held *h = g->held;
    while (h && h->object != o)
        h = h->next;
    if (!h) {
        h = simgpu_need(calloc(1, sizeof *h), "a graph");
        h->object = o;
        h->next = g->held;
        g->held = h;
    }
    h->count += count;
}

cudaError_t user_object_hold(struct CUgraph_st *g, struct CUuserObject_st *o,
                             unsigned count, int move)
{
    const cudaError_t err = move ? cudaSuccess : change(o, count, 1);
    if (err == cudaSuccess)
        note(g, o, count);
    return err;
}

void user_objects_copy(struct CUgraph_st *to, const struct CUgraph_st *from)
{
    for (const struct held *h = from->held; h; h = h->next)
        user_object_hold(to, h->object, h->count, 0);
}

void user_objects_drop(struct CUgraph_st *g)
{
    for (struct held *h = g->held, *next; h; h = next) {
        next = h->next;
        if (h->count)
            change(h->object, h->count, 0);
        free(h);
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

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
                                      cudaUserObject_t object,
                                      unsigned int count, unsigned int flags)
{
    if (!cugraph_is_live(graph) || !object || count == 0 || count > INT_MAX ||
        flags > cudaGraphUserObjectMove)
        return api_return(cudaErrorInvalidValue);
    return api_return(user_object_hold(graph, object, count, (int)flags));
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
                                       cudaUserObject_t object,
                                       unsigned int count)
{
    if (!cugraph_is_live(graph))
        return api_return(cudaErrorInvalidValue);
    struct held *h = graph->held;
    while (h && h->object != object)
        h = h->next;
    if (!h || count > h->count)
        return api_return(cudaErrorInvalidValue);
    h->count -= count;
    return api_return(change(object, count, 0));
}
