/* What functions of the driver return and say: values.txt. */
#include "say.h"

static CUdeviceptr d;
static unsigned char back[64];
static int ndevices;

static void start(void)
{
    cuInit(0);
    cuDeviceGetCount(&ndevices);
    cudaSetDevice(0);
    cudaMalloc((void **)&d, 64);
    cudaMemset((void *)d, 0, 64);
}

static void show(int n)
{
    cudaMemcpy(back, (void *)d, (size_t)n, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        printf("%d ", back[i]);
    puts("");
}

static void pointers(void)
{
    enum { ORDINAL = CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL };
    static const int attrs[] = {1, 2, 3, 4, 8, ORDINAL, 10, 11, 12, 13};
    void *pinned, *managed, *at[4];
    cudaMallocHost(&pinned, 40);
    cudaMallocManaged(&managed, 50, cudaMemAttachGlobal);
    at[0] = (char *)d + 8;
    at[1] = pinned;
    at[2] = managed;
    at[3] = back;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 10; i++) {
            uint64_t v = 0;
            CUpointer_attribute a = (CUpointer_attribute)attrs[i];
            const int err =
                (int)cuPointerGetAttribute(&v, a, (CUdeviceptr)at[k]);
            const int points = v > 1000 && attrs[i] != ORDINAL;
            printf("%d %d: %d %d\n", k, attrs[i], err,
                   points ? -(v == (uintptr_t)at[k]) : (int)v);
            v = 7;
            void *data[1] = {&v};
            printf("%d", (int)cuPointerGetAttributes(1, &a, data,
                                                     (CUdeviceptr)at[k]));
            printf(" %d\n", v > 1000 && attrs[i] != ORDINAL
                                ? -(v == (uintptr_t)at[k])
                                : (int)v);
        }
    uint64_t id = 0, other = 0;
    const CUpointer_attribute number = CU_POINTER_ATTRIBUTE_BUFFER_ID;
    DRIVER(cuPointerGetAttribute(&id, number, d));
    DRIVER(cuPointerGetAttribute(&other, number, (CUdeviceptr)pinned));
    IS(id && other && id != other);
    DRIVER(cuPointerGetAttribute(&id, number, (CUdeviceptr)back));
    CUpointer_attribute a = CU_POINTER_ATTRIBUTE_MAPPED;
    void *none[1] = {NULL};
    DRIVER(cuPointerGetAttribute(NULL, a, d));
    DRIVER(cuPointerGetAttribute(none, (CUpointer_attribute)0, d));
    DRIVER(cuPointerGetAttribute(none, (CUpointer_attribute)99, d));
    DRIVER(cuPointerGetAttributes(0, &a, none, d));
    DRIVER(cuPointerGetAttributes(1, NULL, none, d));
    DRIVER(cuPointerGetAttributes(1, &a, NULL, d));
    DRIVER(cuPointerGetAttributes(1, &a, none, d));
}

static void contexts(void)
{
    CUcontext a = NULL;
    unsigned flags = 9;
    int active = 9;
    const CUdevice last = ndevices - 1;
    DRIVER(cuDevicePrimaryCtxRetain(NULL, last));
    DRIVER(cuDevicePrimaryCtxRetain(NULL, 8));
    DRIVER(cuDevicePrimaryCtxRetain(&a, 8));
    DRIVER(cuDevicePrimaryCtxGetState(last, &flags, &active));
    IS(flags);
    IS(active == (last == 0)); // start() uses device 0
    DRIVER(cuDevicePrimaryCtxRetain(&a, last));
    DRIVER(cuDevicePrimaryCtxGetState(last, &flags, &active));
    IS(active);
    DRIVER(cuDevicePrimaryCtxGetState(8, &flags, &active));
    DRIVER(cuDevicePrimaryCtxGetState(0, NULL, &active));
    DRIVER(cuDevicePrimaryCtxGetState(0, &flags, NULL));
    DRIVER(cuDevicePrimaryCtxRelease(8));
    DRIVER(cuDevicePrimaryCtxRelease(last));
    if (last > 0)
        cuDevicePrimaryCtxRelease(last);
}

