// After a kernel has failed, each call returns that error, whatever it asks
// for: values.txt has those that return another one, and how many there are.
// deprecated functions are part of the API too
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "say.h"

#include <cuda_profiler_api.h> // cudaProfilerStart

static int calls;
static cudaStream_t s, t;
static cudaEvent_t e, shared;
static cudaGraph_t g;
static cudaGraphNode_t node;
static cudaGraphExec_t x;
static cudaArray_t a;
static cudaMemPool_t pool;
static cudaTextureObject_t texture;
static cudaSurfaceObject_t surface;
static char *d, *managed, *pinned, *mapped, page[8192];
__device__ int symbol;

__global__ void fail(int *at)
{
    if (*at == 0)
        __trap();
}

static void compare(cudaError_t err, const char *call, cudaError_t expected)
{
    calls++;
    if (err != expected)
        printf("%s: %s\n", call, cudaGetErrorName(err));
}
#define MADE(call)  compare(call, #call, cudaSuccess)
#define FAILS(call) compare(call, #call, cudaErrorLaunchFailure)

static void start(void)
{
    cudaMemPoolProps props = {};
    cudaResourceDesc of = {};
    cudaTextureDesc how = {};
    const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    MADE(cudaMalloc((void **)&d, 4096));
    MADE(cudaMemset(d, 0, 4096));
    MADE(cudaMallocManaged((void **)&managed, 4096));
    MADE(cudaMallocHost((void **)&pinned, 4096));
    MADE(cudaHostAlloc((void **)&mapped, 4096, cudaHostAllocMapped));
    MADE(cudaStreamCreate(&s));
    MADE(cudaStreamCreate(&t));
    MADE(cudaEventCreate(&e));
    MADE(cudaEventCreateWithFlags(&shared, cudaEventDisableTiming |
                                               cudaEventInterprocess));
    MADE(cudaEventRecord(e, s));
    MADE(cudaGraphCreate(&g, 0));
    MADE(cudaGraphAddEmptyNode(&node, g, NULL, 0));
    MADE(cudaGraphInstantiate(&x, g, 0));
    MADE(cudaMallocArray(&a, &f, 16, 16, cudaArraySurfaceLoadStore));
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    MADE(cudaMemPoolCreate(&pool, &props));
    of.resType = cudaResourceTypeArray;
    of.res.array.array = a;
    MADE(cudaCreateTextureObject(&texture, &of, &how, NULL));
    MADE(cudaCreateSurfaceObject(&surface, &of));
    MADE(cudaHostRegister(page, sizeof page, 0));
    MADE(cudaDeviceSynchronize());
}

// ---- calls -----------------------------------------------------------------

