/* prog_refused_more.c: links: -lcublasLt -lcufft -lcurand
 * The same of cublasLt and cuFFT. golden.txt has what is right. */
#include <cublasLt.h>
#include <cufft.h>
#include <cufftXt.h>

#include "refused.h"

enum { M = 3, N = 2, K = 4 };
static const float one = 1;

/* ---- cublasLt ------------------------------------------------------------ */

static cublasLtMatrixLayout_t layout(uint64_t rows, uint64_t cols, int64_t ld)
{
    const int32_t batch = 2;
    const int64_t stride = 100;
    cublasLtMatrixLayout_t l;
    if (cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, rows, cols, ld) ||
        cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                         &batch, sizeof batch) ||
        cublasLtMatrixLayoutSetAttribute(
            l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
            sizeof stride))
        exit(1);
    return l;
}

#define SET(name, value)                                                       \
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_##name,          \
                                   &(value), sizeof(value))

/* Two products, with beta C, a bias and an auxiliary matrix. */
static cublasStatus_t scaled(float beta, const float *pa, const float *pb,
                             const float *pc, float *pd, const float *bias,
                             float *aux)
{
    const uint32_t what = CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    const int64_t aux_ld = 8;
    cublasLtMatmulDesc_t desc;
    if (cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) ||
        SET(EPILOGUE, what) || SET(BIAS_POINTER, bias) ||
        SET(EPILOGUE_AUX_POINTER, aux) || SET(EPILOGUE_AUX_LD, aux_ld))
        exit(1);
    return cublasLtMatmul((cublasLtHandle_t)h, desc, &one, pa, layout(M, K, 5),
                          pb, layout(K, N, 6), &beta, pc, layout(M, N, 7), pd,
                          layout(M, N, 8), NULL, NULL, 0, 0);
}

static cublasStatus_t product(const float *pa, const float *pb, const float *pc,
                              float *pd, const float *bias, float *aux)
{
    return scaled(1, pa, pb, pc, pd, bias, aux);
}

/* C is not read if beta is 0. */
static void without_operands(void)
{
    for (float beta = 0; beta < 2; beta++) {
        SHOW(scaled(beta, NULL, b, c, c, a, b));
        SHOW(scaled(beta, a, NULL, c, c, a, b));
        SHOW(scaled(beta, a, b, NULL, c, a, b));
        SHOW(scaled(beta, a, b, c, NULL, a, b));
    }
    SHOW(scaled(0.5f, a, b, NULL, c, a, b));
}

SHORT(a_of_lt, product(end, b, c, c, a, b))
SHORT(b_of_lt, product(a, end, c, c, a, b))
SHORT(c_of_lt, product(a, b, end, c, a, b))
SHORT(d_of_lt, product(a, b, c, end, a, b))
SHORT(bias_of_lt, product(a, b, c, c, end, b))
SHORT(aux_of_lt, product(a, b, c, c, a, end))
SHORT(all_of_lt, product(a, b, c, c, a, b))
SHORT(no_bias_of_lt, product(a, b, c, c, NULL, b))
SHORT(no_aux_of_lt, product(a, b, c, c, a, NULL))

/* ---- cuFFT --------------------------------------------------------------- */

/* Two transforms of 3 x 4 numbers that lie apart. */
static cufftResult transforms(cufftType type, void *in, void *out)
{
    int n[] = {M, K}, in_embed[] = {4, 5}, out_embed[] = {5, 6};
    cufftHandle p;
    if (cufftPlanMany(&p, 2, n, in_embed, 2, 50, out_embed, 1, 40, type, 2))
        exit(1);
    return cufftXtExec(p, in, out, CUFFT_FORWARD);
}

SHORT(in_of_c2c, transforms(CUFFT_C2C, end, b))
SHORT(out_of_c2c, transforms(CUFFT_C2C, a, end))
SHORT(in_of_d2z, transforms(CUFFT_D2Z, end, b))
SHORT(out_of_d2z, transforms(CUFFT_D2Z, a, end))
SHORT(in_of_c2r, transforms(CUFFT_C2R, end, b))
SHORT(out_of_c2r, transforms(CUFFT_C2R, a, end))
SHORT(none_of_fft, transforms(CUFFT_C2C, a, NULL))

