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

static int launch_of_nvcc(void)
{
    static const char stub[1], unknown[1];
    void *args[1] = {NULL};
    char name[] = "scale";
    __cudaRegisterFunction(__cudaRegisterFatBinary(NULL), stub, name, name, -1,
                           NULL, NULL, NULL, NULL, NULL);
    const dim3 one = {1, 1, 1};
    return cudaLaunchKernel(stub, one, one, args, 0, NULL) !=
               cudaErrorNoKernelImageForDevice ||
           cudaLaunchKernel(unknown, one, one, args, 0, NULL) !=
               cudaErrorInvalidResourceHandle;
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "idles"))
        use_and_idle();
    else if (!strcmp(what, "ignores"))
        fail_thrice();
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
