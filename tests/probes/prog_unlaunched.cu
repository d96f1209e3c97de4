// Kernels that no <<<>>> has launched, in a file of which nothing may run
// before main, as in labs (tests.mk): each probe has a kernel of its own.
#include <cooperative_groups.h>

#include "probe.h"

/* A launch of one block of 32 threads: what is passed to the runtime. */
struct arguments {
    int *p;
    void *at[1];
    explicit arguments(int *p) : p(p)
    {
        at[0] = &this->p;
    }
};

__global__ void plain(int *p)
{
    p[threadIdx.x] = 1;
}

PROBE(launch)
{
    array<int> a(32);
    arguments args(a.d);
    OK(cudaLaunchKernel((const void *)plain, dim3(1), dim3(32), args.at, 0, 0));
    CHECK(a.get()[31] == 1);
}

template <class T, int N> static __global__ void of_template(T *p)
{
    p[threadIdx.x] = N;
}

PROBE(launch_of_a_template)
{
    array<int> a(32);
    arguments args(a.d);
    OK(cudaLaunchKernel((const void *)of_template<int, 2>, dim3(1), dim3(32),
                        args.at, 0, 0));
    CHECK(a.get()[31] == 2);
    OK(cudaLaunchKernel((const void *)of_template<int, 3>, dim3(1), dim3(32),
                        args.at, 0, 0));
    CHECK(a.get()[31] == 3);
}

namespace
{
__global__ void together(int *p)
{
    cooperative_groups::this_grid().sync();
    p[threadIdx.x] = 4;
}
} // namespace

PROBE(cooperative_launch)
{
    array<int> a(32);
    arguments args(a.d);
    OK(cudaLaunchCooperativeKernel((const void *)together, dim3(1), dim3(32),
                                   args.at, 0, 0));
    CHECK(a.get()[31] == 4);
}

__global__ void extended(int *p)
{
    p[threadIdx.x] = 5;
}

PROBE(extended_launch)
{
    array<int> a(32);
    arguments args(a.d);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(32);
    OK(cudaLaunchKernelExC(&config, (const void *)extended, args.at));
    CHECK(a.get()[31] == 5);
}

__global__ void __launch_bounds__(256) bounded(int *p)
{
    *p = 6;
}

PROBE(attributes)
{
    cudaFuncAttributes attr;
    OK(cudaFuncGetAttributes(&attr, bounded));
    CHECK(attr.maxThreadsPerBlock == 256);
}

__global__ void greedy(int *p)
{
    extern __shared__ int s[];
    s[20000] = 7;
    *p = s[20000];
}

PROBE(more_shared_memory)
{
    array<int> a(1);
    OK(cudaFuncSetAttribute(greedy, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            96 << 10));
    greedy<<<1, 1, 96 << 10>>>(a.d);
    CHECK(a.get()[0] == 7);
}

__global__ void counted(int *p)
{
    *p = 8;
}

PROBE(occupancy)
{
    int blocks = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, counted, 128, 0));
    CHECK(blocks > 0);
}

static int called;
static void no_kernel(int *)
{
    called = 1;
}

PROBE(function_that_is_no_kernel)
{
    int *p = NULL;
    void *args[] = {&p};
    CHECK(cudaLaunchKernel((const void *)no_kernel, dim3(1), dim3(1), args, 0,
                           0) == cudaErrorInvalidResourceHandle);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
    CHECK(!called);
}
