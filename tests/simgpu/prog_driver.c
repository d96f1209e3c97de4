/*
 * The driver API next to the runtime: contexts, pointers, and streams that
 * write and wait for values, in one process and, with a second rank, between
 * two.
 *
 *     mpirun -n 2 prog_driver             all rules
 *     mpirun -n 2 prog_driver never       a wait that is never fulfilled
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "rule.h"

enum { ROUNDS = 200 };

static CUdeviceptr address(const void *p)
{
    return (CUdeviceptr)(uintptr_t)p;
}

/* Functions by their names, before anything else is called. */
static void check_names(void)
{
    CUresult (*init)(unsigned) = NULL;
    void *none = &init;
    CUdriverProcAddressQueryResult status;
    RULE(cuGetProcAddress("cuInit", (void **)&init, CUDA_VERSION,
                          CU_GET_PROC_ADDRESS_DEFAULT,
                          &status) == CUDA_SUCCESS &&
             status == CU_GET_PROC_ADDRESS_SUCCESS && init &&
             init(1) == CUDA_ERROR_INVALID_VALUE,
         "a function is found by its name");
    RULE(cuGetProcAddress("cuCtxCreate", &none, CUDA_VERSION,
                          CU_GET_PROC_ADDRESS_DEFAULT, NULL) == CUDA_SUCCESS,
         "in whichever version there is");
    RULE(cuGetProcAddress("cuNoSuchFunction", &none, CUDA_VERSION,
                          CU_GET_PROC_ADDRESS_DEFAULT,
                          &status) == CUDA_SUCCESS &&
             status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND && !none,
         "an unknown name is told by the status");
    void *const library = dlopen("libcuda.so.1", RTLD_NOW);
    RULE(library && dlsym(library, "cuDeviceGetUuid") &&
             dlsym(library, "cuDeviceGetUuid_v2"),
         "a device's UUID is found without a version, too");
}

/* What NCCL looks up, with the versions that it asks for
 * (src/include/cudawrap.h, as of 2026). */
static const struct {
    const char *name;
    int version;
} nccl[] = {
    {"cuDeviceGet", 2000},
    {"cuDeviceGetAttribute", 2000},
    {"cuGetErrorString", 6000},
    {"cuGetErrorName", 6000},
    {"cuMemGetAddressRange", 3020},
    {"cuCtxCreate", 11040},
    {"cuCtxDestroy", 4000},
    {"cuCtxGetCurrent", 4000},
    {"cuCtxSetCurrent", 4000},
    {"cuCtxGetDevice", 2000},
    {"cuPointerGetAttribute", 4000},
    {"cuLaunchKernel", 4000},
    {"cuLaunchKernelEx", 11060},
    {"cuMemAddressReserve", 10020},
    {"cuMemAddressFree", 10020},
    {"cuMemCreate", 10020},
    {"cuMemGetAllocationGranularity", 10020},
    {"cuMemExportToShareableHandle", 10020},
    {"cuMemImportFromShareableHandle", 10020},
    {"cuMemMap", 10020},
    {"cuMemRelease", 10020},
    {"cuMemRetainAllocationHandle", 11000},
    {"cuMemSetAccess", 10020},
    {"cuMemUnmap", 10020},
    {"cuMemGetAllocationPropertiesFromHandle", 10020},
    {"cuMemGetHandleForAddressRange", 11070},
    {"cuMulticastAddDevice", 12010},
    {"cuMulticastBindMem", 12010},
    {"cuMulticastBindAddr", 12010},
    {"cuMulticastCreate", 12010},
    {"cuMulticastGetGranularity", 12010},
    {"cuMulticastUnbind", 12010},
    {"cuStreamBatchMemOp", 11070},
    {"cuStreamWaitValue32", 11070},
    {"cuStreamWaitValue64", 11070},
    {"cuStreamWriteValue32", 11070},
    {"cuStreamWriteValue64", 11070},
};
enum { NCCL = sizeof nccl / sizeof *nccl };

