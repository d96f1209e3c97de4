/*
 * function.h: attributes of kernels, and how many blocks fit
 */
#ifndef SIMGPU_CUDART_FUNCTION_H
#define SIMGPU_CUDART_FUNCTION_H

#include "cudart/api.h"

/* The address that host code knows a kernel by, from that or a handle. */
const void *function_of(const void *func_or_handle);

/* Likewise from a handle only, for the driver; NULL: it is none. */
const void *simgpu_function_of(const void *handle);

/* Dynamic shared memory that a kernel may use on a device, in bytes. */
int function_shared(const void *func, int device);

/* Blocks of a kernel that fit on one multiprocessor of a device. */
cudaError_t function_occupancy(const void *func, int device, int block_size,
                               size_t shared_nbytes, int *blocks);

/* The clusters of a launch that asks for *cluster, {1, 1, 1} for none: the
 * kernel's own, if it has any. */
cudaError_t function_cluster(const void *func, int device, dim3 grid,
                             dim3 *cluster);

/* True if a device runs clusters of blocks. */
int function_has_clusters(int device);

#endif
