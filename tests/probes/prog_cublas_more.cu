/* cuBLAS: vectors of 16 bits, products of bytes, factors of small matrices. */
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

#include "blas.h"

/* Small integers, exact in every type. */
template <class T> static void check_vectors(cudaDataType type)
{
    enum { N = 10 };
    handle h;
    array<T> x(2 * N), y(N);
    float two = 2;
    T narrow = T(-1.0f);
    for (int i = 0; i < N; i++) {
        x.h[2 * i] = T((float)i);
        y.h[i] = T(1.0f);
    }
    x.put();
    y.put();
    BLAS(cublasDotEx(h, N, x.d, type, 2, y.d, type, -1, &narrow, type,
                     CUDA_R_32F));
    CHECK((float)narrow == 45);
    BLAS(cublasScalEx(h, N, &two, CUDA_R_32F, x.d, type, 2, CUDA_R_32F));
    BLAS(cublasAxpyEx(h, N, &two, CUDA_R_32F, x.d, type, 2, y.d, type, -1,
                      CUDA_R_32F));
    CHECK((float)y.get()[0] == 1 + 2 * 2 * (N - 1) && (float)y.h[N - 1] == 1);
    BLAS(cublasNrm2Ex(h, 2, y.d + N - 2, type, 1, &narrow, type, CUDA_R_32F));
    CHECK(fabsf((float)narrow - sqrtf(26)) < 0.02f);
}

PROBE(vectors_of_16_bits)
{
    check_vectors<__half>(CUDA_R_16F);
    check_vectors<__nv_bfloat16>(CUDA_R_16BF);
}

/* (1 + i, 2 + i, 3 + i) with itself, and doubled. */
template <class T>
static void check_complex(cudaDataType type, cudaDataType norm_type)
{
    handle h;
    array<T> x(3);
    T two, result;
    decltype(result.x) norm;
    two.x = 2, two.y = 0;
    for (int i = 0; i < 3; i++)
        x.h[i].x = i + 1, x.h[i].y = 1;
    x.put();
    BLAS(cublasDotEx(h, 3, x.d, type, 1, x.d, type, 1, &result, type, type));
    CHECK(result.x == 11 && result.y == 12);
    BLAS(cublasDotcEx(h, 3, x.d, type, 1, x.d, type, 1, &result, type, type));
    CHECK(result.x == 17 && result.y == 0);
    BLAS(cublasScalEx(h, 3, &two, type, x.d, type, 1, type));
    BLAS(cublasAxpyEx(h, 1, &two, type, x.d + 2, type, 1, x.d, type, 1, type));
    BLAS(cublasNrm2Ex(h, 2, x.d, type, 1, &norm, norm_type, norm_type));
    CHECK(fabs(norm * norm - 252) < 1e-3);
}

PROBE(vectors_of_a_named_type)
{
    handle h;
    array<double> x(3);
    double result = 0;
    for (int i = 0; i < 3; i++)
        x.h[i] = i + 1;
    x.put();
    BLAS(cublasDotEx(h, 3, x.d, CUDA_R_64F, 1, x.d, CUDA_R_64F, 1, &result,
                     CUDA_R_64F, CUDA_R_64F));
    CHECK(result == 14);
    check_complex<cuComplex>(CUDA_C_32F, CUDA_R_32F);
    check_complex<cuDoubleComplex>(CUDA_C_64F, CUDA_R_64F);
}

/* x and y have one type, which is a result's, too. */
PROBE(types_of_vectors_that_do_not_go_together)
{
    const cudaDataType half = CUDA_R_16F, single = CUDA_R_32F;
    handle h;
    array<float> x(1), y(1);
    float s = 1;
    IS(cublasDotEx(h, 1, x.d, half, 1, y.d, half, 1, &s, single, single),
       NOT_SUPPORTED);
    IS(cublasDotEx(h, 1, x.d, half, 1, y.d, single, 1, &s, single, single),
       NOT_SUPPORTED);
    IS(cublasNrm2Ex(h, 1, x.d, half, 1, &s, single, single), NOT_SUPPORTED);
    IS(cublasNrm2Ex(h, 1, x.d, CUDA_C_32F, 1, &s, CUDA_C_32F, CUDA_C_32F),
       NOT_SUPPORTED);
    IS(cublasScalEx(h, 1, &s, single, x.d, single, 1, CUDA_R_64F),
       NOT_SUPPORTED);
    IS(cublasAxpyEx(h, 1, &s, single, x.d, half, 1, y.d, single, 1, single),
       NOT_SUPPORTED);
}

