/*
 * context.c: devices and their primary contexts
 */
#include "driver/context.h"

#include <cuda_runtime_api.h> /* cudaGetErrorString */
#include <stdatomic.h>        /* atomic_load */
#include <stdio.h>            /* snprintf */

#include "core/device.h"
#include "core/proc.h"

struct CUctx_st {
    _Atomic int nretained;
};

static struct CUctx_st contexts[PROC_MAX_DEVICES]; /* by device */
/* true once cuInit has been called */
static _Atomic int initialized;

CUcontext context_of(int device)
{
    return &contexts[device];
}

static int valid(CUdevice dev)
{
    return dev >= 0 && dev < simgpu_proc()->ndevices;
}

int context_device(CUcontext ctx)
{
    if (ctx < contexts || ctx >= contexts + PROC_MAX_DEVICES)
        return -1;
    return valid((int)(ctx - contexts)) ? (int)(ctx - contexts) : -1;
}

CUresult context_initialized(void)
{
    return initialized || simgpu_proc_started() ? CUDA_SUCCESS
                                                : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult context_current(void)
{
    const CUresult err = context_initialized();
    return err                     ? err
           : simgpu_device_bound() ? CUDA_SUCCESS
                                   : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuInit(unsigned int Flags)
{
    if (Flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    initialized = 1;
    simgpu_proc();
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *driverVersion)
{
    if (!driverVersion)
        return CUDA_ERROR_INVALID_VALUE;
    *driverVersion = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* ---- errors -------------------------------------------------------------- */

static const char *name_of(CUresult error)
{
    switch (error) {
#define RESULT(name, value)                                                    \
    case name:                                                                 \
        return #name;
#include "simgpu/results.def"
#undef RESULT
    }
    return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **pStr)
{
    if (!pStr)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = name_of(error);
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The runtime has texts for the other errors. */
static const char *text_of(CUresult error)
{
    switch (error) {
    case CUDA_ERROR_CONTEXT_ALREADY_CURRENT: return "context already current";
    case CUDA_ERROR_KEY_ROTATION:
        return "an error happened during the key rotation sequence";
    default: return cudaGetErrorString((cudaError_t)error);
    }
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
    if (!pStr)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = name_of(error) ? text_of(error) : NULL;
    return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- devices ------------------------------------------------------------- */

CUresult cuDeviceGetCount(int *count)
{
    const CUresult err = context_initialized();
    if (err || !count)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    *count = simgpu_proc()->ndevices;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    const CUresult err = context_initialized();
    if (err || !device)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    if (!valid(ordinal))
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
    const CUresult err = context_initialized();
    if (err || !name || len < 1)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    struct cudaDeviceProp p;
    if (!valid(dev) || cudaGetDeviceProperties(&p, dev) != cudaSuccess)
        return CUDA_ERROR_INVALID_DEVICE;
    snprintf(name, (size_t)len, "%s", p.name);
    return CUDA_SUCCESS;
}

/* ---- contexts ------------------------------------------------------------ */

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
    const CUresult err = context_initialized();
    if (err)
        return err;
    if (!valid(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!pctx)
        return CUDA_ERROR_INVALID_VALUE;
    atomic_fetch_add(&contexts[dev].nretained, 1);
    *pctx = &contexts[dev];
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice dev)
{
    const CUresult err = context_initialized();
    if (err)
        return err;
    if (!valid(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    int n = atomic_load(&contexts[dev].nretained);
    while (n > 0 &&
           !atomic_compare_exchange_weak(&contexts[dev].nretained, &n, n - 1))
        ;
    return n > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxSetCurrent(CUcontext ctx)
{
    const CUresult err = context_initialized();
    if (err)
        return err;
    if (!ctx) {
        simgpu_device_unbind();
        return CUDA_SUCCESS;
    }
    if (context_device(ctx) < 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    simgpu_device_set(context_device(ctx));
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
    const CUresult err = context_initialized();
    if (err || !pctx)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    *pctx = simgpu_device_bound() ? &contexts[simgpu_device_current()] : NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    const CUresult err = context_current();
    if (err || !device)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    *device = simgpu_device_current();
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags,
                                    int *active)
{
    const CUresult err = context_initialized();
    if (err || !flags || !active)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    if (!valid(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    *flags = CU_CTX_SCHED_AUTO;
    *active = atomic_load(&contexts[dev].nretained) > 0 ||
              (simgpu_device_bound() && simgpu_device_current() == dev);
    return CUDA_SUCCESS;
}

/* ---- a thread's stack of contexts ---------------------------------------- */

enum { DEEPEST = 1024, NO_DEVICE = -1 };

static _Thread_local struct {
    int below[DEEPEST]; /* the devices that were current before */
    int depth;
} stack;

static int current_device(void)
{
    return simgpu_device_bound() ? simgpu_device_current() : NO_DEVICE;
}

CUresult cuCtxPushCurrent(CUcontext ctx)
{
    const CUresult err = context_initialized();
    if (err)
        return err;
    if (context_device(ctx) < 0)
        return ctx ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    if (stack.depth == DEEPEST)
        return CUDA_ERROR_INVALID_VALUE;
    stack.below[stack.depth++] = current_device();
    return cuCtxSetCurrent(ctx);
}

CUresult cuCtxPopCurrent(CUcontext *pctx)
{
    const CUresult err = context_current();
    if (err)
        return err;
    if (pctx)
        *pctx = context_of(current_device());
    const int below = stack.depth ? stack.below[--stack.depth] : NO_DEVICE;
    return cuCtxSetCurrent(below == NO_DEVICE ? NULL : context_of(below));
}

CUresult cuCtxCreate(CUcontext *pctx, CUctxCreateParams *ctxCreateParams,
                     unsigned int flags, CUdevice dev)
{
    const unsigned known =
        CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX;
    if (ctxCreateParams &&
        (ctxCreateParams->numExecAffinityParams || ctxCreateParams->cigParams))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult err = cuDevicePrimaryCtxRetain(pctx, dev);
    return err ? err : cuCtxPushCurrent(*pctx);
}

/* Older forms, which programs find by cuGetProcAddress(). */
struct CUexecAffinityParam_st;
CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev);
CUresult cuCtxCreate_v3(CUcontext *pctx, struct CUexecAffinityParam_st *params,
                        int nparams, unsigned int flags, CUdevice dev);

CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice dev)
{
    return cuCtxCreate(pctx, NULL, flags, dev);
}

CUresult cuCtxCreate_v3(CUcontext *pctx, struct CUexecAffinityParam_st *params,
                        int nparams, unsigned int flags, CUdevice dev)
{
    CUctxCreateParams all = {params, nparams, NULL};
    return cuCtxCreate(pctx, &all, flags, dev);
}

CUresult cuCtxDestroy(CUcontext ctx)
{
    const int device = context_device(ctx);
    const CUresult err = context_initialized();
    if (err)
        return err;
    if (device < 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (device == current_device())
        cuCtxPopCurrent(NULL);
    return cuDevicePrimaryCtxRelease(device);
}
