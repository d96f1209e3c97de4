/* What the driver says of devices, contexts, errors and host memory:
 * values.txt. */
#include "say.h"

#include <cudaProfiler.h>
#include <stdlib.h>

static CUdeviceptr d;
static unsigned char back[64];

static void start(void)
{
    cuInit(0);
    cudaSetDevice(0);
    cudaMalloc((void **)&d, 64);
    cudaMemset((void *)d, 0, 64);
}

/* All of the errors that there are. */
static void errors(void)
{
    for (int i = 0; i <= 1000; i++) {
        const char *name = NULL, *text = NULL;
        if (cuGetErrorName((CUresult)i, &name) == CUDA_SUCCESS) {
            cuGetErrorString((CUresult)i, &text);
            printf("%d: %s, %s\n", i, name, text);
        }
    }
}

static void devices(void)
{
    char id[16] = "";
    int major = 0, minor = 0, peer = 9, n = 0;
    unsigned version = 0;
    CUdevice found = 9;
    CUuuid a, b;
    size_t nbytes = 0;
    DRIVER(cuDeviceGetPCIBusId(id, 13, 1));
    puts(id);
    DRIVER(cuDeviceGetPCIBusId(id, 13, 8));
    DRIVER(cuDeviceGetByPCIBusId(&found, id));
    IS(found);
    DRIVER(cuDeviceGetByPCIBusId(&found, "0000:ff:00.0"));
    DRIVER(cuDeviceCanAccessPeer(&peer, 0, 1));
    IS(peer);
    DRIVER(cuDeviceCanAccessPeer(&peer, 0, 8));
    DRIVER(cuDeviceComputeCapability(&major, &minor, 0));
    printf("%d %d\n", major, minor);
    DRIVER(cuDeviceComputeCapability(&major, &minor, 8));
    DRIVER(cuDeviceComputeCapability(NULL, &minor, 0));
    DRIVER(cuDeviceComputeCapability(&major, NULL, 0));
    DRIVER(cuDeviceGetUuid(NULL, 0));
    DRIVER(cuDeviceGetUuid(&a, 8));
    DRIVER(cuDeviceGetUuid(&a, 0));
    DRIVER(cuDeviceGetUuid(&b, 1));
    IS(memcmp(&a, &b, sizeof a) != 0);
    DRIVER(cuDeviceTotalMem(NULL, 0));
    DRIVER(cuDeviceTotalMem(&nbytes, 8));
    DRIVER(cuDeviceTotalMem(&nbytes, 0));
    IS(nbytes);
    DRIVER(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    IS(n);
    DRIVER(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 8));
    DRIVER(cuCtxGetApiVersion(NULL, &version));
    IS(version);
    DRIVER(cuCtxGetApiVersion(NULL, NULL));
    DRIVER(cuCtxGetApiVersion((CUcontext)back, &version));
}

static void limits(void)
{
    size_t v = 0;
    int least = 9, greatest = 9;
    unsigned flags = 99;
    CUfunc_cache cache = CU_FUNC_CACHE_PREFER_L1;
    CUcontext peer = NULL;
    DRIVER(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
    DRIVER(cuCtxSetLimit((CUlimit)99, 4096));
    DRIVER(cuCtxGetLimit(&v, CU_LIMIT_STACK_SIZE));
    IS(v);
    DRIVER(cuCtxGetLimit(&v, CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH));
    IS(v);
    DRIVER(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE));
    DRIVER(cuCtxGetStreamPriorityRange(&least, &greatest));
    printf("%d %d\n", least, greatest);
    DRIVER(cuCtxGetFlags(&flags));
    IS(flags);
    DRIVER(cuCtxGetFlags(NULL));
    DRIVER(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_EQUAL));
    DRIVER(cuCtxSetCacheConfig((CUfunc_cache)9));
    DRIVER(cuCtxGetCacheConfig(&cache));
    IS(cache);
    DRIVER(cuProfilerStart());
    DRIVER(cuProfilerStop());
    DRIVER(cuDevicePrimaryCtxRetain(&peer, 1));
    DRIVER(cuCtxEnablePeerAccess((CUcontext)back, 0));
    DRIVER(cuCtxEnablePeerAccess(peer, 1));
    DRIVER(cuCtxEnablePeerAccess(peer, 0));
    DRIVER(cuCtxEnablePeerAccess(peer, 0));
    DRIVER(cuCtxDisablePeerAccess((CUcontext)back));
    DRIVER(cuCtxDisablePeerAccess(peer));
    DRIVER(cuCtxDisablePeerAccess(peer));
}

static void current_device(void)
{
    int now = 9;
    cudaGetDevice(&now);
    IS(now);
}

