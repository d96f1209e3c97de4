/*
 * cuda_occupancy.h: how many blocks of a kernel fit on a multiprocessor
 *
 * The program describes the device and the kernel; the runtime is not queried.
 * Limits for compute capabilities 7.0 to 12.x are those in CUDA's programming
 * guide; any other capability is CUDA_OCC_ERROR_UNKNOWN_DEVICE.
 */
#ifndef __cuda_occupancy_h__
#define __cuda_occupancy_h__

#include <limits.h>
#include <stddef.h>

#define SIMGPU_OCC static inline __attribute__((unused))

typedef enum cudaOccError_enum {
    CUDA_OCC_SUCCESS = 0,
    CUDA_OCC_ERROR_INVALID_INPUT = 1,
    CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;

typedef enum cudaOccPartitionedGCConfig_enum { /* no effect since 7.0 */
                                               PARTITIONED_GC_OFF,
                                               PARTITIONED_GC_ON,
                                               PARTITIONED_GC_ON_STRICT
} cudaOccPartitionedGCConfig;

typedef enum cudaOccFuncShmemConfig_enum {
    FUNC_SHMEM_LIMIT_DEFAULT, /* sharedMemPerBlock */
    FUNC_SHMEM_LIMIT_OPTIN    /* up to sharedMemPerBlockOptin */
} cudaOccFuncShmemConfig;

typedef enum cudaOccCacheConfig_enum {
    CACHE_PREFER_NONE = 0x00,
    CACHE_PREFER_SHARED = 0x01,
    CACHE_PREFER_L1 = 0x02,
    CACHE_PREFER_EQUAL = 0x03
} cudaOccCacheConfig;

typedef enum cudaOccCarveoutConfig_enum { /* percent of shared memory */
                                          SHAREDMEM_CARVEOUT_DEFAULT = -1,
                                          SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
                                          SHAREDMEM_CARVEOUT_MAX_L1 = 0,
                                          SHAREDMEM_CARVEOUT_HALF = 50
} cudaOccCarveoutConfig;

typedef enum cudaOccLimitingFactor_enum { /* bits */
                                          OCC_LIMIT_WARPS = 0x01,
                                          OCC_LIMIT_REGISTERS = 0x02,
                                          OCC_LIMIT_SHARED_MEMORY = 0x04,
                                          OCC_LIMIT_BLOCKS = 0x08,
                                          OCC_LIMIT_BARRIERS = 0x10
} cudaOccLimitingFactor;

typedef struct cudaOccDeviceProp {
    int computeMajor, computeMinor;
    int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
    int regsPerBlock, regsPerMultiprocessor;
    int warpSize;
    size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
    int numSms;
    size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#ifdef __cplusplus
    cudaOccDeviceProp() = default;
    /* From a cudaDeviceProp. */
    template <class P>
    cudaOccDeviceProp(const P &p)
        : computeMajor(p.major), computeMinor(p.minor),
          maxThreadsPerBlock(p.maxThreadsPerBlock),
          maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor),
          regsPerBlock(p.regsPerBlock),
          regsPerMultiprocessor(p.regsPerMultiprocessor), warpSize(p.warpSize),
          sharedMemPerBlock(p.sharedMemPerBlock),
          sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor),
          numSms(p.multiProcessorCount),
          sharedMemPerBlockOptin(p.sharedMemPerBlockOptin),
          reservedSharedMemPerBlock(p.reservedSharedMemPerBlock)
    {
    }
#endif
} cudaOccDeviceProp;

typedef struct cudaOccFuncAttributes {
    int maxThreadsPerBlock, numRegs;
    size_t sharedSizeBytes; /* static */
    cudaOccPartitionedGCConfig partitionedGCConfig;
    cudaOccFuncShmemConfig shmemLimitConfig;
    size_t maxDynamicSharedSizeBytes; /* the kernel's own limit */
    int numBlockBarriers;
    int virtualResourceCount; /* no effect */
#ifdef __cplusplus
    cudaOccFuncAttributes() = default;
    /* From a cudaFuncAttributes. */
    template <class A>
    cudaOccFuncAttributes(const A &a)
        : maxThreadsPerBlock(a.maxThreadsPerBlock), numRegs(a.numRegs),
          sharedSizeBytes(a.sharedSizeBytes),
          partitionedGCConfig(PARTITIONED_GC_OFF),
          shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
          maxDynamicSharedSizeBytes((size_t)a.maxDynamicSharedSizeBytes),
          numBlockBarriers(1), virtualResourceCount(0)
    {
    }
#endif
} cudaOccFuncAttributes;

