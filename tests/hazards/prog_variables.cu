// Variables of device code and registered host memory: two streams that use
// them, and the copies of other devices.
#include <cuda_runtime.h>

#include <cstdlib>

#include "case.h"

enum { N = 1024, NBYTES = N * (int)sizeof(int) };

__device__ int total;
__constant__ int factors[2];
__managed__ int shared_total;

static cudaStream_t a, b;
static int *result, *pinned;

__global__ void set_total(int value)
{
    total = value;
}

__global__ void get_total(int *to)
{
    *to = total;
}

__global__ void set_shared(int value)
{
    shared_total = value;
}

__global__ void get_shared(int *to)
{
    *to = shared_total;
}

__global__ void scale(int *to, int which)
{
    to[threadIdx.x] = factors[which];
}

__global__ void fill(int *to, int value)
{
    to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Each case has two streams that are in no order with each other.
static void begin()
{
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaMalloc(&result, NBYTES);
    cudaMemset(result, 0, NBYTES);
    cudaMallocHost(&pinned, NBYTES);
    memset(pinned, 0, NBYTES);
    cudaDeviceSynchronize();
}

static void end()
{
    cudaDeviceSynchronize();
    cudaFree(result);
    cudaFreeHost(pinned);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}

// Work that is enqueued to b follows a's, if the case is fixed.
static void order(int fixed)
{
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaEventRecord(done, a);
    if (fixed)
        cudaStreamWaitEvent(b, done, 0);
    cudaEventDestroy(done);
}

static void variable_is_read(int fixed)
{
    begin();
    FIRST set_total<<<1, 1, 0, a>>>(1);
    order(fixed);
    SECOND get_total<<<1, 1, 0, b>>>(result);
    end();
}

static void managed_variable_is_read(int fixed)
{
    begin();
    FIRST set_shared<<<1, 1, 0, a>>>(1);
    order(fixed);
    SECOND get_shared<<<1, 1, 0, b>>>(result);
    end();
}

static void constant_is_written(int fixed)
{
    begin();
    FIRST scale<<<1, 32, 0, a>>>(result, 1);
    order(fixed);
    SECOND cudaMemcpyToSymbolAsync(factors, pinned, sizeof factors, 0,
                                   cudaMemcpyHostToDevice, b);
    end();
}

// Each stream has an element of its own.
static void wrong_element(int fixed)
{
    begin();
    FIRST scale<<<1, 32, 0, a>>>(result, fixed ? 0 : 1);
    SECOND cudaMemcpyToSymbolAsync(factors, pinned, sizeof(int), sizeof(int),
                                   cudaMemcpyHostToDevice, b);
    end();
}

static void cleared_by_address(int fixed)
{
    begin();
    void *at;
    cudaGetSymbolAddress(&at, total);
    FIRST set_total<<<1, 1, 0, a>>>(1);
    order(fixed);
    SECOND cudaMemsetAsync(at, 0, sizeof total, b);
    end();
}

// Two devices, each with its own copy, are in no order.
static void two_devices(int fixed)
{
    begin();
    int *other;
    cudaStream_t c;
    FIRST set_total<<<1, 1, 0, a>>>(1);
    if (!fixed) {
        SECOND get_total<<<1, 1, 0, b>>>(result);
    }
    cudaSetDevice(1);
    cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking);
    cudaMalloc(&other, sizeof *other);
    set_total<<<1, 1, 0, c>>>(2);
    get_total<<<1, 1, 0, c>>>(other);
    cudaDeviceSynchronize();
    cudaFree(other);
    cudaStreamDestroy(c);
    cudaSetDevice(0);
    end();
}

static void registered_memory(int fixed)
{
    begin();
    int *device;
    int *const host = (int *)aligned_alloc(4096, NBYTES);
    memset(host, 0, NBYTES);
    cudaHostRegister(host, NBYTES, cudaHostRegisterMapped);
    cudaHostGetDevicePointer((void **)&device, host, 0);
    FIRST fill<<<N / 256, 256, 0, a>>>(device, 1);
    order(fixed);
    SECOND cudaMemcpyAsync(result, host, NBYTES, cudaMemcpyHostToDevice, b);
    cudaDeviceSynchronize();
    cudaHostUnregister(host);
    free(host);
    end();
}

static const char *const variable = "variable~of~device~0";

int main(int argc, char **argv)
{
    const struct hazard_case cases[] = {
        {"variable-is-read", 0, variable, variable_is_read},
        {"managed-variable-is-read", 0, "race", managed_variable_is_read},
        {"constant-is-written", 0, variable, constant_is_written},
        {"wrong-element", 0, variable, wrong_element},
        {"cleared-by-address", 0, variable, cleared_by_address},
        {"two-devices", 0, variable, two_devices},
        {"registered-memory", 0, "host~memory", registered_memory},
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
