/*
 * api.h: what the runtime's functions share
 */
#ifndef SIMGPU_CUDART_API_H
#define SIMGPU_CUDART_API_H

#include <cuda_runtime_api.h>

#include "core/stream/op.h"

/*
 * Errors are kept per host thread. Every API function ends with `return
 * api_return(err)`, which records a failure for cudaGetLastError and replaces
 * it by the device's sticky error if there is one.
 */
cudaError_t api_return_from(cudaError_t err, const char *call,
                            const void *return_address);
#define api_return(err)                                                        \
    api_return_from(err, __func__, __builtin_return_address(0))

/* The same for a launch by <<<>>>, which has no result: its failure goes
 * unnoticed until the program asks for the last error. */
void api_launched(cudaError_t err, const char *call, uint32_t site);

/* Between a call with 1 and its partner with -1, which may be nested, this
 * thread's failures are another API's: that API returns them itself, and
 * cudaGetLastError() does not. */
void simgpu_errors_aside(int step);

/* The error of a call from a function of cudaLaunchHostFunc, which must not
 * call the runtime. */
int api_inside_host_function(void);
void api_host_function(int inside);
#define API_ENTER()                                                            \
    do {                                                                       \
        if (api_inside_host_function())                                        \
            return api_return(cudaErrorNotPermitted);                          \
    } while (0)

/* Fail if device code calls a function that waits for the device. */
void api_refuse_in_device_code(const char *call, const void *return_address);
/* Fail if device code launches a graph. */
void api_refuse_graphs_in_device_code(const void *return_address);

/* Find the stream that a call enqueues to. Fails if the handle is
 * not a stream, or is the legacy stream while a stream that
 * synchronises with it is captured. */
cudaError_t api_stream(cudaStream_t stream, struct stream **out);

/* The priority nearest to p that streams and kernels can have. */
int api_priority(int wanted);

/* An operand of an operation: bytes, in the form that the operation needs. */
struct span {
    char *raw;     /* where simgpu accesses them */
    int device;    /* ordinal, HEAP_PINNED, or API_PAGEABLE */
    int on_host;   /* managed: the host may touch it, too */
    int32_t place; /* for the graph */
    struct graph_access access;
};
enum { API_PAGEABLE = -2 };

static inline int span_on_device(const struct span *s)
{
    return s->device >= 0;
}

/* If the bytes are in a variable, count them as the device's copy of it, and
 * return the device, else -1: resident.h. */
int api_span_variable(struct span *s, int device);

/*
 * Describe nbytes at p. Returns cudaErrorInvalidValue if they extend past the
 * end of the allocation that contains p, or if p points to freed device memory.
 */
cudaError_t span_of(const void *p, size_t nbytes, int write, struct span *out);

/*
 * Enqueue a device operation that moves nbytes from the last of its operands to
 * the first, and return its fence. It touches all of the operands, or the n
 * ranges in `access`.
 */
struct fence api_enqueue(struct stream *s, struct op *op,
                         const struct span *const *spans, int n, size_t nbytes);
struct fence api_enqueue_touching(struct stream *s, struct op *op,
                                  const struct span *to,
                                  const struct span *from, size_t nbytes,
                                  const struct graph_access *access, size_t n);

/* False for a window of the L2 cache whose share of hits isn't between 0 and 1,
 * or whose misses persist. */
static inline int api_attribute_fits(cudaLaunchAttributeID id,
                                     const cudaLaunchAttributeValue *value)
{
    const struct cudaAccessPolicyWindow *const w = &value->accessPolicyWindow;
    return id != cudaLaunchAttributeAccessPolicyWindow ||
           (w->hitRatio >= 0 && w->hitRatio <= 1 &&
            w->hitProp <= cudaAccessPropertyPersisting &&
            w->missProp < cudaAccessPropertyPersisting);
}

#endif
