/* What calls return and say, wrong ones too: values.txt. */
#include "say.h"

static void attributes(void)
{
    int v, a, b, n = 0;
    cudaGetDeviceCount(&n);
    const int device = n > 1; // the second, where there are several
    for (int attr = 0; attr < 160; attr++)
        if (cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)attr, device) ==
            cudaSuccess)
            printf("%d=%d\n", attr, v);
    cuInit(0);
    for (int attr = 0; attr < 160; attr++) {
        const int ra =
            cuDeviceGetAttribute(&a, (CUdevice_attribute)attr, device);
        const int rb =
            cudaDeviceGetAttribute(&b, (enum cudaDeviceAttr)attr, device);
        if (ra == 0 && rb != 0)
            printf("driver %d=%d\n", attr, a);
    }
    SAY(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    SAY(cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 8));
    SAY(cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)9999, 0));
    DRIVER(cuDeviceGetAttribute(
        NULL, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 0));
    DRIVER(cuDeviceGetAttribute(
        &v, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 8));
    DRIVER(cuDeviceGetAttribute(
        &v, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, -1));
    DRIVER(cuDeviceGetAttribute(
        &v, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 7));
}

static void devices(void)
{
    struct cudaDeviceProp p;
    char id[32] = "";
    int n = 0, v = 9, least = 1, greatest = 1;
    size_t left, all;
    SAY(cudaGetDeviceCount(NULL));
    SAY(cudaGetDeviceCount(&n));
    IS(n);
    SAY(cudaSetDevice(-1));
    SAY(cudaSetDevice(8));
    SAY(cudaGetDevice(NULL));
    SAY(cudaSetDevice(7));
    SAY(cudaGetDevice(&v));
    IS(v);
    memset(&p, 0, sizeof p);
    SAY(cudaGetDeviceProperties(NULL, 0));
    SAY(cudaGetDeviceProperties(&p, -1));
    SAY(cudaGetDeviceProperties(&p, 7));
    printf("%s %zu %d %d %d\n", p.name, p.totalGlobalMem, p.pciBusID,
           p.sharedMemPerBlockOptin > p.sharedMemPerBlock, p.warpSize);
    SAY(cudaDeviceGetPCIBusId(NULL, 13, 0));
    SAY(cudaDeviceGetPCIBusId(id, 12, 0));
    SAY(cudaDeviceGetPCIBusId(id, 13, 8));
    SAY(cudaDeviceGetPCIBusId(id, 13, 7));
    puts(id);
    SAY(cudaDeviceGetByPCIBusId(NULL, id));
    SAY(cudaDeviceGetByPCIBusId(&v, NULL));
    SAY(cudaDeviceGetByPCIBusId(&v, "0000:ff:00.0"));
    SAY(cudaDeviceGetByPCIBusId(&v, id));
    IS(v);
    SAY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    SAY(cudaDeviceGetStreamPriorityRange(NULL, NULL));
    IS(least);
    IS(greatest);
    SAY(cudaDriverGetVersion(NULL));
    SAY(cudaRuntimeGetVersion(&v));
    IS(v);
    SAY(cudaMemGetInfo(NULL, &all));
    SAY(cudaMemGetInfo(&left, NULL));
    SAY(cudaMemGetInfo(&left, &all));
    IS(all - left);
    IS(all);
}

static void peers(void)
{
    int can = 9;
    void *p;
    SAY(cudaDeviceCanAccessPeer(NULL, 0, 1));
    SAY(cudaDeviceCanAccessPeer(&can, 8, 1));
    SAY(cudaDeviceCanAccessPeer(&can, 0, 8));
    SAY(cudaDeviceCanAccessPeer(&can, 0, 1));
    IS(can);
    SAY(cudaDeviceEnablePeerAccess(1, 1));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceEnablePeerAccess(8, 0));
    SAY(cudaDeviceDisablePeerAccess(1));
    SAY(cudaDeviceEnablePeerAccess(1, 0));
    SAY(cudaDeviceEnablePeerAccess(1, 0));
    SAY(cudaDeviceDisablePeerAccess(8));
    SAY(cudaDeviceDisablePeerAccess(0));
    SAY(cudaDeviceDisablePeerAccess(1));
    SAY(cudaDeviceDisablePeerAccess(1));
    SAY(cudaDeviceEnablePeerAccess(2, 0));
    SAY(cudaMalloc(&p, 1000));
    SAY(cudaDeviceReset());
    SAY(cudaPeekAtLastError());
    SAY(cudaFree(p));
    SAY(cudaDeviceEnablePeerAccess(2, 0));
    SAY(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 1, 1));
    SAY(cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 1));
    SAY(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 9));
    SAY(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrPerformanceRank, 0, 1));
    IS(can);
    SAY(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 1));
    IS(can);
}

