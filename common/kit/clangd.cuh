/*
 * clangd.cuh: what clang needs for kernels and <<<>>>, for editors only
 *
 * To simgpu, kernels and device functions are ordinary functions. clang treats
 * them the same way if every function is for host and device, which the pragma
 * declares up to the end of the source.
 */
#ifndef COMMLAB_KIT_CLANGD_CUH
#define COMMLAB_KIT_CLANGD_CUH

#include <new> // which says for itself what is for which

#pragma clang force_cuda_host_device begin

#define __syncthreads clangd_syncthreads // a builtin of clang
#include <cuda_runtime.h>

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                                size_t shared_nbytes = 0,
                                                void *stream = 0);

#undef __global__
#define __global__ __attribute__((global))

#endif
