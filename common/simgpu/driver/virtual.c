/*
 * virtual.c: memory without addresses, and addresses without memory
 *
 * A handle stands for an allocation in a device's heap. Programs never see the
 * allocation's address there; core/stream/virtual.h maps it to another one. The
 * memory is freed once all its handles are released and all its mappings
 * removed. A file descriptor or, where NVLink joins the GPUs of several hosts,
 * a fabric handle passed to another process identifies the allocation in the
 * way interprocess handles do.
 */
#define _GNU_SOURCE
#include "core/stream/virtual.h"

#include <errno.h>    /* ENOMEM */
#include <pthread.h>  /* pthread_mutex_t */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* memcpy */
#include <sys/mman.h> /* memfd_create */
#include <unistd.h>   /* write */

#include "core/heap/address.h"
#include "core/heap/heap.h"
#include "core/peer.h"
#include "driver/call.h"

struct memory {
    void *at; /* address in the device's heap */
    uint64_t nbytes;
    CUmemAllocationProp prop;
    unsigned nhandles, nmappings;
    int imported;
    struct memory *next;
};

static struct memory *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- memory; callers hold the lock --------------------------------------- */

static struct memory *of_handle(CUmemGenericAllocationHandle handle)
{
    struct memory *m = all;
    while (m && (uintptr_t)m != handle)
        m = m->next;
    return m && m->nhandles ? m : NULL;
}

/* The memory mapped at p, or NULL. */
static struct memory *mapped_at(const void *p)
{
    struct memory *m = all;
    const char *const at = simgpu_address_memory(p);
    while (m && !(at && at >= (char *)m->at && at < (char *)m->at + m->nbytes))
        m = m->next;
    return m;
}

/* Free memory without handles and mappings, on behalf of the call at
 * `caller`. */
static void drop_unused(struct memory *m, const void *caller)
{
    struct memory **at = &all;
    if (m->nhandles || m->nmappings)
        return;
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    simgpu_site_caller = caller;
    if (m->imported)
        simgpu_heap_unimport(m->at);
    else
        cudaFree(m->at);
    simgpu_site_caller = NULL;
    free(m);
}

