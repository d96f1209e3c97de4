/*
 * ipc.c: memory of other processes
 *
 * A handle holds a heap_ref to the whole allocation.
 */
#include <string.h> /* memcpy */

#include "core/heap.h"
#include "core/host.h"
#include "core/site.h"
#include "cudart/api.h"

_Static_assert(sizeof(struct heap_ref) <= sizeof(cudaIpcMemHandle_t),
               "a heap_ref fits into a handle");

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
    API_ENTER();
    struct heap_block b;
    struct heap_ref ref;
    if (!handle || simgpu_heap_find(devPtr, &b) != 0 ||
        b.device == HEAP_PINNED || b.imported || b.mapped ||
        simgpu_heap_export(b.base, &ref) != 0)
        return api_return(cudaErrorInvalidValue);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &ref, sizeof ref);
    return api_return(cudaSuccess);
}

cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle,
                                 unsigned int flags)
{
    API_ENTER();
    struct heap_ref ref;
    memcpy(&ref, &handle, sizeof ref);
    if (!devPtr || flags != cudaIpcMemLazyEnablePeerAccess)
        return api_return(cudaErrorInvalidValue);
    if (ref.owner.nonce == simgpu_proc()->id.nonce) // the process's own memory
        return api_return(cudaErrorDeviceUninitialized);
    if (ref.device < 0 || ref.device >= PROC_MAX_DEVICES ||
        simgpu_heap_import(&ref, devPtr) != 0)
        return api_return(cudaErrorMapBufferObjectFailed);
    simgpu_host_busy("cudaIpcOpenMemHandle", CALLER_SITE(),
                     simgpu_proc()->costs->map_host_ps);
    return api_return(cudaSuccess);
}

cudaError_t cudaIpcCloseMemHandle(void *devPtr)
{
    API_ENTER();
    struct heap_block b;
    const int found =
        simgpu_heap_find(devPtr, &b) == 0 || b.imported; // or freed since
    if (simgpu_heap_unimport(devPtr) != 0)
        return api_return(cudaErrorInvalidValue);
    const struct graph_access access = {
        .alloc = b.id, .end = b.nbytes, .write = GRAPH_HOLD};
    if (found) // until here the owner must not free it
        host_touch("cudaIpcCloseMemHandle", CALLER_SITE(), &access);
    simgpu_host_busy("cudaIpcCloseMemHandle", CALLER_SITE(),
                     simgpu_proc()->costs->unmap_host_ps);
    return api_return(cudaSuccess);
}