/* Device 1 has memory that a reset frees; device 0's stays. */
static void resets(void)
{
    void *p = NULL;
    CUdeviceptr base = 0;
    cudaSetDevice(1);
    cudaMalloc(&p, 100);
    cudaSetDevice(0);
    DRIVER(cuMemGetAddressRange(&base, NULL, (CUdeviceptr)p));
    DRIVER(cuDevicePrimaryCtxReset(8));
    DRIVER(cuDevicePrimaryCtxReset(-1));
    DRIVER(cuDevicePrimaryCtxReset(1));
    current_device();
    DRIVER(cuMemGetAddressRange(&base, NULL, (CUdeviceptr)p));
    DRIVER(cuMemGetAddressRange(&base, NULL, d));
}

/* More contexts than the stack holds, and back. */
static void stacks(void)
{
    CUcontext zero = NULL, one = NULL, got = NULL;
    int n = 0;
    DRIVER(cuDevicePrimaryCtxRetain(&zero, 0));
    DRIVER(cuDevicePrimaryCtxRetain(&one, 1));
    while (n < 2000 && cuCtxPushCurrent(n % 2 ? zero : one) == CUDA_SUCCESS)
        n++;
    IS(n);
    current_device();
    DRIVER(cuCtxPopCurrent(&got));
    IS(got == zero);
    current_device();
    for (n = 1; n < 1024; n++)
        cuCtxPopCurrent(&got);
    IS(got == one);
    current_device();
    DRIVER(cuCtxGetCurrent(&got));
    IS(got == zero);
    DRIVER(cuCtxPopCurrent(&got));
    IS(got == zero);
    DRIVER(cuCtxPopCurrent(&got));
    DRIVER(cuCtxGetCurrent(&got));
    IS(got == NULL);
    DRIVER(cuCtxSynchronize());
    DRIVER(cuCtxPushCurrent(one));
    current_device();
    DRIVER(cuCtxPopCurrent(NULL));
    DRIVER(cuCtxGetCurrent(&got));
    IS(got == NULL);
}

/* ---- memory -------------------------------------------------------------- */

static void host_memory(void)
{
    void *pinned = NULL, *mapped = NULL, *own = aligned_alloc(4096, 8192);
    CUdeviceptr at = 0, managed = 0;
    unsigned flags = 99;
    DRIVER(cuMemAllocHost(&pinned, 100));
    DRIVER(cuMemHostGetFlags(&flags, pinned));
    IS(flags);
    DRIVER(cuMemHostAlloc(&mapped, 100, 8));
    DRIVER(cuMemHostAlloc(&mapped, 100, 2));
    DRIVER(cuMemHostGetFlags(&flags, mapped));
    IS(flags);
    DRIVER(cuMemHostGetFlags(&flags, own));
    DRIVER(cuMemHostGetDevicePointer(&at, mapped, 0));
    IS(at == (CUdeviceptr)mapped);
    DRIVER(cuMemHostGetDevicePointer(&at, mapped, 1));
    DRIVER(cuMemHostRegister(own, 8192, 0));
    DRIVER(cuMemHostRegister(own, 8192, 0));
    DRIVER(cuMemHostUnregister(own));
    DRIVER(cuMemHostUnregister(own));
    DRIVER(cuMemAllocManaged(&managed, 100, CU_MEM_ATTACH_GLOBAL));
    *(int *)managed = 5;
    DRIVER(cuMemAllocManaged(&managed, 100, 9));
    DRIVER(cuMemFreeHost(pinned));
    DRIVER(cuMemFreeHost(pinned));
    DRIVER(cuMemFreeHost(mapped));
}

static void ranges(void)
{
    CUdeviceptr base = 0, p = 0;
    size_t n = 0, pitch = 0, free = 0, total = 0;
    DRIVER(cuMemGetAddressRange(&base, &n, d + 63));
    printf("%d %zu\n", base == d, n);
    DRIVER(cuMemGetAddressRange(NULL, &n, d));
    DRIVER(cuMemGetAddressRange(&base, NULL, d));
    DRIVER(cuMemGetAddressRange(&base, &n, (CUdeviceptr)back));
    DRIVER(cuMemAlloc(&p, 0));
    DRIVER(cuMemAlloc(NULL, 8));
    for (unsigned size = 3; size <= 17; size++)
        printf("%u: %d\n", size, cuMemAllocPitch(&p, &pitch, 100, 2, size));
    IS(pitch);
    DRIVER(cuMemGetInfo(&free, &total));
    IS(total - free);
    DRIVER(cuMemAllocAsync(&p, 64, 0));
    DRIVER(cuMemFreeAsync(p, 0));
    DRIVER(cuMemFree(p));
}

