/* What a process may do besides working: call and be idle, ignore failures,
 * look at its devices. The argument says which. */
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *query(void *unused)
{
    int device;
    cudaGetDevice(&device);
    sleep(1);
    return unused;
}

static void use_and_idle(void)
{
    int n;
    cudaGetDeviceCount(&n);
    sleep(1);
    pthread_t thread;
    pthread_create(&thread, NULL, query, NULL);
    pthread_join(thread, NULL);
}

static void fail_thrice(void)
{
    void *p = NULL;
    cudaMalloc(&p, (size_t)1 << 50);
    cudaMemset(p, 0, 4);
    cudaSetDevice(99);
}

/* The last call of a function, whose caller discards or uses the result. */
static cudaError_t __attribute__((noinline)) fail_last(void)
{
    return cudaFree((void *)8);
}

static void __attribute__((noinline)) drop_last(void)
{
    cudaSetDevice(99);
}

static void fail_at_the_end(void)
{
    fail_last();
    drop_last();
}

static int look_at_the_end(void)
{
    return fail_last() == cudaSuccess;
}

static int look(void)
{
    void *p = NULL;
    if (cudaMalloc(&p, (size_t)1 << 50) == cudaSuccess)
        return 1;
    const cudaError_t err = cudaSetDevice(99);
    if (err != cudaErrorInvalidDevice)
        return 1;
    cudaMemset(NULL, 0, 4);
    return cudaGetLastError() == cudaSuccess;
}

static void list_devices(void)
{
    int n = -1;
    const cudaError_t err = cudaGetDeviceCount(&n);
    printf("%s %d", cudaGetErrorName(err), n);
    for (int i = 0; i < n; i++) {
        char id[32];
        cudaDeviceGetPCIBusId(id, sizeof id, i);
        printf(" %s", id);
    }
    printf("\n");
}

static void print_uuid(void)
{
    struct cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 1);
    printf("GPU-");
    for (int i = 0; i < 16; i++)
        printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
               (unsigned char)p.uuid.bytes[i]);
    printf("\n");
}

/* What the host code that nvcc makes of a kernel calls. */
extern void **__cudaRegisterFatBinary(void *code);
extern void __cudaRegisterFunction(void **handle, const char *stub,
                                   char *device_stub, const char *name,
                                   int thread_limit, void *tid, void *bid,
                                   void *block, void *grid, int *wsize);
extern char __cudaInitModule(void **handle);
extern unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                            size_t shared_nbytes,
                                            cudaStream_t stream);
extern cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                              size_t *shared_nbytes,
                                              void *stream);
extern cudaError_t __cudaGetKernel(const void **kernel, const void *stub);
extern cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                                      void **args, size_t shared_nbytes,
                                      cudaStream_t stream);

static const char stubs[2]; /* of the kernels shift and scale */

static cudaError_t launch_stub(const void *stub)
{
    const dim3 one = {1, 1, 1};
    void *args[1] = {NULL};
    return cudaLaunchKernel(stub, one, one, args, 0, NULL);
}

/* k<<<{1, 2, 3}, {4, 5, 6}, 7, stream>>>() as the stub of a kernel does it. */
static cudaError_t call_stub(const void *stub, cudaStream_t stream)
{
    dim3 grid = {0}, block = {0};
    size_t shared = 0;
    cudaStream_t s = NULL;
    const void *kernel = NULL;
    if (__cudaPushCallConfiguration((dim3){1, 2, 3}, (dim3){4, 5, 6}, 7,
                                    stream) != 0 ||
        __cudaPopCallConfiguration(&grid, &block, &shared, &s) != cudaSuccess ||
        __cudaGetKernel(&kernel, stub) != cudaSuccess)
        return cudaErrorUnknown;
    if (grid.x != 1 || grid.y != 2 || grid.z != 3 || block.x != 4 ||
        block.y != 5 || block.z != 6 || shared != 7 || s != stream)
        return cudaErrorInvalidConfiguration;
    return __cudaLaunchKernel(kernel, grid, block, NULL, shared, s);
}

static int launch_of_nvcc(void)
{
    static const char unknown[1];
    char names[2][8] = {"shift", "scale"};
    cudaStream_t s;
    void **const image = __cudaRegisterFatBinary(NULL);
    for (int i = 0; i < 2; i++)
        __cudaRegisterFunction(image, &stubs[i], names[i], names[i], -1, NULL,
                               NULL, NULL, NULL, NULL);
    cudaStreamCreate(&s);
    return !image || __cudaInitModule(image) != 1 ||
           launch_stub(&stubs[1]) != cudaErrorNoKernelImageForDevice ||
           launch_stub(unknown) != cudaErrorInvalidResourceHandle ||
           launch_stub(NULL) != cudaErrorInvalidDeviceFunction ||
           call_stub(&stubs[0], s) != cudaErrorNoKernelImageForDevice ||
           cudaGetLastError() != cudaErrorNoKernelImageForDevice ||
           call_stub(unknown, s) != cudaErrorInvalidResourceHandle;
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "idles"))
        use_and_idle();
    else if (!strcmp(what, "ignores"))
        fail_thrice();
    else if (!strcmp(what, "ignores-at-the-end"))
        fail_at_the_end();
    else if (!strcmp(what, "looks-at-the-end"))
        return look_at_the_end();
    else if (!strcmp(what, "looks"))
        return look();
    else if (!strcmp(what, "launches"))
        return launch_of_nvcc();
    else if (!strcmp(what, "devices"))
        list_devices();
    else
        print_uuid();
    return 0;
}
