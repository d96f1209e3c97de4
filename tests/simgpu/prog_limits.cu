// Limits and failures of a device: its limits, shared memory that must be
// requested, cudaDeviceReset, and errors that stay. Prints the device's
// figures, which depend on the machine.
#include <cuda_runtime.h>

#include "rule.h"

__global__ void fail(int *p)
{
    if (*p == 0 && threadIdx.x == 3)
        __trap();
    __syncthreads();
    *p = 7;
}

__global__ void use_shared(int *p)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = 5;
    __syncthreads();
    *p = tile[0];
}

__global__ void talk(int n)
{
    printf("device says %d\n", n + (int)threadIdx.x);
}

static void check_attributes()
{
    static const struct {
        enum cudaDeviceAttr attr;
        int least;
    } table[] = {
        {cudaDevAttrTotalConstantMemory, 65536},
        {cudaDevAttrMaxBlocksPerMultiprocessor, 16},
        {cudaDevAttrComputeMode, 0},
        {cudaDevAttrMemoryPoolsSupported, 1},
        {cudaDevAttrMaxThreadsPerMultiProcessor, 1024},
        {cudaDevAttrMaxSharedMemoryPerBlock, 48 << 10},
    };
    int known = 1, value;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        known &=
            cudaDeviceGetAttribute(&value, table[i].attr, 0) == cudaSuccess &&
            value >= table[i].least;
    RULE(known, "attributes that programs ask for are known");
    // Largest textures and surfaces: these numbers, but for 44, 50, 51, 75, 76
    static const int ranges[][2] = {
        {21, 29}, {42, 43}, {45, 49}, {52, 74}, {77, 77}};
    known = 1;
    for (const int *range : ranges)
        for (int i = range[0]; i <= range[1]; i++)
            known &= cudaDeviceGetAttribute(&value, (cudaDeviceAttr)i, 0) ==
                         cudaSuccess &&
                     value > 0;
    RULE(known, "the largest textures and surfaces are known");
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    printf("%s, %d SMs of %d threads, %d blocks, %zu KiB; %zu KiB a block\n",
           p.name, p.multiProcessorCount, p.maxThreadsPerMultiProcessor,
           p.maxBlocksPerMultiProcessor, p.sharedMemPerMultiprocessor / 1024,
           p.sharedMemPerBlockOptin / 1024);
}

static void check_shared(int *d)
{
    int most = 0, h = 0;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    use_shared<<<1, 32, 48 << 10>>>(d);
    RULE(cudaGetLastError() == cudaSuccess, "48 KiB of shared memory are free");
    use_shared<<<1, 32, (48 << 10) + 1>>>(d);
    RULE(cudaGetLastError() == cudaErrorInvalidValue,
         "more has to be asked for");
    RULE(cudaFuncSetAttribute(use_shared,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              most) == cudaSuccess,
         "up to what the device has");
    use_shared<<<1, 32, most>>>(d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    RULE(cudaGetLastError() == cudaSuccess && h == 5, "and is there then");
    RULE(cudaFuncSetAttribute(use_shared,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              most + 1) == cudaErrorInvalidValue,
         "but no more");
    cudaGetLastError();
    RULE(cudaFuncSetAttribute(use_shared,
                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                              0) == cudaSuccess,
         "or none");
    use_shared<<<1, 32, 1>>>(d);
    RULE(cudaGetLastError() == cudaErrorInvalidValue,
         "which there is not then");
}

static void check_frees()
{
    cudaStream_t s;
    void *p;
    cudaStreamCreate(&s);
    cudaMallocAsync(&p, 100, s);
    RULE(cudaFreeAsync(p, s) == cudaSuccess &&
             cudaFreeAsync(p, s) == cudaErrorInvalidValue,
         "what is being freed can't be freed again");
    RULE(cudaFree(p) == cudaErrorInvalidValue, "by cudaFree either");
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    cudaGetLastError();
}

static int device_works()
{
    int *d;
    return cudaMalloc(&d, 64) == cudaSuccess &&
           cudaMemset(d, 0, 64) == cudaSuccess && cudaFree(d) == cudaSuccess;
}

static void check_reset()
{
    const size_t nbytes = 1 << 30;
    char *d;
    cudaStream_t s;
    size_t before, after, total;
    cudaStreamCreate(&s);
    cudaMalloc(&d, nbytes);
    cudaMemGetInfo(&before, &total);
    cudaSetDevice(-1);
    RULE(cudaDeviceReset() == cudaSuccess, "the device is reset");
    RULE(cudaGetLastError() == cudaErrorInvalidDevice,
         "an earlier error is still the last one");
    cudaMemGetInfo(&after, &total);
    RULE(cudaFree(d) == cudaErrorInvalidValue && after >= before + nbytes,
         "memory is gone");
#ifdef __SIMNVCC__ // on GPUs undefined, or not so
    RULE(cudaStreamSynchronize(s) == cudaErrorInvalidResourceHandle &&
             after == total,
         "and so is all else");
#endif
    RULE(device_works(), "the device works");
    cudaGetLastError();
}

static void check_failure()
{
    int *d, h = 1;
    cudaStream_t late;
    cudaMalloc(&d, sizeof *d);
    cudaMemset(d, 0, sizeof *d);
    fail<<<2, 32>>>(d);
    RULE(cudaDeviceSynchronize() == cudaErrorLaunchFailure,
         "a kernel that traps is an error of the device");
    RULE(cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost) ==
                 cudaErrorLaunchFailure &&
             cudaStreamCreate(&late) == cudaErrorLaunchFailure,
         "which stays");
    RULE(cudaGetLastError() == cudaErrorLaunchFailure &&
             cudaGetLastError() == cudaSuccess,
         "but is the last error only once");
    cudaDeviceReset();
    RULE(cudaGetLastError() == cudaSuccess && !device_works(),
         "a reset does not help");
}

int main()
{
    int *d;
    cudaMalloc(&d, sizeof *d);
    check_attributes();
    check_shared(d);
    check_frees();
    talk<<<1, 2>>>(41);
    cudaDeviceSynchronize();
    check_reset();
    check_failure();
    return rule_status();
}
