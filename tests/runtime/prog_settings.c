/* What devices' settings, user objects and handles return: values.txt. */
#include "say.h"

#include <cuda_profiler_api.h>

static unsigned char h[64];

static void limits(void)
{
    size_t v = 0;
    SAY(cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    for (int limit = -1; limit <= 7; limit++) {
        const enum cudaLimit l = (enum cudaLimit)limit;
        v = 1;
        printf("%d: %d", limit, (int)cudaDeviceGetLimit(&v, l));
        printf(" %zu, %d", v, (int)cudaDeviceSetLimit(l, 100));
        printf(" %d", (int)cudaDeviceGetLimit(&v, l));
        printf(" %zu\n", v);
    }
    SAY(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 128));
    SAY(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 129));
    SAY(cudaDeviceSetLimit(cudaLimitStackSize, 129));
    SAY(cudaSetDevice(1));
    SAY(cudaDeviceGetLimit(&v, cudaLimitStackSize));
    IS(v);
}

static void set_limit(enum cudaLimit limit, size_t value)
{
    size_t v = 0;
    SAY(cudaDeviceSetLimit(limit, value));
    SAY(cudaDeviceGetLimit(&v, limit));
    IS(v);
}

static void larger_limits(void)
{
    size_t v = 0;
    set_limit(cudaLimitStackSize, 4096);
    set_limit(cudaLimitPrintfFifoSize, 1 << 20);
    set_limit(cudaLimitMallocHeapSize, 16 << 20);
    set_limit(cudaLimitPersistingL2CacheSize, 3276801);
    set_limit(cudaLimitPersistingL2CacheSize, 1 << 30);
    SAY(cudaDeviceGetLimit(&v, (enum cudaLimit)99));
}

static void configurations(void)
{
    enum cudaFuncCache cache = 9;
    enum cudaSharedMemConfig banks = 9;
    SAY(cudaDeviceGetCacheConfig(NULL));
    SAY(cudaDeviceGetCacheConfig(&cache));
    IS(cache);
    for (int c = -1; c <= 4; c++) {
        SAY(cudaDeviceSetCacheConfig((enum cudaFuncCache)c));
        SAY(cudaDeviceGetCacheConfig(&cache));
        IS(cache);
    }
    SAY(cudaDeviceGetSharedMemConfig(NULL));
    SAY(cudaDeviceGetSharedMemConfig(&banks));
    IS(banks);
    for (int b = -1; b <= 3; b++)
        SAY(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)b));
    SAY(cudaFuncSetSharedMemConfig(NULL, cudaSharedMemBankSizeDefault));
    SAY(cudaFuncSetSharedMemConfig(h, cudaSharedMemBankSizeEightByte));
    SAY(cudaFuncSetSharedMemConfig(h, (enum cudaSharedMemConfig)3));
}

static void flags(void)
{
    unsigned v = 99;
    SAY(cudaGetDeviceFlags(NULL));
    SAY(cudaGetDeviceFlags(&v));
    IS(v);
    for (unsigned f = 0; f <= 8; f++) {
        printf("%u: %d", f, (int)cudaSetDeviceFlags(f));
        printf(" %d", (int)cudaGetDeviceFlags(&v));
        printf(" %u\n", v);
    }
    SAY(cudaSetDeviceFlags(cudaDeviceMask));
    SAY(cudaSetDeviceFlags(cudaDeviceMask + 1));
    SAY(cudaSetDeviceFlags(cudaDeviceLmemResizeToMax | 4));
    SAY(cudaGetDeviceFlags(&v));
    IS(v);
    SAY(cudaInitDevice(8, 0, 0));
    SAY(cudaInitDevice(-1, 0, 0));
    SAY(cudaInitDevice(1, 0, 2));
    SAY(cudaInitDevice(1, 3, 0));
    SAY(cudaInitDevice(1, 2, 0));
    SAY(cudaInitDevice(0, 1, cudaInitDeviceFlagsAreValid));
    SAY(cudaGetDeviceFlags(&v));
    IS(v);
    SAY(cudaSetDevice(1));
    SAY(cudaGetDeviceFlags(&v));
    IS(v);
}

