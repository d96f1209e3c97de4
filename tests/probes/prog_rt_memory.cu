/* Memory, devices, streams and kernels by the runtime's functions. */
#include <cuda.h>
#include <cuda_profiler_api.h>

#include "probe.h"

#define IS(call, error) CHECK((call) == (error))

__global__ void add(int *p, int n, int v)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] += v;
}

PROBE(pitched_rows)
{
    char *d, h[10 * 20], back[10 * 20] = {0};
    size_t pitch;
    OK(cudaMallocPitch(&d, &pitch, 20, 10));
    CHECK(pitch >= 20 && pitch % 512 == 0);
    for (int i = 0; i < 200; i++)
        h[i] = (char)i;
    OK(cudaMemcpy2D(d, pitch, h, 20, 20, 10, cudaMemcpyHostToDevice));
    OK(cudaMemset2D(d + pitch, pitch, 7, 20, 2));
    OK(cudaMemcpy2D(back, 20, d, pitch, 20, 10, cudaMemcpyDeviceToHost));
    CHECK(back[19] == 19 && back[20] == 7 && back[59] == 7 && back[60] == 60);
    IS(cudaMemcpy2D(d, 10, h, 20, 20, 10, cudaMemcpyHostToDevice),
       cudaErrorInvalidPitchValue);
    cudaGetLastError();
    OK(cudaFree(d));
}

PROBE(boxes)
{
    enum { W = 8, H = 4, D = 3 };
    struct cudaPitchedPtr p;
    unsigned char h[D][H][W], back[D][H][W];
    for (int i = 0; i < D * H * W; i++)
        ((unsigned char *)h)[i] = (unsigned char)i;
    OK(cudaMalloc3D(&p, make_cudaExtent(W, H, D)));
    struct cudaMemcpy3DParms in = {};
    in.srcPtr = make_cudaPitchedPtr(h, W, W, H);
    in.dstPtr = p;
    in.extent = make_cudaExtent(W, H, D);
    in.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&in));
    struct cudaMemcpy3DParms out = {};
    out.srcPtr = p;
    out.srcPos = make_cudaPos(2, 1, 1);
    out.dstPtr = make_cudaPitchedPtr(back, W, W, H);
    out.extent = make_cudaExtent(3, 2, 2);
    out.kind = cudaMemcpyDeviceToHost;
    memset(back, 0xff, sizeof back);
    OK(cudaMemcpy3D(&out));
    CHECK(back[0][0][0] == h[1][1][2] && back[1][1][2] == h[2][2][4]);
    CHECK(back[0][0][3] == 0xff);
    OK(cudaMemset3D(p, 5, make_cudaExtent(W, H, 1)));
    in.srcPtr = p;
    in.dstPtr = make_cudaPitchedPtr(back, W, W, H);
    in.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&in));
    CHECK(back[0][3][7] == 5 && back[1][0][0] == h[1][0][0]);
    OK(cudaFree(p.ptr));
}

PROBE(arrays_of_elements)
{
    cudaArray_t a;
    float h[4][8], back[4][8] = {{0}};
    struct cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>(), got;
    struct cudaExtent extent;
    unsigned flags;
    for (int i = 0; i < 32; i++)
        ((float *)h)[i] = (float)i;
    OK(cudaMallocArray(&a, &desc, 8, 4));
    OK(cudaArrayGetInfo(&got, &extent, &flags, a));
    CHECK(got.x == 32 && extent.width == 8 && extent.height == 4);
    OK(cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DFromArray(back, 32, a, 0, 2, 32, 1, cudaMemcpyDeviceToHost));
    CHECK(back[0][0] == 16 && back[0][7] == 23);
    OK(cudaFreeArray(a));
}

__global__ void count_up(int *p, int n)
{
    for (int i = 0; i < n; i++) {
        atomicAdd_system(&p[0], 3);
        atomicExch_system(&p[1], i);
        atomicInc_system((unsigned *)&p[2], 1000000);
    }
}

