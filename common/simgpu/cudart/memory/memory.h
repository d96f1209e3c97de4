/*
 * memory.h: functions of memory.c that other files need
 */
#ifndef SIMGPU_CUDART_MEMORY_MEMORY_H
#define SIMGPU_CUDART_MEMORY_MEMORY_H

#include "cudart/api.h"

/* Free device memory as cudaFree does, on behalf of `call`. */
cudaError_t memory_free(void *p, const char *call, uint32_t site);

/* Allocate on a device, or in the memory of a NUMA node (its place in the
 * graph), and free, in stream order. */
cudaError_t memory_alloc_on(struct stream *s, int device, size_t nbytes,
                            const char *call, uint32_t site, void **out);
cudaError_t memory_alloc_numa_on(struct stream *s, int32_t place, size_t nbytes,
                                 const char *call, uint32_t site, void **out);
cudaError_t memory_free_on(struct stream *s, void *p, const char *call,
                           uint32_t site);

#endif
