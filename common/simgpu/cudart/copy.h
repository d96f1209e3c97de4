/*
 * copy.h: copies and fills of boxes of memory
 *
 * Every copy of the runtime is a box: depth slices of height rows of width
 * bytes. A stream that is being captured gets a node instead (capture.h).
 */
#ifndef SIMGPU_CUDART_COPY_H
#define SIMGPU_CUDART_COPY_H

#include "cudart/api.h"

struct copy { /* the arguments of a call */
    const char *name;
    uint32_t site;
    void *dst;
    const void *src;
    size_t width, height, depth; /* bytes, rows, slices */
    size_t dpitch, spitch;       /* from one row to the next */
    size_t dslice, sslice;       /* from one slice to the next */
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    int wait; /* cudaMemcpy rather than cudaMemcpyAsync */
};

cudaError_t copy_run(const struct copy *c);

int copy_is_kind(enum cudaMemcpyKind kind);

/* The error of a copy of this kind that a graph will make: pageable memory is
 * no device's. */
cudaError_t copy_direction(enum cudaMemcpyKind kind, const void *dst,
                           const void *src);

/* A copy of count bytes, of rows, and of a box. */
cudaError_t copy_bytes(const char *name, uint32_t site, void *dst,
                       const void *src, size_t count, enum cudaMemcpyKind kind,
                       cudaStream_t stream, int wait);
cudaError_t copy_rows(const char *name, uint32_t site, void *dst, size_t dpitch,
                      const void *src, size_t spitch, size_t width,
                      size_t height, enum cudaMemcpyKind kind,
                      cudaStream_t stream, int wait);
cudaError_t copy_box(const char *name, uint32_t site,
                     const struct cudaMemcpy3DParms *p, cudaStream_t stream,
                     int wait);

struct fill { /* rows of a number of elements of 1, 2 or 4 bytes */
    const char *name;
    uint32_t site;
    void *dst;
    unsigned value, elem_nbytes;
    size_t width, height, depth; /* bytes, rows, slices */
    size_t pitch, slice;
    cudaStream_t stream;
};
cudaError_t simgpu_fill(const struct fill *f);

/* Arrays are rows of device memory, without padding. */
struct cudaArray {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* in elements; 0 for dimensions that it lacks */
    unsigned flags;
    size_t elem_nbytes, width; /* width: bytes of a row */
    char *base;
};

/* The number of channels of a texel, or the error of a format that neither
 * arrays nor textures have. */
cudaError_t array_channels(const struct cudaChannelFormatDesc *f, int *n);

#endif
