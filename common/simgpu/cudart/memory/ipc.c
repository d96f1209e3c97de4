/*
 * ipc.c: memory of other processes
 *
 * A handle contains a heap_ref for the whole allocation.
 */
#include <string.h> /* memcpy */

#include "core/heap/heap.h"
#include "core/host.h"
#include "core/peer.h"
#include "core/site.h"
#include "core/watch/check.h"
#include "cudart/api.h"
#include "cudart/memory/pool.h"

_Static_assert(sizeof(struct heap_ref) <= sizeof(cudaIpcMemHandle_t),
               "a heap_ref fits into a handle");

/* Record why memory has no handle, if a program may expect one. */
static int has_handle(const struct heap_block *b, uint32_t site)
{
    char where[256], from[256];
    const char *why = NULL;
    if (b->managed)
        why = "managed memory has no handle. Share memory of cudaMalloc";
    else if (pool_has(b->base))
        why = "memory of a pool has no handle. Share the pool "
              "(cudaMemPoolExportToShareableHandle, cudaMemPoolExportPointer), "
              "or memory of cudaMalloc";
    if (why)
        simgpu_check_note(
            site,
            "between processes: cudaIpcGetMemHandle at %s gets memory "
            "of device %d allocated at %s: %s",
            simgpu_site_text(site, where, sizeof where), b->device,
            simgpu_site_text(b->site, from, sizeof from), why);
    return !why;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
    API_ENTER();
    struct heap_block b;
    struct heap_ref ref;
    if (!handle || simgpu_heap_find(devPtr, &b) != 0 ||
        b.device == HEAP_PINNED || b.imported || b.mapped ||
        !has_handle(&b, CALLER_SITE()) || simgpu_heap_export(b.base, &ref) != 0)
        return api_return(cudaErrorInvalidValue);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &ref, sizeof ref);
    return api_return(cudaSuccess);
}

static void note_own(const struct heap_ref *ref, uint32_t site)
{
    char where[256];
    simgpu_check_note(
        site,
        "between processes: cudaIpcOpenMemHandle at %s opens a handle of "
        "its own process, for memory of device %d. Use the pointer that "
        "the handle was made of",
        simgpu_site_text(site, where, sizeof where), ref->device);
}

/* True if the handle is of a process of this node, or its process is gone. */
static int is_near(const struct heap_ref *ref, uint32_t site)
{
    char where[256];
    const struct peer *const p = simgpu_peer_attach(&ref->owner);
    if (!p || simgpu_peer_node(p) == simgpu_proc()->node)
        return 1;
    simgpu_check_note(
        site,
        "between nodes: cudaIpcOpenMemHandle at %s opens a handle of "
        "rank %u, which is on node %d, and this rank on node %d. Only "
        "processes of one node share memory: find them with "
        "MPI_Comm_split_type, and use NCCL or MPI between nodes",
        simgpu_site_text(site, where, sizeof where), peer_rank(p),
        simgpu_peer_node(p), simgpu_proc()->node);
    return 0;
}

cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle,
                                 unsigned int flags)
{
    API_ENTER();
    struct heap_ref ref;
    memcpy(&ref, &handle, sizeof ref);
    if (!devPtr || flags != cudaIpcMemLazyEnablePeerAccess)
        return api_return(cudaErrorInvalidValue);
    if (ref.owner.nonce == simgpu_proc()->id.nonce) {
        note_own(&ref, CALLER_SITE());
        return api_return(cudaErrorDeviceUninitialized);
    }
    if (!is_near(&ref, CALLER_SITE()))
        return api_return(cudaErrorInvalidValue);
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
        // true even if its owner has freed it
        simgpu_heap_find(devPtr, &b) == 0 || b.imported;
    if (simgpu_heap_unimport(devPtr) != 0)
        return api_return(cudaErrorInvalidValue);
    const struct graph_access access = {
        .alloc = b.id, .end = b.nbytes, .write = GRAPH_HOLD};
    if (found) // the owner must not free it before this call
        host_touch("cudaIpcCloseMemHandle", CALLER_SITE(), &access);
    simgpu_host_busy("cudaIpcCloseMemHandle", CALLER_SITE(),
                     simgpu_proc()->costs->unmap_host_ps);
    return api_return(cudaSuccess);
}
