/*
 * cudaTypedefs.h: types of pointers to the driver's functions
 *
 * Programs that find the driver's functions with cuGetProcAddress() name these
 * types: PFN_cuMemAlloc_v3020 is what cuMemAlloc() has been since CUDA 3.2, and
 * PFN_cuMemAlloc is the newest. Only functions that cuda.h declares are here,
 * with the versions whose parameters are the same.
 */
#ifndef SIMGPU_CUDATYPEDEFS_H
#define SIMGPU_CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SIMGPU_PFN(name, version)                                              \
    typedef __typeof__(&name) PFN_##name##_v##version;
#include "simgpu/driver_versions.h"
#undef SIMGPU_PFN

/* NCCL names this older one. */
typedef CUresult (*PFN_cuCtxCreate_v11040)(CUcontext *pctx,
                                           struct CUexecAffinityParam_st *,
                                           int numParams, unsigned int flags,
                                           CUdevice dev);

/* the newest */
#define PFN_cuArray3DCreate              PFN_cuArray3DCreate_v3020
#define PFN_cuArray3DGetDescriptor       PFN_cuArray3DGetDescriptor_v3020
#define PFN_cuArrayCreate                PFN_cuArrayCreate_v3020
#define PFN_cuArrayDestroy               PFN_cuArrayDestroy_v2000
#define PFN_cuArrayGetDescriptor         PFN_cuArrayGetDescriptor_v3020
#define PFN_cuCtxCreate                  PFN_cuCtxCreate_v12050
#define PFN_cuCtxDestroy                 PFN_cuCtxDestroy_v4000
#define PFN_cuCtxDisablePeerAccess       PFN_cuCtxDisablePeerAccess_v4000
#define PFN_cuCtxEnablePeerAccess        PFN_cuCtxEnablePeerAccess_v4000
#define PFN_cuCtxGetApiVersion           PFN_cuCtxGetApiVersion_v3020
#define PFN_cuCtxGetCacheConfig          PFN_cuCtxGetCacheConfig_v3020
#define PFN_cuCtxGetCurrent              PFN_cuCtxGetCurrent_v4000
#define PFN_cuCtxGetDevice               PFN_cuCtxGetDevice_v2000
#define PFN_cuCtxGetFlags                PFN_cuCtxGetFlags_v7000
#define PFN_cuCtxGetLimit                PFN_cuCtxGetLimit_v3010
#define PFN_cuCtxGetStreamPriorityRange  PFN_cuCtxGetStreamPriorityRange_v5050
#define PFN_cuCtxPopCurrent              PFN_cuCtxPopCurrent_v4000
#define PFN_cuCtxPushCurrent             PFN_cuCtxPushCurrent_v4000
#define PFN_cuCtxSetCacheConfig          PFN_cuCtxSetCacheConfig_v3020
#define PFN_cuCtxSetCurrent              PFN_cuCtxSetCurrent_v4000
#define PFN_cuCtxSetLimit                PFN_cuCtxSetLimit_v3010
#define PFN_cuCtxSynchronize             PFN_cuCtxSynchronize_v2000
#define PFN_cuDeviceCanAccessPeer        PFN_cuDeviceCanAccessPeer_v4000
#define PFN_cuDeviceComputeCapability    PFN_cuDeviceComputeCapability_v2000
#define PFN_cuDeviceGet                  PFN_cuDeviceGet_v2000
#define PFN_cuDeviceGetAttribute         PFN_cuDeviceGetAttribute_v2000
#define PFN_cuDeviceGetByPCIBusId        PFN_cuDeviceGetByPCIBusId_v4010
#define PFN_cuDeviceGetCount             PFN_cuDeviceGetCount_v2000
#define PFN_cuDeviceGetName              PFN_cuDeviceGetName_v2000
#define PFN_cuDeviceGetPCIBusId          PFN_cuDeviceGetPCIBusId_v4010
#define PFN_cuDeviceGetUuid              PFN_cuDeviceGetUuid_v11040
#define PFN_cuDevicePrimaryCtxGetState   PFN_cuDevicePrimaryCtxGetState_v7000
#define PFN_cuDevicePrimaryCtxRelease    PFN_cuDevicePrimaryCtxRelease_v11000
#define PFN_cuDevicePrimaryCtxReset      PFN_cuDevicePrimaryCtxReset_v11000
#define PFN_cuDevicePrimaryCtxRetain     PFN_cuDevicePrimaryCtxRetain_v7000
#define PFN_cuDeviceTotalMem             PFN_cuDeviceTotalMem_v3020
#define PFN_cuDriverGetVersion           PFN_cuDriverGetVersion_v2020
#define PFN_cuEventCreate                PFN_cuEventCreate_v2000
#define PFN_cuEventDestroy               PFN_cuEventDestroy_v4000
#define PFN_cuEventElapsedTime           PFN_cuEventElapsedTime_v12080
#define PFN_cuEventQuery                 PFN_cuEventQuery_v2000
#define PFN_cuEventRecord                PFN_cuEventRecord_v2000
#define PFN_cuEventSynchronize           PFN_cuEventSynchronize_v2000
#define PFN_cuFuncGetAttribute           PFN_cuFuncGetAttribute_v2020
#define PFN_cuFuncGetName                PFN_cuFuncGetName_v12030
#define PFN_cuFuncSetAttribute           PFN_cuFuncSetAttribute_v9000
#define PFN_cuFuncSetBlockShape          PFN_cuFuncSetBlockShape_v2000
#define PFN_cuFuncSetCacheConfig         PFN_cuFuncSetCacheConfig_v3000
#define PFN_cuFuncSetSharedMemConfig     PFN_cuFuncSetSharedMemConfig_v4020
#define PFN_cuFuncSetSharedSize          PFN_cuFuncSetSharedSize_v2000
#define PFN_cuGetErrorName               PFN_cuGetErrorName_v6000
#define PFN_cuGetErrorString             PFN_cuGetErrorString_v6000
#define PFN_cuGetProcAddress             PFN_cuGetProcAddress_v12000
#define PFN_cuInit                       PFN_cuInit_v2000
#define PFN_cuLaunch                     PFN_cuLaunch_v2000
#define PFN_cuLaunchGrid                 PFN_cuLaunchGrid_v2000
#define PFN_cuLaunchGridAsync            PFN_cuLaunchGridAsync_v2000
#define PFN_cuLaunchHostFunc             PFN_cuLaunchHostFunc_v10000
#define PFN_cuLaunchKernel               PFN_cuLaunchKernel_v4000
#define PFN_cuLaunchKernelEx             PFN_cuLaunchKernelEx_v11060
#define PFN_cuLinkAddData                PFN_cuLinkAddData_v6050
#define PFN_cuLinkAddFile                PFN_cuLinkAddFile_v6050
#define PFN_cuLinkComplete               PFN_cuLinkComplete_v5050
#define PFN_cuLinkCreate                 PFN_cuLinkCreate_v6050
#define PFN_cuLinkDestroy                PFN_cuLinkDestroy_v5050
#define PFN_cuMemAddressFree             PFN_cuMemAddressFree_v10020
#define PFN_cuMemAddressReserve          PFN_cuMemAddressReserve_v10020
#define PFN_cuMemAlloc                   PFN_cuMemAlloc_v3020
#define PFN_cuMemAllocAsync              PFN_cuMemAllocAsync_v11020
#define PFN_cuMemAllocHost               PFN_cuMemAllocHost_v3020
#define PFN_cuMemAllocManaged            PFN_cuMemAllocManaged_v6000
#define PFN_cuMemAllocPitch              PFN_cuMemAllocPitch_v3020
#define PFN_cuMemCreate                  PFN_cuMemCreate_v10020
#define PFN_cuMemExportToShareableHandle PFN_cuMemExportToShareableHandle_v10020
#define PFN_cuMemFree                    PFN_cuMemFree_v3020
#define PFN_cuMemFreeAsync               PFN_cuMemFreeAsync_v11020
#define PFN_cuMemFreeHost                PFN_cuMemFreeHost_v2000
#define PFN_cuMemGetAccess               PFN_cuMemGetAccess_v10020
#define PFN_cuMemGetAddressRange         PFN_cuMemGetAddressRange_v3020
#define PFN_cuMemGetAllocationGranularity                                      \
    PFN_cuMemGetAllocationGranularity_v10020
