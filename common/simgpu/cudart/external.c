/*
 * external.c: what simgpu doesn't have: memory and semaphores of graphics APIs,
 * and kernels that are compiled or loaded at run time
 *
 * Programs that ask before using them get an answer. Others get an error, and a
 * different one if arguments are missing.
 */
#include <string.h> /* strcmp */

#include "core/site.h"
#include "cudart/api.h"

#define BOTH(a, b) ((a) && (b))
#define FAILS(err, given, signature)                                           \
    cudaError_t signature                                                      \
    {                                                                          \
        return api_return((given) ? (err) : cudaErrorInvalidValue);            \
    }
#define NOT_SUPPORTED(given, signature)                                        \
    FAILS(cudaErrorNotSupported, given, signature)

#pragma GCC diagnostic ignored "-Wunused-parameter"

NOT_SUPPORTED(BOTH(extMem_out, memHandleDesc),
              cudaImportExternalMemory(
                  cudaExternalMemory_t *extMem_out,
                  const struct cudaExternalMemoryHandleDesc *memHandleDesc))
NOT_SUPPORTED(BOTH(BOTH(devPtr, extMem), bufferDesc),
              cudaExternalMemoryGetMappedBuffer(
                  void **devPtr, cudaExternalMemory_t extMem,
                  const struct cudaExternalMemoryBufferDesc *bufferDesc))
NOT_SUPPORTED(extMem, cudaDestroyExternalMemory(cudaExternalMemory_t extMem))
NOT_SUPPORTED(BOTH(extSem_out, semHandleDesc),
              cudaImportExternalSemaphore(
                  cudaExternalSemaphore_t *extSem_out,
                  const struct cudaExternalSemaphoreHandleDesc *semHandleDesc))
NOT_SUPPORTED(BOTH(extSemArray, paramsArray),
              cudaSignalExternalSemaphoresAsync(
                  const cudaExternalSemaphore_t *extSemArray,
                  const struct cudaExternalSemaphoreSignalParams *paramsArray,
                  unsigned int numExtSems, cudaStream_t stream))
NOT_SUPPORTED(BOTH(extSemArray, paramsArray),
              cudaWaitExternalSemaphoresAsync(
                  const cudaExternalSemaphore_t *extSemArray,
                  const struct cudaExternalSemaphoreWaitParams *paramsArray,
                  unsigned int numExtSems, cudaStream_t stream))
NOT_SUPPORTED(extSem,
              cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem))
NOT_SUPPORTED(BOTH(callbackFunc, callback),
              cudaDeviceRegisterAsyncNotification(
                  int device, cudaAsyncCallback callbackFunc, void *userData,
                  cudaAsyncCallbackHandle_t *callback))
NOT_SUPPORTED(callback, cudaDeviceUnregisterAsyncNotification(
                            int device, cudaAsyncCallbackHandle_t callback))

/* Kernels in a cubin or in PTX run only on GPUs. */
NOT_SUPPORTED(BOTH(library, code),
              cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                  enum cudaJitOption *jitOptions,
                                  void **jitOptionsValues,
                                  unsigned int numJitOptions,
                                  enum cudaLibraryOption *libraryOptions,
                                  void **libraryOptionValues,
                                  unsigned int numLibraryOptions))
NOT_SUPPORTED(BOTH(library, fileName),
              cudaLibraryLoadFromFile(
                  cudaLibrary_t *library, const char *fileName,
                  enum cudaJitOption *jitOptions, void **jitOptionsValues,
                  unsigned int numJitOptions,
                  enum cudaLibraryOption *libraryOptions,
                  void **libraryOptionValues, unsigned int numLibraryOptions))

#define NO_LIBRARY(given, signature)                                           \
    FAILS(cudaErrorInvalidResourceHandle, given, signature)

NO_LIBRARY(1, cudaLibraryUnload(cudaLibrary_t library))
NO_LIBRARY(BOTH(pKernel, name),
           cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library,
                                const char *name))
NO_LIBRARY(BOTH(dptr || bytes, name),
           cudaLibraryGetGlobal(void **dptr, size_t *bytes,
                                cudaLibrary_t library, const char *name))
NO_LIBRARY(BOTH(dptr || bytes, name),
           cudaLibraryGetManaged(void **dptr, size_t *bytes,
                                 cudaLibrary_t library, const char *name))
NO_LIBRARY(BOTH(fptr, symbol),
           cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library,
                                         const char *symbol))
NO_LIBRARY(count,
           cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib))
NO_LIBRARY(kernels, cudaLibraryEnumerateKernels(cudaKernel_t *kernels,
                                                unsigned int numKernels,
                                                cudaLibrary_t lib))
