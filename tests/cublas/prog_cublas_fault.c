/* A product whose result is larger than its memory. */
#include <cublas_v2.h>
#include <cuda_runtime.h>

int main(void)
{
    const float one = 1, zero = 0;
    cublasHandle_t handle;
    float *d, *small;
    cublasCreate(&handle);
    cudaMalloc((void **)&d, 4096);
    cudaMalloc((void **)&small, 60);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, d, 4, d, 4,
                &zero, small, 4);
    cudaDeviceSynchronize();
    return 0;
}
