/* cuBLAS from C++: sums told by a type of data, as before CUDA 11. */
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "probe.h"

enum { N = 4 };

PROBE(products_in_a_data_type)
{
    array<float> a(N * N), b(N * N), c(N * N);
    const float one = 1, none = 0;
    cublasHandle_t h;
    CHECK(cublasCreate(&h) == CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < N * N; i++) {
        a.h[i] = i % 5;
        b.h[i] = i % N == i / N; // the identity
    }
    a.put();
    b.put();
    CHECK(cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, &one, a.d,
                       CUDA_R_32F, N, b.d, CUDA_R_32F, N, &none, c.d,
                       CUDA_R_32F, N, CUDA_R_32F,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    CHECK(memcmp(c.get(), a.h, N * N * sizeof(float)) == 0);
    OK(cudaMemset(c.d, 0, N * N * sizeof(float)));
    CHECK(cublasGemmStridedBatchedEx(
              h, CUBLAS_OP_T, CUBLAS_OP_N, 2, 2, 2, &one, b.d, CUDA_R_32F, N, 8,
              a.d, CUDA_R_32F, N, 8, &none, c.d, CUDA_R_32F, N, 8, 1,
              CUDA_R_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    c.get();
    CHECK(c.h[0] == a.h[0] && c.h[5] == a.h[5]);
    CHECK(cublasDestroy(h) == CUBLAS_STATUS_SUCCESS);
}
