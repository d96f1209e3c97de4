// Device code touches all that is its own outside of cudaMalloc()'s memory.
// test_host_memory checks that nothing is reported.
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>

namespace some
{
struct shape {
    int sides;
    __device__ shape(int n) : sides{n} {}
    __device__ virtual ~shape() {}
    __device__ virtual int corners() const
    {
        return sides;
    }
};
__device__ int inside = 2;
} // namespace some

namespace counter
{
__device__ int total = 5;
}

typedef int (*function)(int);
static __device__ int twice(int x)
{
    return 2 * x;
}
__device__ function functions[2] = {twice, twice};

__device__ int of_device[4] = {1, 2, 3, 4};
__device__ int a = 1, b[3] = {1, 2, 3}, c{4}, (*d)[3] = &b;
static __device__ __constant__ int constants[4] = {1, 2, 3, 4};
__managed__ int managed = 1;
template <class T> __device__ T of_template = 1;
__device__ int counted, *pointer = &counted;
static __device__ const int table[4] = {1, 2, 3, 4};
extern __shared__ int dynamic[];

struct large {
    int of[300];
};

static __device__ int next(int by)
{
    static int calls = 40;
    calls += by;
    return calls;
}

static __device__ int words(const char *s)
{
    int n = 0;
    while (*s)
        n += *s++ == 'a';
    return n;
}

// All that device code may touch outside of cudaMalloc's memory.
__global__ void honest(large by_value, int *out)
{
    __shared__ int shared[64];
    int local[64];
    const int t = threadIdx.x;
    for (int i = 0; i < 64; i++)
        local[i] = i + t;
    shared[t] = local[(t + 1) % 64];
    __syncthreads();
    managed = 1;
    pointer = &counted;
    *pointer = 3;
    int *const own = (int *)malloc(4 * sizeof *own);
    own[t % 4] = shared[63 - t];
    out[t] = own[t % 4] + of_device[t % 4] + constants[t % 4] + managed +
             of_template<int> + counted + table[t % 4] + by_value.of[t] +
             words("a table of literals") + next(0);
    free(own);
    some::shape *const made = new some::shape(3);
    const some::shape kept(4);
    const some::shape *const either = t % 2 ? made : &kept;
    out[t] += either->corners() + functions[t % 2](t) + some::inside +
              counter::total + a + b[t % 3] + c + (*d)[t % 3];
    delete made;
    const auto of_lambda = [&](int i) {
        static int calls;
        return local[i] + (calls += 0);
    };
    dynamic[t] = of_lambda(t);
    out[t] += atomicAdd(&counted, 0) + dynamic[t];
}

static void run_honest(int *d)
{
    static large l;
    int h[64];
    honest<<<1, 64, 256>>>(l, d);
    const cudaError_t err = cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorName(err), h[5]);
}

int main()
{
    int *d;
    cudaMalloc(&d, 4096);
    run_honest(d);
    return cudaDeviceSynchronize();
}
