/*
 * cuda_device_runtime_api.h: the runtime in device code
 *
 * Device code calls the same functions as host code (cuda_runtime_api.h). It
 * can launch kernels, but not wait for them.
 */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "driver_types.h"

/* Streams of a grid, for launches that run after it, or at any time. */
#define cudaStreamTailLaunch    ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

#ifdef __SIMNVCC__
/* A kernel always starts after the previous kernel on its stream has
 * ended, even if the launch allows it to start earlier, so these
 * functions do nothing. */
static inline void cudaGridDependencySynchronize(void) {}
static inline void cudaTriggerProgrammaticLaunchCompletion(void) {}
#endif

#endif