static void current(void)
{
    CUcontext a = NULL, b = NULL, c = NULL;
    CUdevice dev = 9;
    const CUdevice last = ndevices - 1;
    DRIVER(cuDevicePrimaryCtxRetain(&a, last));
    UNDEFINED(cuCtxSetCurrent((CUcontext)back));
    DRIVER(cuCtxSetCurrent(a));
    DRIVER(cuCtxGetDevice(NULL));
    DRIVER(cuCtxGetDevice(&dev));
    IS(dev == last);
    DRIVER(cuCtxSetCurrent(NULL));
    DRIVER(cuCtxGetDevice(&dev));
    DRIVER(cuCtxGetCurrent(NULL));
    DRIVER(cuCtxGetCurrent(&c));
    IS(c == NULL);
    DRIVER(cuCtxPopCurrent(&c));
    UNDEFINED(cuCtxPushCurrent((CUcontext)back));
    DRIVER(cuCtxPushCurrent(NULL));
    DRIVER(cuCtxPushCurrent(a));
    DRIVER(cuDevicePrimaryCtxRetain(&b, last / 2));
    DRIVER(cuCtxPushCurrent(b));
    DRIVER(cuCtxGetDevice(&dev));
    IS(dev == last / 2);
    DRIVER(cuCtxPopCurrent(&c));
    IS(c == b);
    DRIVER(cuCtxGetDevice(&dev));
    IS(dev == last);
    DRIVER(cuCtxPopCurrent(NULL));
    DRIVER(cuCtxGetDevice(&dev));
    int n = 0;
    while (n < 100 && cuCtxPushCurrent(a) == CUDA_SUCCESS)
        n++;
    IS(n);
    DRIVER(cuCtxCreate(&c, NULL, 1 << 20, 0));
    UNDEFINED(cuCtxDestroy((CUcontext)back));
}

