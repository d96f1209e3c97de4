// Kernels with an access that is not aligned, as named on the command line, and
// one whose accesses all are. test_aligned checks what is reported.
#include <cuda_runtime.h>

#include <stdio.h>
#include <string.h>

__global__ void read_int(const char *from, int *to)
{
    *to = *(const int *)(from + 1);
}

__global__ void read_later(const char *from, int *to)
{
    to[threadIdx.x] = *(const int *)(from + threadIdx.x);
}

__global__ void write_double(float *to)
{
    *(double *)(to + 1) = 1;
}

__global__ void copy_four(const float *from, float4 *to)
{
    *to = *(const float4 *)(from + 1);
}

__global__ void write_half(char *to)
{
    *(short *)(to + 3) = 1;
}

__global__ void share(int *to)
{
    __shared__ char bytes[64];
    bytes[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *to = *(int *)(bytes + threadIdx.x + 1);
}

__global__ void add(char *to)
{
    atomicAdd((int *)(to + 2), 1);
}

__global__ void look(const char *from, int *to)
{
    *to = *(volatile int *)(from + 2);
}

struct __attribute__((packed)) packed {
    char tag;
    int value;
    double weight;
};

struct pair {
    double a, b; // 16 bytes, aligned to 8
};

__global__ void honest(char *bytes, double *doubles, int *to)
{
    packed *const p = (packed *)bytes;
    int copied;
    for (int i = 0; i < 4; i++) {
        p[i].value = i;
        p[i].weight = p[i].value;
    }
    memcpy(&copied, bytes + 3, sizeof copied);
    pair *const q = (pair *)(doubles + 1);
    q[1] = q[0];
    float2 *const two = (float2 *)doubles;
    two[1] = two[0];
    float4 *const four = (float4 *)doubles;
    four[2] = four[1];
    to[0] = p[3].value + (copied != 0) + (int)q[1].a + (int)four[2].x;
}

__global__ void add_once(char *to, int which)
{
    if (which == 1)
        atomicAdd((int *)(to + 2), 1);
    if (which == 2)
        atomicAdd((int *)(to + 2), 1);
    if (which == 3)
        atomicAdd((int *)(to + 2), 1);
}

static void run(const char *what, char *d)
{
    int *const to = (int *)(d + 1024);
    if (strcmp(what, "int") == 0)
        read_int<<<1, 1>>>(d, to);
    if (strcmp(what, "later") == 0)
        read_later<<<2, 32>>>(d, to);
    if (strcmp(what, "double") == 0)
        write_double<<<1, 1>>>((float *)d);
    if (strcmp(what, "float4") == 0)
        copy_four<<<1, 1>>>((const float *)d, (float4 *)to);
    if (strcmp(what, "short") == 0)
        write_half<<<1, 1>>>(d);
    if (strcmp(what, "shared") == 0)
        share<<<1, 1>>>(to);
    if (strcmp(what, "atomic") == 0)
        add<<<1, 1>>>(d);
    if (strcmp(what, "first") == 0)
        add_once<<<1, 1>>>(d, 1);
    if (strcmp(what, "third") == 0)
        add_once<<<1, 1>>>(d, 3);
    if (strcmp(what, "volatile") == 0)
        look<<<1, 1>>>(d, to);
    if (strcmp(what, "honest") == 0)
        honest<<<1, 1>>>(d, (double *)(d + 512), to);
}

int main(int argc, char **argv)
{
    char *d, *other;
    cudaMalloc(&d, 4096);
    cudaMemset(d, 0, 4096);
    run(argc > 1 ? argv[1] : "", d);
    const cudaError_t err = cudaDeviceSynchronize();
    printf("%s, then %s\n", cudaGetErrorName(err),
           cudaGetErrorName(cudaMalloc(&other, 4)));
    return 0;
}
