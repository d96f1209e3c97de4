// Each device has its own copy of a variable, with the initial value at first.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "rule.h"

enum { LARGE = 1 << 18 };

__device__ int number = 5;
__constant__ int table[4];
__managed__ int common = 7;
static __device__ int large[LARGE];
namespace outer
{
namespace
{
__device__ int hidden = 9;
}
} // namespace outer
__device__ volatile int started, told;

__global__ void add(int by, int *to)
{
    number += by;
    outer::hidden += by;
    common += by;
    large[LARGE - 1] += by;
    to[0] = number;
    to[1] = table[1];
    to[2] = outer::hidden;
    to[3] = common;
    to[4] = large[LARGE - 1];
}

static int *memory[2];

static std::vector<int> add_on(int device, int by)
{
    std::vector<int> got(5);
    cudaSetDevice(device);
    add<<<1, 1>>>(by, memory[device]);
    cudaMemcpy(got.data(), memory[device], 5 * sizeof(int),
               cudaMemcpyDeviceToHost);
    return got;
}

static void check_copies()
{
    const int ones[4] = {1, 1, 1, 1}, twos[4] = {2, 2, 2, 2};
    int number_of[2] = {0, 0};
    cudaSetDevice(0);
    cudaMemcpyToSymbol(table, ones, sizeof ones);
    RULE(add_on(0, 1) == (std::vector<int>{6, 1, 10, 8, 1}),
         "a device reads what it has been given");
    RULE(add_on(1, 2) == (std::vector<int>{7, 0, 11, 10, 2}),
         "another device has the initial values, but for managed variables");
    cudaMemcpyToSymbol(table, twos, sizeof twos);
    RULE(add_on(0, 10) == (std::vector<int>{16, 1, 20, 20, 11}),
         "a device keeps its values");
    RULE(add_on(1, 10) == (std::vector<int>{17, 2, 21, 30, 12}),
         "and so does the other one");
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMemcpyFromSymbol(&number_of[d], number, sizeof number);
    }
    RULE(number_of[0] == 16 && number_of[1] == 17,
         "a copy reads the current device's");
}

// Kernels of two devices that wait for each other through mapped memory.
__global__ void meet(volatile int *mine, volatile int *other, int *to)
{
    started = 1 + *mine;
    *mine = 100;
    __threadfence_system();
    while (*other != 100)
        ;
    *to = started;
}

static void check_waiting()
{
    int *flags, *device_flags, got[2] = {0, 0};
    cudaHostAlloc(&flags, 256, cudaHostAllocMapped | cudaHostAllocPortable);
    cudaHostGetDevicePointer((void **)&device_flags, flags, 0);
    flags[0] = 10;
    flags[32] = 20;
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        meet<<<1, 1>>>(device_flags + 32 * d, device_flags + 32 * (1 - d),
                       memory[d]);
    }
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMemcpy(&got[d], memory[d], sizeof(int), cudaMemcpyDeviceToHost);
    }
    RULE(got[0] == 11 && got[1] == 21,
         "kernels that wait for each other have their own values");
    cudaFreeHost(flags);
}

int main()
{
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMalloc(&memory[d], 5 * sizeof(int));
    }
    check_copies();
    check_waiting();
    return rule_status();
}
