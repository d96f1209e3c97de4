#include "cudart/kernels/function.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* malloc */

#include "core/device.h"
#include "core/proc.h"
#include "core/site.h"
#include "cudart/kernels/image.h"
#include "cudart/kernels/limits.h"
#include "cudart/kernels/linked.h"
#include "cudart/kernels/static_shared.h"
#include "device/launch.h"

enum { MAX_THREADS = 1024, MAX_ASKED = 256, RESERVED = 1024 };

/* Attributes that the program has set, by kernel. */
static struct asked {
    const void *func;
    int shared, carveout, cluster[3], must_be_set, non_portable, policy;
} asked[MAX_ASKED];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A kernel's entry; if it has none, a new one if `make`, else NULL. The caller
 * must hold the lock. */
static struct asked *entry(const void *func, int make)
{
    for (int i = 0; i < MAX_ASKED; i++) {
        if (asked[i].func == func)
            return &asked[i];
        if (!asked[i].func) {
            if (make)
                asked[i] =
                    (struct asked){.func = func, .shared = -1, .carveout = -1};
            return make ? &asked[i] : NULL;
        }
    }
    return NULL;
}

const void *function_of(const void *func)
{
    const void *const stub = kernel_of_handle(func);
    return stub ? stub : func;
}

const void *simgpu_function_of(const void *handle)
{
    return kernel_of_handle(handle);
}

int function_shared(const void *func, int device)
{
    const struct simgpu_kernel *const k = kernel_find(func);
    const int fixed = k ? (int)static_shared(k) : 0;
    int nbytes = limits_of(device)->shared_per_block - fixed;
    pthread_mutex_lock(&lock);
    const struct asked *const a = entry(func, 0);
    if (a && a->shared >= 0)
        nbytes = a->shared;
    pthread_mutex_unlock(&lock);
    return nbytes;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
                                  const void *func)
{
    const int device = simgpu_device_current();
    const struct simgpu_kernel *const k = kernel_find(function_of(func));
    if (!attr)
        return api_return(cudaErrorInvalidValue);
    if (!k)
        return api_return(image_missing(func, CALLER_SITE()));
    const int sm = limits_of(device)->sm;
    const size_t fixed = static_shared(k);
    pthread_mutex_lock(&lock);
    const struct asked none = {.carveout = -1}, *a = entry(func, 0);
    a = a ? a : &none;
    *attr = (struct cudaFuncAttributes){
        .maxThreadsPerBlock =
            k->max_threads ? (int)k->max_threads : MAX_THREADS,
        .sharedSizeBytes = fixed,
        .numRegs = 32, // a common figure, since nothing is compiled for a GPU
        .ptxVersion = sm,
        .binaryVersion = sm,
        .preferredShmemCarveout = a->carveout,
        .clusterDimMustBeSet = a->must_be_set,
        .requiredClusterWidth = a->cluster[0],
        .requiredClusterHeight = a->cluster[1],
        .requiredClusterDepth = a->cluster[2],
        .clusterSchedulingPolicyPreference = a->policy,
        .nonPortableClusterSizeAllowed = a->non_portable,
    };
    pthread_mutex_unlock(&lock);
    attr->maxDynamicSharedSizeBytes = function_shared(func, device);
    return api_return(cudaSuccess);
}