#define PFN_cuMemGetAllocationPropertiesFromHandle                             \
    PFN_cuMemGetAllocationPropertiesFromHandle_v10020
#define PFN_cuMemGetHandleForAddressRange                                      \
    PFN_cuMemGetHandleForAddressRange_v11070
#define PFN_cuMemGetInfo              PFN_cuMemGetInfo_v3020
#define PFN_cuMemHostAlloc            PFN_cuMemHostAlloc_v2020
#define PFN_cuMemHostGetDevicePointer PFN_cuMemHostGetDevicePointer_v3020
#define PFN_cuMemHostGetFlags         PFN_cuMemHostGetFlags_v2030
#define PFN_cuMemHostRegister         PFN_cuMemHostRegister_v6050
#define PFN_cuMemHostUnregister       PFN_cuMemHostUnregister_v4000
#define PFN_cuMemImportFromShareableHandle                                     \
    PFN_cuMemImportFromShareableHandle_v10020
#define PFN_cuMemMap                    PFN_cuMemMap_v10020
#define PFN_cuMemRelease                PFN_cuMemRelease_v10020
#define PFN_cuMemRetainAllocationHandle PFN_cuMemRetainAllocationHandle_v11000
#define PFN_cuMemSetAccess              PFN_cuMemSetAccess_v10020
#define PFN_cuMemUnmap                  PFN_cuMemUnmap_v10020
#define PFN_cuMemcpy                    PFN_cuMemcpy_v4000
#define PFN_cuMemcpy2D                  PFN_cuMemcpy2D_v3020
#define PFN_cuMemcpy2DAsync             PFN_cuMemcpy2DAsync_v3020
#define PFN_cuMemcpy2DUnaligned         PFN_cuMemcpy2DUnaligned_v3020
#define PFN_cuMemcpy3D                  PFN_cuMemcpy3D_v3020
#define PFN_cuMemcpy3DAsync             PFN_cuMemcpy3DAsync_v3020
#define PFN_cuMemcpyAsync               PFN_cuMemcpyAsync_v4000
#define PFN_cuMemcpyAtoD                PFN_cuMemcpyAtoD_v3020
#define PFN_cuMemcpyAtoH                PFN_cuMemcpyAtoH_v3020
#define PFN_cuMemcpyDtoA                PFN_cuMemcpyDtoA_v3020
#define PFN_cuMemcpyDtoD                PFN_cuMemcpyDtoD_v3020
#define PFN_cuMemcpyDtoDAsync           PFN_cuMemcpyDtoDAsync_v3020
#define PFN_cuMemcpyDtoH                PFN_cuMemcpyDtoH_v3020
#define PFN_cuMemcpyDtoHAsync           PFN_cuMemcpyDtoHAsync_v3020
#define PFN_cuMemcpyHtoA                PFN_cuMemcpyHtoA_v3020
#define PFN_cuMemcpyHtoD                PFN_cuMemcpyHtoD_v3020
#define PFN_cuMemcpyHtoDAsync           PFN_cuMemcpyHtoDAsync_v3020
#define PFN_cuMemcpyPeer                PFN_cuMemcpyPeer_v4000
#define PFN_cuMemcpyPeerAsync           PFN_cuMemcpyPeerAsync_v4000
#define PFN_cuMemsetD16                 PFN_cuMemsetD16_v3020
#define PFN_cuMemsetD16Async            PFN_cuMemsetD16Async_v3020
#define PFN_cuMemsetD2D16               PFN_cuMemsetD2D16_v3020
#define PFN_cuMemsetD2D16Async          PFN_cuMemsetD2D16Async_v3020
#define PFN_cuMemsetD2D32               PFN_cuMemsetD2D32_v3020
#define PFN_cuMemsetD2D32Async          PFN_cuMemsetD2D32Async_v3020
#define PFN_cuMemsetD2D8                PFN_cuMemsetD2D8_v3020
#define PFN_cuMemsetD2D8Async           PFN_cuMemsetD2D8Async_v3020
#define PFN_cuMemsetD32                 PFN_cuMemsetD32_v3020
#define PFN_cuMemsetD32Async            PFN_cuMemsetD32Async_v3020
#define PFN_cuMemsetD8                  PFN_cuMemsetD8_v3020
#define PFN_cuMemsetD8Async             PFN_cuMemsetD8Async_v3020
#define PFN_cuModuleGetFunction         PFN_cuModuleGetFunction_v2000
#define PFN_cuModuleGetGlobal           PFN_cuModuleGetGlobal_v3020
#define PFN_cuModuleLoad                PFN_cuModuleLoad_v2000
#define PFN_cuModuleLoadData            PFN_cuModuleLoadData_v2000
#define PFN_cuModuleLoadDataEx          PFN_cuModuleLoadDataEx_v2010
#define PFN_cuModuleLoadFatBinary       PFN_cuModuleLoadFatBinary_v2000
#define PFN_cuModuleUnload              PFN_cuModuleUnload_v2000
#define PFN_cuMulticastAddDevice        PFN_cuMulticastAddDevice_v12010
#define PFN_cuMulticastBindAddr         PFN_cuMulticastBindAddr_v12010
#define PFN_cuMulticastBindMem          PFN_cuMulticastBindMem_v12010
#define PFN_cuMulticastCreate           PFN_cuMulticastCreate_v12010
#define PFN_cuMulticastGetGranularity   PFN_cuMulticastGetGranularity_v12010
#define PFN_cuMulticastUnbind           PFN_cuMulticastUnbind_v12010
#define PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor                        \
    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050
