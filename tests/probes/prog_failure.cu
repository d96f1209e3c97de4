// Device code that fails: it ends the context, so each runs in its own process.
#include <assert.h>

#include "probe.h"

__global__ void asserts(int n)
{
    assert((int)threadIdx.x < n);
}

PROBE(device_assert)
{
    asserts<<<1, 32>>>(64);
    OK(cudaDeviceSynchronize());
    asserts<<<1, 32>>>(16);
    const cudaError_t e = cudaDeviceSynchronize();
    CHECK(e == cudaErrorAssert);
    CHECK(cudaGetLastError() == cudaErrorAssert);
    exit(wrong != 0 ? 1 : (printf("pass device_assert\n"), 0));
}
