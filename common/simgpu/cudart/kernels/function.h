/*
 * function.h: attributes of kernels, and how many blocks fit
 */
#ifndef SIMGPU_CUDART_KERNELS_FUNCTION_H
#define SIMGPU_CUDART_KERNELS_FUNCTION_H

#include "cudart/api.h"

/* A kernel's address in host code, given that address or a handle. */
const void *function_of(const void *func_or_handle);

/* The same given a handle only, for the driver; NULL if it is not one. */
const void *simgpu_function_of(const void *handle);

/* The dynamic shared memory, in bytes, that a kernel may use on a device. */
int function_shared(const void *func, int device);

/* The number of the kernel's blocks that fit on one
 * multiprocessor of a device. */
cudaError_t function_occupancy(const void *func, int device, int block_size,
                               size_t shared_nbytes, int *blocks);

/* The clusters of a launch that asks for *cluster, {1, 1, 1} meaning none: the
 * kernel's own, if it has any. */
cudaError_t function_cluster(const void *func, int device, dim3 grid,
                             dim3 *cluster);

#endif