/* The host's atomics take no lock of ours. */
PROBE(host_and_device_change_a_word_at_once)
{
    enum { N = 300, THREADS = 128 };
    int *p;
    OK(cudaMallocManaged(&p, 3 * sizeof *p));
    p[0] = p[1] = p[2] = 0;
    count_up<<<1, THREADS>>>(p, N);
    for (int i = 0; i < N * THREADS; i++) {
        __sync_fetch_and_add(&p[0], 5);
        __sync_lock_test_and_set(&p[1], i);
        __sync_fetch_and_add(&p[2], 1);
    }
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 8 * N * THREADS && p[2] == 2 * N * THREADS);
    CHECK(0 <= p[1] && p[1] < N * THREADS);
    OK(cudaFree(p));
}

PROBE(managed_memory_and_advice)
{
    int *m, preferred = 9, mostly = 0;
    struct cudaMemLocation gpu = {};
    gpu.type = cudaMemLocationTypeDevice;
    struct cudaMemLocation host = {};
    host.type = cudaMemLocationTypeHost;
    OK(cudaMallocManaged(&m, 4096));
    memset(m, 0, 4096);
    OK(cudaMemAdvise(m, 4096, cudaMemAdviseSetPreferredLocation, gpu));
    OK(cudaMemAdvise(m, 4096, cudaMemAdviseSetReadMostly, gpu));
    OK(cudaMemRangeGetAttribute(
        &preferred, 4, cudaMemRangeAttributePreferredLocation, m, 4096));
    OK(cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, m,
                                4096));
    CHECK(preferred == 0 && mostly == 1);
    int by[3] = {9, 9, 9}; // a list of those, the others have one value
    OK(cudaMemAdvise(m, 4096, cudaMemAdviseSetAccessedBy, gpu));
    OK(cudaMemRangeGetAttribute(by, 12, cudaMemRangeAttributeAccessedBy, m,
                                4096));
    CHECK(by[0] == 0 && by[1] == cudaInvalidDeviceId && by[2] == by[1]);
    IS(cudaMemRangeGetAttribute(by, 0, cudaMemRangeAttributeAccessedBy, m,
                                4096),
       cudaErrorInvalidValue);
    IS(cudaMemRangeGetAttribute(by, 8, cudaMemRangeAttributeReadMostly, m,
                                4096),
       cudaErrorInvalidValue);
    OK(cudaMemPrefetchAsync(m, 4096, gpu, 0, 0));
    add<<<4, 256>>>(m, 1024, 3);
    OK(cudaMemPrefetchAsync(m, 4096, host, 0, 0));
    OK(cudaDeviceSynchronize());
    CHECK(m[1023] == 3);
    int *d;
    OK(cudaMalloc(&d, 4));
    IS(cudaMemPrefetchAsync(d, 4, gpu, 0, 0), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaFree(d));
    OK(cudaFree(m));
}

PROBE(pools_count_and_keep)
{
    cudaMemPool_t pool, found;
    struct cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    uint64_t used = 1, keep = 1 << 30, held = 0;
    int *p;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    OK(cudaMallocFromPoolAsync(&p, 4096, pool, s));
    OK(cudaMemsetAsync(p, 0, 4096, s));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(used == 4096);
    OK(cudaFreeAsync(p, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &held));
    CHECK(used == 0 && held >= 4096 && held <= keep);
    OK(cudaMemPoolTrimTo(pool, 0));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &held));
    CHECK(held == 0);
    OK(cudaDeviceSetMemPool(0, pool));
    OK(cudaDeviceGetMemPool(&found, 0));
    CHECK(found == pool);
    OK(cudaMemPoolDestroy(pool));
    OK(cudaDeviceGetMemPool(&found, 0));
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(found == pool);
    OK(cudaStreamDestroy(s));
}

