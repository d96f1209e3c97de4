/*
 * copy.h: copies and fills of boxes of memory
 *
 * A captured stream gets a node instead (capture.h).
 */
#ifndef SIMGPU_CUDART_MEMORY_COPY_H
#define SIMGPU_CUDART_MEMORY_COPY_H

#include "cudart/memory/box.h"

cudaError_t copy_run(const struct copy *c);

/* Enqueue a copy of count bytes, or of rows. */
cudaError_t copy_bytes(const char *name, uint32_t site, void *dst,
                       const void *src, size_t count, enum cudaMemcpyKind kind,
                       cudaStream_t stream, int wait);
cudaError_t copy_rows(const char *name, uint32_t site, void *dst, size_t dpitch,
                      const void *src, size_t spitch, size_t width,
                      size_t height, enum cudaMemcpyKind kind,
                      cudaStream_t stream, int wait);

/* Enqueue a box for a node of a graph that runs: the host does not wait. */
cudaError_t copy_node(const char *name, uint32_t site,
                      const struct cudaMemcpy3DParms *p, cudaStream_t stream);

cudaError_t simgpu_fill(const struct fill *f);

/* An array: rows of device memory without padding. */
struct cudaArray {
    struct cudaChannelFormatDesc desc;
    struct cudaExtent extent; /* in elements; missing dimensions are 0 */
    unsigned flags;
    size_t elem_nbytes, width; /* width: bytes in a row */
    char *base;
};

/* Get the number of channels of a texel, or the error of a format that neither
 * arrays nor textures can have. */
cudaError_t array_channels(const struct cudaChannelFormatDesc *f, int *n);

#endif