static cudaError_t set(struct asked *a, enum cudaFuncAttribute attr, int value,
                       int device)
{
    const struct simgpu_kernel *const k = kernel_find(a->func);
    const int fixed = k ? (int)static_shared(k) : 0;
    switch (attr) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 ||
            value + fixed > limits_of(device)->shared_per_block_max)
            return cudaErrorInvalidValue;
        a->shared = value;
        break;
    case cudaFuncAttributePreferredSharedMemoryCarveout: // a hint
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        a->carveout = value;
        break;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        if (value < 0)
            return cudaErrorInvalidValue;
        a->cluster[attr - cudaFuncAttributeRequiredClusterWidth] = value;
        break;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        a->non_portable = value;
        break;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        if (value < cudaClusterSchedulingPolicyDefault ||
            value > cudaClusterSchedulingPolicyLoadBalancing)
            return cudaErrorInvalidValue;
        a->policy = value;
        break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t set_attribute(const void *func, enum cudaFuncAttribute attr,
                                 int value, int device)
{
    pthread_mutex_lock(&lock);
    struct asked *const a = entry(func, 1);
    const cudaError_t err =
        a ? set(a, attr, value, device) : cudaErrorMemoryAllocation;
    pthread_mutex_unlock(&lock);
    return err;
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr,
                                 int value)
{
    API_ENTER();
    if (!kernel_find(function_of(func)))
        return api_return(image_missing(func, CALLER_SITE()));
    return api_return(
        set_attribute(func, attr, value, simgpu_device_current()));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                            enum cudaFuncAttribute attr,
                                            int value, int device)
{
    API_ENTER();
    const void *const func = simgpu_function_of(kernel);
    if (!func)
        return api_return(cudaErrorInvalidResourceHandle);
    if (device < 0 || device >= simgpu_proc()->ndevices)
        return api_return(cudaErrorInvalidDevice);
    return api_return(set_attribute(func, attr, value, device));
}

cudaError_t cudaFuncSetCacheConfig(const void *func,
                                   enum cudaFuncCache cacheConfig)
{
    if (!kernel_find(function_of(func)))
        return api_return(image_missing(func, CALLER_SITE()));
    return api_return((int)cacheConfig >= 0 &&
                              cacheConfig <= cudaFuncCachePreferEqual
                          ? cudaSuccess
                          : cudaErrorInvalidValue);
}

/* A kernel's mangled name, or else its name in the source. */
static const char *linked_name_of(const struct simgpu_kernel *k)
{
    static struct named {
        const struct simgpu_kernel *kernel;
        const char *name;
        struct named *next;
    } * all;
    pthread_mutex_lock(&lock);
    struct named *n = all;
    while (n && n->kernel != k)
        n = n->next;
    if (!n) {
        size_t nbytes;
        n = malloc(sizeof *n);
        if (!n)
            abort();
        *n = (struct named){k, linked_name(k->host_stub, &nbytes), all};
        n->name = n->name ? n->name : k->name;
        all = n;
    }
    pthread_mutex_unlock(&lock);
    return n->name;
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    const struct simgpu_kernel *const k = kernel_find(function_of(func));
    if (!name)
        return api_return(cudaErrorInvalidValue);
    if (!k)
        return api_return(image_missing(func, CALLER_SITE()));
    *name = linked_name_of(k);
    return api_return(cudaSuccess);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex,
                                 size_t *paramOffset, size_t *paramSize)
{
    const struct simgpu_kernel *const k = kernel_find(function_of(func));
    size_t at = 0;
    if (!k)
        return api_return(image_missing(func, CALLER_SITE()));
    if (paramIndex >= k->nparams || !paramOffset)
        return api_return(cudaErrorInvalidValue);
    // aligned to their size, at most 8
    for (size_t i = 0; i <= paramIndex; i++) {
        const size_t nbytes = k->param_nbytes[i];
        const size_t align = nbytes % 8 == 0   ? 8
                             : nbytes % 4 == 0 ? 4
                             : nbytes % 2 == 0 ? 2
                                               : 1;
        at = (at + align - 1) / align * align;
        *paramOffset = at;
        at += nbytes;
    }
    if (paramSize)
        *paramSize = k->param_nbytes[paramIndex];
    return api_return(cudaSuccess);
}

/* The error for an address that is not a kernel's, in a function
 * that accepts no handle. */
static cudaError_t symbol_missing(const void *symbol, uint32_t site)
{
    const cudaError_t err = image_missing(symbol, site);
    return err == cudaErrorInvalidResourceHandle
               ? cudaErrorInvalidDeviceFunction
               : err;
}

