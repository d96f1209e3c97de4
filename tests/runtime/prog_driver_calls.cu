// What the driver's functions, modules, copies and ranges return: values.txt.
#include "say.h"

#include <nvtx3/nvToolsExt.h>

// deprecated functions are part of the API too
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static CUdeviceptr d, e;
static unsigned char h[64], back[64];
static CUstream s;

__global__ void store(int *to, char a, int b, float c)
{
    to[blockIdx.x + gridDim.x * blockIdx.y] = a + b + (int)c;
}

static CUfunction f;

static void start(void)
{
    cuInit(0);
    cudaSetDevice(0);
    cudaMalloc((void **)&d, 64);
    cudaMalloc((void **)&e, 64);
    cudaMemset((void *)d, 0, 64);
    cudaMemset((void *)e, 0, 64);
    cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    cudaGetFuncBySymbol(&f, (const void *)store);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++)
        h[i] = (unsigned char)(i + 1);
}

static void show(CUdeviceptr p, int n)
{
    cudaDeviceSynchronize();
    cudaMemcpy(back, (void *)p, (size_t)n, cudaMemcpyDefault);
    for (int i = 0; i < n; i++)
        printf("%d ", back[i]);
    puts("");
}

static void old_launches(void)
{
    int *const to = (int *)d;
    CUfunction const none = (CUfunction)h;
    DRIVER(cuFuncSetBlockShape(f, 0, 1, 1));
    DRIVER(cuFuncSetBlockShape(f, 1, 0, 1));
    DRIVER(cuFuncSetBlockShape(f, 1, 1, 0));
    DRIVER(cuParamSetSize(f, 32765));
    DRIVER(cuParamSetSize(f, 32764));
    DRIVER(cuParamSetv(f, 0, NULL, 8));
    UNDEFINED(cuParamSetv(f, -1, (void *)&to, 8));
    UNDEFINED(cuParamSetv(f, 32757, (void *)&to, 8));
    DRIVER(cuParamSetv(f, 32756, (void *)&to, 8));
    UNDEFINED(cuParamSetv(f, 0, (void *)&to, 32765));
    DRIVER(cuParamSetv(f, 0, (void *)&to, 8));
    DRIVER(cuParamSeti(f, 8, 3));
    DRIVER(cuParamSeti(f, 12, 20));
    DRIVER(cuParamSetf(f, 16, 100));
    DRIVER(cuParamSetSize(f, 19));
    DRIVER(cuLaunch(f));
    DRIVER(cuParamSetSize(f, 20));
    DRIVER(cuLaunch(f));
    show(d, 12);
    DRIVER(cuParamSeti(f, 12, 21));
    DRIVER(cuLaunchGrid(f, 2, 0));
    DRIVER(cuLaunchGrid(f, 0, 2));
    DRIVER(cuLaunchGrid(f, 2, 3));
    show(d, 32);
    DRIVER(cuFuncSetBlockShape(f, 8, 4, 1));
    DRIVER(cuFuncSetSharedSize(f, 100));
    DRIVER(cuParamSeti(f, 12, 22));
    DRIVER(cuLaunchGridAsync(f, 1, 1, s));
    show(d, 8);
    DRIVER(cuFuncSetSharedSize(f, 49153));
    DRIVER(cuLaunch(f));
    DRIVER(cuFuncSetBlockShape(none, 1, 1, 1));
    DRIVER(cuFuncSetSharedSize(none, 1));
    DRIVER(cuParamSetSize(none, 1));
    DRIVER(cuLaunchGrid(none, 1, 1));
    DRIVER(cuLaunchGridAsync(f, 1, 1, (CUstream)h));
    cudaDeviceSynchronize();
}

static CUresult launch(void **params, void **extra)
{
    return cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s, params, extra);
}

static void launches(void)
{
    struct {
        int *to;
        char a;
        int b;
        float c;
    } all = {(int *)d, 1, 2, 4};
    size_t n = 20, less = 19;
    void *params[] = {&all.to, &all.a, &all.b, &all.c};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &all,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &n, CU_LAUNCH_PARAM_END};
    DRIVER(launch(params, extra));
    DRIVER(launch(params, NULL));
    show(d, 4);
    all.b = 3;
    DRIVER(launch(NULL, extra));
    show(d, 4);
    extra[3] = &less;
    DRIVER(launch(NULL, extra));
    extra[0] = h;
    DRIVER(launch(NULL, extra));
    extra[0] = CU_LAUNCH_PARAM_END;
    DRIVER(launch(NULL, extra));
    DRIVER(cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, s, params, NULL));
    DRIVER(cuLaunchKernel(f, 2, 1, 3, 4, 1, 5, 0, s, params, NULL));
    DRIVER(cuStreamSynchronize(s));
    f = (CUfunction)(const void *)store; // the runtime's
    DRIVER(launch(params, NULL));
    DRIVER(cuLaunchKernel((CUfunction)h, 1, 1, 1, 1, 1, 1, 0, s, params, NULL));
}

