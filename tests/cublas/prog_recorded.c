/* links: -lcublasLt -lcufft -lcurand
 * prog_recorded.c: calls of the mathematical libraries, for the graph
 *
 * Every size and pitch differs from the others, so that none can stand for
 * another. golden.txt has what each leaves.
 */
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cufft.h>
#include <cufftXt.h>
#include <curand.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call)                                                             \
    do {                                                                       \
        const int err = (int)(call);                                           \
        if (err) {                                                             \
            fprintf(stderr, "%s:%d: %s: %d\n", __FILE__, __LINE__, #call,      \
                    err);                                                      \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

enum { M = 3, N = 2, K = 4, LDA = 5, LDB = 6, LDC = 7, ROOM = 8192 };
#define NONE  CUBLAS_OP_N
#define TRANS CUBLAS_OP_T
#define LEFT  CUBLAS_SIDE_LEFT
#define RIGHT CUBLAS_SIDE_RIGHT
#define LOWER CUBLAS_FILL_MODE_LOWER
#define UPPER CUBLAS_FILL_MODE_UPPER
#define WHOLE CUBLAS_DIAG_NON_UNIT

static cublasHandle_t h;
static float *a, *b, *c;
static const float two = 2, half = 0.5f, zero = 0;

static void *device_memory(void)
{
    void *p;
    MUST(cudaMalloc(&p, ROOM));
    MUST(cudaMemset(p, 0, ROOM));
    return p;
}

/* ---- results ------------------------------------------------------------- */

static int says; /* print them */
static float result[2];
static int place;

/* Powers of 2, so that what is computed of them is exact. */
static void fill(void)
{
    static const float values[] = {1, -2, 4, 0.5f, -1, 2, 1};
    static float host[ROOM / sizeof(float)];
    float *const to[] = {a, b, c};
    result[0] = result[1] = 0, place = 0;
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < sizeof host / sizeof *host; i++)
            host[i] = values[(i * (k + 2) + i / 7) % 7];
        MUST(cudaMemcpy(to[k], host, sizeof host, cudaMemcpyHostToDevice));
    }
}