typedef struct cudaOccDeviceState {
    cudaOccCacheConfig cacheConfig; /* used if carveoutConfig is the default */
    int carveoutConfig;
#ifdef __cplusplus
    cudaOccDeviceState()
        : cacheConfig(CACHE_PREFER_NONE),
          carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT)
    {
    }
#endif
} cudaOccDeviceState;

typedef struct cudaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned int limitingFactors;
    /* The number of blocks that each limit alone permits; INT_MAX
     * if it does not apply. */
    int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks,
        blockLimitBarriers, blockLimitVirtual;
    int allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock;
    cudaOccPartitionedGCConfig partitionedGCConfig;
} cudaOccResult;

/* A block's dynamic shared memory, as a function of its threads. */
typedef size_t (*cudaOccB2DSize)(int blockSize);

/* ---- limits of a compute capability -------------------------------------- */

/* The most blocks on a multiprocessor; 0 if unknown. */
SIMGPU_OCC int simgpu_occ_blocks(const cudaOccDeviceProp *p)
{
    switch (p->computeMajor * 10 + p->computeMinor) {
    case 70:
    case 72:
    case 80:
    case 90:
    case 100:
    case 103: return 32;
    case 75:
    case 86:
    case 87: return 16;
    case 89:
    case 101:
    case 110:
    case 120:
    case 121: return 24;
    }
    return 0;
}

/* The smallest configuration of shared memory within the L1 cache that has
 * nbytes; -1 if none has. */
