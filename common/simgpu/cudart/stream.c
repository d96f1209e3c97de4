/*
 * stream.c: streams and host functions
 */
#include "core/stream.h"
#include "core/device.h"
#include "core/site.h"
#include "cudart/api.h"

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream,
                                         unsigned int flags, int priority)
{
    API_ENTER();
    if (!pStream || flags > cudaStreamNonBlocking)
        return api_return(cudaErrorInvalidValue);
    *pStream = (cudaStream_t)stream_new(
        simgpu_device_current(),
        flags == cudaStreamNonBlocking ? STREAM_NONBLOCKING : STREAM_BLOCKING,
        priority);
    return api_return(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(pStream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *pStream)
{
    return cudaStreamCreateWithPriority(pStream, cudaStreamDefault, 0);
}

static int is_own(cudaStream_t stream)
{
    return stream != 0 && stream != cudaStreamLegacy &&
           stream != cudaStreamPerThread;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    API_ENTER();
    struct stream *const s = is_own(stream) ? simgpu_stream_of(stream) : NULL;
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    stream_release(s);
    return api_return(cudaSuccess);
}

/* The fences that a synchronisation of the stream waits for: its own last one,
 * and for the legacy stream those of all blocking streams. */
static int fences_of(struct stream *s, struct fence *out, int cap)
{
    if (stream_kind_of(s) == STREAM_LEGACY)
        return stream_tails(simgpu_stream_device(s), 1, out, cap);
    out[0] = simgpu_stream_tail(s);
    return 1;
}

enum { MAX_FENCES = 1024 };

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    API_ENTER();
    struct fence fences[MAX_FENCES];
    struct stream *const s = simgpu_stream_of(stream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    const int n = fences_of(s, fences, MAX_FENCES);
    simgpu_fence_join(fences, n, "cudaStreamSynchronize", CALLER_SITE());
    return api_return(cudaSuccess);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    API_ENTER();
    struct fence fences[MAX_FENCES];
    struct stream *const s = simgpu_stream_of(stream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    const int n = fences_of(s, fences, MAX_FENCES);
    return api_return(fence_poll(fences, n, "cudaStreamQuery", CALLER_SITE())
                          ? cudaSuccess
                          : cudaErrorNotReady);
}

cudaError_t cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags)
{
    const struct stream *const s = simgpu_stream_of(hStream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!flags)
        return api_return(cudaErrorInvalidValue);
    *flags = stream_kind_of(s) == STREAM_NONBLOCKING ? cudaStreamNonBlocking
                                                     : cudaStreamDefault;
    return api_return(cudaSuccess);
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority)
{
    const struct stream *const s = simgpu_stream_of(hStream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!priority)
        return api_return(cudaErrorInvalidValue);
    *priority = stream_priority(s);
    return api_return(cudaSuccess);
}

struct host_op {
    struct op op;
    cudaHostFn_t fn;
    void *data;
};

static void run_host(struct op *op)
{
    const struct host_op *const h = (struct host_op *)op;
    api_host_function(1);
    h->fn(h->data);
    api_host_function(0);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
                               void *userData)
{
    API_ENTER();
    struct stream *const s = simgpu_stream_of(stream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!fn)
        return api_return(cudaErrorInvalidValue);
    struct host_op *const op =
        simgpu_op_new(sizeof *op, run_host, GRAPH_HOSTFN, "cudaLaunchHostFunc",
                      CALLER_SITE());
    op->fn = fn;
    op->data = userData;
    simgpu_stream_enqueue(s, &op->op);
    return api_return(cudaSuccess);
}
