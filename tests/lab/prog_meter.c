/* links: lab judge graph topo base */
/* The meter counts the device memory of every allocator. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include "lab/lab.h" /* struct lab, which every program of the runner has */
#include "lab/meter.h"
#include "rule.h"

enum { NBYTES = 1 << 20 };

const struct lab lab;
const struct judge_lab *const judge_labs[] = {NULL};

static uint64_t base;

/* True if at least NBYTES are held, or none. */
static int holds(int some)
{
    const uint64_t live = meter_memory().live - base;
    return some ? live >= NBYTES : live == 0;
}

static void check_runtime(cudaStream_t s)
{
    struct cudaPitchedPtr cube;
    cudaMemPool_t pool;
    size_t pitch;
    void *p;
    RULE(cudaMalloc(&p, NBYTES) == cudaSuccess && holds(1), "cudaMalloc");
    RULE(cudaFree(p) == cudaSuccess && holds(0), "cudaFree");
    RULE(cudaMallocManaged(&p, NBYTES, cudaMemAttachGlobal) == cudaSuccess &&
             holds(1),
         "cudaMallocManaged");
    RULE(cudaFree(p) == cudaSuccess && holds(0), "... and free");
    RULE(cudaMallocPitch(&p, &pitch, 1024, 1024) == cudaSuccess && holds(1),
         "cudaMallocPitch");
    RULE(cudaFree(p) == cudaSuccess && holds(0), "... and free");
    RULE(cudaMalloc3D(&cube, make_cudaExtent(1024, 32, 32)) == cudaSuccess &&
             holds(1),
         "cudaMalloc3D");
    RULE(cudaFree(cube.ptr) == cudaSuccess && holds(0), "... and free");
    RULE(cudaMallocAsync(&p, NBYTES, s) == cudaSuccess && holds(1),
         "cudaMallocAsync");
    RULE(cudaFreeAsync(p, s) == cudaSuccess && holds(0), "cudaFreeAsync");
    cudaDeviceGetDefaultMemPool(&pool, 0);
    RULE(cudaMallocFromPoolAsync(&p, NBYTES, pool, s) == cudaSuccess &&
             holds(1),
         "cudaMallocFromPoolAsync");
    RULE(cudaFreeAsync(p, s) == cudaSuccess && holds(0), "... and free");
}

static void check_driver(cudaStream_t s)
{
    CUdeviceptr p;
    size_t pitch;
    RULE(cuMemAlloc(&p, NBYTES) == CUDA_SUCCESS && holds(1), "cuMemAlloc");
    RULE(cuMemFree(p) == CUDA_SUCCESS && holds(0), "cuMemFree");
    RULE(cuMemAllocManaged(&p, NBYTES, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS &&
             holds(1),
         "cuMemAllocManaged");
    RULE(cuMemFree(p) == CUDA_SUCCESS && holds(0), "... and free");
    RULE(cuMemAllocPitch(&p, &pitch, 1024, 1024, 4) == CUDA_SUCCESS && holds(1),
         "cuMemAllocPitch");
    RULE(cuMemFree(p) == CUDA_SUCCESS && holds(0), "... and free");
    RULE(cuMemAllocAsync(&p, NBYTES, s) == CUDA_SUCCESS && holds(1),
         "cuMemAllocAsync");
    RULE(cuMemFreeAsync(p, s) == CUDA_SUCCESS && holds(0), "cuMemFreeAsync");
}

int main(void)
{
    cudaStream_t s;
    void *p;
    int version;
    ncclGetVersion(&version); // links with NCCL, as every lab does
    cudaStreamCreate(&s);
    base = meter_memory().live;
    check_runtime(s);
    check_driver(s);
    RULE(ncclMemAlloc(&p, NBYTES) == ncclSuccess && holds(1), "ncclMemAlloc");
    RULE(ncclMemFree(p) == ncclSuccess && holds(0), "ncclMemFree");
    cudaStreamSynchronize(s);
    cudaStreamDestroy(s);
    return rule_status();
}
