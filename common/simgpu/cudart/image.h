/*
 * image.h: kernels compiled by nvcc, which run only on GPUs
 */
#ifndef SIMGPU_CUDART_IMAGE_H
#define SIMGPU_CUDART_IMAGE_H

#include <cuda_runtime_api.h>
#include <stdint.h> /* uint32_t */

/*
 * The error for an address that is no kernel of simgpu's: if nvcc compiled it,
 * cudaErrorNoKernelImageForDevice, with a warning that says what to do;
 * otherwise, as it might be a handle, cudaErrorInvalidResourceHandle, and for
 * none cudaErrorInvalidDeviceFunction. site: of the call.
 */
cudaError_t image_missing(const void *func, uint32_t site);

#endif