/* Skipped where the host has no NUMA nodes, or the driver no such pools. */
PROBE(pools_of_numa_nodes)
{
    enum { N = 1024 };
    int node = -1, can = 0, *p;
    cudaMemPool_t pool;
    cudaStream_t s;
    enum cudaMemAccessFlags flags;
    struct cudaMemPoolProps props = {};
    struct cudaMemAccessDesc access = {};
    OK(cudaDeviceGetAttribute(&node, cudaDevAttrHostNumaId, 0));
    OK(cudaDeviceGetAttribute(&can, cudaDevAttrHostNumaMemoryPoolsSupported,
                              0));
    if (node < 0 || !can)
        return;
    OK(cudaStreamCreate(&s));
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeHostNuma;
    props.location.id = 4096;
    CHECK(cudaMemPoolCreate(&pool, &props) != cudaSuccess);
    cudaGetLastError();
    props.location.id = node;
    OK(cudaMemPoolCreate(&pool, &props));
    access.location.type = cudaMemLocationTypeDevice;
    OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
    CHECK(flags == cudaMemAccessFlagsProtNone);
    access.flags = cudaMemAccessFlagsProtReadWrite;
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
    CHECK(flags == cudaMemAccessFlagsProtReadWrite);
    OK(cudaMallocFromPoolAsync(&p, N * sizeof *p, pool, s));
    OK(cudaStreamSynchronize(s));
    for (int i = 0; i < N; i++) // it is the host's memory too
        p[i] = i;
    add<<<4, 256, 0, s>>>(p, N, 1);
    OK(cudaGetLastError());
    OK(cudaStreamSynchronize(s));
    CHECK(p[0] == 1 && p[N - 1] == N);
    IS(cudaFreeHost(p), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaFreeAsync(p, s));
    OK(cudaMallocFromPoolAsync(&p, N, pool, s));
    OK(cudaStreamSynchronize(s));
    OK(cudaFree(p));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaStreamDestroy(s));
}

PROBE(pinned_memory_and_its_flags)
{
    int *p, *d, plain[64];
    unsigned flags = 0;
    struct cudaPointerAttributes a;
    OK(cudaHostAlloc(&p, 256, cudaHostAllocMapped | cudaHostAllocPortable));
    OK(cudaHostGetFlags(&flags, p));
    CHECK(flags == (cudaHostAllocMapped | cudaHostAllocPortable));
    OK(cudaHostGetDevicePointer(&d, p, 0));
    p[0] = 1;
    add<<<1, 1>>>(d, 1, 41);
    OK(cudaDeviceSynchronize());
    CHECK(p[0] == 42);
    OK(cudaPointerGetAttributes(&a, p));
    CHECK(a.type == cudaMemoryTypeHost);
    OK(cudaFreeHost(p));
    OK(cudaHostRegister(plain, sizeof plain, cudaHostRegisterDefault));
    IS(cudaHostRegister(plain, sizeof plain, 0),
       cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostUnregister(plain));
    IS(cudaHostUnregister(plain), cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();
}

__device__ int variable;

PROBE(a_variables_address_is_the_devices)
{
    int x = 7, y = 0;
    void *at;
    array<int> a(1);
    OK(cudaGetSymbolAddress(&at, variable));
    OK(cudaMemcpy(at, &x, sizeof x, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(a.d, at, sizeof x, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(&y, at, sizeof y, cudaMemcpyDeviceToHost));
    CHECK(y == 7 && a.get()[0] == 7);
    int *const host = (int *)malloc(sizeof *host);
    IS(cudaMemcpy(host, &x, sizeof x, cudaMemcpyHostToDevice),
       cudaErrorInvalidValue);
    IS(cudaMemcpy(&x, host, sizeof x, cudaMemcpyDeviceToHost),
       cudaErrorInvalidValue);
    cudaGetLastError();
    free(host);
}

PROBE(several_copies_in_one_call)
{
    array<int> a(4), b(4);
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    int x = 1, y = 2;
    void *dst[] = {a.d, b.d};
    const void *src[] = {&x, &y};
    size_t sizes[] = {4, 4}, index = 0;
    struct cudaMemcpyAttributes attrs = {};
    attrs.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    OK(cudaMemcpyBatchAsync(dst, src, sizes, 2, &attrs, &index, 1, s));
    OK(cudaStreamSynchronize(s));
    CHECK(a.get()[0] == 1 && b.get()[0] == 2);
    struct cudaMemcpyAttributes more[] = {attrs, attrs, attrs};
    size_t first[] = {0, 1, 2};
    IS(cudaMemcpyBatchAsync(dst, src, sizes, 2, more, first, 3, s),
       cudaErrorInvalidValue); // more attributes than copies
    IS(cudaMemcpyBatchAsync(dst, src, sizes, 2, &attrs, &first[1], 1, s),
       cudaErrorInvalidValue); // none for the first copy
    OK(cudaStreamDestroy(s));
}

PROBE(a_pool_may_be_opened_to_its_own_device)
{
    cudaMemPool_t pool;
    struct cudaMemAccessDesc access = {};
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    access.location.type = cudaMemLocationTypeDevice;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    OK(cudaMemPoolSetAccess(pool, &access, 1));
}

PROBE(limits_flags_and_choices)
{
    size_t stack = 0;
    unsigned flags = 0;
    int device = 9, ndevices = 0;
    enum cudaFuncCache cache;
    struct cudaDeviceProp want = {};
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    OK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    CHECK(stack == 4096);
    CHECK(cudaDeviceGetLimit(&stack, (enum cudaLimit)99) != cudaSuccess);
    OK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    OK(cudaGetDeviceFlags(&flags));
    CHECK(flags & cudaDeviceScheduleBlockingSync);
    IS(cudaSetDeviceFlags(7), cudaErrorInvalidValue);
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaDeviceGetCacheConfig(&cache));
    CHECK(cache == cudaFuncCachePreferL1);
    want.major = 1;
    OK(cudaChooseDevice(&device, &want));
    CHECK(device == 0);
    OK(cudaGetDeviceCount(&ndevices)); // all alike but for their places
    OK(cudaGetDeviceProperties(&want, ndevices - 1));
    OK(cudaChooseDevice(&device, &want));
    CHECK(device == ndevices - 1);
    OK(cudaInitDevice(ndevices - 1, 0, 0));
    OK(cudaGetDevice(&device));
    CHECK(device == 0);
    cudaGetLastError();
}

#if defined(__SIMNVCC__) || CUDART_VERSION < 13000
PROBE(banks_have_four_bytes)
{
    enum cudaSharedMemConfig banks = cudaSharedMemBankSizeDefault;
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    OK(cudaDeviceGetSharedMemConfig(&banks));
    CHECK(banks == cudaSharedMemBankSizeFourByte);
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeDefault));
    IS(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)3),
       cudaErrorInvalidValue);
}
#endif