static size_t shared_of(int threads)
{
    return (size_t)threads * 300;
}

static void functions(void)
{
    int v = 99, block = 99, grid = 99;
    const char *name = NULL;
    for (int a = -1; a <= 16; a++) {
        const int err = (int)cuFuncGetAttribute(&v, (CUfunction_attribute)a, f);
        if (a < 10 || err == 0)
            printf("%d: %d %d\n", a, err, v);
    }
    DRIVER(cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    DRIVER(cuFuncSetAttribute(
        f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    DRIVER(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 1));
    DRIVER(cuFuncGetName(&name, f));
    puts(name ? name : "no name");
    DRIVER(cuFuncSetSharedMemConfig(f, (CUsharedconfig)2));
    DRIVER(cuFuncSetSharedMemConfig(f, (CUsharedconfig)3));
    DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&v, f, 33, 7000));
    IS(v);
    DRIVER(cuOccupancyMaxPotentialBlockSize(NULL, &block, f, NULL, 0, 0));
    DRIVER(cuOccupancyMaxPotentialBlockSize(&grid, NULL, f, NULL, 0, 0));
    static const int limits[] = {-1, 0, 1, 33, 768, 1000, 1024, 2000};
    for (int i = 0; i < 8; i++) {
        const int a = (int)cuOccupancyMaxPotentialBlockSize(
            &grid, &block, f, NULL, 70000, limits[i]);
        printf("%d: %d %d %d", limits[i], a, grid, block);
        const int b = (int)cuOccupancyMaxPotentialBlockSize(
            &grid, &block, f, shared_of, 1, limits[i]);
        printf(", %d %d %d\n", b, grid, block);
    }
    DRIVER(cuFuncSetCacheConfig(f, (CUfunc_cache)3));
    DRIVER(cuFuncSetCacheConfig(f, (CUfunc_cache)4));
    DRIVER(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL));
    DRIVER(cuFuncSetSharedMemConfig(NULL, (CUsharedconfig)0));
    DRIVER(cuOccupancyMaxPotentialBlockSize(&grid, &block, NULL, NULL, 0, 0));
}

// Images that no module can be made of: the messages are in recorded.gz.
static void modules(void)
{
    static const unsigned char fatbin[64] = {0x50, 0xed, 0x55, 0xba};
    static const unsigned char elf[64] = {0x7f, 'E', 'L', 'F'};
    unsigned char library[64] = {0x7f, 'E', 'L', 'F'};
    CUmodule m = NULL;
    CUlinkState link = NULL;
    CUfunction got = NULL;
    CUdeviceptr p = 0;
    void *cubin = NULL;
    size_t n = 0;
    library[16] = 3;
    DRIVER(cuModuleLoad(NULL, "x"));
    DRIVER(cuModuleLoad(&m, NULL));
    DRIVER(cuModuleLoad(&m, "/nowhere/at/all"));
    DRIVER(cuModuleLoadData(NULL, elf));
    DRIVER(cuModuleLoadData(&m, NULL));
    DRIVER(cuModuleLoadData(&m, elf));
    DRIVER(cuModuleLoadData(&m, ".version 8.0 and more that is long enough"));
    DRIVER(cuModuleLoadDataEx(&m, fatbin, 0, NULL, NULL));
    DRIVER(cuModuleLoadDataEx(&m, fatbin, 1, NULL, NULL));
    DRIVER(cuModuleLoadFatBinary(&m, fatbin));
    library[18] = 190;
    DRIVER(cuModuleLoadData(&m, library));
    DRIVER(cuModuleUnload(NULL));
    DRIVER(cuModuleGetFunction(&got, NULL, "x"));
    DRIVER(cuModuleGetGlobal(&p, &n, NULL, "x"));
    DRIVER(cuLinkCreate(0, NULL, NULL, NULL));
    DRIVER(cuLinkCreate(1, NULL, NULL, &link));
    DRIVER(cuLinkCreate(0, NULL, NULL, &link));
    DRIVER(cuLinkAddData(NULL, CU_JIT_INPUT_CUBIN, library, 64, "", 0, NULL,
                         NULL));
    DRIVER(
        cuLinkAddData(link, CU_JIT_INPUT_CUBIN, NULL, 64, "", 0, NULL, NULL));
    DRIVER(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, library, 64, "", 0, NULL,
                         NULL));
    DRIVER(cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, h, 64, "", 0, NULL, NULL));
    DRIVER(cuLinkAddFile(link, CU_JIT_INPUT_PTX, NULL, 0, NULL, NULL));
    DRIVER(cuLinkAddFile(NULL, CU_JIT_INPUT_PTX, "x", 0, NULL, NULL));
    DRIVER(cuLinkAddFile(link, CU_JIT_INPUT_PTX, "/nowhere", 0, NULL, NULL));
    DRIVER(cuLinkComplete(NULL, &cubin, &n));
    DRIVER(cuLinkComplete(link, NULL, &n));
    DRIVER(cuLinkComplete(link, &cubin, &n));
    DRIVER(cuLinkDestroy(link));
    DRIVER(cuLinkDestroy(NULL));
}

