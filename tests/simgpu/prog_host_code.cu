// Pointers to functions in parameters of kernels: the host's, which no kernel
// can call, and the device's, which a program copies from there.
// test_refused checks what is reported.
#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>

typedef int (*function)(int);

__host__ __device__ int twice(int x)
{
    return 2 * x;
}

static int of_host(int x)
{
    return x + 1;
}

__device__ function table[2] = {twice, twice};

__global__ void call(function f, int *out)
{
    out[threadIdx.x] = f(threadIdx.x);
}

template <class F> __global__ void call_any(int *out, F f)
{
    out[threadIdx.x] = f(threadIdx.x);
}

// A pointer that is only passed on.
__global__ void pass(function f, function *out)
{
    *out = f;
}

__global__ void tell(function *out)
{
    *out = twice;
}

static void wrong(const char *what, int *out)
{
    if (strcmp(what, "both") == 0)
        call<<<1, 32>>>(twice, out);
    if (strcmp(what, "host") == 0)
        call_any<<<1, 32>>>(out, of_host);
    if (strcmp(what, "lambda") == 0)
        call<<<1, 32>>>([](int x) { return x; }, out);
}

static function copy_of(function *at)
{
    function f = NULL;
    cudaMemcpy(&f, at, sizeof f, cudaMemcpyDeviceToHost);
    return f;
}

// Passes the host's function through a kernel, and calls it in host code.
static int through_a_kernel(void)
{
    function *at;
    cudaMalloc(&at, sizeof *at);
    pass<<<1, 1>>>(of_host, at);
    const function f = copy_of(at);
    cudaFree(at);
    return f(41);
}

static void right(const char *what, int *out)
{
    function f = NULL, *at;
    if (strcmp(what, "symbol") == 0) {
        cudaMemcpyFromSymbol(&f, table, sizeof f, sizeof f);
        call<<<1, 32>>>(f, out);
    }
    if (strcmp(what, "told") == 0) {
        cudaMalloc(&at, sizeof *at);
        tell<<<1, 1>>>(at);
        f = copy_of(at);
        cudaFree(at);
        call_any<<<1, 32>>>(out, f);
    }
    if (strcmp(what, "managed") == 0) {
        cudaMallocManaged(&at, sizeof *at);
        tell<<<1, 1>>>(at);
        cudaDeviceSynchronize();
        call<<<1, 32>>>(*at, out);
        cudaDeviceSynchronize();
        cudaFree(at);
    }
    if (strcmp(what, "passed") == 0)
        printf("%d, ", through_a_kernel());
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    int *out, last = 0;
    cudaMalloc(&out, 32 * sizeof *out);
    cudaMemset(out, 0, 32 * sizeof *out);
    wrong(what, out);
    right(what, out);
    const cudaError_t err = cudaDeviceSynchronize();
    cudaMemcpy(&last, out + 31, sizeof last, cudaMemcpyDeviceToHost);
    printf("%d, %s, then %s\n", last, cudaGetErrorName(err),
           cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