/* C = 3 A' B - C, of bytes, with sums of a type. */
template <class T>
static void check_bytes(cudaDataType type, cublasComputeType_t compute)
{
    enum { M = 8, N = 4, K = 12 };
    handle h;
    array<signed char> a(K * M), b(K * N);
    array<T> c(M * N);
    const T alpha = 3, beta = -1;
    int right = 1;
    for (int i = 0; i < K * M; i++)
        a.h[i] = (signed char)(i * 7 % 255 - 127);
    for (int i = 0; i < K * N; i++)
        b.h[i] = (signed char)(i * 11 % 255 - 127);
    for (int i = 0; i < M * N; i++)
        c.h[i] = (T)i;
    a.put();
    b.put();
    c.put();
    BLAS(cublasGemmEx(h, CUBLAS_OP_T, CUBLAS_OP_N, M, N, K, &alpha, a.d,
                      CUDA_R_8I, K, b.d, CUDA_R_8I, K, &beta, c.d, type, M,
                      compute, CUBLAS_GEMM_DEFAULT));
    c.get();
    for (int col = 0; col < N; col++)
        for (int row = 0; row < M; row++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += a.h[row * K + k] * b.h[col * K + k];
            right &= c.h[col * M + row] == (T)(3 * sum - (col * M + row));
        }
    CHECK(right);
}

PROBE(products_of_bytes)
{
    check_bytes<int>(CUDA_R_32I, CUBLAS_COMPUTE_32I);
    check_bytes<float>(CUDA_R_32F, CUBLAS_COMPUTE_32F);
}

/* A batch of matrices, and the pointers to them in device memory. */
template <class T> struct batch {
    enum { N = 5, LD = 7, MATRICES = 3 };
    array<T> m;
    array<T *> at;
    explicit batch(int cols = N) : m(MATRICES * cols * LD), at(MATRICES)
    {
        for (int i = 0; i < MATRICES; i++)
            at.h[i] = m.d + i * cols * LD;
        at.put();
    }
};

static cublasStatus_t getrf(cublasHandle_t h, int n, float *const a[], int lda,
                            int *p, int *info, int nbatch)
{
    return cublasSgetrfBatched(h, n, a, lda, p, info, nbatch);
}
static cublasStatus_t getrf(cublasHandle_t h, int n, double *const a[], int lda,
                            int *p, int *info, int nbatch)
{
    return cublasDgetrfBatched(h, n, a, lda, p, info, nbatch);
}
static cublasStatus_t getrs(cublasHandle_t h, cublasOperation_t op, int n,
                            int nrhs, float *const a[], int lda, const int *p,
                            float *const b[], int ldb, int *info, int nbatch)
{
    return cublasSgetrsBatched(h, op, n, nrhs, a, lda, p, b, ldb, info, nbatch);
}
static cublasStatus_t getrs(cublasHandle_t h, cublasOperation_t op, int n,
                            int nrhs, double *const a[], int lda, const int *p,
                            double *const b[], int ldb, int *info, int nbatch)
{
    return cublasDgetrsBatched(h, op, n, nrhs, a, lda, p, b, ldb, info, nbatch);
}
static cublasStatus_t getri(cublasHandle_t h, int n, float *const a[], int lda,
                            const int *p, float *const c[], int ldc, int *info,
                            int nbatch)
{
    return cublasSgetriBatched(h, n, a, lda, p, c, ldc, info, nbatch);
}
static cublasStatus_t getri(cublasHandle_t h, int n, double *const a[], int lda,
                            const int *p, double *const c[], int ldc, int *info,
                            int nbatch)
{
    return cublasDgetriBatched(h, n, a, lda, p, c, ldc, info, nbatch);
}

