/*
 * memory.h: what other files need of memory.c
 */
#ifndef SIMGPU_CUDART_MEMORY_H
#define SIMGPU_CUDART_MEMORY_H

#include "cudart/api.h"

/* Free device memory as cudaFree does, for `call`. */
cudaError_t memory_free(void *p, const char *call, uint32_t site);

/*
 * A graph begins or ends to use p's allocation. It may do so again, unlike the
 * life of an allocation: so it counts as a write to all of it, which whatever
 * uses it has to be ordered with.
 */
void memory_mark(struct stream *s, void *p, const char *call, uint32_t site);

/* Allocate on a device, or in the memory of a NUMA node (its place in the
 * graph), and free, in the order of a stream. */
cudaError_t memory_alloc_on(struct stream *s, int device, size_t nbytes,
                            const char *call, uint32_t site, void **out);
cudaError_t memory_alloc_numa_on(struct stream *s, int32_t place, size_t nbytes,
                                 const char *call, uint32_t site, void **out);
cudaError_t memory_free_on(struct stream *s, void *p, const char *call,
                           uint32_t site);

#endif
