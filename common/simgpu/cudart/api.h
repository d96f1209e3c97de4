/*
 * api.h: what the runtime's functions share
 */
#ifndef SIMGPU_CUDART_API_H
#define SIMGPU_CUDART_API_H

#include <cuda_runtime_api.h>

#include "core/heap.h"
#include "core/stream.h"

/* The runtime may not be called from a function of cudaLaunchHostFunc. */
int api_inside_host_function(void);
void api_host_function(int inside);
#define API_ENTER()                                                            \
    do {                                                                       \
        if (api_inside_host_function())                                        \
            return cudaErrorNotPermitted;                                      \
    } while (0)

/* An operand of an operation: bytes somewhere, as the operation sees them. */
struct span {
    char *raw;     /* where simgpu touches them */
    int device;    /* ordinal, HEAP_PINNED, or API_PAGEABLE */
    int32_t place; /* for the graph */
    struct graph_access access;
};
enum { API_PAGEABLE = -2 };

/*
 * Describe nbytes at p. cudaErrorInvalidValue if they run over the end of the
 * allocation that p points into, or if p points to freed device memory.
 */
cudaError_t span_of(const void *p, size_t nbytes, int write, struct span *out);

/*
 * Do copies between these devices of this process go straight? Not before one
 * of them was given access to the other's memory: cudaDeviceEnablePeerAccess().
 */
int api_peers(int device_a, int device_b);

/* May kernels of this device touch memory of that one? */
int api_reaches(int device, int peer);

/*
 * The mark of a device-side operation on one or two operands, enqueued. nbytes
 * are moved to the first from the last. What it touches is all of the operands,
 * or what `access` says: n entries.
 */
struct mark api_enqueue(struct stream *s, struct op *op,
                        const struct span *const *spans, int n, size_t nbytes);
struct mark api_enqueue_touching(struct stream *s, struct op *op,
                                 const struct span *to, const struct span *from,
                                 size_t nbytes,
                                 const struct graph_access *access, size_t n);

#endif