/* A has zeros on its diagonal: rows are exchanged. */
template <class T> static T element(int i, int row, int col)
{
    return row == col ? T(0) : T((row * 3 + col * 5 + i) % 7 - 2);
}

template <class T> static void check_factors(double tolerance)
{
    enum { N = batch<T>::N, LD = batch<T>::LD, ALL = batch<T>::MATRICES };
    handle h;
    batch<T> a, inverse, b(2);
    array<int> pivots(N * ALL), info(ALL);
    int host_info = -1;
    double worst = 0;
    for (int op = CUBLAS_OP_N; op <= CUBLAS_OP_T; op++) {
        for (int i = 0; i < ALL; i++)
            for (int col = 0; col < N; col++)
                for (int row = 0; row < N; row++) {
                    a.m.h[(i * N + col) * LD + row] = element<T>(i, row, col);
                    for (int k = 0; k < 2 && col == 0; k++)
                        b.m.h[(i * 2 + k) * LD + row] = T(0);
                }
        // b = op(A) x, of x = 1, 2, ... and x = 1, 1, ...
        for (int i = 0; i < ALL; i++)
            for (int row = 0; row < N; row++)
                for (int col = 0; col < N; col++) {
                    const T x = op == CUBLAS_OP_N ? element<T>(i, row, col)
                                                  : element<T>(i, col, row);
                    b.m.h[i * 2 * LD + row] += x * T(col + 1);
                    b.m.h[(i * 2 + 1) * LD + row] += x;
                }
        a.m.put();
        b.m.put();
        BLAS(getrf(h, N, a.at.d, LD, pivots.d, info.d, ALL));
        BLAS(getrs(h, (cublasOperation_t)op, N, 2, a.at.d, LD, pivots.d, b.at.d,
                   LD, &host_info, ALL));
        b.m.get();
        for (int i = 0; i < ALL; i++)
            for (int row = 0; row < N; row++) {
                worst = fmax(worst, fabs(b.m.h[i * 2 * LD + row] - (row + 1)));
                worst = fmax(worst, fabs(b.m.h[(i * 2 + 1) * LD + row] - 1));
            }
    }
    CHECK(host_info == 0 && info.get()[0] == 0 && info.h[ALL - 1] == 0);
    CHECK(pivots.get()[0] > 1); // a row with something in that column
    BLAS(getri(h, N, a.at.d, LD, pivots.d, inverse.at.d, LD, info.d, ALL));
    inverse.m.get();
    for (int i = 0; i < ALL; i++)
        for (int row = 0; row < N; row++)
            for (int col = 0; col < N; col++) {
                double sum = 0;
                for (int k = 0; k < N; k++)
                    sum += (double)element<T>(i, row, k) *
                           inverse.m.h[(i * N + col) * LD + k];
                worst = fmax(worst, fabs(sum - (row == col)));
            }
    CHECK(worst < tolerance);
}

PROBE(factors_of_small_matrices)
{
    check_factors<float>(1e-4);
    check_factors<double>(1e-12);
}

PROBE(a_singular_matrix_is_told)
{
    enum { N = 3 };
    handle h;
    array<float> a(N * N), c(N * N);
    array<float *> at(1), to(1);
    array<int> pivots(N), info(1);
    for (int i = 0; i < N * N; i++)
        a.h[i] = (float)(i / N + 1); // rows alike
    at.h[0] = a.d;
    to.h[0] = c.d;
    a.put();
    at.put();
    to.put();
    BLAS(cublasSgetrfBatched(h, N, at.d, N, pivots.d, info.d, 1));
    CHECK(info.get()[0] == 2);
    for (int i = 0; i < N * N; i++)
        a.h[i] = i % (N + 1) == 0 ? 2.0f : 0.0f;
    a.put();
    BLAS(cublasSmatinvBatched(h, N, at.d, N, to.d, N, info.d, 1));
    CHECK(info.get()[0] == 0 && c.get()[0] == 0.5f && c.h[1] == 0);
}