static void names(void)
{
    char name[64] = "";
    const char *text = "?";
    int n = 9;
    DRIVER(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    puts(text);
    DRIVER(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    puts(text);
    DRIVER(cuGetErrorName((CUresult)12345, &text));
    IS(text == NULL);
    DRIVER(cuGetErrorString((CUresult)12345, &text));
    IS(text == NULL);
    DRIVER(cuDeviceGetCount(NULL));
    DRIVER(cuDeviceGetCount(&n));
    IS(n);
    DRIVER(cuDeviceGet(NULL, 0));
    DRIVER(cuDeviceGet(&n, 8));
    DRIVER(cuDeviceGet(&n, -1));
    DRIVER(cuDeviceGet(&n, ndevices - 1));
    IS(n == ndevices - 1);
    DRIVER(cuDeviceGetName(NULL, 64, 0));
    UNDEFINED(cuDeviceGetName(name, 0, 0)); // writes as far as it can
    DRIVER(cuDeviceGetName(name, 64, 8));
    DRIVER(cuDeviceGetName(name, 12, 0));
    puts(name);
    DRIVER(cuDeviceGetName(name, 1, 0));
    puts(name);
    DRIVER(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, NULL));
    DRIVER(cuGetErrorString(CUDA_SUCCESS, NULL));
}

static void versions(void)
{
    int n = 9, major = 0, minor = 9;
    size_t nbytes = 0;
    unsigned version = 0;
    DRIVER(cuDriverGetVersion(NULL));
    DRIVER(cuDriverGetVersion(&n));
    IS(n);
    DRIVER(cuDeviceTotalMem(NULL, 0));
    DRIVER(cuDeviceTotalMem(&nbytes, 8));
    DRIVER(cuDeviceTotalMem(&nbytes, 0));
    IS(nbytes);
    DRIVER(cuDeviceComputeCapability(&major, &minor, 0));
    printf("%d.%d\n", major, minor);
    DRIVER(cuDeviceComputeCapability(NULL, &minor, 0));
    DRIVER(cuCtxGetApiVersion(NULL, NULL));
    DRIVER(cuCtxGetApiVersion((CUcontext)back, &version));
    DRIVER(cuCtxGetApiVersion(NULL, &version));
    IS(version);
    DRIVER(cuDevicePrimaryCtxReset(8));
    DRIVER(cuCtxEnablePeerAccess((CUcontext)back, 0));
    DRIVER(cuCtxDisablePeerAccess((CUcontext)back));
}

static void entries(void)
{
    void *f = NULL;
    CUdriverProcAddressQueryResult found;
    DRIVER(cuGetProcAddress("cuInit", &f, 13000, 3, &found));
    DRIVER(cuGetProcAddress("cuInit", &f, 13000, 0, &found));
    IS(f == (void *)cuInit);
    IS(found);
    DRIVER(cuGetProcAddress("cuNothing", &f, 13000, 0, &found));
    IS(found);
    DRIVER(cuGetProcAddress("cuNothing", &f, 13000, 0, NULL));
    IS(f == NULL);
    DRIVER(cuGetProcAddress("puts", &f, 13000, 2, NULL));
    DRIVER(cuGetProcAddress("puts", &f, 13000, 2, &found));
    IS(found);
    DRIVER(cuGetProcAddress("cuInit", &f, 13000, 4, &found));
    DRIVER(cuGetProcAddress("cuInit", &f, 13000, 99, &found));
    DRIVER(cuGetProcAddress(NULL, &f, 13000, 0, &found));
    DRIVER(cuGetProcAddress("cuInit", NULL, 13000, 0, &found));
}

static void fills(void)
{
    DRIVER(cuMemsetD8(d, 300 & 255, 3));
    DRIVER(cuMemsetD16(d + 4, 0x102, 2));
    DRIVER(cuMemsetD32(d + 8, 0x1020304, 2));
    DRIVER(cuMemsetD16(d + 5, 1, 1));
    DRIVER(cuMemsetD32(d + 2, 1, 1));
    DRIVER(cuMemsetD2D8(d + 16, 5, 9, 2, 2));
    DRIVER(cuMemsetD2D16(d + 28, 6, 0x807, 1, 2));
    DRIVER(cuMemsetD2D32(d + 40, 8, 0x6050403, 1, 2));
    DRIVER(cuMemsetD8Async(d + 60, 1, 1, 0));
    DRIVER(cuMemsetD16Async(d + 56, 0x203, 1, 0));
    DRIVER(cuMemsetD32Async(d + 52, 7, 1, 0));
    DRIVER(cuMemsetD2D8Async(d + 61, 2, 5, 1, 2, 0));
    DRIVER(cuMemsetD2D8(d, 1, 9, 2, 2));
    DRIVER(cuMemsetD8(d, 1, 65));
    DRIVER(cuMemsetD8(0, 1, 1));
    show(64);
}

static void rows(void)
{
    unsigned char h[32];
    CUDA_MEMCPY2D c;
    for (int i = 0; i < 32; i++)
        h[i] = (unsigned char)(i + 1);
    memset(&c, 0, sizeof c);
    DRIVER(cuMemcpy2D(NULL));
    DRIVER(cuMemcpy2D(&c));
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = h;
    DRIVER(cuMemcpy2D(&c));
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    DRIVER(cuMemcpy2D(&c));
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = d;
    c.WidthInBytes = 3;
    c.Height = 2;
    c.srcPitch = 8;
    c.srcXInBytes = 1;
    c.srcY = 1;
    c.dstPitch = 5;
    c.dstXInBytes = 2;
    c.dstY = 1;
    DRIVER(cuMemcpy2D(&c));
    show(20);
    c.srcPitch = 0;
    c.dstPitch = 0;
    c.dstY = 4;
    DRIVER(cuMemcpy2DUnaligned(&c));
    show(40);
    c.srcPitch = 2;
    DRIVER(cuMemcpy2DAsync(&c, 0));
    c.srcPitch = 4;
    c.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    c.srcDevice = d;
    c.dstY = 8;
    DRIVER(cuMemcpy2DAsync(&c, 0));
    show(56);
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = back;
    DRIVER(cuMemcpy2D(&c));
}

static void ranges(void)
{
    CUdeviceptr base = 1;
    size_t n = 0;
    DRIVER(cuMemGetAddressRange(&base, &n, d + 5));
    IS(base == d);
    IS(n);
    DRIVER(cuMemGetAddressRange(NULL, NULL, d));
    DRIVER(cuMemGetAddressRange(&base, &n, (CUdeviceptr)back));
    DRIVER(cuStreamWriteValue32(0, d + 4, 7, 1));
    DRIVER(cuStreamWriteValue32(0, d + 2, 7, 0));
    DRIVER(cuStreamWriteValue32(0, (CUdeviceptr)back, 7, 0));
    DRIVER(cuStreamWriteValue32(0, d + 4, 7, 0));
    DRIVER(cuStreamWaitValue32(0, d + 4, 7, CU_STREAM_WAIT_VALUE_EQ));
    DRIVER(cuStreamWaitValue32(0, d + 4, 6, CU_STREAM_WAIT_VALUE_GEQ));
    DRIVER(cuStreamWaitValue32(0, d + 4, 12, CU_STREAM_WAIT_VALUE_AND));
    DRIVER(cuStreamWaitValue32(0, d + 4, 8, CU_STREAM_WAIT_VALUE_NOR));
    DRIVER(cuStreamWaitValue32(0, d + 4, 7, 4));
    DRIVER(cuStreamWaitValue32(0, d + 4, 7, CU_STREAM_WAIT_VALUE_FLUSH));
    show(8);
}

/* Every place to every other, without waiting. */
static void async_rows(void)
{
    static const CUmemorytype types[] = {
        CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED};
    CUstream s = NULL;
    CUDA_MEMCPY2D c;
    cuStreamCreate(&s, CU_STREAM_NON_BLOCKING);
    cudaDeviceSynchronize();
    memset(&c, 0, sizeof c);
    for (int i = 0; i < 6; i++)
        back[i] = (unsigned char)(i + 1);
    c.srcHost = back;
    c.srcDevice = d;
    c.dstHost = back + 52;
    c.dstDevice = d + 32;
    c.WidthInBytes = 3;
    c.Height = 2;
    c.srcPitch = 3;
    c.dstPitch = 5;
    for (int to = 0; to < 3; to++)
        for (int from = 0; from < 3; from++) {
            c.dstMemoryType = types[to];
            c.srcMemoryType = types[from];
            printf("%d %d: %d\n", from, to, (int)cuMemcpy2DAsync(&c, s));
            cuStreamSynchronize(s);
        }
    c.dstXInBytes = 3;
    DRIVER(cuMemcpy2DAsync(&c, s)); // behind the end of its row
}

static void boxes(void)
{
    const CUDA_ARRAY3D_DESCRIPTOR of = {4, 3, 2, CU_AD_FORMAT_UNSIGNED_INT8,
                                        1, 0};
    CUarray a = NULL;
    CUDA_MEMCPY3D c;
    unsigned char h[64];
    for (int i = 0; i < 64; i++)
        h[i] = (unsigned char)(i + 1);
    memset(&c, 0, sizeof c);
    cuArray3DCreate(&a, &of);
    DRIVER(cuMemcpy3D(NULL));
    DRIVER(cuMemcpy3D(&c));
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = h;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    DRIVER(cuMemcpy3D(&c));
    c.dstArray = a;
    c.WidthInBytes = 4;
    c.Height = 3;
    c.Depth = 2;
    DRIVER(cuMemcpy3D(&c));
    c.dstXInBytes = 1;
    DRIVER(cuMemcpy3D(&c));
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = a;
    c.srcXInBytes = c.srcY = c.srcZ = 1;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = d;
    c.dstXInBytes = 2;
    c.dstY = 1;
    c.dstZ = 1;
    c.dstPitch = 6;
    c.dstHeight = 4;
    c.WidthInBytes = 2;
    c.Height = 2;
    c.Depth = 1;
    DRIVER(cuMemcpy3D(&c));
    show(50);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcPitch = 5;
    c.srcHeight = 3;
    c.dstZ = 0;
    DRIVER(cuMemcpy3DAsync(&c, 0));
    show(50);
    c.srcLOD = 1;
    DRIVER(cuMemcpy3D(&c));
}

static void registered(void)
{
    static unsigned words[2];
    void *managed;
    cudaMallocManaged(&managed, 8, cudaMemAttachGlobal);
    DRIVER(cuStreamWriteValue32(0, (CUdeviceptr)words, 7, 0));
    cudaHostRegister(words, sizeof words, 0);
    DRIVER(cuStreamWriteValue32(0, (CUdeviceptr)words, 7, 0));
    DRIVER(cuStreamWaitValue32(0, (CUdeviceptr)words, 7, 1));
    DRIVER(cuStreamWriteValue32(0, (CUdeviceptr)managed, 7, 0));
    DRIVER(cuStreamWriteValue32((CUstream)back, (CUdeviceptr)words, 7, 0));
    cudaDeviceSynchronize();
    IS(words[0]);
    IS(words[1]);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"pointers", pointers},  {"contexts", contexts},
                 {"current", current},    {"versions", versions},
                 {"entries", entries},    {"names", names},
                 {"driver_fills", fills}, {"rows", rows},
                 {"ranges", ranges},      {"async_rows", async_rows},
                 {"driver_boxes", boxes}, {"registered_words", registered}};
    start();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].run();
    return 0;
}
