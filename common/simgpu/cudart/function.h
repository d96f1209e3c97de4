/*
 * function.h: attributes of kernels, and how many blocks fit
 */
#ifndef SIMGPU_CUDART_FUNCTION_H
#define SIMGPU_CUDART_FUNCTION_H

#include "cudart/api.h"

/* The address that host code knows a kernel by, from that or a handle. */
const void *function_of(const void *func_or_handle);

/* Dynamic shared memory that a kernel may use on a device, in bytes. */
int function_shared(const void *func, int device);

/* Blocks of a kernel that fit on one multiprocessor of a device. */
cudaError_t function_occupancy(const void *func, int device, int block_size,
                               size_t shared_nbytes, int *blocks);

/* True if a device runs clusters of blocks. */
int function_has_clusters(int device);

#endif
