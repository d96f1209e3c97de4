// Programs that a GPU refuses, or ends, though they would run on a CPU; with
// "honest", the same things done right. test_refused checks what is reported.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>

namespace cg = cooperative_groups;

__constant__ int settings[4];
__device__ int counter;
static int of_host;
static int *data;

__global__ void fill(int *to)
{
    to[threadIdx.x] = settings[threadIdx.x % 4];
}

__global__ void fill_by_tile(int *to, int nmore)
{
    __shared__ int tile[48 << 8]; // 48 KiB: all that a block may have
    extern __shared__ int more[];
    tile[threadIdx.x] = 1;
    if ((int)threadIdx.x < nmore)
        more[threadIdx.x] = 1;
    to[threadIdx.x] = tile[threadIdx.x];
}

__global__ void meet(int *to)
{
    to[blockIdx.x] = cg::this_grid().is_valid();
    cg::this_grid().sync();
}

__global__ void shuffle(int *to, unsigned mask)
{
    to[threadIdx.x] = __shfl_sync(mask, threadIdx.x, 0);
}

__global__ void vote(int *to, unsigned mask)
{
    to[threadIdx.x] = __ballot_sync(mask, 1);
}

__global__ void write_constant(int *to)
{
    const_cast<int *>(settings)[1] = to[0];
}

__global__ void add_to_constant(int *to)
{
    to[0] = settings[0];
    atomicAdd(const_cast<int *>(&settings[2]), 1);
}

static const char *name(cudaError_t err)
{
    return cudaGetErrorName(err);
}

static cudaError_t of_callback;

static void call_back(void *)
{
    int *argument = data;
    void *args[] = {&argument};
    of_callback = cudaLaunchKernel((void *)fill, dim3(1), dim3(4), args, 0, 0);
}

static void launch(const char *what)
{
    if (strcmp(what, "tile") == 0)
        fill_by_tile<<<1, 32, 128>>>(data, 32);
    if (strcmp(what, "grid") == 0)
        meet<<<2, 32>>>(data);
    if (strcmp(what, "shuffle") == 0)
        shuffle<<<1, 32>>>(data, 0xffff);
    if (strcmp(what, "vote") == 0)
        vote<<<1, 32>>>(data, 0);
    if (strcmp(what, "constant") == 0)
        write_constant<<<1, 1>>>(data);
    if (strcmp(what, "constant-atomic") == 0)
        add_to_constant<<<1, 1>>>(data);
}

static cudaError_t copy(const char *what)
{
    int value = 7;
    void *at;
    if (strcmp(what, "symbol") == 0)
        return cudaMemcpyToSymbol(of_host, &value, sizeof value);
    if (strcmp(what, "symbol-function") == 0)
        return cudaMemcpyFromSymbol(&value, call_back, sizeof value);
    if (strcmp(what, "symbol-address") == 0)
        return cudaGetSymbolAddress(&at, of_host);
    return cudaSuccess;
}

static cudaError_t do_right(void)
{
    int value = 7, *argument = data;
    void *args[] = {&argument};
    cudaFuncAttributes a;
    cudaError_t err = cudaMemcpyToSymbol(settings, &value, sizeof value);
    if (err == cudaSuccess)
        err = cudaMemcpyToSymbol(counter, &value, sizeof value);
    fill<<<1, 32>>>(data);
    fill_by_tile<<<1, 32>>>(data, 0);
    shuffle<<<1, 16>>>(data, 0xffff);
    if (err == cudaSuccess)
        err = cudaLaunchCooperativeKernel((void *)meet, dim3(2), dim3(32), args,
                                          0, 0);
    if (err == cudaSuccess)
        err = cudaFuncGetAttributes(&a, (void *)fill_by_tile);
    printf("%zu bytes, %d more\n", a.sharedSizeBytes,
           a.maxDynamicSharedSizeBytes);
    return err == cudaSuccess ? cudaGetLastError() : err;
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    cudaMalloc(&data, 4096);
    cudaMemset(data, 0, 4096);
    launch(what);
    cudaError_t err = cudaGetLastError();
    if (err == cudaSuccess)
        err = copy(what);
    if (strcmp(what, "callback") == 0)
        cudaLaunchHostFunc(0, call_back, NULL);
    if (strcmp(what, "honest") == 0)
        err = do_right();
    const cudaError_t end = cudaDeviceSynchronize();
    printf("%s, then %s\n", name(err ? err : of_callback), name(end));
    return of_host;
}
