/*
 * cuda_device_runtime_api.h: the runtime in device code
 *
 * Device code calls the same functions as host code: cuda_runtime_api.h.
 */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "driver_types.h"

#ifdef __SIMNVCC__
/* A kernel starts after the one before it on its stream has ended, whatever the
 * launch allows: there is nothing to wait for, or to trigger. */
static inline void cudaGridDependencySynchronize(void) {}
static inline void cudaTriggerProgrammaticLaunchCompletion(void) {}
#endif

#endif
