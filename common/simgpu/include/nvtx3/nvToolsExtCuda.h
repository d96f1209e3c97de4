/*
 * nvToolsExtCuda.h: names for the driver's objects, which are not shown
 */
#ifndef SIMGPU_NVTX3_NVTOOLSEXTCUDA_H
#define SIMGPU_NVTX3_NVTOOLSEXTCUDA_H

#include "cuda.h"
#include "nvtx3/nvToolsExt.h"

#define SIMGPU_NAME(what, type)                                                \
    static __inline__ void nvtxName##what##A(type object, const char *name)    \
    {                                                                          \
        (void)object, (void)name;                                              \
    }                                                                          \
    static __inline__ void nvtxName##what##W(type object, const wchar_t *name) \
    {                                                                          \
        (void)object, (void)name;                                              \
    }
SIMGPU_NAME(CuDevice, CUdevice)
SIMGPU_NAME(CuContext, CUcontext)
SIMGPU_NAME(CuStream, CUstream)
SIMGPU_NAME(CuEvent, CUevent)
#undef SIMGPU_NAME

#define nvtxNameCuDevice  nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream  nvtxNameCuStreamA
#define nvtxNameCuEvent   nvtxNameCuEventA

#endif