// An image of simnvcc's, which is an ordinary library.
static void linked(void)
{
    unsigned char library[64] = {0x7f, 'E', 'L', 'F'};
    CUlinkState link = NULL;
    void *cubin = NULL;
    size_t n = 0;
    library[16] = 3;
    library[40] = 64; // where the sections are: at the end
    DRIVER(cuLinkCreate(0, NULL, NULL, &link));
    DRIVER(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, library, 64, "", 0, NULL,
                         NULL));
    DRIVER(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, library, 64, "", 0, NULL,
                         NULL));
    DRIVER(cuLinkComplete(link, &cubin, NULL));
    DRIVER(cuLinkComplete(link, &cubin, &n));
    IS(n);
    IS(cubin && memcmp(cubin, library, 64) == 0);
    DRIVER(cuLinkDestroy(link));
}

static void copies(void)
{
    CUcontext zero = NULL, none = (CUcontext)h;
    CUdeviceptr p = 0;
    size_t pitch = 0;
    cuCtxGetCurrent(&zero);
    DRIVER(cuMemcpy(d, (CUdeviceptr)h, 5));
    DRIVER(cuMemcpyHtoD(d + 5, h, 4));
    DRIVER(cuMemcpyDtoD(d + 10, d, 3));
    DRIVER(cuMemcpyDtoH(back, d, 3));
    DRIVER(cuMemcpyAsync(d + 14, d, 3, s));
    DRIVER(cuMemcpyHtoDAsync(d + 18, h, 3, s));
    DRIVER(cuMemcpyDtoDAsync(d + 22, d, 3, s));
    DRIVER(cuMemcpyDtoHAsync(back, d, 3, s));
    DRIVER(cuMemcpyPeer(d + 26, zero, d, zero, 3));
    DRIVER(cuMemcpyPeerAsync(d + 30, zero, d, zero, 3, s));
    show(d, 36);
    DRIVER(cuMemAlloc(&p, 0));
    DRIVER(cuMemAlloc(&p, 8));
    DRIVER(cuMemFree(p + 1));
    DRIVER(cuMemFree(p));
    DRIVER(cuMemAllocPitch(&p, &pitch, 5, 2, 3));
    DRIVER(cuMemAllocPitch(&p, &pitch, 5, 2, 4));
    DRIVER(cuMemAllocPitch(&p, &pitch, 5, 2, 8));
    DRIVER(cuMemAllocPitch(&p, &pitch, 5, 2, 16));
    IS(pitch);
    DRIVER(cuMemAllocAsync(&p, 8, s));
    DRIVER(cuMemFreeAsync(p, s));
    DRIVER(cuStreamSynchronize(s));
    DRIVER(cuMemcpyPeer(d, NULL, d, zero, 3));
    DRIVER(cuMemcpyPeer(d, zero, d, NULL, 3));
    DRIVER(cuMemcpyPeer(d, none, d, zero, 3));
    DRIVER(cuMemcpyPeer(d, zero, d, none, 3));
    DRIVER(cuMemcpyPeerAsync(d, none, d, zero, 3, s));
    DRIVER(cuMemcpyPeerAsync(d, zero, d, none, 3, s));
}