static void choices(void)
{
    struct cudaDeviceProp want, has;
    int list[] = {0, 7, 8}, v = 99;
    SAY(cudaSetValidDevices(NULL, 0));
    SAY(cudaSetValidDevices(NULL, 1));
    SAY(cudaSetValidDevices(list, -1));
    SAY(cudaSetValidDevices(list, 9));
    SAY(cudaSetValidDevices(list, 2));
    SAY(cudaSetValidDevices(list, 3));
    list[1] = -1;
    SAY(cudaSetValidDevices(list, 2));
    memset(&want, 0, sizeof want);
    SAY(cudaChooseDevice(NULL, &want));
    SAY(cudaChooseDevice(&v, NULL));
    SAY(cudaChooseDevice(&v, &want));
    IS(v);
    cudaGetDeviceProperties(&has, 5);
    want.pciBusID = has.pciBusID;
    SAY(cudaChooseDevice(&v, &want));
    IS(v);
    strcpy(want.name, "another");
    want.major = 1;
    SAY(cudaChooseDevice(&v, &want));
    IS(v);
    SAY(cudaCtxResetPersistingL2Cache());
    SAY(cudaDeviceFlushGPUDirectRDMAWrites(0, 0));
}

static void atomics(void)
{
    const enum cudaAtomicOperation ops[2] = {0, 1};
    unsigned v[3] = {9, 9, 9};
    SAY(cudaDeviceGetP2PAtomicCapabilities(v, ops, 2, 0, 1));
    printf("%x %x %x\n", v[0], v[1], v[2]);
    SAY(cudaDeviceGetP2PAtomicCapabilities(NULL, ops, 2, 0, 1));
    SAY(cudaDeviceGetP2PAtomicCapabilities(v, NULL, 2, 0, 1));
    SAY(cudaDeviceGetP2PAtomicCapabilities(v, ops, 0, 0, 1));
    SAY(cudaDeviceGetP2PAtomicCapabilities(v, ops, 2, 0, 8));
    SAY(cudaDeviceGetP2PAtomicCapabilities(v, ops, 2, 0, 0));
    SAY(cudaDeviceGetHostAtomicCapabilities(v, ops, 2, 8));
    SAY(cudaDeviceGetHostAtomicCapabilities(v, ops, 0, 0));
    SAY(cudaDeviceGetHostAtomicCapabilities(v, ops, 2, 0));
    printf("%x %x %x\n", v[0], v[1], v[2]);
}

static void gone(void *data)
{
    printf("gone %d\n", *(int *)data);
}

static void objects(void)
{
    static int one = 1, two = 2;
    const unsigned flag = cudaUserObjectNoDestructorSync;
    cudaUserObject_t a = NULL, b = NULL;
    cudaGraph_t g, twice;
    cudaGraphCreate(&g, 0);
    SAY(cudaUserObjectCreate(NULL, &one, gone, 1, flag));
    SAY(cudaUserObjectCreate(&a, &one, NULL, 1, flag));
    SAY(cudaUserObjectCreate(&a, &one, gone, 0, flag));
    SAY(cudaUserObjectCreate(&a, &one, gone, 0x80000000, flag));
    SAY(cudaUserObjectCreate(&a, &one, gone, 1, 0));
    SAY(cudaUserObjectCreate(&a, &one, gone, 1, flag));
    SAY(cudaUserObjectRetain(NULL, 1));
    SAY(cudaUserObjectRetain(a, 0));
    SAY(cudaUserObjectRetain(a, 2));
    SAY(cudaUserObjectRelease(NULL, 1));
    SAY(cudaUserObjectRelease(a, 4));
    SAY(cudaUserObjectRelease(a, 2));
    SAY(cudaUserObjectRelease(a, 1));
    SAY(cudaUserObjectCreate(&b, &two, gone, 3, flag));
    SAY(cudaGraphRetainUserObject(NULL, b, 1, 0));
    SAY(cudaGraphRetainUserObject(g, NULL, 1, 0));
    SAY(cudaGraphRetainUserObject(g, b, 0, 0));
    SAY(cudaGraphRetainUserObject(g, b, 0x80000000, 0));
    SAY(cudaGraphRetainUserObject(g, b, 1, 2));
    SAY(cudaGraphRetainUserObject(g, b, 2, cudaGraphUserObjectMove));
    SAY(cudaGraphRetainUserObject(g, b, 1, 0));
    SAY(cudaGraphClone(&twice, g));
    SAY(cudaGraphReleaseUserObject(NULL, b, 1));
    SAY(cudaGraphReleaseUserObject(g, NULL, 1));
    SAY(cudaGraphReleaseUserObject(g, b, 4));
    SAY(cudaGraphReleaseUserObject(g, b, 1));
    SAY(cudaUserObjectRelease(b, 1));
    SAY(cudaGraphDestroy(g));
    SAY(cudaGraphDestroy(twice));
}

