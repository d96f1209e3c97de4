// What the mathematical libraries read. links: -lcublasLt -lcufft -lcurand
//
// A call reads memory that nothing has written. One twin writes it first, the
// other has a factor of 0, so that the call need not read.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <curand.h>

#include <stdlib.h>

#include "case.h"

enum { N = 8, ROOM = 4 * N * N * (int)sizeof(float) };
#define NONE  CUBLAS_OP_N
#define LEFT  CUBLAS_SIDE_LEFT
#define LOWER CUBLAS_FILL_MODE_LOWER
#define FULL  CUBLAS_DIAG_NON_UNIT

static cublasHandle_t h;
static float *a, *b, *c, result;
static int *pivots, *info;
static float **pa, **pb, **pc;          // arrays of one pointer, on the device
static float alpha, beta;               // 0 in the twin that reads nothing
static const float *at_alpha, *at_beta; // what calls get: host or device
static const float one = 1;

static float *memory(int is_written)
{
    void *p;
    cudaMalloc(&p, ROOM);
    if (is_written)
        cudaMemset(p, 0x40, ROOM); // a number: 3.0039...
    return (float *)p;
}

static float **pointer_to(float *p)
{
    float **d;
    cudaMalloc(&d, sizeof p);
    cudaMemcpy(d, &p, sizeof p, cudaMemcpyHostToDevice);
    return d;
}

/* The operands, without the contents of those that are missing. */
static void begin(const char *missing, float factor)
{
    cublasCreate(&h);
    a = memory(!strchr(missing, 'a'));
    b = memory(!strchr(missing, 'b'));
    c = memory(!strchr(missing, 'c'));
    pa = pointer_to(a), pb = pointer_to(b), pc = pointer_to(c);
    pivots = (int *)memory(0), info = (int *)memory(0);
    alpha = strchr(missing, 'c') ? 1 : factor;
    beta = strchr(missing, 'c') ? factor : 1;
    at_alpha = &alpha, at_beta = &beta;
}

static void end(void)
{
    cublasDestroy(h);
    void *const all[] = {a, b, c, pa, pb, pc, pivots, info};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        cudaFree(all[i]);
}

/* Some of a, b and c are never written. The twin writes all of them. */
#define READS(name, missing, ...)                                              \
    static void name(int fixed)                                                \
    {                                                                          \
        begin(fixed ? "" : missing, 1);                                        \
        FIRST __VA_ARGS__;                                                     \
        end();                                                                 \
    }

/* The same, and another twin has a factor of 0 in place of contents. */
#define SCALED(name, missing, ...)                                             \
    static void name(int fixed)                                                \
    {                                                                          \
        begin(fixed ? "" : missing, 1);                                        \
        FIRST __VA_ARGS__;                                                     \
        end();                                                                 \
        if (!fixed)                                                            \
            return;                                                            \
        begin(missing, 0);                                                     \
        __VA_ARGS__;                                                           \
        end();                                                                 \
    }

// ---- products ---------------------------------------------------------------

#define GEMM                                                                   \
    cublasSgemm(h, NONE, NONE, N, N, N, at_alpha, a, N, b, N, at_beta, c, N)
SCALED(gemm_c, "c", GEMM)
SCALED(gemm_a, "a", GEMM)
SCALED(gemm_b, "b", GEMM)

SCALED(gemm_ex, "c",
       cublasGemmEx(h, NONE, NONE, N, N, N, at_alpha, a, CUDA_R_16F, N, b,
                    CUDA_R_16F, N, at_beta, c, CUDA_R_16F, N,
                    CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT))
SCALED(gemm_ex_a, "a",
       cublasGemmEx(h, NONE, NONE, N, N, N, at_alpha, a, CUDA_R_16F, N, b,
                    CUDA_R_16F, N, at_beta, c, CUDA_R_16F, N,
                    CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT))
SCALED(gemm_strided, "c",
       cublasSgemmStridedBatched(h, NONE, NONE, N, N, N, at_alpha, a, N, N *N,
                                 b, N, N *N, at_beta, c, N, N *N, 2))
SCALED(gemm_batched, "c",
       cublasSgemmBatched(h, NONE, NONE, N, N, N, at_alpha, pa, N, pb, N,
                          at_beta, pc, N, 1))
SCALED(gemm_batched_b, "b",
       cublasSgemmBatched(h, NONE, NONE, N, N, N, at_alpha, pa, N, pb, N,
                          at_beta, pc, N, 1))