static void events(void)
{
    cudaEvent_t e = NULL, f = NULL, quiet = NULL;
    cudaStream_t s;
    float ms = -1;
    SAY(cudaEventCreateWithFlags(NULL, 0));
    SAY(cudaEventCreateWithFlags(&e, 8));
    SAY(cudaEventCreateWithFlags(&e, 4));
    SAY(cudaEventCreateWithFlags(&quiet, 7));
    SAY(cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming));
    SAY(cudaEventDestroy(NULL));
    SAY(cudaEventCreate(&e));
    SAY(cudaEventCreateWithFlags(&f, cudaEventBlockingSync));
    SAY(cudaStreamCreate(&s));
    SAY(cudaEventElapsedTime(NULL, e, f));
    SAY(cudaEventElapsedTime(&ms, e, f));
    SAY(cudaEventQuery(e));
    SAY(cudaEventSynchronize(e));
    SAY(cudaEventRecord(NULL, s));
    SAY(cudaEventRecordWithFlags(e, s, 2));
    SAY(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    SAY(cudaEventRecordWithFlags(e, s, 0));
    SAY(cudaStreamWaitEvent(s, NULL, 0));
    SAY(cudaStreamWaitEvent(s, e, 2));
    SAY(cudaStreamWaitEvent(s, e, cudaEventWaitExternal));
    SAY(cudaStreamWaitEvent(s, e, 0));
    SAY(cudaEventElapsedTime(&ms, e, f));
    SAY(cudaEventElapsedTime(&ms, f, e));
}

static void elapsed(void)
{
    cudaEvent_t e = NULL, f = NULL, quiet = NULL;
    float ms = -1;
    SAY(cudaEventCreate(&e));
    SAY(cudaEventCreate(&f));
    SAY(cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming));
    SAY(cudaEventRecord(e, 0));
    SAY(cudaEventRecord(f, 0));
    SAY(cudaEventRecord(quiet, 0));
    SAY(cudaEventSynchronize(f));
    SAY(cudaEventQuery(f));
    SAY(cudaEventElapsedTime(&ms, e, quiet));
    SAY(cudaEventElapsedTime(&ms, quiet, e));
    SAY(cudaEventElapsedTime(&ms, NULL, e));
    SAY(cudaEventElapsedTime(&ms, e, NULL));
    SAY(cudaEventElapsedTime(&ms, e, f));
    IS(ms >= 0);
    SAY(cudaEventDestroy(e));
    SAY(cudaEventDestroy(e));
    SAY(cudaEventQuery(e));
    SAY(cudaEventSynchronize(e));
    SAY(cudaIpcGetEventHandle(NULL, f));
    cudaIpcEventHandle_t h;
    SAY(cudaIpcGetEventHandle(&h, f));
    SAY(cudaIpcGetEventHandle(&h, NULL));
    memset(&h, 0, sizeof h);
    SAY(cudaIpcOpenEventHandle(NULL, h));
    SAY(cudaIpcOpenEventHandle(&e, h));
}

static void print_pool(cudaMemPool_t p)
{
    static const enum cudaMemPoolAttr attrs[] = {
        cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent,
        cudaMemPoolAttrReservedMemHigh,  cudaMemPoolAttrUsedMemCurrent,
        cudaMemPoolAttrUsedMemHigh,
    };
    for (int i = 0; i < 5; i++) {
        uint64_t n = 99;
        cudaMemPoolGetAttribute(p, attrs[i], &n);
        printf("%llu%c", (unsigned long long)n, i < 4 ? ' ' : '\n');
    }
}

static cudaMemPool_t make_pool(void)
{
    struct cudaMemPoolProps props;
    cudaMemPool_t p = NULL;
    memset(&props, 0, sizeof props);
    SAY(cudaMemPoolCreate(&p, &props));
    props.allocType = cudaMemAllocationTypePinned;
    SAY(cudaMemPoolCreate(&p, &props));
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = 8;
    SAY(cudaMemPoolCreate(&p, &props));
    props.location.id = 0;
    SAY(cudaMemPoolCreate(NULL, &props));
    SAY(cudaMemPoolCreate(&p, NULL));
    SAY(cudaMemPoolCreate(&p, &props));
    return p;
}

