/* cuBLAS: sizes, pitches, modes and types that it refuses. */
#include <cublas_v2.h>

#include "blas.h"

static const cublasOperation_t NO = CUBLAS_OP_N, YES = CUBLAS_OP_T;
static const cublasFillMode_t LOWER = CUBLAS_FILL_MODE_LOWER;
static const cublasSideMode_t LEFT = CUBLAS_SIDE_LEFT;
static const cublasDiagType_t UNIT = CUBLAS_DIAG_UNIT;
static const double one = 1;

PROBE(parameters_of_blas)
{
    const cublasDiagType_t odd = (cublasDiagType_t)9;
    const cublasFillMode_t full = CUBLAS_FILL_MODE_FULL;
    handle h;
    array<double> m(64);
    double *const p = m.d, *const q = m.d + 32;
    IS(cublasDger(h, -1, 1, &one, p, 1, p, 1, q, 1), INVALID_VALUE);
    IS(cublasDger(h, 4, 1, &one, p, 1, p, 1, q, 3), INVALID_VALUE);
    IS(cublasDger(h, 0, 1, &one, p, 1, p, 1, q, 0), INVALID_VALUE);
    IS(cublasDger(h, 4, 1, NULL, p, 1, p, 1, q, 4), INVALID_VALUE);
    IS(cublasDgemv(h, NO, 4, 1, &one, p, 3, p, 1, &one, q, 1), INVALID_VALUE);
    IS(cublasDtrsv(h, LOWER, NO, odd, 4, p, 4, q, 1), INVALID_VALUE);
    IS(cublasDtrsm(h, LEFT, full, NO, UNIT, 1, 1, &one, p, 1, q, 1),
       INVALID_VALUE);
    IS(cublasDtrsm(h, LEFT, LOWER, NO, odd, 1, 1, &one, p, 1, q, 1),
       INVALID_VALUE);
}

PROBE(a_matrix_that_is_changed_in_place)
{
    handle h;
    array<double> m(64);
    double *const p = m.d, *const q = m.d + 32;
    BLAS(cublasDgeam(h, NO, NO, 4, 4, &one, p, 4, &one, q, 4, p, 4));
    IS(cublasDgeam(h, YES, NO, 4, 4, &one, p, 4, &one, q, 4, p, 4),
       INVALID_VALUE);
    IS(cublasDgeam(h, NO, NO, 4, 4, &one, p, 4, &one, q, 4, p, 5),
       INVALID_VALUE);
}

PROBE(nothing_to_do)
{
    handle h;
    array<double> m(64);
    double *const p = m.d, *const q = m.d + 32;
    BLAS(cublasDgemv(h, NO, -1, 1, &one, p, 1, p, 1, &one, q, 1));
    BLAS(cublasDgemv(h, NO, 0, 4, NULL, p, 0, p, 1, NULL, q, 1));
    BLAS(cublasDger(h, 0, 4, NULL, p, 1, p, 1, q, 1));
    BLAS(cublasDgemm(h, NO, NO, 0, 1, 1, NULL, p, 1, p, 1, NULL, q, 1));
}

/* info has the number of the parameter. */
PROBE(solutions)
{
    handle h;
    array<float *> a(1), b(1);
    array<int> pivots(4);
    int info = 9;
    IS(cublasSgetrsBatched(h, NO, -1, 1, a.d, 4, pivots.d, b.d, 4, &info, 1),
       INVALID_VALUE);
    CHECK(info == -2);
    IS(cublasSgetrsBatched(h, NO, 4, 1, a.d, 3, pivots.d, b.d, 4, &info, 1),
       INVALID_VALUE);
    CHECK(info == -5);
    IS(cublasSgetrsBatched(h, NO, 4, 1, a.d, 4, pivots.d, b.d, 3, &info, 1),
       INVALID_VALUE);
    CHECK(info == -8);
}

static cublasStatus_t product(cublasHandle_t h, cudaDataType type, int lda,
                              cudaDataType out, cublasComputeType_t compute,
                              int algo)
{
    const double scalar[] = {1, 0};
    array<double> m(96); // 3 of 16 elements of up to 16 bytes
    return cublasGemmEx(h, YES, NO, 4, 4, 4, scalar, m.d, type, lda, m.d + 32,
                        type, 4, scalar, m.d + 64, out, 4, compute,
                        (cublasGemmAlgo_t)algo);
}

PROBE(types_of_products)
{
    const cublasComputeType_t single = CUBLAS_COMPUTE_32F;
    const cublasComputeType_t tf32 = CUBLAS_COMPUTE_32F_FAST_TF32;
    const cublasComputeType_t half = CUBLAS_COMPUTE_16F;
    handle h;
    BLAS(product(h, CUDA_R_8I, 4, CUDA_R_32F, single, -1));
    BLAS(product(h, CUDA_R_16F, 4, CUDA_R_16F, half, -1));
    BLAS(product(h, CUDA_R_16F, 4, CUDA_R_32F, single, 0));
    BLAS(product(h, CUDA_R_16BF, 4, CUDA_R_32F, tf32, 115));
    BLAS(product(h, CUDA_C_64F, 4, CUDA_C_64F, CUBLAS_COMPUTE_64F, -1));
    IS(product(h, CUDA_R_64F, 4, CUDA_R_64F, single, -1), NOT_SUPPORTED);
    IS(product(h, CUDA_R_16BF, 4, CUDA_R_16BF, half, -1), NOT_SUPPORTED);
    IS(product(h, CUDA_R_16F, 4, CUDA_R_32F, half, -1), NOT_SUPPORTED);
    IS(product(h, CUDA_R_8I, 4, CUDA_R_32I, single, -1), NOT_SUPPORTED);
    // a pitch is looked at before the types
    IS(product(h, CUDA_R_64F, 3, CUDA_R_64F, single, -1), INVALID_VALUE);
    IS(product(h, CUDA_R_32F, 4, CUDA_R_32F, single, 24), INVALID_VALUE);
    IS(product(h, CUDA_R_32F, 4, CUDA_R_32F, single, 116), INVALID_VALUE);
}
