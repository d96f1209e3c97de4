/*
 * box.h: boxes of memory, which calls copy and fill
 *
 * Every copy of the runtime is a box: depth slices of height rows of width
 * bytes.
 */
#ifndef SIMGPU_CUDART_MEMORY_BOX_H
#define SIMGPU_CUDART_MEMORY_BOX_H

#include "cudart/api.h"

/* When a copy that doesn't wait uses host memory. By default it uses pageable
 * memory during the call, and pinned memory after it, in stream order. */
enum copy_host {
    COPY_AS_DRIVERS,
    COPY_SOURCE_NOW,   /* any source during the call */
    COPY_SOURCE_LATER, /* any source after it */
    COPY_IN_GRAPH      /* source and target after it */
};

struct copy { /* the arguments of a call */
    const char *name;
    uint32_t site;
    void *dst;
    const void *src;
    size_t width, height, depth; /* in bytes, rows, slices */
    size_t dpitch, spitch;       /* bytes from row to row */
    size_t dslice, sslice;       /* bytes from slice to slice */
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    int wait; /* cudaMemcpy rather than cudaMemcpyAsync */
    enum copy_host host;
};

struct fill { /* rows of elements of 1, 2 or 4 bytes */
    const char *name;
    uint32_t site;
    void *dst;
    unsigned value, elem_nbytes;
    size_t width, height, depth; /* in bytes, rows, slices */
    size_t pitch, slice;
    cudaStream_t stream;
    int wait; /* cudaMemset rather than cudaMemsetAsync */
};

#endif