// The factors are in device memory: only the kernel knows them.
static void factors_on_the_device(void)
{
    float *const f = memory(0);
    cudaMemcpy(f, &alpha, sizeof alpha, cudaMemcpyHostToDevice);
    cudaMemcpy(f + 1, &beta, sizeof beta, cudaMemcpyHostToDevice);
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
    at_alpha = f, at_beta = f + 1;
}
SCALED(gemm_batched_device, "c",
       (factors_on_the_device(),
        cublasSgemmBatched(h, NONE, NONE, N, N, N, at_alpha, pa, N, pb, N,
                           at_beta, pc, N, 1),
        cudaDeviceSynchronize(), cudaFree((void *)at_alpha)))

// ---- matrices ---------------------------------------------------------------

SCALED(gemv, "c",
       cublasSgemv(h, NONE, N, N, at_alpha, a, N, b, 1, at_beta, c, 1))
SCALED(gemv_a, "a",
       cublasSgemv(h, NONE, N, N, at_alpha, a, N, b, 1, at_beta, c, 1))
READS(ger, "a", cublasSger(h, N, N, &one, b, 1, c, 1, a, N))
SCALED(symv, "c", cublasSsymv(h, LOWER, N, at_alpha, a, N, b, 1, at_beta, c, 1))
READS(trsv, "b", cublasStrsv(h, LOWER, NONE, FULL, N, a, N, b, 1))
SCALED(symm, "c",
       cublasSsymm(h, LEFT, LOWER, N, N, at_alpha, a, N, b, N, at_beta, c, N))
SCALED(syrk, "c",
       cublasSsyrk(h, LOWER, NONE, N, N, at_alpha, a, N, at_beta, c, N))
SCALED(trsm, "b",
       cublasStrsm(h, LEFT, LOWER, NONE, FULL, N, N, at_alpha, a, N, b, N))
SCALED(geam, "a",
       cublasSgeam(h, NONE, NONE, N, N, at_alpha, a, N, at_beta, b, N, c, N))
SCALED(hemm, "c", {
    const cuComplex x = {*at_alpha, 0}, y = {*at_beta, 0};
    cublasChemm(h, LEFT, LOWER, N, N, &x, (cuComplex *)a, N, (cuComplex *)b, N,
                &y, (cuComplex *)c, N);
})
SCALED(herk, "c",
       cublasCherk(h, LOWER, NONE, N, N, at_alpha, (cuComplex *)a, N, at_beta,
                   (cuComplex *)c, N))

// The diagonal is said to be 1, so its elements needn't be there.
static void trsm_diagonal(int fixed)
{
    begin("a", 1);
    for (int col = 0; col < N; col++)
        cudaMemset(a + col * N + col + 1, 0, (N - 1 - col) * sizeof *a);
    FIRST cublasStrsm(h, LEFT, LOWER, NONE, fixed ? CUBLAS_DIAG_UNIT : FULL, N,
                      N, &one, a, N, b, N);
    end();
}

// ---- vectors ----------------------------------------------------------------

SCALED(axpy, "b", cublasSaxpy(h, N, at_alpha, a, 1, b, 1))
SCALED(axpy_x, "a", cublasSaxpy(h, N, at_alpha, a, 1, b, 1))
SCALED(axpy_ex, "b",
       cublasAxpyEx(h, N, at_alpha, CUDA_R_32F, a, CUDA_R_16F, 1, b, CUDA_R_16F,
                    1, CUDA_R_32F))
SCALED(scal, "a", cublasSscal(h, N, at_alpha, a, 1))
READS(copy, "a", cublasScopy(h, N, a, 1, b, 1))
READS(swap, "b", cublasSswap(h, N, a, 1, b, 1))
READS(rot, "b", cublasSrot(h, N, a, 1, b, 1, &one, &one))
READS(dot, "b", cublasSdot(h, N, a, 1, b, 1, &result))
READS(nrm2, "a", cublasSnrm2(h, N, a, 1, &result))
READS(asum, "a", cublasSasum(h, N, a, 1, &result))
READS(amax, "a", cublasIsamax(h, N, a, 1, (int *)&result))

// ---- many small matrices ----------------------------------------------------

READS(getrf, "a", cublasSgetrfBatched(h, N, pa, N, pivots, info, 1))
READS(getrs, "b", {
    int wrong;
    cublasSgetrsBatched(h, NONE, N, 1, pa, N, NULL, pb, N, &wrong, 1);
})
READS(getri, "a", cublasSgetriBatched(h, N, pa, N, NULL, pc, N, info, 1))
READS(matinv, "a", cublasSmatinvBatched(h, N, pa, N, pc, N, info, 1))

// ---- cublasLt and cuFFT -----------------------------------------------------