static int is_found(int i, int version, CUdriverProcAddressQueryResult expected)
{
    CUdriverProcAddressQueryResult status;
    void *f = NULL;
    return cuGetProcAddress(nccl[i].name, &f, version, 0, &status) ==
               CUDA_SUCCESS &&
           status == expected &&
           (f != NULL) == (expected == CU_GET_PROC_ADDRESS_SUCCESS);
}

static void check_versions(void)
{
    typedef CUresult create_fn(CUcontext *, void *, int, unsigned, CUdevice);
    typedef CUresult find_fn(const char *, void **, int, cuuint64_t);
    void *f = NULL;
    CUcontext c = NULL;
    int value = 1;
    for (int i = 0; i < NCCL; i++)
        RULE(is_found(i, nccl[i].version, CU_GET_PROC_ADDRESS_SUCCESS) &&
                 is_found(i, 13000, CU_GET_PROC_ADDRESS_SUCCESS) &&
                 is_found(i, 1000, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT),
             nccl[i].name);
    void *const library = dlopen("libcuda.so.1", RTLD_NOW);
    find_fn *const find = (find_fn *)dlsym(library, "cuGetProcAddress");
    RULE(find && find("cuInit", &f, 11030, 0) == CUDA_SUCCESS && f &&
             find("cuNoSuchFunction", &f, 11030, 0) == CUDA_ERROR_NOT_FOUND,
         "the form of CUDA 11 has no status");
    cuInit(0);
    cuGetProcAddress("cuCtxCreate", &f, 11040, 0, NULL);
    RULE(((create_fn *)f)(&c, NULL, 0, CU_CTX_SCHED_AUTO, 0) == CUDA_SUCCESS &&
             c && cuCtxDestroy(c) == CUDA_SUCCESS,
         "a context in the form of CUDA 11.4");
    RULE(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED,
                              0) == CUDA_SUCCESS &&
             (value ||
              cuMulticastCreate(NULL, NULL) == CUDA_ERROR_NOT_SUPPORTED),
         "no multicasts, as the attribute says");
    RULE(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED,
                              0) == CUDA_SUCCESS &&
             !value &&
             cuMemGetHandleForAddressRange(&value, 0, 0,
                                           CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD,
                                           0) == CUDA_ERROR_NOT_SUPPORTED,
         "nor DMA-BUF");
}

/* Created contexts are a stack on each thread. */
static void check_stack(void)
{
    CUcontext first = NULL, second = NULL, now = NULL;
    int n = 0;
    size_t nbytes = 0;
    cuDeviceGetCount(&n);
    cuCtxSetCurrent(NULL);
    RULE(cuCtxCreate(&first, NULL, CU_CTX_SCHED_AUTO, 0) == CUDA_SUCCESS &&
             cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == first,
         "a new context is current");
    RULE(cuCtxCreate(&second, NULL, 0x1000, 0) == CUDA_ERROR_INVALID_VALUE,
         "its flags are checked");
    RULE(cuCtxCreate(&second, NULL, 0, n - 1) == CUDA_SUCCESS &&
             cuCtxPopCurrent(&now) == CUDA_SUCCESS && now == second &&
             cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == first,
         "under the second one is the first");
    RULE(cuCtxPushCurrent(second) == CUDA_SUCCESS &&
             cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == second,
         "a context can be pushed again");
    RULE(cuCtxDestroy(second) == CUDA_SUCCESS &&
             cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == first,
         "destroying the current one pops it");
    RULE(cuCtxGetLimit(&nbytes, CU_LIMIT_STACK_SIZE) == CUDA_SUCCESS &&
             nbytes > 0,
         "a context has limits");
    cuCtxDestroy(first);
    RULE(cuCtxGetCurrent(&now) == CUDA_SUCCESS && !now,
         "and below the last one is none");
    RULE(cuCtxPopCurrent(&now) == CUDA_ERROR_INVALID_CONTEXT,
         "which can't be popped");
}

