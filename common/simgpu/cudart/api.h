/*
 * api.h: what the runtime's functions share
 */
#ifndef SIMGPU_CUDART_API_H
#define SIMGPU_CUDART_API_H

#include <cuda_runtime_api.h>

#include "core/op.h"

/*
 * Errors are kept per host thread: every API function ends with `return
 * api_return(err)`, which remembers a failure for cudaGetLastError and lets the
 * device's sticky error override it.
 */
cudaError_t api_return_from(cudaError_t err, const char *call,
                            const void *return_address);
#define api_return(err)                                                        \
    api_return_from(err, __func__, __builtin_return_address(0))

/* Between a call with 1 and its partner with -1, which may be nested, this
 * thread's failures are another API's: it returns them itself, and
 * cudaGetLastError() does not. */
void simgpu_errors_aside(int step);

/* Functions of cudaLaunchHostFunc may not call the runtime. */
int api_inside_host_function(void);
void api_host_function(int inside);
#define API_ENTER()                                                            \
    do {                                                                       \
        if (api_inside_host_function())                                        \
            return cudaErrorNotPermitted;                                      \
    } while (0)

/* Fail if device code calls a function that waits for the device. */
void api_refuse_in_device_code(const char *call, const void *return_address);
/* Fail if device code launches a graph. */
void api_refuse_graphs_in_device_code(const void *return_address);

/* The stream that a call enqueues to, or the error of that: it is no stream, or
 * the legacy stream while a stream that synchronises with it is captured. */
cudaError_t api_stream(cudaStream_t stream, struct stream **out);

/* The nearest priority that streams and kernels can have. */
int api_priority(int wanted);

/* An operand of an operation: bytes somewhere, as the operation sees them. */
struct span {
    char *raw;     /* where simgpu accesses them */
    int device;    /* ordinal, HEAP_PINNED, or API_PAGEABLE */
    int managed;   /* of a device, but the host's too */
    int32_t place; /* for the graph */
    struct graph_access access;
};
enum { API_PAGEABLE = -2 };

/*
 * Describe nbytes at p. cudaErrorInvalidValue if they extend past the end of
 * the allocation that p points into, or if p points to freed device memory.
 */
cudaError_t span_of(const void *p, size_t nbytes, int write, struct span *out);

/*
 * Enqueue a device-side operation that moves nbytes to the first of its
 * operands from the last, and return its fence. It touches all of the operands,
 * or the n ranges of `access`.
 */
struct fence api_enqueue(struct stream *s, struct op *op,
                         const struct span *const *spans, int n, size_t nbytes);
struct fence api_enqueue_touching(struct stream *s, struct op *op,
                                  const struct span *to,
                                  const struct span *from, size_t nbytes,
                                  const struct graph_access *access, size_t n);

#endif
