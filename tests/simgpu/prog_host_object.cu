// Objects with virtual functions: those that host code has built, whose
// functions no kernel can call, and the device's own. test_refused checks what
// is reported.
#include <cuda_runtime.h>

#include <new>
#include <stdio.h>
#include <string.h>

struct shape {
    float side;
    __host__ __device__ shape(float side) : side(side) {}
    __host__ __device__ virtual ~shape() {}
    __host__ __device__ virtual float area() const = 0;
};

struct square : shape {
    __host__ __device__ square(float side) : shape(side) {}
    __host__ __device__ float area() const override
    {
        return side * side;
    }
};

struct half : square {
    __host__ __device__ half(float side) : square(side) {}
    __host__ __device__ float area() const override
    {
        return side * side / 2;
    }
};

__global__ void get_area(const shape *s, float *out)
{
    *out = s->area();
}

__global__ void get_side(const shape *s, float *out)
{
    *out = s->side;
}

__global__ void build(void *at)
{
    new (at) square(3);
}

static float result(const float *out)
{
    float host = 0;
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    return host;
}

int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";
    const half mine(3);
    square own(3), back(1);
    square *const volatile pointer = &back; // hides its type
    float *out, area = 0;
    shape *at;
    cudaMalloc(&out, sizeof *out);
    cudaMemset(out, 0, sizeof *out);
    cudaMalloc(&at, sizeof mine);
    cudaMemcpy((void *)at, (const void *)&mine, sizeof mine,
               cudaMemcpyHostToDevice);
    if (strcmp(what, "copied") == 0)
        get_area<<<1, 1>>>(at, out);
    if (strcmp(what, "members") == 0)
        get_side<<<1, 1>>>(at, out);
    if (strcmp(what, "back") == 0) {
        cudaMemcpy((void *)&back, (const void *)at, sizeof back,
                   cudaMemcpyDeviceToHost);
        area = ((const shape *)pointer)->area();
    }
    if (strcmp(what, "built") == 0) {
        build<<<1, 1>>>(at);
        get_area<<<1, 1>>>(at, out);
    }
    if (strcmp(what, "moved") == 0) {
        build<<<1, 1>>>(at);
        cudaMemcpy((void *)&own, (const void *)at, sizeof own,
                   cudaMemcpyDeviceToHost);
        cudaMemcpy((void *)at, (const void *)&own, sizeof own,
                   cudaMemcpyHostToDevice);
        get_area<<<1, 1>>>(at, out);
    }
    printf("%g, %s\n", area + result(out),
           cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
