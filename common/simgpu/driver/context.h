/*
 * context.h: contexts, as the driver's functions share them
 *
 * The runtime's current device and the driver's current context are the same
 * thing: a context is a device's primary context, whether the runtime or the
 * driver created it.
 */
#ifndef SIMGPU_DRIVER_CONTEXT_H
#define SIMGPU_DRIVER_CONTEXT_H

#include <cuda.h>

/* CUDA_SUCCESS, or the error of a call that comes too early: before cuInit and
 * before any call of the runtime, or before the thread has a current
 * context. */
CUresult context_initialized(void);
CUresult context_current(void);

/* The primary context of a device. */
CUcontext context_of(int device);

/* The device of a context; -1 if ctx is not a context. */
int context_device(CUcontext ctx);

#endif