/* A sum to which each place counts differently. */
static double weighed(const float *from, const char *call)
{
    static float host[ROOM / sizeof(float)];
    const void *const p = host;
    const size_t size = strncmp(call, "cublasZ", 7) == 0 ? 8
                        : strstr(call, "_16")            ? 2
                        : strstr(call, "_32I")           ? 2
                                                         : 4;
    double sum = 0;
    MUST(cudaMemcpy(host, from, sizeof host, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < sizeof host / size; i++)
        sum += (double)(i % 61 + 1) * (size == 8   ? ((const double *)p)[i]
                                       : size == 2 ? ((const int16_t *)p)[i]
                                                   : (double)host[i]);
    return sum;
}

static void say(const char *call)
{
    if (says)
        printf("%.*s: a %.12g b %.12g c %.12g result %.6g %.6g or %d\n",
               (int)strcspn(call, "("), call, weighed(a, call),
               weighed(b, call), weighed(c, call), (double)result[0],
               (double)result[1], place);
}

#define SAY(call)                                                              \
    do {                                                                       \
        fill();                                                                \
        MUST(call);                                                            \
        say(#call);                                                            \
    } while (0)

static void vectors(void)
{
    SAY(cublasSaxpy(h, N, &two, a, 2, b, -3));
    SAY(cublasSscal(h, N, &two, a, 2));
    SAY(cublasScopy(h, N, a, 3, b, 2));
    SAY(cublasSswap(h, N, a, 3, b, 1));
    SAY(cublasSrot(h, N, a, 2, b, 1, &half, &zero));
    SAY(cublasSdot(h, N, a, 2, b, 3, result));
    SAY(cublasSnrm2(h, N, a, 2, result));
    SAY(cublasSasum(h, K, a, 1, result));
    SAY(cublasIsamax(h, N, a, 3, &place));
    SAY(cublasIsamin(h, M, a, 2, &place));
}

static void matrices(void)
{
    SAY(cublasSgemv(h, NONE, M, N, &two, a, LDA, b, 2, &zero, c, 3));
    SAY(cublasSgemv(h, TRANS, M, N, &two, a, LDA, b, 2, &half, c, 1));
    SAY(cublasSger(h, M, N, &two, b, 2, c, 3, a, LDA));
    SAY(cublasSsymv(h, LOWER, M, &two, a, LDA, b, 1, &zero, c, 2));
    SAY(cublasSsymv(h, UPPER, M, &two, a, LDA, b, 1, &half, c, 2));
    SAY(cublasStrsv(h, UPPER, NONE, CUBLAS_DIAG_UNIT, M, a, LDA, b, 2));
    SAY(cublasStrmv(h, UPPER, NONE, CUBLAS_DIAG_UNIT, M, a, LDA, b, 2));
    SAY(cublasStrmv(h, LOWER, TRANS, CUBLAS_DIAG_NON_UNIT, M, a, LDA, b, -1));
    SAY(cublasSsyr(h, LOWER, M, &two, b, 2, a, LDA));
    SAY(cublasSsyr(h, UPPER, M, &zero, b, 2, a, LDA));
    SAY(cublasSsyr2(h, UPPER, M, &two, b, 2, c, 3, a, LDA));
    SAY(cublasSsymm(h, LEFT, LOWER, M, N, &two, a, LDA, b, LDB, &zero, c, LDC));
    SAY(cublasSsymm(h, RIGHT, UPPER, M, N, &two, a, LDA, b, LDB, &half, c,
                    LDC));
    SAY(cublasSsyrk(h, LOWER, NONE, M, N, &two, a, LDA, &zero, c, LDC));
    SAY(cublasSsyrk(h, UPPER, TRANS, M, N, &two, a, LDA, &half, c, LDC));
    SAY(cublasSsyr2k(h, LOWER, NONE, M, N, &two, a, LDA, b, LDB, &zero, c,
                     LDC));
    SAY(cublasSsyr2k(h, UPPER, TRANS, M, N, &two, a, LDA, b, LDB, &half, c,
                     LDC));
    SAY(cublasStrmm(h, LEFT, LOWER, NONE, CUBLAS_DIAG_UNIT, M, N, &two, a, LDA,
                    b, LDB, c, LDC));
    SAY(cublasStrmm(h, RIGHT, UPPER, TRANS, CUBLAS_DIAG_NON_UNIT, M, N, &two, a,
                    LDA, b, LDB, b, LDB));
    SAY(cublasStrmm(h, LEFT, LOWER, NONE, CUBLAS_DIAG_UNIT, M, N, &zero, a, LDA,
                    b, LDB, c, LDC));
    SAY(cublasSdgmm(h, LEFT, M, N, a, LDA, b, 2, c, LDC));
    SAY(cublasSdgmm(h, RIGHT, M, N, a, LDA, b, -1, a, LDA));
    SAY(cublasSdgmm(h, RIGHT, M, N, a, LDA, b, 0, c, LDC));
    SAY(cublasStrsm(h, LEFT, LOWER, NONE, CUBLAS_DIAG_UNIT, M, N, &two, a, LDA,
                    b, LDB));
    SAY(cublasStrsm(h, RIGHT, UPPER, TRANS, CUBLAS_DIAG_UNIT, M, N, &two, a,
                    LDA, b, LDB));
    SAY(cublasSgeam(h, NONE, TRANS, M, N, &two, a, LDA, &two, b, LDB, c, LDC));
    SAY(cublasSgeam(h, TRANS, NONE, M, N, &two, a, LDA, &zero, b, LDB, c, LDC));
    SAY(cublasSgeam(h, NONE, NONE, M, N, &zero, a, LDA, &two, b, LDB, c, LDC));
}

static void complex_numbers(void)
{
    const cuComplex i = {0, 1}, k = {2, -1};
    const cuDoubleComplex z = {0, 1}, w = {0.5, 2};
    cuComplex *const x = (cuComplex *)a, *const y = (cuComplex *)b;
    cuComplex *const to = (cuComplex *)c;
    SAY(cublasCaxpy(h, N, &i, x, 2, y, 3));
    SAY(cublasCscal(h, N, &i, x, 2));
    SAY(cublasCdotc(h, N, x, 1, y, 2, (cuComplex *)result));
    SAY(cublasCgemv(h, CUBLAS_OP_C, M, N, &i, x, LDA, y, 1, &k, to, 2));
    SAY(cublasCgerc(h, M, N, &i, y, 1, to, 2, x, LDA));
    SAY(cublasChemm(h, LEFT, UPPER, M, N, &i, x, LDA, y, LDB, &k, to, LDC));
    SAY(cublasCherk(h, LOWER, CUBLAS_OP_C, M, N, &two, x, LDA, &zero, to, LDC));
    SAY(cublasZgemm(h, NONE, CUBLAS_OP_C, M, N, K, &z, (cuDoubleComplex *)a,
                    LDA, (cuDoubleComplex *)b, LDB, &w, (cuDoubleComplex *)c,
                    LDC));
}

/* Elements of one, two and four bytes. */
static void other_types(void)
{
    const int32_t times = 3, add = 0;
    const float factor = 3;
    SAY(cublasGemmEx(h, TRANS, NONE, 4, 8, 4, &times, a, CUDA_R_8I, 12, b,
                     CUDA_R_8I, 16, &add, c, CUDA_R_32I, 20, CUBLAS_COMPUTE_32I,
                     CUBLAS_GEMM_DEFAULT));
    SAY(cublasGemmEx(h, NONE, NONE, M, N, K, &two, a, CUDA_R_16F, LDA, b,
                     CUDA_R_16F, LDB, &zero, c, CUDA_R_32F, LDC,
                     CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    SAY(cublasGemmStridedBatchedEx(h, NONE, TRANS, M, N, K, &two, a,
                                   CUDA_R_16BF, LDA, 40, b, CUDA_R_16BF, LDB,
                                   50, &half, c, CUDA_R_16BF, LDC, 60, 2,
                                   CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    SAY(cublasAxpyEx(h, N, &factor, CUDA_R_32F, a, CUDA_R_16F, 3, b, CUDA_R_16F,
                     3, CUDA_R_32F));
    SAY(cublasScalEx(h, N, &factor, CUDA_R_32F, a, CUDA_R_16BF, 3, CUDA_R_32F));
    SAY(cublasDotEx(h, N, a, CUDA_R_16F, 3, b, CUDA_R_16F, 5, &place,
                    CUDA_R_16F, CUDA_R_32F));
    SAY(cublasNrm2Ex(h, M, b, CUDA_R_16BF, 1, &place, CUDA_R_16BF, CUDA_R_32F));
    SAY(cublasNrm2Ex(h, M, a, CUDA_R_32F, 2, result, CUDA_R_32F, CUDA_R_32F));
}

/* Their operations cost more than real ones, and each other ones. */
static void complex_types(void)
{
    const float factor[] = {3, 1};
    SAY(cublasAxpyEx(h, N, factor, CUDA_C_32F, a, CUDA_C_32F, 3, b, CUDA_C_32F,
                     2, CUDA_C_32F));
    SAY(cublasScalEx(h, M, factor, CUDA_C_32F, a, CUDA_C_32F, 2, CUDA_C_32F));
    SAY(cublasDotEx(h, N, a, CUDA_C_32F, 3, b, CUDA_C_32F, 2, result,
                    CUDA_C_32F, CUDA_C_32F));
    SAY(cublasDotcEx(h, M, a, CUDA_C_32F, 1, b, CUDA_C_32F, 2, result,
                     CUDA_C_32F, CUDA_C_32F));
    SAY(cublasNrm2Ex(h, M, a, CUDA_C_32F, 2, result, CUDA_R_32F, CUDA_R_32F));
}

/* Matrices without rows or columns are right, and nothing is done. */
static void empty(void)
{
    for (int m = 0, n = N; m < 2; m++, n = 0) {
        MUST(cublasSgemv(h, NONE, m, n, &two, a, LDA, b, 2, &half, c, 3));
        MUST(cublasSger(h, m, n, &two, b, 2, c, 3, a, LDA));
        MUST(cublasSsymm(h, LEFT, LOWER, m, n, &two, a, LDA, b, LDB, &half, c,
                         LDC));
        MUST(cublasStrsm(h, LEFT, LOWER, NONE, WHOLE, m, n, &two, a, LDA, b,
                         LDB));
        MUST(cublasSgeam(h, NONE, NONE, m, n, &two, a, LDA, &two, b, LDB, c,
                         LDC));
    }
    MUST(cublasSsymv(h, LOWER, 0, &two, a, LDA, b, 1, &half, c, 2));
    MUST(cublasSsyrk(h, LOWER, NONE, 0, K, &two, a, LDA, &half, c, LDC));
    MUST(cublasStrsv(h, UPPER, NONE, WHOLE, 0, a, LDA, b, 2));
}

/* Arrays of pointers to matrices. */
static float **pointers(float *to, size_t step)
{
    float *host[] = {to, to + step};
    float **const p = device_memory();
    MUST(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    return p;
}

static void batches(void)
{
    float **const as = pointers(a, 64), **const bs = pointers(b, 64);
    float **const cs = pointers(c, 64);
    int *const pivots = device_memory(), *const info = device_memory();
    int said;
    for (int i = 0; i < M; i++) // two identities
        for (int k = 0; k < 2; k++)
            MUST(cudaMemcpy(a + k * 64 + i * (LDA + 1), &two, sizeof two,
                            cudaMemcpyHostToDevice));
    MUST(cublasSgemmStridedBatched(h, TRANS, NONE, M, N, K, &two, a, LDA, 40, b,
                                   LDB, 50, &half, c, LDC, 60, 2));
    MUST(cublasSgemmBatched(h, NONE, TRANS, M, N, K, &two,
                            (const float *const *)as, LDA,
                            (const float *const *)bs, LDB, &zero, cs, LDC, 2));
    MUST(cublasSgemmBatched(h, TRANS, NONE, M, N, K, &two,
                            (const float *const *)as, LDA,
                            (const float *const *)bs, LDB, &two, cs, LDC, 2));
    MUST(cublasSgetrfBatched(h, M, as, LDA, pivots, info, 2));
    MUST(cublasSgetrsBatched(h, NONE, M, N, (const float *const *)as, LDA,
                             pivots, bs, LDB, &said, 2));
    MUST(cublasSgetriBatched(h, M, (const float *const *)as, LDA, pivots, cs,
                             LDC, info, 2));
    MUST(cublasSmatinvBatched(h, M, (const float *const *)as, LDA, cs, LDC,
                              info, 2));
}

static cublasLtMatrixLayout_t layout(int rows, int cols, int ld)
{
    const int32_t batch = 2;
    const int64_t stride = 100;
    cublasLtMatrixLayout_t l;
    MUST(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, (uint64_t)rows,
                                    (uint64_t)cols, ld));
    MUST(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                          &batch, sizeof batch));
    MUST(cublasLtMatrixLayoutSetAttribute(
        l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
        sizeof stride));
    return l;
}

#define SET(name, value)                                                       \
    MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_##name,     \
                                        &(value), sizeof(value)))

static void epilogue(uint32_t what, float beta)
{
    cublasLtMatmulDesc_t desc;
    const int32_t transb = what == CUBLASLT_EPILOGUE_BGRADB;
    cublasLtMatrixLayout_t l[] = {layout(M, K, LDA),
                                  layout(transb ? N : K, transb ? K : N, LDB),
                                  layout(M, N, LDC), layout(M, N, LDC + 1)};
    void *const bias = device_memory(), *const aux = device_memory();
    float *const d = device_memory();
    void *const workspace = device_memory();
    const int64_t bias_stride = 9, aux_ld = 128, aux_stride = 256;
    MUST(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    SET(EPILOGUE, what);
    SET(TRANSB, transb);
    if (what & (4 | 16 | 256 | 512)) {
        SET(BIAS_POINTER, bias);
        SET(BIAS_BATCH_STRIDE, bias_stride);
    }
    SET(EPILOGUE_AUX_POINTER, aux);
    SET(EPILOGUE_AUX_LD, aux_ld);
    SET(EPILOGUE_AUX_BATCH_STRIDE, aux_stride);
    MUST(cublasLtMatmul((cublasLtHandle_t)h, desc, &two, a, l[0], b, l[1],
                        &beta, c, l[2], d, l[3], NULL, workspace, 1024, NULL));
    for (int i = 0; i < 4; i++)
        MUST(cublasLtMatrixLayoutDestroy(l[i]));
    MUST(cublasLtMatmulDescDestroy(desc));
}

static void transforms(void)
{
    int n[] = {M, K}, in[] = {4, 5}, out[] = {5, 6};
    cufftHandle apart, real;
    MUST(cufftPlanMany(&apart, 2, n, in, 2, 50, out, 1, 40, CUFFT_C2C, 2));
    MUST(cufftExecC2C(apart, (cufftComplex *)a, (cufftComplex *)b,
                      CUFFT_FORWARD));
    MUST(cufftPlan2d(&real, M, K, CUFFT_D2Z));
    MUST(cufftExecD2Z(real, (double *)a, (cufftDoubleComplex *)b));
    MUST(cufftDestroy(apart));
    MUST(cufftDestroy(real));
}

/* Three sizes, and each combination of types, in place and apart. */
static void transforms_by_type(void)
{
    static const cudaDataType types[][3] = {
        {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
        {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F},
        {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F},
        {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
        {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F},
        {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F},
        {CUDA_C_16F, CUDA_C_16F, CUDA_C_16F},
        {CUDA_R_16F, CUDA_C_16F, CUDA_C_16F},
        {CUDA_C_16F, CUDA_R_16F, CUDA_C_16F},
        {CUDA_C_16BF, CUDA_C_16BF, CUDA_C_16BF},
        {CUDA_R_16BF, CUDA_C_16BF, CUDA_C_16BF},
        {CUDA_C_16BF, CUDA_R_16BF, CUDA_C_16BF}};
    long long n[] = {2, 4, 8};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const cudaDataType *const t = types[i];
        cufftHandle p;
        size_t nbytes;
        MUST(cufftCreate(&p));
        MUST(cufftXtMakePlanMany(p, 3, n, NULL, 1, 0, t[0], NULL, 1, 0, t[1], 2,
                                 &nbytes, t[2]));
        MUST(cufftXtExec(p, a, i % 2 ? b : a, CUFFT_FORWARD));
        MUST(cufftXtExec(p, a, i % 2 ? a : b, CUFFT_FORWARD));
        MUST(cufftDestroy(p));
    }
}

/* Each way to make a plan, with sizes of its own. */
static void plans(void)
{
    cufftComplex *const x = (cufftComplex *)a;
    long long n[] = {2, 3}, in[] = {7, 5}, out[] = {9, 4};
    int sizes[] = {3, 2};
    cufftHandle p[8];
    size_t nbytes;
    for (int i = 3; i < 8; i++)
        MUST(cufftCreate(&p[i]));
    MUST(cufftPlan1d(&p[0], 5, CUFFT_C2R, 3));
    MUST(cufftExecC2R(p[0], x, b));
    MUST(cufftPlan2d(&p[1], 5, 2, CUFFT_C2R));
    MUST(cufftExecC2R(p[1], x, b));
    MUST(cufftPlan3d(&p[2], 2, 5, 4, CUFFT_Z2D));
    MUST(cufftExecZ2D(p[2], (cufftDoubleComplex *)a, (double *)b));
    MUST(cufftMakePlan1d(p[3], 6, CUFFT_R2C, 2, &nbytes));
    MUST(cufftExecR2C(p[3], b, x));
    MUST(cufftMakePlan2d(p[4], 6, 3, CUFFT_R2C, &nbytes));
    MUST(cufftExecR2C(p[4], b, x));
    MUST(cufftMakePlan3d(p[5], 2, 6, 3, CUFFT_R2C, &nbytes));
    MUST(cufftExecR2C(p[5], b, x));
    MUST(cufftMakePlanMany64(p[6], 2, n, in, 2, 80, out, 3, 1, CUFFT_Z2Z, 2,
                             &nbytes));
    MUST(cufftExecZ2Z(p[6], (cufftDoubleComplex *)a, (cufftDoubleComplex *)b,
                      CUFFT_INVERSE));
    MUST(cufftMakePlanMany(p[7], 2, sizes, NULL, 2, 80, NULL, 3, 1, CUFFT_R2C,
                           2, &nbytes));
    MUST(cufftExecR2C(p[7], b, (cufftComplex *)b));
    for (int i = 0; i < 8; i++)
        MUST(cufftDestroy(p[i]));
}

static void random_numbers(void)
{
    curandGenerator_t g;
    MUST(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    MUST(curandGenerate(g, (unsigned *)a + 3, 7));
    MUST(curandGenerateUniform(g, a + 1, 5));
    MUST(curandGenerateUniformDouble(g, (double *)b + 1, 5));
    MUST(curandGenerateNormalDouble(g, (double *)b, 3, 0, 1));
    MUST(curandDestroyGenerator(g));
}

static void show(const char *name)
{
    const char *const value = getenv(name);
    printf("%s %s\n", name, value ? value : "not set");
}

/* The kernels of the OpenBLAS that cuBLAS has loaded. */
static void show_kernels(void)
{
    void *const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
    char *(*const name)(void) =
        library ? (char *(*)(void))dlsym(library, "openblas_get_corename")
                : NULL;
    printf("kernels %s\n", name ? name() : "unknown");
}

int main(int argc, char **argv)
{
    (void)argv;
    says = argc > 1;
    MUST(cudaSetDevice(1)); // a place that is not 0
    MUST(cublasCreate(&h));
    a = device_memory(), b = device_memory(), c = device_memory();
    vectors();
    matrices();
    complex_numbers();
    other_types();
    complex_types();
    if (says)
        return 0;
    empty();
    batches();
    epilogue(CUBLASLT_EPILOGUE_DEFAULT, 1);
    epilogue(CUBLASLT_EPILOGUE_RELU_AUX_BIAS, 0);
    epilogue(CUBLASLT_EPILOGUE_GELU_AUX, 0);
    epilogue(CUBLASLT_EPILOGUE_DGELU_BGRAD, 0);
    epilogue(CUBLASLT_EPILOGUE_BGRADB, 0);
    transforms();
    transforms_by_type();
    plans();
    random_numbers();
    MUST(cudaDeviceSynchronize());
    MUST(cublasDestroy(h));
    show("OPENBLAS_NUM_THREADS");
    show("OPENBLAS_CORETYPE");
    show_kernels();
    return 0;
}