enum { ROWS = 3, COLS = 4, PITCH = 6 }; /* of ints, in check_rows() */

static void check_fills(void)
{
    int h[ROWS * PITCH], right = 1;
    unsigned short *const halves = (unsigned short *)h;
    CUdeviceptr d;
    CUcontext c;
    cuCtxCreate(&c, NULL, 0, 0);
    cuMemAlloc(&d, sizeof h);
    cuMemsetD32(d, 0x01020304, ROWS * PITCH);
    cuMemcpyDtoH(h, d, sizeof h);
    RULE(h[0] == 0x01020304 && h[ROWS * PITCH - 1] == 0x01020304,
         "memory is filled with words");
    cuMemsetD16Async(d + 2, 0x0506, 2, NULL);
    cuMemcpyDtoH(h, d, sizeof h);
    RULE(halves[0] == 0x0304 && halves[1] == 0x0506 && halves[2] == 0x0506 &&
             halves[3] == 0x0102,
         "or with half words");
    RULE(cuMemsetD32(d + 2, 0, 1) == CUDA_ERROR_INVALID_VALUE,
         "that are aligned");
    cuMemsetD32(d, 0x01020304, ROWS * PITCH);
    cuMemsetD2D32(d, PITCH * sizeof(int), 7, COLS, ROWS);
    cuMemcpyDtoH(h, d, sizeof h);
    for (int i = 0; i < ROWS * PITCH; i++)
        right &= h[i] == (i % PITCH < COLS ? 7 : 0x01020304);
    RULE(right, "rows are filled, but not what is between them");
    cuMemFree(d);
    cuCtxDestroy(c);
}

static void check_rows(void)
{
    int h[ROWS * PITCH], got[ROWS * COLS];
    CUdeviceptr d;
    CUcontext c;
    cuCtxCreate(&c, NULL, 0, 0);
    cuMemAlloc(&d, sizeof h);
    for (int i = 0; i < ROWS * PITCH; i++)
        h[i] = i;
    cuMemcpyHtoD(d, h, sizeof h);
    const CUDA_MEMCPY2D copy = {.srcXInBytes = sizeof(int),
                                .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = d,
                                .srcPitch = PITCH * sizeof(int),
                                .dstMemoryType = CU_MEMORYTYPE_HOST,
                                .dstHost = got,
                                .dstPitch = COLS * sizeof(int),
                                .WidthInBytes = COLS * sizeof(int),
                                .Height = ROWS};
    RULE(cuMemcpy2D(&copy) == CUDA_SUCCESS && got[0] == 1 &&
             got[COLS] == PITCH + 1 &&
             got[ROWS * COLS - 1] == (ROWS - 1) * PITCH + COLS,
         "rows are copied from where they begin");
    const CUDA_ARRAY_DESCRIPTOR what = {.Width = COLS,
                                        .Height = ROWS,
                                        .Format = CU_AD_FORMAT_SIGNED_INT32,
                                        .NumChannels = 1};
    CUDA_MEMCPY2D in = copy, out = copy;
    in.dstMemoryType = out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    out.srcArray = NULL;
    out.srcXInBytes = 0;
    RULE(cuMemcpy2D(&out) != CUDA_SUCCESS, "an array has to be named");
    RULE(cuArrayCreate(&in.dstArray, &what) == CUDA_SUCCESS &&
             cuMemcpy2D(&in) == CUDA_SUCCESS,
         "rows are copied to an array");
    memset(got, 0, sizeof got);
    out.srcArray = in.dstArray;
    RULE(cuMemcpy2D(&out) == CUDA_SUCCESS && got[0] == 1 &&
             got[COLS] == PITCH + 1 &&
             got[ROWS * COLS - 1] == (ROWS - 1) * PITCH + COLS,
         "and from it");
    RULE(cuArrayDestroy(in.dstArray) == CUDA_SUCCESS, "which is freed");
    cuMemFree(d);
    cuCtxDestroy(c);
}