/* Add memory, with its first handle. */
static CUresult add(CUmemGenericAllocationHandle *handle, struct memory with)
{
    struct memory *const m = malloc(sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    *m = with;
    m->nhandles = 1;
    m->next = all;
    all = m;
    pthread_mutex_unlock(&lock);
    *handle = (uintptr_t)m;
    return CUDA_SUCCESS;
}

/* ---- creating ------------------------------------------------------------ */

static int is_multiple(uint64_t n)
{
    return n > 0 && n % ADDRESS_GRANULARITY == 0;
}

static CUresult check_device(const CUmemLocation *at)
{
    int n = 0;
    if (at->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return at->type == CU_MEM_LOCATION_TYPE_HOST ? CUDA_ERROR_INVALID_VALUE
                                                     : CUDA_ERROR_NOT_SUPPORTED;
    cudaGetDeviceCount(&n);
    return at->id >= 0 && at->id < n ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* Device -1 is the current one. */
static int has_fabric(int device)
{
    int has = 0;
    if (device < 0)
        cudaGetDevice(&device);
    return cudaDeviceGetAttribute(
               &has,
               (enum cudaDeviceAttr)
                   CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED,
               device) == cudaSuccess &&
           has;
}

static CUresult check_prop(const CUmemAllocationProp *prop)
{
    enum {
        SHARED =
            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC
    };
    const unsigned of_windows =
        CU_MEM_HANDLE_TYPE_WIN32 | CU_MEM_HANDLE_TYPE_WIN32_KMT;
    const CUresult err = context_initialized();
    if (err != CUDA_SUCCESS || !prop)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    if (prop->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        prop->requestedHandleTypes & of_windows)
        return CUDA_ERROR_INVALID_VALUE;
    if (prop->requestedHandleTypes & ~SHARED)
        return CUDA_ERROR_NOT_SUPPORTED;
    return prop->requestedHandleTypes & CU_MEM_HANDLE_TYPE_FABRIC &&
                   !has_fabric(prop->location.id)
               ? CUDA_ERROR_NOT_SUPPORTED
               : CUDA_SUCCESS;
}

/* The same for all devices, even for those that don't exist. */
CUresult cuMemGetAllocationGranularity(size_t *granularity,
                                       const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option)
{
    const CUresult err = check_prop(prop);
    if (err != CUDA_SUCCESS || !granularity ||
        option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    *granularity = ADDRESS_GRANULARITY;
    return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                     const CUmemAllocationProp *prop, unsigned long long flags)
{
    void *at;
    CUresult err = check_prop(prop);
    if (err != CUDA_SUCCESS || !handle || !is_multiple(size) || flags)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    err = check_device(&prop->location);
    if (err != CUDA_SUCCESS)
        return err;
    if (simgpu_heap_alloc(prop->location.id, size, HEAP_ORDINARY, CALLER_SITE(),
                          &at) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    return add(handle,
               (struct memory){.at = at, .nbytes = size, .prop = *prop});
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    pthread_mutex_lock(&lock);
    struct memory *const m = of_handle(handle);
    if (m) {
        m->nhandles--;
        drop_unused(m, __builtin_return_address(0));
    }
    pthread_mutex_unlock(&lock);
    return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle,
                                     void *addr)
{
    pthread_mutex_lock(&lock);
    struct memory *const m = handle ? mapped_at(addr) : NULL;
    if (m) {
        m->nhandles++;
        *handle = (uintptr_t)m;
    }
    pthread_mutex_unlock(&lock);
    return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                       CUmemGenericAllocationHandle handle)
{
    pthread_mutex_lock(&lock);
    const struct memory *const m = prop ? of_handle(handle) : NULL;
    if (m)
        *prop = m->prop;
    pthread_mutex_unlock(&lock);
    return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- addresses ----------------------------------------------------------- */

/* addr is only a hint: the program does not choose the address. */
CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment,
                             CUdeviceptr addr, unsigned long long flags)
{
    void *at;
    const CUresult err = context_initialized();
    (void)addr;
    if (err != CUDA_SUCCESS || !ptr || !is_multiple(size) || flags ||
        alignment & (alignment - 1))
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    if (simgpu_address_reserve(size, alignment, &at) != 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *ptr = (uintptr_t)at;
    return CUDA_SUCCESS;
}

static CUresult result_of_errno(int err)
{
    return err == 0         ? CUDA_SUCCESS
           : err == EINVAL  ? CUDA_ERROR_INVALID_VALUE
           : err == ENOTSUP ? CUDA_ERROR_NOT_SUPPORTED
                            : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    return result_of_errno(simgpu_address_free((void *)ptr, size));
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    int err = EINVAL;
    if (size == 0 || ptr % ADDRESS_GRANULARITY || flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (!is_multiple(size) || offset)
        return CUDA_ERROR_NOT_SUPPORTED;
    pthread_mutex_lock(&lock);
    struct memory *const m = of_handle(handle);
    if (m && size != m->nbytes) // only whole allocations can be mapped
        err = ENOTSUP;
    else if (m)
        err = simgpu_virtual_map((void *)ptr, size, m->at);
    if (err == 0)
        m->nmappings++;
    pthread_mutex_unlock(&lock);
    return result_of_errno(err);
}

/* The memory mapped at p and its number of bytes from p on, or NULL for a hole
 * of one granule. The caller must hold the lock. */
static struct memory *next_mapped(CUdeviceptr p, size_t *nbytes)
{
    struct memory *const m = mapped_at((void *)p);
    const char *const at = simgpu_address_memory((void *)p);
    *nbytes = m ? m->nbytes - (size_t)(at - (char *)m->at)
                : ADDRESS_GRANULARITY; // size of the hole
    return m;
}

/* True if the range starts and ends at the bounds of mappings. The
 * caller must hold the lock. */
static int holds_whole_mappings(CUdeviceptr ptr, size_t size)
{
    size_t nbytes, done = 0;
    if (!simgpu_address_is_reserved((void *)ptr, size))
        return 0;
    for (; done < size; done += nbytes) {
        const struct memory *const m = next_mapped(ptr + done, &nbytes);
        if (m && simgpu_address_memory((void *)(ptr + done)) != m->at)
            return 0;
    }
    return size > 0 && done == size;
}

/* The range need not be mapped. */
CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    const uint32_t site = CALLER_SITE();
    size_t nbytes;
    pthread_mutex_lock(&lock);
    int err = holds_whole_mappings(ptr, size) ? 0 : EINVAL;
    const CUdeviceptr end = err ? ptr : ptr + size;
    for (; ptr < end; ptr += nbytes) {
        struct memory *const m = next_mapped(ptr, &nbytes);
        if (!m)
            continue;
        err = simgpu_virtual_unmap((void *)ptr, nbytes, "cuMemUnmap", site);
        m->nmappings -= err == 0;
        drop_unused(m, __builtin_return_address(0));
    }
    pthread_mutex_unlock(&lock);
    return result_of_errno(err);
}

/* ---- access -------------------------------------------------------------- */

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size,
                        const CUmemAccessDesc *desc, size_t count)
{
    CUresult err = desc && count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && err == CUDA_SUCCESS; i++)
        if (check_device(&desc[i].location) != CUDA_SUCCESS)
            err = CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && err == CUDA_SUCCESS; i++)
        err = result_of_errno(simgpu_address_open(
            (void *)ptr, size, desc[i].location.id,
            desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE));
    return err;
}

CUresult cuMemGetAccess(unsigned long long *flags,
                        const CUmemLocation *location, CUdeviceptr ptr)
{
    struct heap_block b;
    if (!flags || !location)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult err = check_device(location);
    if (err != CUDA_SUCCESS || simgpu_heap_find((void *)ptr, &b) != 0 ||
        b.device < 0)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    const int open =
        b.mapped ? !(b.closed >> location->id & 1) : b.device == location->id;
    *flags = open ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                  : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

/* ---- between processes --------------------------------------------------- */

/* The contents of the file that a descriptor refers to, or of a fabric
 * handle. */
struct shared {
    struct heap_ref ref;
    CUmemLocation location;
    unsigned char flags[sizeof((CUmemAllocationProp *)0)->allocFlags];
    CUmemAllocationHandleType types;
};
_Static_assert(sizeof(struct shared) <= sizeof(CUmemFabricHandle),
               "memory is more than a fabric handle can identify");

static CUresult export_file(const struct shared *s, int *out)
{
    const int fd = memfd_create("simgpu-memory", MFD_CLOEXEC);
    if (fd < 0 || write(fd, s, sizeof *s) != sizeof *s) {
        if (fd >= 0)
            close(fd);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    *out = fd;
    return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *shareableHandle,
                                      CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType handleType,
                                      unsigned long long flags)
{
    struct shared s = {0};
    pthread_mutex_lock(&lock);
    const struct memory *const m = of_handle(handle);
    if (m) {
        s.location = m->prop.location;
        s.types = m->prop.requestedHandleTypes;
        memcpy(s.flags, &m->prop.allocFlags, sizeof s.flags);
    }
    const int found = m && simgpu_heap_export(m->at, &s.ref) == 0;
    pthread_mutex_unlock(&lock);
    if (!found || !shareableHandle || flags || !(s.types & handleType))
        return CUDA_ERROR_INVALID_VALUE;
    if (handleType != CU_MEM_HANDLE_TYPE_FABRIC)
        return export_file(&s, shareableHandle);
    memset(shareableHandle, 0, sizeof(CUmemFabricHandle));
    memcpy(shareableHandle, &s, sizeof s);
    return CUDA_SUCCESS;
}

/* True if a process's GPUs are on this node. A rack whose GPUs NVLink joins is
 * one node, and no fabric goes further. */
static int is_near(const struct proc_id *owner)
{
    const struct peer *const p = simgpu_peer_attach(owner);
    return p && simgpu_peer_node(p) == simgpu_proc()->node;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle,
                                        void *osHandle,
                                        CUmemAllocationHandleType shHandleType)
{
    struct shared s;
    void *at;
    const int is_fabric = shHandleType == CU_MEM_HANDLE_TYPE_FABRIC;
    const CUresult err = context_initialized();
    if (err != CUDA_SUCCESS || !handle)
        return err ? err : CUDA_ERROR_INVALID_VALUE;
    if (is_fabric ? !has_fabric(-1)
                  : shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (is_fabric && osHandle)
        memcpy(&s, osHandle, sizeof s);
    else if (is_fabric ||
             pread((int)(intptr_t)osHandle, &s, sizeof s, 0) != sizeof s)
        return CUDA_ERROR_INVALID_VALUE;
    if (!(s.types & shHandleType) || !is_near(&s.ref.owner) ||
        simgpu_heap_import(&s.ref, &at) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct memory m = {.at = at, .nbytes = s.ref.nbytes, .imported = 1};
    m.prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    m.prop.location = s.location;
    m.prop.requestedHandleTypes = s.types;
    memcpy(&m.prop.allocFlags, s.flags, sizeof s.flags);
    return add(handle, m);
}

/* ---- what no machine here supports --------------------------------------- */

/* The attributes of devices say so: DMA_BUF_SUPPORTED, MULTICAST_SUPPORTED.
 * NCCL's collectives use the switch by way of their own (device/multicast.c).
 */
#define UNSUPPORTED(name, ...)                                                 \
    CUresult name(__VA_ARGS__)                                                 \
    {                                                                          \
        const CUresult err = context_initialized();                            \
        return err ? err : CUDA_ERROR_NOT_SUPPORTED;                           \
    }
#define UNUSED __attribute__((unused))

UNSUPPORTED(cuMemGetHandleForAddressRange, UNUSED void *handle,
            UNUSED CUdeviceptr dptr, UNUSED size_t size,
            UNUSED CUmemRangeHandleType handleType,
            UNUSED unsigned long long flags)
UNSUPPORTED(cuMulticastCreate, UNUSED CUmemGenericAllocationHandle *mcHandle,
            UNUSED const CUmulticastObjectProp *prop)
UNSUPPORTED(cuMulticastAddDevice, UNUSED CUmemGenericAllocationHandle mcHandle,
            UNUSED CUdevice dev)
UNSUPPORTED(cuMulticastBindMem, UNUSED CUmemGenericAllocationHandle mcHandle,
            UNUSED size_t mcOffset,
            UNUSED CUmemGenericAllocationHandle memHandle,
            UNUSED size_t memOffset, UNUSED size_t size,
            UNUSED unsigned long long flags)
UNSUPPORTED(cuMulticastBindAddr, UNUSED CUmemGenericAllocationHandle mcHandle,
            UNUSED size_t mcOffset, UNUSED CUdeviceptr memptr,
            UNUSED size_t size, UNUSED unsigned long long flags)
UNSUPPORTED(cuMulticastUnbind, UNUSED CUmemGenericAllocationHandle mcHandle,
            UNUSED CUdevice dev, UNUSED size_t mcOffset, UNUSED size_t size)
UNSUPPORTED(cuMulticastGetGranularity, UNUSED size_t *granularity,
            UNUSED const CUmulticastObjectProp *prop,
            UNUSED CUmulticastGranularity_flags option)