static void pool_counts(cudaMemPool_t p)
{
    void *a, *b;
    uint64_t n = 3000, none = 0;
    SAY(cudaMallocFromPoolAsync(&a, 1000, NULL, 0));
    SAY(cudaMallocFromPoolAsync(NULL, 1000, p, 0));
    SAY(cudaMallocFromPoolAsync(&a, 1000, p, 0));
    SAY(cudaMallocFromPoolAsync(&b, 5000, p, 0));
    print_pool(p);
    SAY(cudaFreeAsync(a, 0));
    SAY(cudaDeviceSynchronize());
    print_pool(p);
    SAY(cudaMemPoolSetAttribute(p, cudaMemPoolAttrReleaseThreshold, &n));
    SAY(cudaFreeAsync(b, 0));
    SAY(cudaFreeAsync(NULL, 0));
    SAY(cudaDeviceSynchronize());
    print_pool(p);
    SAY(cudaMemPoolSetAttribute(p, cudaMemPoolAttrUsedMemHigh, &n));
    SAY(cudaMemPoolSetAttribute(p, cudaMemPoolAttrUsedMemHigh, &none));
    print_pool(p);
    SAY(cudaMemPoolSetAttribute(p, cudaMemPoolAttrReservedMemHigh, &n));
    SAY(cudaMemPoolSetAttribute(p, cudaMemPoolAttrReservedMemHigh, &none));
    SAY(cudaMemPoolSetAttribute(p, cudaMemPoolAttrUsedMemCurrent, &none));
    print_pool(p);
    SAY(cudaMemPoolTrimTo(p, 4000));
    print_pool(p);
    SAY(cudaMemPoolTrimTo(p, 100));
    print_pool(p);
    SAY(cudaMemPoolTrimTo(NULL, 0));
}

static void pool_attributes(cudaMemPool_t p)
{
    int v = 9;
    uint64_t n = 0;
    for (int a = cudaMemPoolReuseFollowEventDependencies;
         a <= cudaMemPoolReuseAllowInternalDependencies; a++) {
        SAY(cudaMemPoolGetAttribute(p, (enum cudaMemPoolAttr)a, &v));
        IS(v);
        v = 10 + a;
        SAY(cudaMemPoolSetAttribute(p, (enum cudaMemPoolAttr)a, &v));
        v = 0;
        SAY(cudaMemPoolGetAttribute(p, (enum cudaMemPoolAttr)a, &v));
        IS(v);
    }
    SAY(cudaMemPoolGetAttribute(p, (enum cudaMemPoolAttr)0, &n));
    SAY(cudaMemPoolGetAttribute(p, (enum cudaMemPoolAttr)99, &n));
    SAY(cudaMemPoolGetAttribute(p, cudaMemPoolAttrUsedMemHigh, NULL));
    SAY(cudaMemPoolGetAttribute(NULL, cudaMemPoolAttrUsedMemHigh, &n));
    SAY(cudaMemPoolSetAttribute(p, cudaMemPoolAttrUsedMemHigh, NULL));
    SAY(cudaMemPoolSetAttribute(NULL, cudaMemPoolAttrUsedMemHigh, &n));
}

static void pool_choices(cudaMemPool_t p)
{
    cudaMemPool_t d = NULL, c = NULL;
    struct cudaMemLocation where = {.type = cudaMemLocationTypeDevice};
    const enum cudaMemAllocationType pinned = cudaMemAllocationTypePinned;
    SAY(cudaDeviceGetDefaultMemPool(NULL, 0));
    SAY(cudaDeviceGetDefaultMemPool(&d, 8));
    SAY(cudaDeviceGetDefaultMemPool(&d, 0));
    SAY(cudaDeviceGetMemPool(&c, 0));
    IS(c == d);
    SAY(cudaMemPoolDestroy(d));
    SAY(cudaDeviceSetMemPool(8, p));
    SAY(cudaDeviceSetMemPool(1, p));
    SAY(cudaDeviceSetMemPool(0, NULL));
    SAY(cudaDeviceSetMemPool(0, p));
    SAY(cudaDeviceGetMemPool(&c, 0));
    IS(c == p);
    SAY(cudaMemGetMemPool(&c, NULL, pinned));
    SAY(cudaMemGetMemPool(&c, &where, cudaMemAllocationTypeInvalid));
    SAY(cudaMemGetMemPool(&c, &where, pinned));
    IS(c == p);
    SAY(cudaMemGetDefaultMemPool(&c, &where, pinned));
    IS(c == d);
    SAY(cudaMemSetMemPool(&where, pinned, d));
    SAY(cudaMemGetMemPool(&c, &where, pinned));
    IS(c == d);
    where.type = cudaMemLocationTypeHost;
    SAY(cudaMemSetMemPool(&where, pinned, d));
    SAY(cudaDeviceSetMemPool(0, p));
    SAY(cudaMemPoolDestroy(p));
    SAY(cudaMemPoolDestroy(p));
    SAY(cudaDeviceGetMemPool(&c, 0));
    IS(c == d);
}

