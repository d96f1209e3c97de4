/*
 * driver_types.h: the CUDA runtime's types, as simgpu implements them
 *
 * Values, names and layouts are those of CUDA 13.0, so that a program compiled
 * with either header runs with either library. Other headers test for the
 * guard.
 */
#ifndef __DRIVER_TYPES_H__
#define __DRIVER_TYPES_H__

#include <limits.h> /* as CUDA's header */
#include <stddef.h> /* size_t */

#include "host_defines.h"
#include "vector_types.h" /* dim3 */

#define CUDART_CB

#define ERROR(name, value, text) name = value,
enum cudaError {
#include "simgpu/errors.def"
    cudaErrorApiFailureBase = 10000 /* errors from here on are never reported */
};
#undef ERROR

#define cudaStreamDefault              0x00
#define cudaStreamNonBlocking          0x01
#define cudaStreamLegacy               ((cudaStream_t)0x1)
#define cudaStreamPerThread            ((cudaStream_t)0x2)
#define cudaEventDefault               0x00
#define cudaEventBlockingSync          0x01
#define cudaEventDisableTiming         0x02
#define cudaEventInterprocess          0x04
#define cudaEventRecordDefault         0x00
#define cudaEventRecordExternal        0x01
#define cudaEventWaitDefault           0x00
#define cudaEventWaitExternal          0x01
#define cudaIpcMemLazyEnablePeerAccess 0x01
#define CUDA_IPC_HANDLE_SIZE           64

typedef void (*cudaHostFn_t)(void *userData);
#ifndef CU_UUID_HAS_BEEN_DEFINED
#define CU_UUID_HAS_BEEN_DEFINED
struct CUuuid_st {
    char bytes[16];
};
typedef struct CUuuid_st CUuuid;
#endif
typedef struct CUuuid_st cudaUUID_t;
typedef struct cudaIpcEventHandle_st {
    char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcEventHandle_t;
typedef struct cudaIpcMemHandle_st {
    char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcMemHandle_t;
typedef enum cudaError cudaError_t;
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef unsigned long long cudaGraphConditionalHandle;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;

#include "simgpu/types_memory.h"

#include "simgpu/types_device.h"
#include "simgpu/types_external.h"
#include "simgpu/types_graph.h"
#include "simgpu/types_library.h"
#include "simgpu/types_texture.h"

#endif