static void pairs(void)
{
    CUcontext zero = NULL, one = NULL;
    CUdeviceptr far = 0;
    cudaSetDevice(1);
    cudaMalloc((void **)&far, 64);
    cudaMemset((void *)far, 7, 64);
    cudaSetDevice(0);
    cuDevicePrimaryCtxRetain(&zero, 0);
    cuDevicePrimaryCtxRetain(&one, 1);
    DRIVER(cuMemcpyPeer(d, NULL, far, one, 4));
    DRIVER(cuMemcpyPeer(d, (CUcontext)back, far, one, 4));
    DRIVER(cuMemcpyPeer(d, zero, far, (CUcontext)back, 4));
    DRIVER(cuMemcpyPeerAsync(far, one, d, zero, 8, 0));
    DRIVER(cuMemcpyPeerAsync(far, (CUcontext)back, d, zero, 8, 0));
    DRIVER(cuMemcpyPeerAsync(far, one, d, (CUcontext)back, 8, 0));
    DRIVER(cuMemcpyDtoH(back, far, 10));
    for (int i = 0; i < 10; i++)
        printf("%d ", back[i]);
    puts("");
}

/* ---- words --------------------------------------------------------------- */

static CUstream s, t;

/* t waits, s writes a value for which it does not end, then one for which it
 * does: the wait follows that write in the graph. */
static void wait_for(unsigned flags, unsigned value, unsigned no, unsigned yes)
{
    const CUdeviceptr p = d + 8;
    printf("%u %u: %u %u\n", flags, value, no, yes);
    cuStreamWriteValue32(s, p, no, 0);
    cuStreamSynchronize(s);
    DRIVER(cuStreamWaitValue32(t, p, value, flags));
    DRIVER(cuStreamWriteValue32(s, p, yes, 0));
    DRIVER(cuStreamSynchronize(t));
}

static void words(void)
{
    const unsigned all = UINT32_MAX;
    cudaDeviceSynchronize();
    cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    cuStreamCreate(&t, CU_STREAM_NON_BLOCKING);
    wait_for(CU_STREAM_WAIT_VALUE_GEQ, 5, 4, 5);
    wait_for(CU_STREAM_WAIT_VALUE_GEQ, 5, 4, 6);
    wait_for(CU_STREAM_WAIT_VALUE_GEQ, 0, all, 0); // it wraps
    wait_for(CU_STREAM_WAIT_VALUE_GEQ, all, all - 1, 3);
    wait_for(CU_STREAM_WAIT_VALUE_EQ, 5, 6, 5);
    wait_for(CU_STREAM_WAIT_VALUE_EQ, all, 4, all);
    wait_for(CU_STREAM_WAIT_VALUE_AND, 6, 9, 2);
    wait_for(CU_STREAM_WAIT_VALUE_AND, 6, 1, 12);
    wait_for(CU_STREAM_WAIT_VALUE_NOR, all - 2, 2, 1);
    wait_for(CU_STREAM_WAIT_VALUE_NOR, 15, all - 15, 15);
}

/* Waits of every kind that no write ends: the run hangs. */
static void stuck(void)
{
    static const unsigned values[] = {0x01010102, 5, 2, 0xfefefefe};
    cudaMemset((void *)d, 1, 64);
    cudaDeviceSynchronize();
    for (unsigned flags = 0; flags < 4; flags++) {
        cuStreamCreate(&t, CU_STREAM_NON_BLOCKING);
        cuStreamWaitValue32(t, d + 8 + 4 * flags, values[flags], flags);
    }
    cuStreamSynchronize(t);
}

/* Each function by its name alone: the version that the header declares. */
static void newest(void)
{
    static const struct {
        const char *name;
        void *function;
    } of[] = {{"cuInit", (void *)cuInit},
              {"cuMemAlloc", (void *)cuMemAlloc},
              {"cuMemAllocHost", (void *)cuMemAllocHost},
              {"cuCtxDestroy", (void *)cuCtxDestroy},
              {"cuCtxCreate", (void *)cuCtxCreate},
              {"cuStreamWaitValue32", (void *)cuStreamWaitValue32},
              {"cuDeviceGetUuid", (void *)cuDeviceGetUuid}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        void *f = NULL;
        const int err = (int)cuGetProcAddress(of[i].name, &f, 13000, 0, NULL);
        printf("%s: %d %d\n", of[i].name, err, f == of[i].function);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"newest", newest},
                 {"driver_errors", errors},
                 {"driver_devices", devices},
                 {"driver_limits", limits},
                 {"driver_resets", resets},
                 {"stacks", stacks},
                 {"driver_host", host_memory},
                 {"driver_ranges", ranges},
                 {"driver_pairs", pairs},
                 {"words", words},
                 {"stuck", stuck}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