static void streams(void)
{
    CUstream t = NULL;
    CUcontext c = NULL, now = NULL;
    CUevent a = NULL, b = NULL;
    unsigned flags = 9;
    int priority = 9;
    unsigned long long id = 0, other = 0;
    float ms = -1;
    DRIVER(cuStreamCreate(NULL, 0));
    DRIVER(cuStreamCreate(&t, 2));
    DRIVER(cuStreamCreateWithPriority(&t, 1, -99));
    DRIVER(cuStreamGetPriority(t, &priority));
    IS(priority);
    DRIVER(cuStreamCreateWithPriority(&t, 0, 99));
    DRIVER(cuStreamGetPriority(t, &priority));
    IS(priority);
    DRIVER(cuStreamCreateWithPriority(&t, 0, -1));
    DRIVER(cuStreamGetPriority(t, &priority));
    IS(priority);
    DRIVER(cuStreamGetFlags(t, &flags));
    IS(flags);
    DRIVER(cuStreamGetFlags(s, &flags));
    IS(flags);
    DRIVER(cuStreamGetId(t, &id));
    DRIVER(cuStreamGetId(s, &other));
    IS(id != other);
    DRIVER(cuStreamGetFlags(t, NULL));
    DRIVER(cuStreamGetPriority(t, NULL));
    DRIVER(cuStreamGetId(t, NULL));
    DRIVER(cuStreamGetCtx(t, NULL));
    DRIVER(cuStreamGetCtx(t, &c));
    cuCtxGetCurrent(&now);
    IS(c == now);
    DRIVER(cuStreamQuery(t));
    DRIVER(cuLaunchHostFunc(t, NULL, NULL));
    DRIVER(cuEventCreate(&a, 0));
    DRIVER(cuEventCreate(&b, 0));
    DRIVER(cuEventRecord(a, t));
    DRIVER(cuEventRecord(b, t));
    DRIVER(cuStreamWaitEvent(s, b, 0));
    DRIVER(cuEventSynchronize(b));
    DRIVER(cuEventQuery(a));
    DRIVER(cuEventElapsedTime(&ms, a, b));
    IS(ms >= 0);
    DRIVER(cuEventDestroy(a));
    DRIVER(cuStreamDestroy(t));
    DRIVER(cuStreamDestroy(NULL));
    DRIVER(cuStreamDestroy(CU_STREAM_LEGACY));
    DRIVER(cuStreamDestroy(CU_STREAM_PER_THREAD));
    DRIVER(cuStreamGetFlags((CUstream)h, &flags));
    DRIVER(cuStreamGetPriority((CUstream)h, &priority));
    DRIVER(cuStreamGetId((CUstream)h, &id));
    DRIVER(cuStreamGetCtx((CUstream)h, &c));
    DRIVER(cuStreamQuery((CUstream)h));
    DRIVER(cuStreamSynchronize((CUstream)h));
    DRIVER(cuEventDestroy(a));
    DRIVER(cuStreamDestroy(t));
}

// Ranges deeper than the stack, and texts: recorded.gz has the operations'.
static void ranges(void)
{
    nvtxEventAttributes_t a = {};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    IS(nvtxRangePop());
    for (int i = 0; i < 66; i++) {
        char name[8];
        snprintf(name, sizeof name, "r%d", i);
        const int depth = nvtxRangePushA(name);
        if (depth != i)
            IS(depth);
    }
    cuMemsetD8(d, 1, 1);
    for (int i = 0; i < 3; i++) {
        IS(nvtxRangePop());
        cuMemsetD8(d, 1, 1);
    }
    while (nvtxRangePop() > 0)
        ;
    cuMemsetD8(d, 1, 1);
    IS(nvtxRangePushEx(NULL));
    cuMemsetD8(d, 1, 1);
    IS(nvtxRangePushEx(&a));
    a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
    a.message.unicode = L"\u00e9 \u20ac \U0001f600 z";
    IS(nvtxRangePushEx(&a));
    cuMemsetD8(d, 1, 1);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = NULL;
    IS(nvtxRangePushEx(&a));
    cuMemsetD8(d, 1, 1);
    const nvtxRangeId_t one = nvtxRangeStartW(L"started");
    a.message.registered = nvtxDomainRegisterStringW(NULL, L"text");
    const nvtxRangeId_t two = nvtxRangeStartEx(&a);
    IS(two - one);
    cuMemsetD8(d, 1, 1);
    nvtxRangeEnd(0);
    nvtxDomainRangeEnd(NULL, two);
    cuMemsetD8(d, 1, 1);
    IS(nvtxRangePop());
    cuMemsetD8(d, 1, 1);
    nvtxRangeEnd(one);
    cuMemsetD8(d, 1, 1);
    IS(nvtxDomainCreateA(NULL) == NULL);
    IS(nvtxDomainCreateW(L"") != NULL);
    IS(nvtxDomainRegisterStringA(NULL, NULL) == NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"old_launches", old_launches},
                 {"launches", launches},
                 {"driver_functions", functions},
                 {"modules", modules},
                 {"linked", linked},
                 {"driver_copies", copies},
                 {"driver_streams", streams},
                 {"nvtx", ranges}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