#define SAME(a, b)                                                             \
    (sizeof(a) == sizeof(b) && memcmp(&(a), &(b), sizeof(a)) == 0)

PROBE(surfaces_are_as_large_as_textures)
{
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    CHECK(p.maxSurface1D == p.maxTexture1DMipmap &&
          SAME(p.maxSurface1DLayered, p.maxTexture1DLayered));
    CHECK(SAME(p.maxSurface2D, p.maxTexture2D) &&
          SAME(p.maxSurface2DLayered, p.maxTexture2DLayered));
    CHECK(SAME(p.maxSurface3D, p.maxTexture3D) &&
          p.maxTexture3D[1] == p.maxTexture3D[0] &&
          p.maxTexture3D[2] == p.maxTexture3D[0]);
    CHECK(p.maxSurfaceCubemap == p.maxTextureCubemap &&
          SAME(p.maxSurfaceCubemapLayered, p.maxTextureCubemapLayered));
}

PROBE(streams_know_themselves)
{
    cudaStream_t s, t;
    unsigned long long a = 0, b = 0;
    int device = 9, least, greatest, priority;
    unsigned flags;
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -100));
    OK(cudaStreamCreate(&t));
    OK(cudaStreamGetPriority(s, &priority));
    CHECK(priority == greatest);
    OK(cudaStreamGetFlags(s, &flags));
    CHECK(flags == cudaStreamNonBlocking);
    OK(cudaStreamGetId(s, &a));
    OK(cudaStreamGetId(t, &b));
    CHECK(a != b);
    OK(cudaStreamGetDevice(s, &device));
    CHECK(device == 0);
    cudaStreamAttrValue v = {}, got = {};
    v.syncPolicy = cudaSyncPolicyBlockingSync;
    OK(cudaStreamSetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &v));
    OK(cudaStreamCopyAttributes(t, s));
    OK(cudaStreamGetAttribute(t, cudaStreamAttributeSynchronizationPolicy,
                              &got));
    CHECK(got.syncPolicy == cudaSyncPolicyBlockingSync);
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
}

