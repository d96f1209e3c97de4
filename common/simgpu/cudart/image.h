/*
 * image.h: kernels that nvcc compiled, which are for GPUs alone
 */
#ifndef SIMGPU_CUDART_IMAGE_H
#define SIMGPU_CUDART_IMAGE_H

#include <cuda_runtime_api.h>
#include <stdint.h> /* uint32_t */

/*
 * Why there is no kernel by this address: cudaErrorNoKernelImageForDevice, and a
 * line that says what to do, if nvcc compiled one; cudaErrorInvalidDeviceFunction
 * if it is no kernel. site: of the call.
 */
cudaError_t image_missing(const void *func, uint32_t site);

#endif
