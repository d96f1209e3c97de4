/*
 * stream.c: streams and host functions
 */
#include "core/stream/stream.h"

#include <stdlib.h> /* malloc */

#include "core/device.h"
#include "core/site.h"
#include "core/stream/hostfn.h"
#include "core/stream/lent.h"
#include "core/stream/pending.h"
#include "core/stream/unwaited.h"
#include "cudart/graphs/capture.h"
#include "cudart/host_function.h"

int api_priority(int wanted)
{
    int least, greatest;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    return wanted > least ? least : wanted < greatest ? greatest : wanted;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *pStream,
                                         unsigned int flags, int priority)
{
    API_ENTER();
    if (!pStream || flags > cudaStreamNonBlocking)
        return api_return(cudaErrorInvalidValue);
    *pStream = (cudaStream_t)stream_new(
        simgpu_device_current(),
        flags == cudaStreamNonBlocking ? STREAM_NONBLOCKING : STREAM_BLOCKING,
        api_priority(priority));
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

cudaError_t cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId)
{
    const struct stream *const s = simgpu_stream_of(hStream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!streamId)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = capture_allows_call(s);
    if (err == cudaSuccess)
        *streamId = stream_queue(s);
    return api_return(err);
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device)
{
    const struct stream *const s = simgpu_stream_of(hStream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!device)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = capture_allows_call(s);
    if (err == cudaSuccess)
        *device = simgpu_stream_device(s);
    return api_return(err);
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
    capture_leave(s);
    stream_release(s);
    return api_return(cudaSuccess);
}

/* The fences that a synchronisation of the stream waits for: its own last one;
 * for the legacy stream, those of all blocking streams. */
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
    api_refuse_in_device_code(__func__, __builtin_return_address(0));
    struct fence fences[MAX_FENCES];
    struct stream *const s = simgpu_stream_of(stream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    const cudaError_t err = capture_allows_sync(s);
    if (err != cudaSuccess)
        return api_return(err);
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
    const cudaError_t err = capture_allows_sync(s);
    if (err != cudaSuccess)
        return api_return(err);
    const int n = fences_of(s, fences, MAX_FENCES);
    return api_return(
        simgpu_fence_poll(fences, n, "cudaStreamQuery", CALLER_SITE())
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
    const cudaError_t err = capture_allows_call(s);
    if (err == cudaSuccess)
        *flags = stream_kind_of(s) == STREAM_NONBLOCKING ? cudaStreamNonBlocking
                                                         : cudaStreamDefault;
    return api_return(err);
}

cudaError_t cudaStreamGetPriority(cudaStream_t hStream, int *priority)
{
    const struct stream *const s = simgpu_stream_of(hStream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!priority)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = capture_allows_work(s);
    if (err == cudaSuccess)
        *priority = stream_priority(s);
    return api_return(err);
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
    hostfn_run(op, h->fn, h->data);
    api_host_function(0);
}

void host_function_enqueue(struct stream *s, cudaHostFn_t fn, void *data,
                           const char *name, uint32_t site)
{
    struct host_op *const op =
        simgpu_op_new(sizeof *op, run_host, GRAPH_HOSTFN, name, site);
    op->fn = fn;
    op->data = data;
    pending_signal();
    simgpu_lent_excuse();
    simgpu_stream_enqueue(s, &op->op);
    unwaited_excuse();
}

/* Enqueue the function, or add it to the graph that is being captured. */
static cudaError_t add(struct stream *s, cudaHostFn_t fn, void *data,
                       const char *name, uint32_t site)
{
    if (!simgpu_stream_capture(s)) {
        host_function_enqueue(s, fn, data, name, site);
        return cudaSuccess;
    }
    struct cudaGraphNodeParams p = {.type = cudaGraphNodeTypeHost};
    p.host.fn = fn;
    p.host.userData = data;
    return capture_params(s, &p, name, site, NULL);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn,
                               void *userData)
{
    API_ENTER();
    struct stream *s;
    if (!fn)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = api_stream(stream, &s);
    if (err != cudaSuccess)
        return api_return(err);
    return api_return(
        add(s, fn, userData, "cudaLaunchHostFunc", CALLER_SITE()));
}

/* ---- callbacks: host functions that get the stream and its error --------- */

struct callback {
    cudaStreamCallback_t fn;
    cudaStream_t stream;
    void *data;
};

static void run_callback(void *arg)
{
    const struct callback c = *(struct callback *)arg;
    free(arg);
    c.fn(c.stream, cudaSuccess, c.data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback, void *userData,
                                  unsigned int flags)
{
    API_ENTER();
    struct stream *const s = simgpu_stream_of(stream);
    if (!s)
        return api_return(cudaErrorInvalidResourceHandle);
    if (!callback || flags != 0)
        return api_return(cudaErrorInvalidValue);
    const cudaError_t err = capture_allows_call(s);
    if (err != cudaSuccess)
        return api_return(err);
    struct callback *const c = malloc(sizeof *c);
    if (!c)
        return api_return(cudaErrorMemoryAllocation);
    *c = (struct callback){callback, stream, userData};
    return api_return(
        add(s, run_callback, c, "cudaStreamAddCallback", CALLER_SITE()));
}