/* A kernel's handle, in either type: its entry in the registry. */
cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
    const struct simgpu_kernel *const k = kernel_find(entryFuncAddr);
    if (!kernelPtr)
        return api_return(cudaErrorInvalidValue);
    if (!k)
        return api_return(symbol_missing(entryFuncAddr, CALLER_SITE()));
    *kernelPtr = (cudaKernel_t)(uintptr_t)k;
    return api_return(cudaSuccess);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr,
                                const void *symbolPtr)
{
    const struct simgpu_kernel *const k = kernel_find(symbolPtr);
    if (!k)
        return api_return(symbol_missing(symbolPtr, CALLER_SITE()));
    if (functionPtr) // CUDA allows NULL
        *functionPtr = (cudaFunction_t)(uintptr_t)k;
    return api_return(cudaSuccess);
}

/* ---- occupancy ----------------------------------------------------------- */

/* The number of blocks whose shared memory fits on a multiprocessor. It
 * includes what the driver reserves for each block since compute capability
 * 8.0, in CUDA's units (cuda_occupancy.h). */
static size_t blocks_by_shared(const struct limits *l, size_t nbytes)
{
    const size_t unit = l->sm >= 80 ? 128 : 256;
    nbytes += l->sm >= 80 ? RESERVED : 0;
    nbytes = (nbytes + unit - 1) / unit * unit;
    return nbytes ? (size_t)l->shared_per_sm / nbytes : SIZE_MAX;
}

cudaError_t function_occupancy(const void *func, int device, int block_size,
                               size_t shared_nbytes, int *blocks)
{
    const struct limits *const l = limits_of(device);
    if (!blocks || block_size < 1)
        return cudaErrorInvalidValue;
    if (!kernel_find(func))
        return image_missing(func, 0);
    const int warps = (block_size + 31) / 32;
    // launch bounds apply to launches only
    int n = block_size > MAX_THREADS ? 0 : l->threads_per_sm / (warps * 32);
    if (n > l->blocks_per_sm)
        n = l->blocks_per_sm;
    const size_t all = shared_nbytes + static_shared(kernel_find(func));
    if ((int64_t)shared_nbytes > function_shared(func, device))
        n = 0;
    else if ((size_t)n > blocks_by_shared(l, all))
        n = (int)blocks_by_shared(l, all);
    *blocks = n;
    return cudaSuccess;
}

static cudaError_t occupancy(int *blocks, const void *func, int block_size,
                             size_t shared_nbytes, uint32_t site)
{
    if (!blocks)
        return cudaErrorInvalidValue;
    if (!kernel_find(function_of(func)))
        return image_missing(func, site);
    return function_occupancy(function_of(func), simgpu_device_current(),
                              block_size, shared_nbytes, blocks);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize)
{
    return api_return(
        occupancy(numBlocks, func, blockSize, dynamicSMemSize, CALLER_SITE()));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, const void *func, int blockSize, size_t dynamicSMemSize,
    unsigned int flags)
{
    if (flags > cudaOccupancyDisableCachingOverride)
        return api_return(cudaErrorInvalidValue);
    return api_return(
        occupancy(numBlocks, func, blockSize, dynamicSMemSize, CALLER_SITE()));
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
                                                      const void *func,
                                                      int numBlocks,
                                                      int blockSize)
{
    int most;
    const cudaError_t err = occupancy(&most, func, blockSize, 0, CALLER_SITE());
    if (err != cudaSuccess)
        return api_return(err);
    if (!dynamicSmemSize || numBlocks < 1 || numBlocks > most)
        return api_return(cudaErrorInvalidValue);
    const int device = simgpu_device_current();
    const struct limits *const l = limits_of(device);
    const size_t each = (size_t)l->shared_per_sm / (size_t)numBlocks - RESERVED;
    const size_t limit = (size_t)function_shared(function_of(func), device);
    *dynamicSmemSize = each < limit ? each : limit;
    return api_return(cudaSuccess);
}