SIMGPU_OCC long simgpu_occ_shared(const cudaOccDeviceProp *p, size_t nbytes)
{
    static const long kib[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    const int cc = p->computeMajor * 10 + p->computeMinor;
    const long most =
        cc == 75                                                     ? 64
        : cc == 70 || cc == 72                                       ? 96
        : cc == 80 || cc == 87                                       ? 164
        : cc == 90 || p->computeMajor == 10 || p->computeMajor == 11 ? 228
                                                                     : 100;
    if (cc == 75 && nbytes <= 32 << 10)
        return 32 << 10;
    for (unsigned i = 0; i < sizeof kib / sizeof *kib; i++)
        if (kib[i] <= most && nbytes <= (size_t)kib[i] << 10)
            return kib[i] << 10;
    return nbytes <= (size_t)most << 10 ? most << 10 : -1; /* Volta's 96 */
}

SIMGPU_OCC size_t simgpu_occ_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* ---- blocks permitted by each limit -------------------------------------- */

SIMGPU_OCC int simgpu_occ_by_warps(const cudaOccDeviceProp *p, int nthreads)
{
    const int nwarps = (nthreads + p->warpSize - 1) / p->warpSize;
    return nthreads > p->maxThreadsPerBlock
               ? 0
               : p->maxThreadsPerMultiprocessor / p->warpSize / nwarps;
}

SIMGPU_OCC int simgpu_occ_by_registers(cudaOccResult *r,
                                       const cudaOccDeviceProp *p,
                                       const cudaOccFuncAttributes *a,
                                       int nthreads)
{
    enum { UNIT = 256, PARTS = 4 };
    const int nwarps = (nthreads + p->warpSize - 1) / p->warpSize;
    const int each =
        (int)simgpu_occ_up((size_t)a->numRegs * (size_t)p->warpSize, UNIT);
    r->allocatedRegistersPerBlock = each * nwarps;
    if (a->numRegs > 256 ||
        p->regsPerBlock < each * (int)simgpu_occ_up((size_t)nwarps, PARTS))
        return 0;
    return each ? p->regsPerMultiprocessor / PARTS / each * PARTS / nwarps
                : INT_MAX;
}

/* The most bytes of a block, including those that the driver reserves. */
SIMGPU_OCC size_t simgpu_occ_block_bytes(const cudaOccDeviceProp *p,
                                         const cudaOccFuncAttributes *a,
                                         size_t wanted)
{
    const int more = a->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN &&
                     wanted > p->sharedMemPerBlock;
    return (more ? p->sharedMemPerBlockOptin : p->sharedMemPerBlock) +
           (p->computeMajor >= 8 ? p->reservedSharedMemPerBlock : 0);
}

/* The size of shared memory that the program prefers; -1 for
 * an invalid preference. */
SIMGPU_OCC long simgpu_occ_preferred(const cudaOccDeviceProp *p,
                                     const cudaOccDeviceState *s)
{
    size_t nbytes = p->sharedMemPerMultiprocessor;
    int percent = s->carveoutConfig;
    if (percent < -1 || percent > 100)
        return -1;
    if (percent < 0)
        percent = s->cacheConfig == CACHE_PREFER_L1       ? 0
                  : s->cacheConfig == CACHE_PREFER_SHARED ? 100
                  : s->cacheConfig == CACHE_PREFER_EQUAL  ? 50
                                                          : -1;
    if (percent >= 0)
        nbytes = (size_t)percent * nbytes / 100;
    return simgpu_occ_shared(p, nbytes);
}

SIMGPU_OCC cudaOccError simgpu_occ_by_shared(int *limit, cudaOccResult *r,
                                             const cudaOccDeviceProp *p,
                                             const cudaOccFuncAttributes *a,
                                             const cudaOccDeviceState *s,
                                             size_t dynamic)
{
    const size_t fixed = a->sharedSizeBytes + p->reservedSharedMemPerBlock;
    const size_t each =
        simgpu_occ_up(fixed + dynamic, p->computeMajor == 7 ? 256 : 128);
    long room = simgpu_occ_preferred(p, s);
    if (room < 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    r->allocatedSharedMemPerBlock = each;
    *limit = 0;
    if ((a->shmemLimitConfig != FUNC_SHMEM_LIMIT_DEFAULT &&
         dynamic > a->maxDynamicSharedSizeBytes) ||
        each >
            simgpu_occ_block_bytes(p, a, fixed + a->maxDynamicSharedSizeBytes))
        return CUDA_OCC_SUCCESS;
    if ((size_t)room < each)
        room = simgpu_occ_shared(p, each);
    if (room < 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    *limit = each ? (int)((size_t)room / each) : INT_MAX;
    return CUDA_OCC_SUCCESS;
}

/* Clusters exist since 9.0. */
SIMGPU_OCC int simgpu_occ_by_barriers(const cudaOccDeviceProp *p,
                                      const cudaOccFuncAttributes *a)
{
    const int nblocks = simgpu_occ_blocks(p);
    return p->computeMajor < 9 || a->numBlockBarriers <= 0 ? INT_MAX
           : nblocks == 32 ? nblocks * 2 / a->numBlockBarriers
                           : nblocks / a->numBlockBarriers;
}

/* ---- functions for programs ---------------------------------------------- */

/* The number of blocks, of blockSize threads and dynamicSmemSize bytes of
 * dynamic shared memory, that fit on a multiprocessor, and what limits it. */
SIMGPU_OCC cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(
    cudaOccResult *result, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    int blockSize, size_t dynamicSmemSize)
{
    const cudaOccDeviceProp *const p = properties;
    if (!result || !p || !attributes || !state || blockSize <= 0 ||
        p->maxThreadsPerBlock <= 0 || p->maxThreadsPerMultiprocessor <= 0 ||
        p->regsPerBlock <= 0 || p->regsPerMultiprocessor <= 0 ||
        p->warpSize <= 0 || p->sharedMemPerBlock == 0 ||
        p->sharedMemPerMultiprocessor == 0 || p->numSms <= 0 ||
        attributes->maxThreadsPerBlock <= 0 || attributes->numRegs < 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    if (simgpu_occ_blocks(p) == 0)
        return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
    result->partitionedGCConfig = PARTITIONED_GC_OFF;
    result->blockLimitVirtual = INT_MAX;
    result->blockLimitWarps = simgpu_occ_by_warps(p, blockSize);
    result->blockLimitBlocks = simgpu_occ_blocks(p);
    result->blockLimitRegs =
        simgpu_occ_by_registers(result, p, attributes, blockSize);
    result->blockLimitBarriers = simgpu_occ_by_barriers(p, attributes);
    const cudaOccError error =
        simgpu_occ_by_shared(&result->blockLimitSharedMem, result, p,
                             attributes, state, dynamicSmemSize);
    if (error != CUDA_OCC_SUCCESS)
        return error;
    const struct {
        int limit;
        unsigned factor;
    } all[] = {{result->blockLimitWarps, OCC_LIMIT_WARPS},
               {result->blockLimitRegs, OCC_LIMIT_REGISTERS},
               {result->blockLimitSharedMem, OCC_LIMIT_SHARED_MEMORY},
               {result->blockLimitBlocks, OCC_LIMIT_BLOCKS}};
    int least = INT_MAX;
    result->limitingFactors = 0;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].limit < least)
            least = all[i].limit;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].limit == least)
            result->limitingFactors |= all[i].factor;
    if (result->blockLimitBarriers <= least) {
        least = result->blockLimitBarriers;
        result->limitingFactors |= OCC_LIMIT_BARRIERS;
    }
    result->activeBlocksPerMultiprocessor = least;
    return CUDA_OCC_SUCCESS;
}