/* Between two contexts' devices, or in the only one. */
/* A box of 2 x 2 x 2 from the middle of one of 3 x 4 x 5 ints. */
static void check_boxes(void)
{
    enum { DEPTH = 3, HEIGHT = 4, WIDTH = 5, SIDE = 2 };
    int h[DEPTH][HEIGHT][WIDTH], got[SIDE][SIDE][SIDE], right = 1;
    CUdeviceptr d;
    CUcontext c;
    CUstream stream;
    cuCtxCreate(&c, NULL, 0, 0);
    cuStreamCreate(&stream, CU_STREAM_DEFAULT);
    cuMemAlloc(&d, sizeof h);
    for (size_t i = 0; i < sizeof h / sizeof(int); i++)
        ((int *)h)[i] = (int)i;
    cuMemcpyHtoD(d, h, sizeof h);
    CUDA_MEMCPY3D copy = {.srcXInBytes = sizeof(int),
                          .srcY = 1,
                          .srcZ = 1,
                          .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = d,
                          .srcPitch = sizeof h[0][0],
                          .srcHeight = HEIGHT,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = got,
                          .WidthInBytes = SIDE * sizeof(int),
                          .Height = SIDE,
                          .Depth = SIDE};
    RULE(cuMemcpy3DAsync(&copy, stream) == CUDA_SUCCESS &&
             cuStreamSynchronize(stream) == CUDA_SUCCESS,
         "boxes are copied");
    for (int z = 0; z < SIDE; z++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                right &= got[z][y][x] == h[z + 1][y + 1][x + 1];
    RULE(right, "from where they begin, to contiguous slices");
    copy.srcHeight = SIDE;
    RULE(cuMemcpy3D(&copy) == CUDA_ERROR_INVALID_VALUE,
         "a box lies within its slices");
    cuMemFree(d);
    cuStreamDestroy(stream);
    cuCtxDestroy(c);
}

static void check_peers(void)
{
    CUcontext a, b;
    CUdeviceptr from, to;
    int n = 0, x = 42;
    cuDeviceGetCount(&n);
    cuCtxCreate(&a, NULL, 0, 0);
    cuMemAlloc(&from, sizeof x);
    cuMemcpyHtoD(from, &x, sizeof x);
    cuCtxCreate(&b, NULL, 0, n - 1);
    cuMemAlloc(&to, sizeof x);
    RULE(cuMemcpyPeer(to, b, from, a, sizeof x) == CUDA_SUCCESS,
         "contexts copy to each other");
    x = 0;
    cuMemcpyDtoH(&x, to, sizeof x);
    RULE(x == 42, "and get the bytes");
    cuMemFree(to);
    cuCtxDestroy(b);
    cuMemFree(from);
    cuCtxDestroy(a);
}

static void check_contexts(void)
{
    int n = 0;
    CUdevice device = -1;
    CUcontext none = (CUcontext)1, primary = NULL, current = NULL;
    const char *text = NULL;
    RULE(cuDeviceGetCount(&n) == CUDA_ERROR_NOT_INITIALIZED,
         "nothing works before cuInit");
    RULE(cuInit(1) == CUDA_ERROR_INVALID_VALUE, "cuInit takes no flags");
    RULE(cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&n) == CUDA_SUCCESS &&
             n > 0,
         "after it there are devices");
    RULE(cuCtxGetCurrent(&none) == CUDA_SUCCESS && !none,
         "a thread begins without a context");
    RULE(cuStreamWriteValue32(NULL, 0, 0, 0) == CUDA_ERROR_INVALID_CONTEXT,
         "and streams need one");
    RULE(cuDeviceGet(&device, n) == CUDA_ERROR_INVALID_DEVICE &&
             cuDeviceGet(&device, 0) == CUDA_SUCCESS,
         "devices count from 0");
    RULE(cuDevicePrimaryCtxRetain(&primary, device) == CUDA_SUCCESS && primary,
         "a device has a primary context");
    RULE(cuCtxSetCurrent(primary) == CUDA_SUCCESS &&
             cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == primary,
         "which may be made current");
    RULE(cuDevicePrimaryCtxRelease(device) == CUDA_SUCCESS, "and released");
    RULE(cuGetErrorName(CUDA_ERROR_INVALID_CONTEXT, &text) == CUDA_SUCCESS &&
             strcmp(text, "CUDA_ERROR_INVALID_CONTEXT") == 0,
         "a result has a name");
    RULE(cuGetErrorString((CUresult)12345, &text) == CUDA_ERROR_INVALID_VALUE &&
             !text,
         "an unknown one has none");
    if (n > 1) {
        cudaSetDevice(1);
        cuDevicePrimaryCtxRetain(&primary, 1);
        RULE(cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == primary,
             "the runtime's device and the driver's context are one thing");
        cuDevicePrimaryCtxRelease(1);
        cudaSetDevice(0);
    }
}