static void graph_memory(void)
{
    uint64_t v = 9, zero = 0, one = 1;
    for (int a = -1; a <= 4; a++) {
        printf("%d: %d", a,
               (int)cudaDeviceGetGraphMemAttribute(
                   0, (enum cudaGraphMemAttributeType)a, &v));
        printf(" %llu", (unsigned long long)v);
        printf(" %d\n", (int)cudaDeviceSetGraphMemAttribute(
                            0, (enum cudaGraphMemAttributeType)a, &zero));
    }
    const enum cudaGraphMemAttributeType high = cudaGraphMemAttrUsedMemHigh;
    SAY(cudaDeviceGetGraphMemAttribute(8, high, &v));
    SAY(cudaDeviceGetGraphMemAttribute(0, high, NULL));
    SAY(cudaDeviceSetGraphMemAttribute(-1, high, &zero));
    SAY(cudaDeviceSetGraphMemAttribute(8, high, &zero));
    SAY(cudaDeviceSetGraphMemAttribute(0, high, NULL));
    SAY(cudaDeviceSetGraphMemAttribute(0, high, &one));
    SAY(cudaDeviceGraphMemTrim(8));
    SAY(cudaDeviceGraphMemTrim(-1));
    SAY(cudaDeviceGraphMemTrim(7));
}

static void refused(void)
{
    SAY(cudaImportExternalMemory(NULL, NULL));
    SAY(cudaExternalMemoryGetMappedBuffer(NULL, NULL, NULL));
    SAY(cudaDestroyExternalMemory(NULL));
    SAY(cudaImportExternalSemaphore(NULL, NULL));
    SAY(cudaSignalExternalSemaphoresAsync(NULL, NULL, 0, 0));
    SAY(cudaWaitExternalSemaphoresAsync(NULL, NULL, 0, 0));
    SAY(cudaDestroyExternalSemaphore(NULL));
    SAY(cudaDeviceRegisterAsyncNotification(0, NULL, NULL, NULL));
    SAY(cudaDeviceUnregisterAsyncNotification(0, NULL));
    SAY(cudaLibraryLoadData(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0));
    SAY(cudaLibraryLoadFromFile(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0));
    SAY(cudaLibraryUnload(NULL));
    SAY(cudaLibraryGetKernel(NULL, NULL, NULL));
    SAY(cudaLibraryGetGlobal(NULL, NULL, NULL, NULL));
    SAY(cudaLibraryGetManaged(NULL, NULL, NULL, NULL));
    SAY(cudaLibraryGetUnifiedFunction(NULL, NULL, NULL));
    SAY(cudaLibraryGetKernelCount(NULL, NULL));
    SAY(cudaLibraryEnumerateKernels(NULL, 0, NULL));
    SAY(cudaGetExportTable(NULL, NULL));
    SAY(cudaProfilerStart());
    SAY(cudaProfilerStop());
    SAY(cudaPeekAtLastError());
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
}

static void noticed(cudaAsyncNotificationInfo_t *info, void *data,
                    cudaAsyncCallbackHandle_t handle)
{
    (void)info, (void)data, (void)handle;
}

