/*
 * external.c: what there is nothing of here: memory and semaphores of graphics
 * APIs, and kernels that are compiled or loaded while a program runs
 *
 * Programs that ask before they use them get an answer; the others an error.
 */
#include <string.h> /* strcmp */

#include "core/site.h"
#include "cudart/api.h"

#define NOT_SUPPORTED(signature)                                               \
    cudaError_t signature                                                      \
    {                                                                          \
        return api_return(cudaErrorNotSupported);                              \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter"

NOT_SUPPORTED(cudaImportExternalMemory(
    cudaExternalMemory_t *extMem_out,
    const struct cudaExternalMemoryHandleDesc *memHandleDesc))
NOT_SUPPORTED(cudaExternalMemoryGetMappedBuffer(
    void **devPtr, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryBufferDesc *bufferDesc))
NOT_SUPPORTED(cudaDestroyExternalMemory(cudaExternalMemory_t extMem))
NOT_SUPPORTED(cudaImportExternalSemaphore(
    cudaExternalSemaphore_t *extSem_out,
    const struct cudaExternalSemaphoreHandleDesc *semHandleDesc))
NOT_SUPPORTED(cudaSignalExternalSemaphoresAsync(
    const cudaExternalSemaphore_t *extSemArray,
    const struct cudaExternalSemaphoreSignalParams *paramsArray,
    unsigned int numExtSems, cudaStream_t stream))
NOT_SUPPORTED(cudaWaitExternalSemaphoresAsync(
    const cudaExternalSemaphore_t *extSemArray,
    const struct cudaExternalSemaphoreWaitParams *paramsArray,
    unsigned int numExtSems, cudaStream_t stream))
NOT_SUPPORTED(cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem))
NOT_SUPPORTED(cudaDeviceRegisterAsyncNotification(
    int device, cudaAsyncCallback callbackFunc, void *userData,
    cudaAsyncCallbackHandle_t *callback))
NOT_SUPPORTED(cudaDeviceUnregisterAsyncNotification(
    int device, cudaAsyncCallbackHandle_t callback))

/* Kernels of a cubin or of PTX run only on GPUs. */
NOT_SUPPORTED(cudaLibraryLoadData(
    cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions,
    void **jitOptionsValues, unsigned int numJitOptions,
    enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
    unsigned int numLibraryOptions))
NOT_SUPPORTED(cudaLibraryLoadFromFile(
    cudaLibrary_t *library, const char *fileName,
    enum cudaJitOption *jitOptions, void **jitOptionsValues,
    unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions,
    void **libraryOptionValues, unsigned int numLibraryOptions))

#define NO_LIBRARY(signature)                                                  \
    cudaError_t signature                                                      \
    {                                                                          \
        return api_return(cudaErrorInvalidResourceHandle);                     \
    }

NO_LIBRARY(cudaLibraryUnload(cudaLibrary_t library))
NO_LIBRARY(cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library,
                                const char *name))
NO_LIBRARY(cudaLibraryGetGlobal(void **dptr, size_t *bytes,
                                cudaLibrary_t library, const char *name))
NO_LIBRARY(cudaLibraryGetManaged(void **dptr, size_t *bytes,
                                 cudaLibrary_t library, const char *name))
NO_LIBRARY(cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library,
                                         const char *symbol))
NO_LIBRARY(cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib))
NO_LIBRARY(cudaLibraryEnumerateKernels(cudaKernel_t *kernels,
                                       unsigned int numKernels,
                                       cudaLibrary_t lib))