/* Several attributes at once: what is not known of a pointer is zero. */
static void check_attributes(const char *d, const char *h, const char *stack)
{
    CUmemorytype type;
    CUdeviceptr base, host;
    unsigned managed;
    CUpointer_attribute which[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void *data[] = {&type, &base, &host, &managed};
    memset(&host, -1, sizeof host);
    RULE(cuPointerGetAttributes(4, which, data, address(d + 9)) ==
                 CUDA_SUCCESS &&
             type == CU_MEMORYTYPE_DEVICE && base == address(d) && host == 0 &&
             managed == 0,
         "attributes of device memory, which has no host pointer");
    RULE(cuPointerGetAttributes(4, which, data, address(h)) == CUDA_SUCCESS &&
             type == CU_MEMORYTYPE_HOST && host == address(h),
         "attributes of pinned memory");
    RULE(cuPointerGetAttributes(4, which, data, address(stack)) ==
                 CUDA_SUCCESS &&
             (int)type == 0 && host == address(stack),
         "other memory has no type, and that is no error");
    RULE(cuPointerGetAttributes(0, which, data, address(d)) ==
             CUDA_ERROR_INVALID_VALUE,
         "nothing asked is an error");
}

static void check_pointers(void)
{
    char *d, *h, stack[8];
    CUmemorytype type;
    CUdeviceptr base;
    size_t nbytes;
    int device = -1;
    cudaMalloc((void **)&d, 1000);
    cudaMallocHost((void **)&h, 1000);
    RULE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               address(d + 9)) == CUDA_SUCCESS &&
             type == CU_MEMORYTYPE_DEVICE,
         "device memory is known");
    RULE(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                               address(d + 9)) == CUDA_SUCCESS &&
             base == address(d) &&
             cuPointerGetAttribute(&nbytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                   address(d + 9)) == CUDA_SUCCESS &&
             nbytes >= 1000,
         "with the allocation it lies in");
    RULE(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                               address(d)) == CUDA_SUCCESS &&
             device == 0,
         "and its device");
    RULE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               address(h)) == CUDA_SUCCESS &&
             type == CU_MEMORYTYPE_HOST,
         "pinned memory is the host's");
    RULE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                               address(stack)) == CUDA_ERROR_INVALID_VALUE,
         "other memory is unknown");
    check_attributes(d, h, stack);
    cudaFree(d);
    cudaFreeHost(h);
}

/* One stream waits for what another writes. */
static void add_to(void *arg)
{
    *(int *)arg += 5;
}

static void check_host_functions(void)
{
    cudaStream_t s;
    int n = 2;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    RULE(cuLaunchHostFunc(s, add_to, &n) == CUDA_SUCCESS &&
             cuStreamSynchronize(s) == CUDA_SUCCESS && n == 7,
         "a stream calls a function with its argument");
    RULE(cuLaunchHostFunc(s, NULL, &n) == CUDA_ERROR_INVALID_VALUE,
         "and none that is not there");
    cudaStreamDestroy(s);
}