/* True if a device runs clusters of blocks. */
static int has_clusters(int device)
{
    return limits_of(device)->sm >= 90;
}

/* The clusters that a kernel always has ({0, 0, 0} if launches choose them),
 * and the number of blocks in the largest allowed cluster. */
static dim3 own_clusters(const void *func, unsigned *most)
{
    enum { PORTABLE = 8, MOST = 16 };
    const struct simgpu_kernel *const k = kernel_find(func);
    const unsigned *of = k->cluster;
    const struct asked none = {.func = func};
    pthread_mutex_lock(&lock);
    const struct asked *const found = entry(func, 0);
    const struct asked a = found ? *found : none;
    pthread_mutex_unlock(&lock);
    *most = a.non_portable ? MOST : PORTABLE;
    return of[0] ? (dim3){of[0], of[1], of[2]}
                 : (dim3){(unsigned)a.cluster[0], (unsigned)a.cluster[1],
                          (unsigned)a.cluster[2]};
}

cudaError_t function_cluster(const void *func, int device, dim3 grid,
                             dim3 *cluster)
{
    unsigned most;
    const dim3 asked = *cluster, own = own_clusters(func, &most);
    if (own.x)
        *cluster = own;
    const dim3 n = *cluster;
    const uint64_t size = (uint64_t)n.x * n.y * n.z;
    if (size == 0 || size > most || grid.x % n.x || grid.y % n.y ||
        grid.z % n.z ||
        (own.x && (uint64_t)asked.x * asked.y * asked.z > 1 &&
         (own.x != asked.x || own.y != asked.y || own.z != asked.z)))
        return cudaErrorInvalidClusterSize;
    return size > 1 && !has_clusters(device) ? cudaErrorNotSupported
                                             : cudaSuccess;
}

cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                     const cudaLaunchConfig_t *launchConfig)
{
    unsigned most;
    if (!clusterSize || !launchConfig)
        return api_return(cudaErrorInvalidValue);
    if (!kernel_find(function_of(func)))
        return api_return(image_missing(func, CALLER_SITE()));
    own_clusters(function_of(func), &most);
    *clusterSize = (int)most;
    return api_return(has_clusters(simgpu_device_current())
                          ? cudaSuccess
                          : cudaErrorNotSupported);
}

/* True if a launch asks for clusters; *cluster is then set to them. */
static int asks_for_cluster(const cudaLaunchConfig_t *c, dim3 *cluster)
{
    int any = 0;
    for (unsigned i = 0; i < c->numAttrs; i++) {
        const cudaLaunchAttributeValue *const v = &c->attrs[i].val;
        if (c->attrs[i].id == cudaLaunchAttributeClusterDimension) {
            *cluster =
                (dim3){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
            any = 1;
        }
    }
    return any;
}

cudaError_t
cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                               const cudaLaunchConfig_t *launchConfig)
{
    int blocks;
    dim3 c = {1, 1, 1};
    unsigned most;
    if (!numClusters || !launchConfig)
        return api_return(cudaErrorInvalidValue);
    const dim3 b = launchConfig->blockDim;
    cudaError_t err = occupancy(&blocks, func, (int)(b.x * b.y * b.z),
                                launchConfig->dynamicSmemBytes, CALLER_SITE());
    if (err != cudaSuccess || !has_clusters(simgpu_device_current()))
        return api_return(err ? err : cudaErrorNotSupported);
    const int device = simgpu_device_current();
    const int any = asks_for_cluster(launchConfig, &c) ||
                    own_clusters(function_of(func), &most).x > 0;
    err =
        function_cluster(function_of(func), device, launchConfig->gridDim, &c);
    if (err != cudaSuccess)
        return api_return(err);
    const struct topo_gpu *const g = simgpu_proc_gpu(device);
    *numClusters =
        any ? (int)((unsigned)blocks * (unsigned)g->nsm / (c.x * c.y * c.z))
            : 0;
    return api_return(cudaSuccess);
}
