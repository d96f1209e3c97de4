/*
 * context.h: what the driver's functions share
 *
 * The runtime's current device and the driver's current context are the same
 * thing: a context is a device's primary context, created by either of them.
 */
#ifndef SIMGPU_DRIVER_CONTEXT_H
#define SIMGPU_DRIVER_CONTEXT_H

#include <cuda.h>

/* CUDA_SUCCESS, or the error of a call that comes too early: before cuInit and
 * any call of the runtime; before the thread has a current context. */
CUresult context_initialized(void);
CUresult context_current(void);

/* The primary context of a device. */
CUcontext context_of(int device);

/* The device of a context; -1 if it is none. */
int context_device(CUcontext ctx);

#endif
