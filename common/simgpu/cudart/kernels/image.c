/*
 * image.c: programs built by nvcc
 *
 * nvcc embeds a kernel's code for several GPUs in the program, and a stub that
 * host code calls. Before main() the program registers what it contains:
 *
 *     h = __cudaRegisterFatBinary(code)
 *     __cudaRegisterFunction(h, stub, ..., name, ...)     for each kernel
 *     __cudaRegisterFatBinaryEnd(h)
 *
 * k<<<grid, block>>>(x) becomes __cudaPushCallConfiguration(grid, block, ...)
 * followed by stub(x), which pops the configuration and calls
 * __cudaLaunchKernel(). The embedded code is useless here. The program
 * therefore starts and all its host code runs, but a launch fails, as on a GPU
 * for which the program has no code.
 *
 * CUDA's headers do not declare these functions for C; their arguments are
 * those of 12.4 to 13.0 (crt/host_runtime.h, crt/device_functions.h).
 */
#include "cudart/kernels/image.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* calloc */

#include "core/report.h"
#include "core/site.h"
#include "cudart/api.h"

static struct image { /* a kernel that nvcc compiled */
    const void *stub;
    const char *name; /* mangled; belongs to the program */
    struct image *next;
} * images;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct image *find(const void *stub)
{
    pthread_mutex_lock(&lock);
    const struct image *found = images;
    while (found && found->stub != stub)
        found = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

cudaError_t image_missing(const void *func, uint32_t site)
{
    const struct image *const found = find(func);
    if (!found)
        return func ? cudaErrorInvalidResourceHandle
                    : cudaErrorInvalidDeviceFunction;
    simgpu_report_warning(
        site,
        "kernel %s was compiled by nvcc, which is for GPUs only: "
        "compile its file with simnvcc (GPU=sim), or run the "
        "program on a GPU.",
        found->name);
    return cudaErrorNoKernelImageForDevice;
}

/* ---- registration -------------------------------------------------------- */

void **__cudaRegisterFatBinary(void *code)
{
    static void *handle; // one for all images: it identifies nothing
    (void)code;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_stub,
                            const char *name, int thread_limit, uint3 *tid,
                            uint3 *bid, dim3 *block, dim3 *grid, int *wsize)
{
    (void)handle, (void)device_stub, (void)thread_limit, (void)wsize;
    (void)tid, (void)bid, (void)block, (void)grid;
    struct image *const fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        abort();
    *fresh = (struct image){stub, name, NULL};
    pthread_mutex_lock(&lock);
    fresh->next = images;
    images = fresh;
    pthread_mutex_unlock(&lock);
}

/* Device variables are ignored, since no kernel reads them. */
void __cudaRegisterVar(void **handle, char *host, char *device,
                       const char *name, int ext, size_t size, int constant,
                       int global)
{
    (void)handle, (void)host, (void)device, (void)name;
    (void)ext, (void)size, (void)constant, (void)global;
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                              const char *name, int ext, size_t size,
                              int constant, int global)
{
    (void)handle, (void)host, (void)device, (void)name;
    (void)ext, (void)size, (void)constant, (void)global;
}

/* ---- launches ------------------------------------------------------------ */

/* The <<<...>>> of this thread's next launch. */
static __thread struct configuration {
    dim3 grid, block;
    size_t shared_nbytes;
    cudaStream_t stream;
} configuration;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                     size_t shared_nbytes, cudaStream_t stream)
{
    configuration = (struct configuration){grid, block, shared_nbytes, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                       size_t *shared_nbytes, void *stream)
{
    *grid = configuration.grid;
    *block = configuration.block;
    *shared_nbytes = configuration.shared_nbytes;
    *(cudaStream_t *)stream = configuration.stream;
    return cudaSuccess;
}

/* A kernel's handle, which is its stub. */
cudaError_t __cudaGetKernel(const void **kernel, const void *stub)
{
    *kernel = stub;
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                               void **args, size_t shared_nbytes,
                               cudaStream_t stream)
{
    (void)grid, (void)block, (void)args, (void)shared_nbytes, (void)stream;
    return api_return(image_missing(kernel, CALLER_SITE()));
}

/* The same, with per-thread default streams. */
cudaError_t __cudaLaunchKernel_ptsz(const void *, dim3, dim3, void **, size_t,
                                    cudaStream_t)
    __attribute__((alias("__cudaLaunchKernel")));