static void lt(cublasLtEpilogue_t epilogue, float *bias)
{
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t d;
    cublasLtMatrixLayout_t l;
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&d, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, N, N, N);
    cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                   sizeof epilogue);
    if (bias)
        cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                       &bias, sizeof bias);
    FIRST cublasLtMatmul(handle, d, at_alpha, a, l, b, l, at_beta, c, l, c, l,
                         NULL, NULL, 0, 0);
    cublasLtMatrixLayoutDestroy(l);
    cublasLtMatmulDescDestroy(d);
    cublasLtDestroy(handle);
}
SCALED(lt_c, "c", lt(CUBLASLT_EPILOGUE_DEFAULT, NULL))
SCALED(lt_a, "a", lt(CUBLASLT_EPILOGUE_DEFAULT, NULL))

static void lt_bias(int fixed)
{
    begin("", 1);
    float *const bias = memory(fixed);
    lt(CUBLASLT_EPILOGUE_BIAS, bias);
    cudaFree(bias);
    end();
}

static void fft_in_place(int fixed)
{
    cufftHandle plan;
    begin(fixed ? "" : "a", 1);
    cufftPlan1d(&plan, N, CUFFT_C2C, 1);
    FIRST cufftExecC2C(plan, (cufftComplex *)a, (cufftComplex *)a,
                       CUFFT_FORWARD);
    cufftDestroy(plan);
    end();
}

// The program does not look whether these calls succeed.
static void fft_status_ignored(int fixed)
{
    cufftHandle plan;
    begin("", 1);
    cufftPlan1d(&plan, N, CUFFT_C2C, 1);
    FIRST cufftResult status = cufftExecR2C(plan, a, (cufftComplex *)b);
    if (!fixed) {
        FIRST cufftExecR2C(plan, a, (cufftComplex *)b);
    } else if (status == CUFFT_SUCCESS) {
        abort();
    }
    cufftDestroy(plan);
    end();
}

static void rand_status_ignored(int fixed)
{
    curandGenerator_t numbers;
    begin("", 1);
    curandCreateGenerator(&numbers, CURAND_RNG_PSEUDO_DEFAULT);
    FIRST curandGenerateNormal(numbers, a, fixed ? N : N + 1, 0, 1);
    curandDestroyGenerator(numbers);
    end();
}

#define CASE(name, call)                                                       \
    {                                                                          \
#name, 0, call "~reads~them~at~prog_libraries.cu:", name               \
    }
static const struct hazard_case cases[] = {
    CASE(gemm_c, "cublasSgemm"),
    CASE(gemm_a, "cublasSgemm"),
    CASE(gemm_b, "cublasSgemm"),
    CASE(gemm_ex, "cublasGemmEx"),
    CASE(gemm_ex_a, "cublasGemmEx"),
    CASE(gemm_strided, "cublasSgemmStridedBatched"),
    CASE(gemm_batched, "cublasSgemmBatched"),
    CASE(gemm_batched_b, "cublasSgemmBatched"),
    CASE(gemm_batched_device, "cublasSgemmBatched"),
    CASE(gemv, "cublasSgemv"),
    CASE(gemv_a, "cublasSgemv"),
    CASE(ger, "cublasSger"),
    CASE(symv, "cublasSsymv"),
    CASE(trsv, "cublasStrsv"),
    CASE(symm, "cublasSsymm"),
    CASE(syrk, "cublasSsyrk"),
    CASE(trsm, "cublasStrsm"),
    CASE(geam, "cublasSgeam"),
    CASE(hemm, "cublasChemm"),
    CASE(herk, "cublasCherk"),
    CASE(trsm_diagonal, "cublasStrsm"),
    CASE(axpy, "cublasSaxpy"),
    CASE(axpy_x, "cublasSaxpy"),
    CASE(axpy_ex, "cublasAxpyEx"),
    CASE(scal, "cublasSscal"),
    CASE(copy, "cublasScopy"),
    CASE(swap, "cublasSswap"),
    CASE(rot, "cublasSrot"),
    CASE(dot, "cublasSdot"),
    CASE(nrm2, "cublasSnrm2"),
    CASE(asum, "cublasSasum"),
    CASE(amax, "cublasIsamax"),
    CASE(getrf, "cublasSgetrfBatched"),
    CASE(getrs, "cublasSgetrsBatched"),
    CASE(getri, "cublasSgetriBatched"),
    CASE(matinv, "cublasSmatinvBatched"),
    CASE(lt_c, "cublasLtMatmul"),
    CASE(lt_a, "cublasLtMatmul"),
    CASE(lt_bias, "cublasLtMatmul"),
    CASE(fft_in_place, "cufftExecC2C"),
    {"fft-status-ignored", 0, "returned~CUFFT_INVALID_TYPE",
     fft_status_ignored},
    {"rand-status-ignored", 0, "returned~CURAND_STATUS_LENGTH_NOT_MULTIPLE",
     rand_status_ignored},
};

int main(int argc, char **argv)
{
    const int status =
        run_case(cases, sizeof cases / sizeof *cases, argc, argv);
    cudaDeviceSynchronize();
    return status;
}