static void called(cudaStream_t s, cudaError_t status, void *data)
{
    *(int *)data = s && status == cudaSuccess ? 1 : 2;
}

PROBE(callbacks_get_their_stream)
{
    cudaStream_t s;
    int n = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamAddCallback(s, called, &n, 0));
    OK(cudaStreamSynchronize(s));
    CHECK(n == 1);
    OK(cudaStreamDestroy(s));
}

PROBE(launches_with_attributes)
{
    array<int> a(64);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attr = {};
    int n = 64, v = 2, *p = a.d;
    config.gridDim = dim3(1);
    config.blockDim = dim3(64);
    attr.id = cudaLaunchAttributePriority;
    attr.val.priority = -1;
    config.attrs = &attr;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, add, p, n, v));
    void *args[] = {&p, &n, &v};
    OK(cudaLaunchCooperativeKernel(add, dim3(1), dim3(64), args));
    IS(cudaLaunchCooperativeKernel(add, dim3(1 << 20), dim3(64), args),
       cudaErrorCooperativeLaunchTooLarge);
    const cudaError_t err =
        cudaLaunchKernel((const void *)add, dim3(1), dim3(2048), args, 0, 0);
    CHECK(err == cudaErrorInvalidValue || // as from CUDA 13 on
          err == cudaErrorInvalidConfiguration);
    CHECK(a.get()[63] == 4);
    cudaGetLastError();
}

PROBE(occupancy_and_names)
{
    int blocks = 0, grid = 0, block = 0;
    const char *name = "";
    size_t shared = 0;
    struct cudaFuncAttributes f;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
    CHECK(blocks == 8);
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add));
    CHECK(block == 1024 && grid == 2 * 132);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, add, 2, 256));
    CHECK(shared == 48 << 10); // until more is asked for
    OK(cudaFuncGetName(&name, add));
    CHECK(strstr(name, "add") != NULL);
    OK(cudaFuncSetAttribute(add, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            64 << 10));
    OK(cudaFuncGetAttributes(&f, add));
    CHECK(f.maxDynamicSharedSizeBytes == 64 << 10 && f.numRegs > 0);
    IS(cudaFuncGetAttributes(&f, (const void *)&name),
       cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

#ifdef __SIMNVCC__ // GPUs have it
PROBE(what_is_not_here_says_so)
{
    cudaExternalMemory_t m;
    struct cudaExternalMemoryHandleDesc desc = {};
    cudaLibrary_t library;
    IS(cudaImportExternalMemory(&m, &desc), cudaErrorNotSupported);
    IS(cudaLibraryLoadFromFile(&library, "a.cubin", NULL, NULL, 0, NULL, NULL,
                               0),
       cudaErrorNotSupported);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorNotSupported),
                  "cudaErrorNotSupported"));
    CHECK(cudaGetLastError() == cudaErrorNotSupported);
}
#endif

PROBE(profilers_may_be_started)
{
    OK(cudaProfilerStart());
    OK(cudaProfilerStop());
}

PROBE(driver_functions_by_name)
{
    CUresult (*get)(int *) = NULL;
    enum cudaDriverEntryPointQueryResult found;
    int version = 0;
    OK(cudaGetDriverEntryPointByVersion("cuDriverGetVersion", (void **)&get,
                                        13000, cudaEnableDefault, &found));
    CHECK(found == cudaDriverEntryPointSuccess);
    CHECK(get && get(&version) == CUDA_SUCCESS && version == 13000);
    OK(cudaGetDriverEntryPointByVersion("cuNothing", (void **)&get, 13000,
                                        cudaEnableDefault, &found));
    CHECK(found == cudaDriverEntryPointSymbolNotFound);
}
