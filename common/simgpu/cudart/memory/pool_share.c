/*
 * pool_share.c: pools of other processes
 *
 * A pool's handle is a file that contains its device's number; an allocation's
 * is a heap_ref.
 */
#define _GNU_SOURCE
#include <string.h>   /* memcpy */
#include <sys/mman.h> /* memfd_create */
#include <unistd.h>   /* pread */

#include "core/heap/heap.h"
#include "cudart/memory/pool_state.h"

_Static_assert(sizeof(struct heap_ref) <=
                   sizeof(struct cudaMemPoolPtrExportData),
               "a heap_ref fits into exported data");

cudaError_t
cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                   enum cudaMemAllocationHandleType handleType,
                                   unsigned int flags)
{
    const struct CUmemPoolHandle_st *const p = pool_find(memPool);
    if (!p || !shareableHandle || flags ||
        handleType != cudaMemHandleTypePosixFileDescriptor ||
        !(p->props.handleTypes & handleType))
        return api_return(cudaErrorInvalidValue);
    const int fd = memfd_create("simgpu-pool", MFD_CLOEXEC);
    if (fd < 0 || pwrite(fd, &p->device, sizeof p->device, 0) !=
                      (ssize_t)sizeof p->device)
        return api_return(cudaErrorOperatingSystem);
    *(int *)shareableHandle = fd;
    return api_return(cudaSuccess);
}

cudaError_t cudaMemPoolImportFromShareableHandle(
    cudaMemPool_t *memPool, void *shareableHandle,
    enum cudaMemAllocationHandleType handleType, unsigned int flags)
{
    int device;
    const int fd = (int)(intptr_t)shareableHandle;
    if (!memPool || flags || handleType != cudaMemHandleTypePosixFileDescriptor)
        return api_return(cudaErrorInvalidValue);
    struct CUmemPoolHandle_st *const p =
        pread(fd, &device, sizeof device, 0) == (ssize_t)sizeof device
            ? pool_import(device)
            : NULL;
    if (!p)
        return api_return(cudaErrorUnknown);
    *memPool = p;
    return api_return(cudaSuccess);
}

cudaError_t
cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr)
{
    struct heap_ref ref;
    if (!exportData || simgpu_heap_export(ptr, &ref) != 0)
        return api_return(cudaErrorInvalidValue);
    memset(exportData, 0, sizeof *exportData);
    memcpy(exportData, &ref, sizeof ref);
    return api_return(cudaSuccess);
}

cudaError_t
cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                         struct cudaMemPoolPtrExportData *exportData)
{
    struct heap_ref ref;
    struct CUmemPoolHandle_st *const p = pool_find(memPool);
    if (!ptr || !exportData || !p || !p->imported)
        return api_return(cudaErrorInvalidValue);
    memcpy(&ref, exportData, sizeof ref);
    if (simgpu_heap_import(&ref, ptr) != 0)
        return api_return(cudaErrorMapBufferObjectFailed);
    pool_import_piece(p, *ptr);
    return api_return(cudaSuccess);
}
