/*
 * direction.h: between which memories a copy goes
 */
#ifndef SIMGPU_CUDART_MEMORY_DIRECTION_H
#define SIMGPU_CUDART_MEMORY_DIRECTION_H

#include "cudart/api.h"

int direction_is_kind(enum cudaMemcpyKind kind);

/*
 * True if the given kind fits the operands' places. All memory except pageable
 * memory counts as a device's. CUDA copies from a device as if from the host,
 * and to it as if to the host, but calls that undefined, so it is refused here.
 */
int direction_fits(enum cudaMemcpyKind kind, const struct span *dst,
                   const struct span *src);

/* The error of a copy of this kind in a graph: pageable memory doesn't count as
 * a device's. */
cudaError_t direction_check(enum cudaMemcpyKind kind, const void *dst,
                            const void *src);

#endif