/* What GPUs have, and simgpu has not. */
static void unsupported(void)
{
    static struct cudaExternalMemoryHandleDesc memory;
    static struct cudaExternalSemaphoreHandleDesc semaphore;
    static cudaUUID_t id;
    cudaExternalMemory_t m;
    cudaExternalSemaphore_t s;
    cudaAsyncCallbackHandle_t callback;
    cudaLibrary_t lib = NULL;
    const void *table;
    unsigned n;
    SAY(cudaImportExternalMemory(&m, &memory));
    SAY(cudaImportExternalSemaphore(&s, &semaphore));
    SAY(cudaDeviceRegisterAsyncNotification(0, noticed, NULL, &callback));
    SAY(cudaLibraryLoadData(&lib, h, NULL, NULL, 0, NULL, NULL, 0));
    SAY(cudaLibraryLoadFromFile(&lib, "none", NULL, NULL, 0, NULL, NULL, 0));
    SAY(cudaLibraryGetKernelCount(&n, NULL));
    SAY(cudaGetExportTable(&table, &id));
    SAY(cudaDeviceFlushGPUDirectRDMAWrites(
        cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
        cudaFlushGPUDirectRDMAWritesToOwner));
}

static void handles_of(int device)
{
    struct cudaMemPoolProps props;
    struct cudaMemPoolPtrExportData data;
    cudaMemPool_t pool = NULL, other = NULL;
    cudaIpcMemHandle_t m;
    void *p = NULL, *q = NULL;
    int fd = -1;
    const enum cudaMemAllocationHandleType file =
        cudaMemHandleTypePosixFileDescriptor;
    memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = file;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = device;
    SAY(cudaMemPoolCreate(&pool, &props));
    SAY(cudaMemPoolExportToShareableHandle(NULL, pool, file, 0));
    SAY(cudaMemPoolExportToShareableHandle(&fd, NULL, file, 0));
    SAY(cudaMemPoolExportToShareableHandle(&fd, pool, file, 1));
    SAY(cudaMemPoolExportToShareableHandle(&fd, pool, 0, 0));
    SAY(cudaMemPoolExportToShareableHandle(&fd, pool, file, 0));
    void *const at = (void *)(intptr_t)fd;
    SAY(cudaMemPoolImportFromShareableHandle(NULL, at, file, 0));
    SAY(cudaMemPoolImportFromShareableHandle(&other, at, file, 1));
    SAY(cudaMemPoolImportFromShareableHandle(&other, at, 0, 0));
    SAY(cudaMemPoolImportFromShareableHandle(&other, (void *)-1, file, 0));
    SAY(cudaMemPoolImportFromShareableHandle(&other, at, file, 0));
    SAY(cudaMallocFromPoolAsync(&p, 100, pool, 0));
    SAY(cudaMallocFromPoolAsync(&q, 100, other, 0));
    SAY(cudaMemPoolExportPointer(NULL, p));
    SAY(cudaMemPoolExportPointer(&data, h));
    SAY(cudaMemPoolExportPointer(&data, p));
    SAY(cudaMemPoolImportPointer(NULL, other, &data));
    SAY(cudaMemPoolImportPointer(&q, other, NULL));
    SAY(cudaMemPoolImportPointer(&q, pool, &data));
    SAY(cudaMemPoolImportPointer(&q, NULL, &data));
    SAY(cudaIpcGetMemHandle(NULL, p));
    SAY(cudaIpcGetMemHandle(&m, h));
    SAY(cudaMalloc(&p, 100));
    SAY(cudaIpcGetMemHandle(&m, p));
    SAY(cudaIpcOpenMemHandle(NULL, m, cudaIpcMemLazyEnablePeerAccess));
    SAY(cudaIpcOpenMemHandle(&q, m, 2));
    SAY(cudaIpcOpenMemHandle(&q, m, cudaIpcMemLazyEnablePeerAccess));
    SAY(cudaIpcCloseMemHandle(NULL));
    SAY(cudaIpcCloseMemHandle(p));
    SAY(cudaDeviceSynchronize());
}

static void handles(void)
{
    handles_of(2);
}

static void first_handles(void)
{
    handles_of(0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"device_limits", limits},
                 {"larger_limits", larger_limits},
                 {"configurations", configurations},
                 {"device_flags", flags},
                 {"choices", choices},
                 {"atomics", atomics},
                 {"objects", objects},
                 {"graph_memory", graph_memory},
                 {"refused", refused},
                 {"unsupported", unsupported},
                 {"handles", handles},
                 {"first_handles", first_handles}};
    cudaFree(NULL);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
