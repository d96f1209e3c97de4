/*
 * cuda_device_runtime_api.h: the runtime in device code
 *
 * Device code calls the same functions as host code: cuda_runtime_api.h. It may
 * launch kernels, but not wait for them.
 */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "driver_types.h"

/* Streams of a grid: launches that run after it, or at any time. */
#define cudaStreamTailLaunch    ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

#ifdef __SIMNVCC__
/* A kernel starts after the one before it on its stream has ended, whatever the
 * launch allows: there is nothing to wait for, or to trigger. */
static inline void cudaGridDependencySynchronize(void) {}
static inline void cudaTriggerProgrammaticLaunchCompletion(void) {}
#endif

#endif