static void devices(void)
{
    int n;
    unsigned flags;
    size_t size, total;
    char bus[32];
    cudaDeviceProp p = {};
    enum cudaFuncCache cache;
    enum cudaSharedMemConfig banks;
    const enum cudaAtomicOperation op = cudaAtomicOperationIntegerAdd;
    FAILS(cudaGetDevice(&n));
    FAILS(cudaGetDeviceCount(&n));
    FAILS(cudaGetDeviceProperties(&p, 0));
    FAILS(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
    FAILS(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    FAILS(cudaDeviceGetByPCIBusId(&n, "0000:1b:00.0"));
    FAILS(cudaDeviceCanAccessPeer(&n, 0, 1));
    FAILS(cudaDeviceEnablePeerAccess(1, 0));
    FAILS(cudaDeviceDisablePeerAccess(1));
    FAILS(cudaDeviceGetStreamPriorityRange(&n, &n));
    FAILS(cudaMemGetInfo(&size, &total));
    FAILS(cudaDriverGetVersion(&n));
    FAILS(cudaRuntimeGetVersion(&n));
    FAILS(cudaChooseDevice(&n, &p));
    FAILS(cudaSetValidDevices(&n, 0));
    FAILS(cudaInitDevice(0, 0, 0));
    FAILS(cudaSetDeviceFlags(0));
    FAILS(cudaGetDeviceFlags(&flags));
    FAILS(cudaDeviceGetLimit(&size, cudaLimitStackSize));
    FAILS(cudaDeviceSetLimit(cudaLimitStackSize, 1024));
    FAILS(cudaDeviceGetCacheConfig(&cache));
    FAILS(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
    FAILS(cudaDeviceGetSharedMemConfig(&banks));
    FAILS(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeDefault));
    FAILS(cudaDeviceGetP2PAtomicCapabilities(&flags, &op, 1, 0, 1));
    FAILS(cudaCtxResetPersistingL2Cache());
    FAILS(cudaProfilerStart());
    FAILS(cudaProfilerStop());
    FAILS(cudaSetDevice(0));
}

static void streams(void)
{
    int n;
    unsigned flags;
    unsigned long long id;
    float ms;
    cudaStream_t made = NULL;
    cudaIpcEventHandle_t handle;
    cudaStreamAttrValue value = {};
    enum cudaStreamCaptureStatus status;
    FAILS(cudaStreamCreateWithPriority(&made, 0, 0));
    FAILS(cudaStreamGetDevice(s, &n));
    FAILS(cudaStreamGetFlags(s, &flags));
    FAILS(cudaStreamGetId(s, &id));
    FAILS(cudaStreamGetPriority(s, &n));
    FAILS(cudaStreamCopyAttributes(s, t));
    FAILS(cudaStreamGetAttribute(s, cudaStreamAttributePriority, &value));
    FAILS(cudaStreamSetAttribute(s, cudaStreamAttributePriority, &value));
    FAILS(cudaStreamGetCaptureInfo(s, &status, NULL, NULL, NULL, NULL, NULL));
    FAILS(cudaStreamIsCapturing(s, &status));
    FAILS(cudaStreamWaitEvent(s, e, 0));
    FAILS(cudaStreamSynchronize(s));
    FAILS(cudaStreamQuery(s));
    FAILS(cudaStreamDestroy(made));
    FAILS(cudaEventRecord(e, s));
    FAILS(cudaEventSynchronize(e));
    FAILS(cudaEventQuery(e));
    FAILS(cudaEventElapsedTime(&ms, e, e));
    FAILS(cudaIpcGetEventHandle(&handle, shared));
    FAILS(cudaEventDestroy(shared));
}

static void memory(void)
{
    void *p = NULL;
    unsigned flags;
    size_t size;
    int device;
    cudaPointerAttributes of;
    cudaIpcMemHandle_t handle;
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    FAILS(cudaMalloc(&p, 10));
    FAILS(cudaMemcpy(d, page, 10, cudaMemcpyDefault));
    FAILS(cudaMemset(d, 0, 10));
    FAILS(cudaFree(p));
    FAILS(cudaFree(NULL));
    FAILS(cudaPointerGetAttributes(&of, d));
    FAILS(cudaHostGetFlags(&flags, pinned));
    FAILS(cudaHostGetDevicePointer(&p, mapped, 0));
    FAILS(cudaHostUnregister(page));
    FAILS(cudaHostRegister(page, sizeof page, 0));
    FAILS(cudaFreeHost(pinned));
    FAILS(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, here));
    FAILS(cudaMemPrefetchAsync(managed, 4096, here, 0, s));
    FAILS(cudaMemRangeGetAttribute(&device, 4, cudaMemRangeAttributeReadMostly,
                                   managed, 4096));
    FAILS(cudaStreamAttachMemAsync(s, managed));
    FAILS(cudaIpcGetMemHandle(&handle, d));
    FAILS(cudaGetSymbolAddress(&p, symbol));
    FAILS(cudaGetSymbolSize(&size, (const void *)&symbol));
}

static void pools(void)
{
    void *p = NULL;
    unsigned long long value = 0;
    cudaMemPool_t made = NULL;
    cudaMemPoolProps props = {};
    cudaMemLocation one = {cudaMemLocationTypeDevice, 1};
    enum cudaMemAccessFlags flags;
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    FAILS(cudaMemPoolCreate(&made, &props));
    FAILS(cudaDeviceSetMemPool(0, made));
    FAILS(cudaDeviceGetMemPool(&made, 0));
    FAILS(cudaMemPoolGetAccess(&flags, pool, &one));
    FAILS(
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    FAILS(
        cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    FAILS(cudaMemPoolTrimTo(pool, 0));
    FAILS(cudaMallocFromPoolAsync(&p, 10, pool, s));
    FAILS(cudaFreeAsync(p, s));
    FAILS(cudaFreeAsync(NULL, s));
    FAILS(cudaMemPoolDestroy(pool));
    FAILS(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent,
                                         &value));
    value = 0;
    FAILS(
        cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &value));
    FAILS(cudaDeviceGraphMemTrim(0));
}

static void arrays(void)
{
    cudaChannelFormatDesc f;
    cudaExtent extent;
    cudaResourceDesc of;
    cudaTextureDesc how;
    cudaArray_t made = NULL;
    unsigned flags;
    FAILS(cudaGetChannelDesc(&f, a));
    FAILS(cudaArrayGetInfo(&f, &extent, &flags, a));
    FAILS(cudaMallocArray(&made, &f, 4, 4));
    FAILS(cudaFreeArray(made));
    FAILS(cudaGetTextureObjectResourceDesc(&of, texture));
    FAILS(cudaGetTextureObjectTextureDesc(&how, texture));
    FAILS(cudaGetSurfaceObjectResourceDesc(&of, surface));
    FAILS(cudaDestroyTextureObject(texture));
    FAILS(cudaDestroySurfaceObject(surface));
}

static void functions(void)
{
    int n;
    size_t size, offset;
    const char *name;
    cudaFuncAttributes of;
    cudaFunction_t function;
    cudaKernel_t kernel;
    FAILS(cudaFuncGetAttributes(&of, fail));
    FAILS(cudaFuncSetAttribute(
        fail, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    FAILS(cudaFuncGetName(&name, (const void *)fail));
    FAILS(cudaFuncGetParamInfo((const void *)fail, 0, &offset, &size));
    FAILS(cudaGetFuncBySymbol(&function, (const void *)fail));
    FAILS(cudaGetKernel(&kernel, (const void *)fail));
    FAILS(cudaOccupancyAvailableDynamicSMemPerBlock(&size, (const void *)fail,
                                                    1, 32));
    FAILS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fail, 32, 0));
}

static void do_nothing(void *) {}

static void graphs(void)
{
    cudaGraph_t made = NULL, copy = NULL;
    cudaGraphNode_t found;
    cudaGraphExec_t exec = NULL;
    enum cudaGraphNodeType type;
    unsigned long long flags;
    size_t n = 0;
    cudaGraphConditionalHandle handle;
    cudaUserObject_t object = NULL;
    FAILS(cudaGraphCreate(&made, 0));
    FAILS(cudaGraphClone(&copy, g));
    FAILS(cudaGraphNodeFindInClone(&found, node, copy));
    FAILS(cudaGraphNodeGetType(node, &type));
    FAILS(cudaGraphGetNodes(g, NULL, &n));
    FAILS(cudaGraphConditionalHandleCreate(&handle, made));
    FAILS(cudaGraphInstantiate(&exec, g, 0));
    FAILS(cudaGraphExecGetFlags(exec, &flags));
    FAILS(cudaGraphExecDestroy(exec));
    FAILS(cudaGraphDebugDotPrint(g, "/dev/null", 0));
    FAILS(cudaUserObjectCreate(&object, NULL, do_nothing, 1,
                               cudaUserObjectNoDestructorSync));
    FAILS(cudaUserObjectRelease(object, 1));
    FAILS(cudaGraphDestroyNode(node));
    FAILS(cudaGraphDestroy(made));
    FAILS(cudaGraphDestroy(copy));
    FAILS(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    FAILS(cudaStreamEndCapture(s, &made));
    FAILS(cudaStreamBeginCaptureToGraph(s, g, NULL, NULL, 0,
                                        cudaStreamCaptureModeRelaxed));
    FAILS(cudaStreamEndCapture(s, &made));
    FAILS(cudaGraphDestroy(g));
}

int main(void)
{
    start();
    IS(calls);
    fail<<<1, 1>>>((int *)d);
    FAILS(cudaDeviceSynchronize());
    devices();
    streams();
    memory();
    pools();
    arrays();
    functions();
    graphs();
    IS(calls);
    SAY(cudaGetLastError());
    SAY(cudaGetLastError());
    return 0;
}
