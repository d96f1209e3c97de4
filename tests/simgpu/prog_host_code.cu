// Pointers to functions that kernels get, in parameters or tables: the host's,
// which none can call, and the device's, which a program copies from there.
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

// ---- in structures and tables -----------------------------------------------

struct step {
    int first;
    function f;
};
__device__ function steps[2];
__constant__ step fixed;

__global__ void call_step(step s, int *out)
{
    out[threadIdx.x] = s.f(threadIdx.x);
}

__global__ void call_entry(const function *f, int *out)
{
    out[threadIdx.x] = f[1](threadIdx.x);
}

__global__ void call_symbol(int *out)
{
    out[threadIdx.x] = steps[1](threadIdx.x);
}

__global__ void call_constant(int *out)
{
    out[threadIdx.x] = fixed.f(threadIdx.x);
}

__global__ void use_rest(step s, int *out)
{
    out[threadIdx.x] = s.first;
}

static void in_table(int *out, const function (&f)[2])
{
    function *at;
    cudaMalloc(&at, sizeof f);
    cudaMemcpy(at, f, sizeof f, cudaMemcpyHostToDevice);
    call_entry<<<1, 32>>>(at, out);
    cudaDeviceSynchronize();
    cudaFree(at);
}

static void wrong_inside(const char *what, int *out)
{
    const step s = {1, twice};
    const function both[2] = {twice, of_host};
    if (strcmp(what, "in-struct") == 0)
        call_step<<<1, 32>>>(s, out);
    if (strcmp(what, "in-table") == 0)
        in_table(out, both);
    if (strcmp(what, "in-symbol") == 0) {
        cudaMemcpyToSymbol(steps, both, sizeof both);
        call_symbol<<<1, 32>>>(out);
    }
    if (strcmp(what, "in-constant") == 0) {
        cudaMemcpyToSymbol(fixed, &s, sizeof s);
        call_constant<<<1, 32>>>(out);
    }
}

// Brings a table to the device and back: the host's pointers are as before.
static int there_and_back(void)
{
    const function f[2] = {twice, of_host};
    function back[2] = {NULL, NULL}, *at;
    cudaMalloc(&at, sizeof f);
    cudaMemcpy(at, f, sizeof f, cudaMemcpyHostToDevice);
    cudaMemcpy(back, at, sizeof f, cudaMemcpyDeviceToHost);
    cudaFree(at);
    return back[0] == f[0] && back[1] == f[1] && back[1](1) == 2;
}

static void right_inside(const char *what, int *out)
{
    function f[2] = {NULL, NULL};
    if (strcmp(what, "told-struct") == 0) {
        cudaMemcpyFromSymbol(f, table, sizeof f);
        call_step<<<1, 32>>>(step{1, f[0]}, out);
    }
    if (strcmp(what, "told-table") == 0) {
        cudaMemcpyFromSymbol(f, table, sizeof f);
        in_table(out, f);
    }
    if (strcmp(what, "uncalled") == 0)
        use_rest<<<1, 32>>>(step{62, of_host}, out);
    if (strcmp(what, "back") == 0)
        printf("%d, ", there_and_back());
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    int *out, last = 0;
    cudaMalloc(&out, 32 * sizeof *out);
    cudaMemset(out, 0, 32 * sizeof *out);
    wrong(what, out);
    right(what, out);
    wrong_inside(what, out);
    right_inside(what, out);
    const cudaError_t err = cudaDeviceSynchronize();
    cudaMemcpy(&last, out + 31, sizeof last, cudaMemcpyDeviceToHost);
    printf("%d, %s, then %s\n", last, cudaGetErrorName(err),
           cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
