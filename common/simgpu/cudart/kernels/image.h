/*
 * image.h: kernels compiled by nvcc, which run only on GPUs
 */
#ifndef SIMGPU_CUDART_KERNELS_IMAGE_H
#define SIMGPU_CUDART_KERNELS_IMAGE_H

#include <cuda_runtime_api.h>
#include <stdint.h> /* uint32_t */

/*
 * The error for an address that is not a kernel of simgpu:
 * cudaErrorNoKernelImageForDevice if nvcc compiled it, with a warning that says
 * what to do; cudaErrorInvalidResourceHandle if it might be a handle; else
 * cudaErrorInvalidDeviceFunction. site is where the call was made.
 */
cudaError_t image_missing(const void *func, uint32_t site);

#endif
