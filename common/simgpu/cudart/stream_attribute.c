/*
 * stream_attribute.c: attributes that programs set for a stream
 */
#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* memset */

#include "core/stream/stream.h"
#include "cudart/graphs/capture.h"

static struct noted { /* an attribute of a stream */
    struct noted *next;
    struct stream *stream;
    cudaStreamAttrID id;
    cudaStreamAttrValue value;
} * all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_known(cudaStreamAttrID id)
{
    return id == cudaStreamAttributeAccessPolicyWindow ||
           id == cudaStreamAttributeSynchronizationPolicy ||
           id == cudaStreamAttributePriority ||
           id == cudaStreamAttributeMemSyncDomainMap ||
           id == cudaStreamAttributeMemSyncDomain;
}

static struct noted *find(struct stream *s, cudaStreamAttrID id)
{
    struct noted *n = all;
    while (n && (n->stream != s || n->id != id))
        n = n->next;
    return n;
}

static int note(struct stream *s, cudaStreamAttrID id,
                const cudaStreamAttrValue *value)
{
    if (id == cudaStreamAttributePriority) {
        stream_set_priority(s, api_priority(value->priority));
        return 0;
    }
    struct noted *n = find(s, id);
    if (!n) {
        n = calloc(1, sizeof *n);
        if (!n)
            return -1;
        n->stream = s;
        n->id = id;
        n->next = all;
        all = n;
    }
    n->value = *value;
    return 0;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t hStream, cudaStreamAttrID attr,
                                   const cudaStreamAttrValue *value)
{
    struct stream *const s = simgpu_stream_of(hStream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!value || !is_known(attr) || !api_attribute_fits(attr, value))
        return api_return(cudaErrorInvalidValue);
    const cudaError_t captured = capture_allows_work(s);
    if (captured != cudaSuccess)
        return api_return(captured);
    pthread_mutex_lock(&lock);
    const int err = note(s, attr, value);
    pthread_mutex_unlock(&lock);
    return api_return(err ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t hStream, cudaStreamAttrID attr,
                                   cudaStreamAttrValue *value_out)
{
    struct stream *const s = simgpu_stream_of(hStream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!value_out || !is_known(attr))
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = capture_allows_work(s);
    if (err != cudaSuccess)
        return api_return(err);
    memset(value_out, 0, sizeof *value_out);
    if (attr == cudaStreamAttributeSynchronizationPolicy)
        value_out->syncPolicy = cudaSyncPolicyAuto;
    if (attr == cudaStreamAttributePriority)
        value_out->priority = stream_priority(s);
    pthread_mutex_lock(&lock);
    const struct noted *const n = find(s, attr);
    if (n)
        *value_out = n->value;
    pthread_mutex_unlock(&lock);
    return api_return(cudaSuccess);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    struct stream *const to = simgpu_stream_of(dst);
    struct stream *const from = simgpu_stream_of(src);
    if (!to || !from)
        return api_return(cudaErrorInvalidResourceHandle);
    cudaError_t err = capture_allows_work(to);
    if (err == cudaSuccess)
        err = capture_allows_work(from);
    if (err != cudaSuccess)
        return api_return(err);
    pthread_mutex_lock(&lock);
    stream_set_priority(to, stream_priority(from));
    for (const struct noted *n = all, *next; n; n = next) {
        next = n->next; // new ones are inserted before the first
        if (n->stream == from)
            note(to, n->id, &n->value);
    }
    pthread_mutex_unlock(&lock);
    return api_return(cudaSuccess);
}