/* The status of a plan, which is destroyed: a plan that could not be made is
 * none, and its number is not used again. */
static cufftResult plan(int rank, const int n[], const int in[],
                        const int out[], int in_stride, int in_dist,
                        int out_stride, int out_dist, int type, int batch)
{
    cufftHandle p = 99;
    const cufftResult status =
        cufftPlanMany(&p, rank, (int *)n, (int *)in, in_stride, in_dist,
                      (int *)out, out_stride, out_dist, (cufftType)type, batch);
    if (status != CUFFT_SUCCESS && p != CUFFT_PLAN_NULL)
        printf("a plan that could not be made has a handle\n");
    cufftDestroy(p);
    return status;
}

#define SIZES(...) ((const int[]){__VA_ARGS__})
#define ONES       SIZES(1, 1, 1)

static void shapes(void)
{
    SHOW(plan(1, ONES, ONES, ONES, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, ONES, ONES, ONES, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(0, ONES, ONES, ONES, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(4, SIZES(1, 1, 1, 1), NULL, NULL, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, NULL, ONES, ONES, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, SIZES(0, 1, 1), ONES, ONES, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, SIZES(1, 0, 1), ONES, ONES, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, SIZES(1, 1, 0), ONES, ONES, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, ONES, SIZES(0, 1, 1), ONES, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, ONES, SIZES(1, 0, 1), ONES, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, ONES, SIZES(1, 1, 0), ONES, 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, ONES, ONES, SIZES(0, 1, 1), 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, ONES, ONES, SIZES(1, 0, 1), 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, ONES, ONES, SIZES(1, 1, 0), 1, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(3, ONES, NULL, SIZES(1, 1, 0), 0, 0, 0, 0, CUFFT_C2C, 1));
    SHOW(plan(3, ONES, SIZES(1, 1, 0), NULL, 0, 0, 0, 0, CUFFT_C2C, 1));
    SHOW(plan(1, ONES, ONES, ONES, 0, 0, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(1, ONES, ONES, ONES, 1, -1, 1, 0, CUFFT_C2C, 1));
    SHOW(plan(1, ONES, ONES, ONES, 1, 0, 0, 0, CUFFT_C2C, 1));
    SHOW(plan(1, ONES, ONES, ONES, 1, 0, 1, -1, CUFFT_C2C, 1));
    SHOW(plan(1, ONES, ONES, ONES, 1, 0, 1, 0, CUFFT_C2C, 0));
    SHOW(plan(1, ONES, ONES, ONES, 1, 0, 1, 0, 0, 1));
    SHOW(plan(1, ONES, NULL, NULL, 1, 0, 1, 0, CUFFT_R2C, 1));
    SHOW(plan(1, ONES, NULL, NULL, 1, 0, 1, 0, CUFFT_C2R, 1));
    SHOW(plan(1, ONES, NULL, NULL, 1, 0, 1, 0, CUFFT_Z2Z, 1));
    SHOW(plan(1, ONES, NULL, NULL, 1, 0, 1, 0, CUFFT_D2Z, 1));
    SHOW(plan(1, ONES, NULL, NULL, 1, 0, 1, 0, CUFFT_Z2D, 1));
}

/* A plan that could not be made leaves none behind. */
static void handles(void)
{
    cufftHandle first, none = 9, next;
    size_t nbytes = 9;
    SHOW(cufftCreate(&first));
    SHOW(cufftPlan1d(&none, 0, CUFFT_C2C, 1));
    SHOW(none == CUFFT_PLAN_NULL);
    SHOW(cufftDestroy(first + 1));
    SHOW(cufftCreate(&next));
    SHOW(next == first + 2);
    SHOW(cufftSetStream(next + 1, 0));
    SHOW(cufftSetStream(-2, 0));
    SHOW(cufftSetStream(0, 0));
    SHOW(cufftGetSize(next, &nbytes));
    SHOW(cufftMakePlan1d(next, 8, CUFFT_R2C, 1, NULL));
    SHOW(cufftGetSize(next, &nbytes));
    SHOW((int)nbytes);
    SHOW(cufftXtSetWorkAreaPolicy(next, (cufftXtWorkAreaPolicy)3, &nbytes));
    nbytes = 9;
    SHOW(cufftXtSetWorkAreaPolicy(next, CUFFT_WORKAREA_PERFORMANCE, NULL));
    SHOW(cufftXtSetWorkAreaPolicy(next, CUFFT_WORKAREA_MINIMAL, &nbytes));
    SHOW((int)nbytes);
}

static cufftResult by_type(int rank, const long long n[], cudaDataType in,
                           cudaDataType out, cudaDataType with)
{
    cufftHandle p;
    size_t nbytes;
    if (cufftCreate(&p))
        exit(1);
    return cufftXtMakePlanMany(p, rank, (long long *)n, NULL, 1, 0, in, NULL, 1,
                               0, out, 1, &nbytes, with);
}

#define LONGS(...) ((const long long[]){__VA_ARGS__})

/* Numbers of 16 bits have lengths that are powers of 2. */
static void by_types(void)
{
    SHOW(by_type(1, LONGS(8), CUDA_C_16F, CUDA_C_16F, CUDA_C_16F));
    SHOW(by_type(1, LONGS(12), CUDA_C_16F, CUDA_C_16F, CUDA_C_16F));
    SHOW(by_type(2, LONGS(8, 12), CUDA_C_16F, CUDA_C_16F, CUDA_C_16F));
    SHOW(by_type(3, LONGS(8, 4, 3), CUDA_C_16F, CUDA_C_16F, CUDA_C_16F));
    SHOW(by_type(3, LONGS(8, 4, 2), CUDA_C_16F, CUDA_C_16F, CUDA_C_16F));
    SHOW(by_type(1, LONGS(12), CUDA_C_32F, CUDA_C_32F, CUDA_C_32F));
    SHOW(by_type(1, LONGS(12), CUDA_C_16BF, CUDA_C_16BF, CUDA_C_16BF));
    SHOW(by_type(1, NULL, CUDA_C_16BF, CUDA_C_16BF, CUDA_C_16BF));
    SHOW(by_type(1, LONGS(8), CUDA_C_16BF, CUDA_R_16BF, CUDA_C_16F));
    SHOW(by_type(1, LONGS(8), CUDA_C_16BF, CUDA_R_16F, CUDA_C_16BF));
    SHOW(by_type(1, LONGS(8), CUDA_C_16F, CUDA_R_16BF, CUDA_C_16BF));
    SHOW(by_type(4, LONGS(1, 1, 1, 3), CUDA_C_16F, CUDA_C_16F, CUDA_C_16F));
}

/* A plan's stream and device have to exist and to be its own. */
static void places(void)
{
    cufftHandle p;
    cudaStream_t stream;
    cufftComplex *const x = (cufftComplex *)a;
    SHOW(cufftPlan1d(&p, 4, CUFFT_C2C, 1));
    SHOW(cufftExecC2C(p, x, x, CUFFT_FORWARD - 1));
    SHOW(cufftExecC2C(p, x, x, CUFFT_INVERSE + 1));
    SHOW(cudaStreamCreate(&stream));
    SHOW(cufftSetStream(p, stream));
    SHOW(cufftExecC2C(p, x, x, CUFFT_FORWARD));
    SHOW(cudaStreamDestroy(stream));
    SHOW(cufftExecC2C(p, x, x, CUFFT_FORWARD));
}

int main(void)
{
    static void (*const calls[])(void) = {
        shapes,     handles,       by_types,     places,           a_of_lt,
        b_of_lt,    c_of_lt,       d_of_lt,      bias_of_lt,       aux_of_lt,
        all_of_lt,  no_bias_of_lt, no_aux_of_lt, without_operands, in_of_c2c,
        out_of_c2c, in_of_d2z,     out_of_d2z,   in_of_c2r,        out_of_c2r,
        none_of_fft};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        apart(calls[i]);
    return 0;
}
