/* Divisions that a processor traps give what a GPU gives. */
#include <cuda_runtime.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "rule.h"

template <typename T> __global__ void divide(const T *in, T *out)
{
    const T a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
    out[2 * threadIdx.x] = a / b;
    out[2 * threadIdx.x + 1] = a % b;
}

/* The divisor in memory, and all registers of the sum still there. */
__global__ void sum(const unsigned *in, unsigned *out, int n)
{
    unsigned all = 0;
    for (int i = 0; i < n; i++)
        all += 7 * i + 100 / in[i];
    *out = all;
}

enum { PAIRS = 4 };

template <typename T> static int gives(const T *in, const T *want)
{
    T *d, got[2 * PAIRS] = {};
    cudaMalloc(&d, 4 * PAIRS * sizeof *d);
    cudaMemcpy(d, in, 2 * PAIRS * sizeof *d, cudaMemcpyHostToDevice);
    divide<<<1, PAIRS>>>(d, d + 2 * PAIRS);
    cudaMemcpy(got, d + 2 * PAIRS, sizeof got, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return cudaGetLastError() == cudaSuccess &&
           memcmp(got, want, sizeof got) == 0;
}

int main(void)
{
    const int i[] = {7, 2, -7, 0, INT_MIN, -1, INT_MIN, 0};
    const int i_want[] = {3, 1, -1, -7, INT_MIN, 0, -1, INT_MIN};
    RULE(gives(i, i_want), "32 bits, signed");
    const unsigned u[] = {7, 2, 9, 0, 0, 0, UINT_MAX, 0};
    const unsigned u_want[] = {3,        1, UINT_MAX, 9,
                               UINT_MAX, 0, UINT_MAX, UINT_MAX};
    RULE(gives(u, u_want), "32 bits, unsigned");
    const long long l[] = {7, 2, -7, 0, LLONG_MIN, -1, LLONG_MIN, 0};
    const long long l_want[] = {3, 1, -1, -7, LLONG_MIN, 0, -1, LLONG_MIN};
    RULE(gives(l, l_want), "64 bits, signed");

    const unsigned in[] = {5, 0, 50, 0};
    unsigned *d, got = 0;
    cudaMalloc(&d, sizeof in + sizeof got);
    cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice);
    sum<<<1, 1>>>(d, d + 4, 4);
    cudaMemcpy(&got, d + 4, sizeof got, cudaMemcpyDeviceToHost);
    cudaFree(d);
    RULE(got == 7 * 6 + 20 + 2 - 2u, "a loop goes on");
#ifdef __aarch64__
    volatile int none = 0;
    RULE(7 / none == 0, "host code has the processor's result");
#endif
    return rule_status();
}
