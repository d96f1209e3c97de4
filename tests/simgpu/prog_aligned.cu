// Kernels with an access that is not aligned, as named on the command line, and
// one whose accesses all are. test_aligned checks what is reported.
#include <cuda_runtime.h>

#include <cuda_fp16.h>
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

/* Whose accesses the compiler splits into those of members. */
__global__ void sum_four(const float *from, float *to)
{
    const float4 v = *(const float4 *)(from + 2);
    *to = v.x + v.y + v.z + v.w;
}

__global__ void put_two(const float *from, float *to)
{
    float2 v = {from[0], from[1]};
    v.x += 1;
    *(float2 *)(to + 1) = v;
}

__global__ void load_two(const double *from, double *to)
{
    const double2 v = __ldg((const double2 *)(from + 1));
    *to = v.x * v.y;
}

__global__ void members(const float *from, float *to)
{
    const float4 *const v = (const float4 *)(from + 1);
    *to = v->x + v->y + v->z + v->w;
}

__global__ void halves(const half *from, half2 *to)
{
    *to = __hadd2(*(const half2 *)(from + 1), *to);
}

__global__ void __launch_bounds__(32) share_four(float *to)
{
    __shared__ float rows[32 * 5];
    rows[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const float4 v = *(const float4 *)&rows[threadIdx.x * 5];
    to[threadIdx.x] = v.x + v.w;
}

/* Bytes that the same instruction has accessed before. */
__global__ void read_between(const char *from, int *to)
{
    const int i = threadIdx.x;
    to[i] = *(const int *)(from + (i < 31 ? 4 * i : 1));
}

/* Arrays of shared memory begin at multiples of 16. */
__global__ void honest_share(float *to)
{
    extern __shared__ float dynamic[];
    __shared__ float odd[5], tile[32 * 4];
    for (int i = 0; i < 4; i++)
        dynamic[4 * threadIdx.x + i] = tile[4 * threadIdx.x + i] = i;
    odd[0] = 1;
    __syncthreads();
    const float4 v = *(const float4 *)&tile[threadIdx.x * 4];
    const float4 w = *(const float4 *)&dynamic[threadIdx.x * 4];
    to[threadIdx.x] = v.x + v.w + w.x + w.w + odd[0];
}

struct tagged {
    int tag;
    double value;
};

struct alignas(64) line {
    float4 of[4];
};

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
    // what a GPU accesses is one member, or 16 bytes of the line
    const tagged *const third = (const tagged *)(to + 1);
    half few[4]; // in registers
    for (int i = 0; i < 4; i++)
        few[i] = __float2half(bytes[i]);
    *(uint2 *)(doubles + 20) = *(const uint2 *)few;
    const float4 fourth = ((const line *)(doubles + 2))->of[1];
    to[0] = p[3].value + (copied != 0) + (int)q[1].a + (int)four[2].x +
            third->tag + (int)fourth.x;
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
    if (strcmp(what, "sum") == 0)
        sum_four<<<1, 1>>>((const float *)d, (float *)to);
    if (strcmp(what, "put") == 0)
        put_two<<<1, 1>>>((const float *)d, (float *)to);
    if (strcmp(what, "ldg") == 0)
        load_two<<<1, 1>>>((const double *)d, (double *)to);
    if (strcmp(what, "rows") == 0)
        share_four<<<1, 32>>>((float *)to);
    if (strcmp(what, "between") == 0)
        read_between<<<1, 32>>>(d, to);
    if (strcmp(what, "members") == 0)
        members<<<1, 1>>>((const float *)d, (float *)to);
    if (strcmp(what, "half") == 0)
        halves<<<1, 1>>>((const half *)d, (half2 *)to);
    if (strcmp(what, "honest") == 0)
        honest_share<<<1, 32, 32 * sizeof(float4)>>>((float *)d);
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
