/*
 * nvToolsExtCudaRt.h: names for devices, streams and events, which are not
 * shown
 */
#ifndef SIMGPU_NVTX3_NVTOOLSEXTCUDART_H
#define SIMGPU_NVTX3_NVTOOLSEXTCUDART_H

#include "driver_types.h"
#include "nvtx3/nvToolsExt.h"

#ifdef __cplusplus
extern "C" {
#endif

void nvtxNameCudaDeviceA(int device, const char *name);
void nvtxNameCudaDeviceW(int device, const wchar_t *name);
void nvtxNameCudaStreamA(cudaStream_t stream, const char *name);
void nvtxNameCudaStreamW(cudaStream_t stream, const wchar_t *name);
void nvtxNameCudaEventA(cudaEvent_t event, const char *name);
void nvtxNameCudaEventW(cudaEvent_t event, const wchar_t *name);

#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent  nvtxNameCudaEventA

#ifdef __cplusplus
}
#endif
#endif
