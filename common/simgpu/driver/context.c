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
static _Atomic int initialized;                    /* cuInit was called */

CUcontext context_of(int device)
{
    return &contexts[device];
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

static int valid(CUdevice dev)
{
    return dev >= 0 && dev < simgpu_proc()->ndevices;
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

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
    if (!pStr)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = name_of(error) ? cudaGetErrorString((cudaError_t)error) : NULL;
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
    if (err || !pctx)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    if (!valid(dev))
        return CUDA_ERROR_INVALID_DEVICE;
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
    if (ctx < contexts || !valid((int)(ctx - contexts)))
        return CUDA_ERROR_INVALID_CONTEXT;
    simgpu_device_set((int)(ctx - contexts));
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