/* The dynamic shared memory that each of numBlocks blocks can have. */
SIMGPU_OCC cudaOccError cudaOccAvailableDynamicSMemPerBlock(
    size_t *dynamicSmemSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    int numBlocks, int blockSize)
{
    cudaOccResult r;
    if (numBlocks <= 0)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
        &r, properties, attributes, state, blockSize, 0);
    if (error != CUDA_OCC_SUCCESS)
        return error;
    if (r.activeBlocksPerMultiprocessor < numBlocks)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    const size_t unit = properties->computeMajor == 7 ? 256 : 128;
    const size_t most = simgpu_occ_block_bytes(
        properties, attributes, properties->sharedMemPerMultiprocessor);
    long room = simgpu_occ_preferred(properties, state);
    if (room == 0)
        room = simgpu_occ_shared(properties, 1);
    size_t each = numBlocks == 1 ? most : (size_t)room / (size_t)numBlocks;
    each = each / unit * unit;
    each = (each < most ? each : most) - attributes->sharedSizeBytes;
    *dynamicSmemSize = each < attributes->maxDynamicSharedSizeBytes
                           ? each
                           : attributes->maxDynamicSharedSizeBytes;
    return CUDA_OCC_SUCCESS;
}

/* Among the block sizes with which most threads fit on a multiprocessor, the
 * largest, and the number of blocks that fills the device. Dynamic shared
 * memory is blockSizeToDynamicSMemSize(threads), or dynamicSMemSize. */
SIMGPU_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    cudaOccB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize)
{
    if (!minGridSize || !blockSize || !properties || !attributes || !state)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    const int warp = properties->warpSize;
    const int most =
        properties->maxThreadsPerBlock < attributes->maxThreadsPerBlock
            ? properties->maxThreadsPerBlock
            : attributes->maxThreadsPerBlock;
    int best = 0, nblocks = 0, nthreads = 0;
    for (int n = (int)simgpu_occ_up((size_t)most, (size_t)warp); n > 0;
         n -= warp) {
        const int size = n < most ? n : most;
        cudaOccResult r;
        const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
            &r, properties, attributes, state, size,
            blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(size)
                                       : dynamicSMemSize);
        if (error != CUDA_OCC_SUCCESS)
            return error;
        if (size * r.activeBlocksPerMultiprocessor > nthreads) {
            nthreads = size * r.activeBlocksPerMultiprocessor;
            best = size;
            nblocks = r.activeBlocksPerMultiprocessor;
        }
        if (nthreads == properties->maxThreadsPerMultiprocessor)
            break;
    }
    *minGridSize = nblocks * properties->numSms;
    *blockSize = best;
    return CUDA_OCC_SUCCESS;
}

#ifdef __cplusplus
namespace
{
SIMGPU_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    size_t dynamicSMemSize = 0)
{
    return ::cudaOccMaxPotentialOccupancyBlockSize(
        minGridSize, blockSize, properties, attributes, state, nullptr,
        dynamicSMemSize);
}
} // namespace
#endif
#undef SIMGPU_OCC
#endif