/* 64 bits, and several operations in one call. */
static void check_words(CUstream a, CUstream b)
{
    cuuint64_t *d, is[2] = {0};
    int able = 0;
    cudaMalloc((void **)&d, sizeof is);
    cudaMemset(d, 0, sizeof is);
    cudaDeviceSynchronize();
    RULE(cuDeviceGetAttribute(&able,
                              CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
                              0) == CUDA_SUCCESS &&
             able,
         "devices write 64-bit words");
    RULE(cuStreamWaitValue64(b, address(d), 1ull << 40,
                             CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS &&
             cudaStreamQuery(b) == cudaErrorNotReady &&
             cuStreamWriteValue64(a, address(d), 1, 0) == CUDA_SUCCESS &&
             cudaStreamSynchronize(a) == cudaSuccess &&
             cudaStreamQuery(b) == cudaErrorNotReady &&
             cuStreamWriteValue64(a, address(d), 3ull << 40, 0) ==
                 CUDA_SUCCESS &&
             cudaStreamSynchronize(b) == cudaSuccess,
         "and wait for all 64 bits");
    RULE(cuStreamWaitValue64(b, address(d), 2ull << 40,
                             CU_STREAM_WAIT_VALUE_AND) == CUDA_SUCCESS &&
             cudaStreamSynchronize(b) == cudaSuccess &&
             cuStreamWriteValue64(a, address(d) + 4, 0, 0) ==
                 CUDA_ERROR_INVALID_VALUE,
         "by bits, too, at multiples of 8");
    CUstreamBatchMemOpParams ops[4] = {{0}}, wrong = {0};
    ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    ops[0].writeValue.address = address(d);
    ops[0].writeValue.value = 7;
    ops[1].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
    ops[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    ops[2].writeValue.address = address(d + 1);
    ops[2].writeValue.value64 = 5ull << 33;
    ops[3].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    ops[3].waitValue.address = address(d + 1);
    ops[3].waitValue.value64 = 5ull << 33;
    ops[3].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    RULE(cuStreamBatchMemOp(a, 4, ops, 0) == CUDA_SUCCESS &&
             cudaStreamSynchronize(a) == cudaSuccess &&
             cudaMemcpy(is, d, sizeof is, cudaMemcpyDeviceToHost) ==
                 cudaSuccess &&
             is[0] == (3ull << 40 | 7) && is[1] == 5ull << 33,
         "a batch is done in order");
    wrong.operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
    RULE(cuStreamBatchMemOp(a, 1, &wrong, 0) == CUDA_ERROR_NOT_SUPPORTED &&
             cuStreamBatchMemOp(a, 1, NULL, 0) == CUDA_ERROR_INVALID_VALUE &&
             cuStreamBatchMemOp(a, 1, ops, 1) == CUDA_ERROR_INVALID_VALUE,
         "what a batch cannot have");
    cudaFree(d);
}

static void check_streams(void)
{
    cudaStream_t a, b;
    unsigned *d, *h, seen = 0;
    cudaMalloc((void **)&d, 2 * sizeof *d);
    cudaMallocHost((void **)&h, sizeof *h);
    cudaMemset(d, 0, 2 * sizeof *d);
    cudaDeviceSynchronize(); // non-blocking streams don't wait for it
    *h = 0;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    RULE(cuStreamWaitValue32(b, address(d), 5, CU_STREAM_WAIT_VALUE_EQ) ==
             CUDA_SUCCESS,
         "a stream waits for a value");
    cudaMemcpyAsync(h, d + 1, sizeof *h, cudaMemcpyDeviceToHost, b);
    RULE(cudaStreamQuery(b) == cudaErrorNotReady, "and until it comes");
    cudaMemsetAsync(d + 1, 0x11, sizeof *d, a);
    RULE(cuStreamWriteValue32(a, address(d), 5, 0) == CUDA_SUCCESS,
         "another stream writes it");
    cudaStreamSynchronize(b);
    RULE(*h == 0x11111111, "what was before the write is seen after the wait");
    cuStreamWriteValue32(a, address(d), 0xfffffff0u, 0);
    cuStreamWriteValue32(a, address(d), 3, 0);
    RULE(cuStreamWaitValue32(b, address(d), 0xfffffff8u,
                             CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS &&
             cudaStreamSynchronize(b) == cudaSuccess,
         "greater or equal goes round");
    cuStreamWriteValue32(a, address(d), 6, 0);
    RULE(cuStreamWaitValue32(b, address(d), 4, CU_STREAM_WAIT_VALUE_AND) ==
                 CUDA_SUCCESS &&
             cuStreamWaitValue32(b, address(d), 9, CU_STREAM_WAIT_VALUE_NOR) ==
                 CUDA_SUCCESS &&
             cudaStreamSynchronize(b) == cudaSuccess,
         "and by bits");
    *(volatile unsigned *)h = 7;
    RULE(cuStreamWaitValue32(b, address(h), 7, CU_STREAM_WAIT_VALUE_EQ) ==
                 CUDA_SUCCESS &&
             cudaStreamSynchronize(b) == cudaSuccess,
         "the host may fulfil a wait in pinned memory");
    check_words(a, b);
    RULE(cuStreamWriteValue32(a, address(d) + 2, 0, 0) ==
             CUDA_ERROR_INVALID_VALUE,
         "words are aligned");
    RULE(cuStreamWriteValue32(a, address(&seen), 0, 0) ==
             CUDA_ERROR_INVALID_VALUE,
         "and in memory that devices reach");
    cudaStreamSynchronize(a);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(d);
    cudaFreeHost(h);
}

/* Two ranks answer each other through words in each other's memory. */
static void check_ranks(int rank, int never)
{
    cudaIpcMemHandle_t handle[2];
    unsigned *own, *peer, sum = 0;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMalloc((void **)&own, 2 * sizeof *own);
    cudaMemset(own, 0, 2 * sizeof *own);
    cudaDeviceSynchronize();
    cudaIpcGetMemHandle(&handle[rank], own);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, handle, sizeof *handle, MPI_BYTE,
                  MPI_COMM_WORLD);
    RULE(cudaIpcOpenMemHandle((void **)&peer, handle[1 - rank],
                              cudaIpcMemLazyEnablePeerAccess) == cudaSuccess,
         "a peer's memory opens");
    for (unsigned i = 1; i <= ROUNDS; i++) {
        if (rank == 0) {
            cudaMemsetAsync(peer + 1, (int)i % 100, sizeof *peer, s);
            cuStreamWriteValue32(s, address(peer), i, 0);
        }
        cuStreamWaitValue32(s, address(own), never ? ROUNDS + 1 : i, 0);
        if (rank == 1) {
            cudaMemcpyAsync(peer + 1, own + 1, sizeof *peer, cudaMemcpyDefault,
                            s);
            cuStreamWriteValue32(s, address(peer), i, 0);
        }
    }
    cudaStreamSynchronize(s);
    cudaMemcpy(&sum, own + 1, sizeof sum, cudaMemcpyDeviceToHost);
    RULE(sum == ROUNDS % 100 * 0x01010101u, "two ranks signal each other");
    MPI_Barrier(MPI_COMM_WORLD);
    cudaIpcCloseMemHandle(peer);
    cudaFree(own);
    cudaStreamDestroy(s);
}

int main(int argc, char **argv)
{
    int rank, nranks;
    check_names();
    check_contexts(); // before MPI, which may query a buffer's place
    check_versions();
    check_stack();
    check_fills();
    check_rows();
    check_boxes();
    check_peers();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    if (rank == 0)
        check_pointers();
    check_host_functions();
    check_streams();
    if (nranks == 2)
        check_ranks(rank, argc > 1 && strcmp(argv[1], "never") == 0);
    MPI_Finalize();
    return rule_status();
}