#define PFN_cuOccupancyMaxPotentialBlockSize                                   \
    PFN_cuOccupancyMaxPotentialBlockSize_v6050
#define PFN_cuParamSetSize             PFN_cuParamSetSize_v2000
#define PFN_cuParamSetf                PFN_cuParamSetf_v2000
#define PFN_cuParamSeti                PFN_cuParamSeti_v2000
#define PFN_cuParamSetv                PFN_cuParamSetv_v2000
#define PFN_cuPointerGetAttribute      PFN_cuPointerGetAttribute_v4000
#define PFN_cuPointerGetAttributes     PFN_cuPointerGetAttributes_v7000
#define PFN_cuStreamBatchMemOp         PFN_cuStreamBatchMemOp_v11070
#define PFN_cuStreamCreate             PFN_cuStreamCreate_v2000
#define PFN_cuStreamCreateWithPriority PFN_cuStreamCreateWithPriority_v5050
#define PFN_cuStreamDestroy            PFN_cuStreamDestroy_v4000
#define PFN_cuStreamGetCtx             PFN_cuStreamGetCtx_v9020
#define PFN_cuStreamGetFlags           PFN_cuStreamGetFlags_v5050
#define PFN_cuStreamGetId              PFN_cuStreamGetId_v12000
#define PFN_cuStreamGetPriority        PFN_cuStreamGetPriority_v5050
#define PFN_cuStreamQuery              PFN_cuStreamQuery_v2000
#define PFN_cuStreamSynchronize        PFN_cuStreamSynchronize_v2000
#define PFN_cuStreamWaitEvent          PFN_cuStreamWaitEvent_v3020
#define PFN_cuStreamWaitValue32        PFN_cuStreamWaitValue32_v11070
#define PFN_cuStreamWaitValue64        PFN_cuStreamWaitValue64_v11070
#define PFN_cuStreamWriteValue32       PFN_cuStreamWriteValue32_v11070
#define PFN_cuStreamWriteValue64       PFN_cuStreamWriteValue64_v11070

#ifdef __cplusplus
}
#endif
#endif