static void pool_access(cudaMemPool_t p)
{
    enum cudaMemAccessFlags flags = 9;
    struct cudaMemLocation where = {.type = cudaMemLocationTypeDevice, .id = 1};
    struct cudaMemAccessDesc to = {.location = where};
    SAY(cudaMemPoolSetAccess(p, &to, 0));
    SAY(cudaMemPoolSetAccess(p, NULL, 1));
    SAY(cudaMemPoolSetAccess(NULL, &to, 1));
    to.flags = cudaMemAccessFlagsProtRead;
    SAY(cudaMemPoolSetAccess(p, &to, 1));
    to.flags = cudaMemAccessFlagsProtReadWrite;
    SAY(cudaMemPoolSetAccess(p, &to, 1));
    SAY(cudaMemPoolGetAccess(&flags, p, &where));
    IS(flags);
    to.flags = cudaMemAccessFlagsProtNone;
    SAY(cudaMemPoolSetAccess(p, &to, 1));
    SAY(cudaMemPoolGetAccess(&flags, p, &where));
    IS(flags);
    to.location.id = 0;
    SAY(cudaMemPoolSetAccess(p, &to, 1));
    to.location.id = 8;
    SAY(cudaMemPoolSetAccess(p, &to, 1));
    to.location = (struct cudaMemLocation){.type = cudaMemLocationTypeHost};
    SAY(cudaMemPoolSetAccess(p, &to, 1));
    where.id = 8;
    SAY(cudaMemPoolGetAccess(&flags, p, &where));
    SAY(cudaMemPoolGetAccess(NULL, p, &where));
    SAY(cudaMemPoolGetAccess(&flags, p, NULL));
    where.id = 0;
    SAY(cudaMemPoolGetAccess(&flags, p, &where));
    IS(flags);
}

static void pools(void)
{
    cudaMemPool_t const p = make_pool();
    int fd = -1;
    print_pool(p);
    pool_counts(p);
    pool_attributes(p);
    pool_access(p);
    const enum cudaMemAllocationHandleType file =
        cudaMemHandleTypePosixFileDescriptor;
    SAY(cudaMemPoolExportToShareableHandle(&fd, p, file, 0));
    SAY(cudaMemPoolExportToShareableHandle(NULL, p, file, 0));
    SAY(cudaMemPoolImportFromShareableHandle(NULL, NULL, file, 0));
    pool_choices(p);
}

/* Pools reserve whole granules. */
static void pool_granules(void)
{
    enum { MIB = 1 << 20 };
    cudaMemPool_t const p = make_pool();
    uint64_t threshold = 63 * MIB;
    void *a, *b;
    SAY(cudaMemPoolSetAttribute(p, cudaMemPoolAttrReleaseThreshold,
                                &threshold));
    SAY(cudaMallocFromPoolAsync(&a, 32 * MIB, p, 0));
    print_pool(p);
    SAY(cudaMallocFromPoolAsync(&b, 32 * MIB + 1, p, 0));
    print_pool(p);
    SAY(cudaFreeAsync(b, 0));
    SAY(cudaFreeAsync(a, 0));
    SAY(cudaDeviceSynchronize());
    print_pool(p);
    SAY(cudaMemPoolTrimTo(p, 32 * MIB + 1));
    print_pool(p);
    SAY(cudaMemPoolTrimTo(p, 1));
    print_pool(p);
    SAY(cudaMemPoolTrimTo(p, 0));
    print_pool(p);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"attributes", attributes},
                 {"devices", devices},
                 {"peers", peers},
                 {"events", events},
                 {"elapsed", elapsed},
                 {"pools", pools},
                 {"pool_granules", pool_granules}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
