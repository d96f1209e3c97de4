/*
 * pool_share.c: pools of other processes
 *
 * A pool's handle is a file that contains its device's number and its identity;
 * an allocation's is a heap_ref with its pool's number.
 */
#define _GNU_SOURCE
#include <string.h>   /* memcpy */
#include <sys/mman.h> /* memfd_create */
#include <unistd.h>   /* pread */

#include "core/heap/heap.h"
#include "cudart/memory/pool_state.h"

struct exported_pool { /* contents of the file */
    int device;
    struct pool_id id;
};

struct exported_piece {
    struct heap_ref ref;
    uint64_t pool; /* its serial */
};
_Static_assert(sizeof(struct exported_piece) <=
                   sizeof(struct cudaMemPoolPtrExportData),
               "a piece of a pool fits into exported data");

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
    struct exported_pool is;
    memset(&is, 0, sizeof is);
    is.device = p->device;
    is.id = p->id;
    const int fd = memfd_create("simgpu-pool", MFD_CLOEXEC);
    if (fd < 0 || pwrite(fd, &is, sizeof is, 0) != (ssize_t)sizeof is)
        return api_return(cudaErrorOperatingSystem);
    *(int *)shareableHandle = fd;
    return api_return(cudaSuccess);
}

cudaError_t cudaMemPoolImportFromShareableHandle(
    cudaMemPool_t *memPool, void *shareableHandle,
    enum cudaMemAllocationHandleType handleType, unsigned int flags)
{
    struct exported_pool is;
    const int fd = (int)(intptr_t)shareableHandle;
    if (!memPool || flags || handleType != cudaMemHandleTypePosixFileDescriptor)
        return api_return(cudaErrorInvalidValue);
    struct CUmemPoolHandle_st *const p =
        pread(fd, &is, sizeof is, 0) == (ssize_t)sizeof is
            ? pool_import(is.device, is.id)
            : NULL;
    if (!p)
        return api_return(cudaErrorUnknown);
    *memPool = p;
    return api_return(cudaSuccess);
}

cudaError_t
cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr)
{
    struct exported_piece piece;
    memset(&piece, 0, sizeof piece);
    piece.pool = pool_serial(ptr);
    if (!exportData || !piece.pool || simgpu_heap_export(ptr, &piece.ref) != 0)
        return api_return(cudaErrorInvalidValue);
    memset(exportData, 0, sizeof *exportData);
    memcpy(exportData, &piece, sizeof piece);
    return api_return(cudaSuccess);
}

cudaError_t
cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                         struct cudaMemPoolPtrExportData *exportData)
{
    struct exported_piece piece;
    struct CUmemPoolHandle_st *const p = pool_find(memPool);
    if (!ptr || !exportData || !p || !p->imported)
        return api_return(cudaErrorInvalidValue);
    memcpy(&piece, exportData, sizeof piece);
    // programs try the pools that they imported one after the other
    if (piece.pool != p->id.serial ||
        memcmp(&piece.ref.owner, &p->id.owner, sizeof p->id.owner) != 0)
        return api_return(cudaErrorInvalidValue);
    if (simgpu_heap_import(&piece.ref, ptr) != 0)
        return api_return(cudaErrorMapBufferObjectFailed);
    pool_import_piece(p, *ptr);
    return api_return(cudaSuccess);
}
