/* links: tests/support/minifloat.c
 * Rules of cuBLAS. Products are compared with a plain loop in double; narrow
 * types with the tests' own arithmetic (minifloat.h).
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "minifloat.h"
#include "rule.h"

static cublasHandle_t handle;
static cudaStream_t stream;
static int strict; /* also hold what only simgpu promises */
static uint64_t digest = 1469598103934665603u; /* of all results: FNV-1a */

/* ---- memory -------------------------------------------------------------- */

static void *to_device(const void *h, size_t nbytes)
{
    void *d;
    if (cudaMalloc(&d, nbytes + 1) != cudaSuccess)
        exit(3);
    cudaMemcpyAsync(d, h, nbytes, cudaMemcpyHostToDevice, stream);
    cudaStreamSynchronize(stream);
    return d;
}

static void from_device(void *h, void *d, size_t nbytes)
{
    cudaMemcpyAsync(h, d, nbytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    cudaFree(d);
    for (size_t i = 0; i < nbytes; i++)
        digest = (digest ^ ((unsigned char *)h)[i]) * 1099511628211u;
}

static float noise(void)
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (float)(1 << 24) - 0.5f;
}

static float *random_matrix(size_t n)
{
    float *const m = malloc((n + 1) * sizeof *m);
    for (size_t i = 0; i < n; i++)
        m[i] = noise();
    return m;
}

/* ---- products ------------------------------------------------------------ */

struct shape {
    int m, n, k, lda, ldb, ldc, ta, tb, batch;
    float alpha, beta;
};

/* The largest error of C = alpha op(A) op(B) + beta C0; huge if memory between
 * its columns has changed. */
static double distance(const struct shape *s, const float *a, const float *b,
                       const float *c0, const float *c)
{
    double worst = 0;
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < s->ldc; i++) {
            double sum = s->beta ? (double)s->beta * c0[j * s->ldc + i] : 0;
            for (int p = 0; i < s->m && p < s->k; p++)
                sum += (double)s->alpha *
                       a[s->ta ? i * s->lda + p : p * s->lda + i] *
                       b[s->tb ? p * s->ldb + j : j * s->ldb + p];
            const double want = i < s->m ? sum : (double)c0[j * s->ldc + i];
            const double off = fabs(c[j * s->ldc + i] - want);
            if (!(off <= worst))
                worst = off;
        }
    return worst;
}

static double product(const struct shape *s)
{
    const size_t na = (size_t)s->lda * (s->ta ? s->m : s->k) + 3;
    const size_t nb = (size_t)s->ldb * (s->tb ? s->k : s->n) + 5;
    const size_t nc = (size_t)s->ldc * s->n + 7;
    float *const a = random_matrix(na * s->batch);
    float *const b = random_matrix(nb * s->batch);
    float *const c0 = random_matrix(nc * s->batch);
    float *const c = malloc(nc * s->batch * sizeof *c);
    if (s->beta == 0) // then C is not read
        for (int i = 0; i < s->m; i++)
            c0[i] = NAN;
    float *const da = to_device(a, na * s->batch * sizeof *a);
    float *const db = to_device(b, nb * s->batch * sizeof *b);
    float *const dc = to_device(c0, nc * s->batch * sizeof *c0);
    const cublasOperation_t ta = s->ta ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t tb = s->tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasStatus_t status =
        s->batch == 1
            ? cublasSgemm(handle, ta, tb, s->m, s->n, s->k, &s->alpha, da,
                          s->lda, db, s->ldb, &s->beta, dc, s->ldc)
            : cublasSgemmStridedBatched(handle, ta, tb, s->m, s->n, s->k,
                                        &s->alpha, da, s->lda, (long long)na,
                                        db, s->ldb, (long long)nb, &s->beta, dc,
                                        s->ldc, (long long)nc, s->batch);
    from_device(c, dc, nc * s->batch * sizeof *c);
    double worst = status == CUBLAS_STATUS_SUCCESS ? 0 : INFINITY;
    for (int i = 0; i < s->batch; i++) {
        const double d =
            distance(s, a + i * na, b + i * nb, c0 + i * nc, c + i * nc);
        if (!(d <= worst))
            worst = d;
    }
    cudaFree(da);
    cudaFree(db);
    free(a);
    free(b);
    free(c0);
    free(c);
    return worst;
}

static void check_products(void)
{
    static const struct shape shapes[] = {
        {1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0},
        {7, 5, 3, 7, 3, 7, 0, 0, 1, 1, 0},
        {7, 5, 3, 9, 4, 11, 0, 0, 1, 2, 0.5f},
        {7, 5, 3, 4, 8, 7, 1, 0, 1, 1, 1},
        {7, 5, 3, 7, 6, 8, 0, 1, 1, -1, 0},
        {7, 5, 3, 3, 5, 7, 1, 1, 1, 0.25f, -2},
        {64, 33, 129, 64, 129, 64, 0, 0, 1, 1, 0},
        {33, 65, 127, 128, 66, 40, 1, 1, 1, 1, 1},
        {5, 3, 0, 5, 1, 5, 0, 0, 1, 1, 0.5f},
        {6, 4, 5, 6, 5, 6, 0, 0, 3, 1, 0.5f},
        {6, 4, 5, 7, 8, 9, 1, 0, 4, 1.5f, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *const s = &shapes[i];
        const double off = product(s);
        const int holds = off < 1e-5;
        rule_failures += !holds;
        printf("%s product %dx%dx%d, transposed %d%d, batch %d: off by at most "
               "1e-5\n",
               holds ? "ok    " : "FAILED", s->m, s->n, s->k, s->ta, s->tb,
               s->batch);
    }
}

/* ---- narrow types -------------------------------------------------------- */

enum { ALL = 65536 };

/* C = a (ALL x 1) times b, in given types. */
static cublasStatus_t times(const void *a, cudaDataType type, size_t size,
                            const void *b, void *c, cudaDataType c_type,
                            size_t c_size, cublasComputeType_t compute)
{
    const float one = 1, zero = 0;
    void *const da = to_device(a, ALL * size), *const db = to_device(b, size);
    void *dc;
    cudaMalloc(&dc, ALL * c_size);
    const cublasStatus_t status = cublasGemmEx(
        handle, CUBLAS_OP_N, CUBLAS_OP_N, ALL, 1, 1, &one, da, type, ALL, db,
        type, 1, &zero, dc, c_type, ALL, compute, CUBLAS_GEMM_DEFAULT);
    from_device(c, dc, ALL * c_size);
    cudaFree(da);
    cudaFree(db);
    return status;
}

static void check_narrow(cudaDataType type, const struct minifloat *f,
                         const char *widens, const char *rounds)
{
    static uint16_t bits[ALL], half[ALL];
    static float wide[ALL];
    const uint16_t one = (uint16_t)minifloat_encode(f, 1),
                   third = (uint16_t)minifloat_encode(f, 1.0 / 3);
    for (int i = 0; i < ALL; i++)
        bits[i] = (uint16_t)i;
    int wrong = times(bits, type, 2, &one, wide, CUDA_R_32F, 4,
                      CUBLAS_COMPUTE_32F) != CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < ALL; i++) {
        const double want = minifloat_decode(f, (uint32_t)i);
        wrong += !(want == wide[i] || (isnan(want) && isnan(wide[i])));
    }
    RULE(wrong == 0, widens);
    wrong = times(bits, type, 2, &third, half, type, 2, CUBLAS_COMPUTE_32F) !=
            CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < ALL; i++) {
        const float product = (float)(minifloat_decode(f, (uint32_t)i) *
                                      minifloat_decode(f, third));
        const uint32_t want = minifloat_encode(f, product);
        wrong += want != half[i] && !isnan(product) &&
                 ((want | half[i]) & 0x7fff) != 0; // a sum has no -0
    }
    RULE(wrong == 0, rounds);
}

/*
 * True if floats keep that many mantissa bits. A mode that is called fast may
 * round to them, and may as well compute in fp32: GPUs decide by the shape.
 * Only simgpu always rounds, to nearest (`strict`).
 */
static int keeps(cublasComputeType_t compute, int bits)
{
    static float x[ALL], c[ALL];
    const float one = 1;
    const int exact = strict || bits == 23;
    int wrong = 0, changed = 0;
    for (int i = 0; i < ALL; i++)
        x[i] = ldexpf(0.75f + noise() / 2, i % 20 - 10);
    wrong += times(x, CUDA_R_32F, 4, &one, c, CUDA_R_32F, 4, compute) !=
             CUBLAS_STATUS_SUCCESS;
    for (int i = 0; i < ALL; i++) {
        int e;
        frexpf(x[i], &e);
        const float ulp = ldexpf(1, e - 1 - bits), off = fabsf(c[i] - x[i]);
        wrong += !(off <= (exact ? ulp / 2 : ulp));
        wrong += exact && fmodf(c[i], ulp) != 0;
        changed += c[i] != x[i];
    }
    return wrong == 0 && (!exact || (changed > ALL / 2) == (bits < 20));
}

static void check_roundings(void)
{
    RULE(keeps(CUBLAS_COMPUTE_32F, 23), "fp32 is not rounded");
    RULE(keeps(CUBLAS_COMPUTE_32F_FAST_TF32, 10), "tf32 has 10 bits");
    RULE(keeps(CUBLAS_COMPUTE_32F_FAST_16F, 10), "fp16 has 10 bits");
    RULE(keeps(CUBLAS_COMPUTE_32F_FAST_16BF, 7), "bf16 has 7 bits");
    RULE(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH) ==
                 CUBLAS_STATUS_SUCCESS &&
             keeps(CUBLAS_COMPUTE_32F, 10),
         "a handle's math mode makes fp32 products tf32");
    RULE(keeps(CUBLAS_COMPUTE_32F_PEDANTIC, 23), "but not pedantic ones");
    cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);
}

/* ---- vectors, scalars, errors -------------------------------------------- */

static void check_vectors(void)
{
    const float x[6] = {1, -2, 3, -4, 5, -6}, y[6] = {10, 20, 30, 40, 50, 60};
    const float two = 2;
    float back[6], norm = 0;
    float *const dx = to_device(x, sizeof x), *dy = to_device(y, sizeof y);
    cublasSaxpy(handle, 6, &two, dx, 1, dy, 1);
    from_device(back, dy, sizeof back);
    RULE(back[0] == 12 && back[3] == 32 && back[5] == 48, "y += alpha x");
    dy = to_device(y, sizeof y);
    cublasSaxpy(handle, 3, &two, dx, 2, dy, -1);
    from_device(back, dy, sizeof back);
    RULE(back[0] == 20 && back[1] == 26 && back[2] == 32 && back[3] == 40,
         "strides, also backwards");
    RULE(cublasSnrm2(handle, 4, dx, 1, &norm) == CUBLAS_STATUS_SUCCESS &&
             fabsf(norm - sqrtf(30)) < 1e-5f,
         "a norm is there when the call returns");
    float *const scalars = to_device(&two, sizeof two);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasSscal(handle, 3, scalars, dx, 2);
    cublasSnrm2(handle, 1, dx + 2, 1, scalars);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    from_device(&norm, scalars, sizeof norm);
    from_device(back, dx, sizeof back);
    RULE(back[0] == 2 && back[1] == -2 && back[2] == 6 && back[4] == 10,
         "x *= alpha, alpha on the device");
    RULE(norm == 6, "a norm on the device");
}

static void check_errors(void)
{
    const float one = 1;
    float *const d = to_device(&one, sizeof one);
    cudaStream_t s = NULL;
    int device, version = 0;
    cudaGetDevice(&device);
    RULE(cublasSgemm(NULL, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, d, 1, d, 1,
                     &one, d, 1) == CUBLAS_STATUS_NOT_INITIALIZED,
         "no handle");
    RULE(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, d, 1, d,
                     1, &one, d, 2) == CUBLAS_STATUS_INVALID_VALUE,
         "a leading dimension less than the rows");
    RULE(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, -1, 1, 1, &one, d, 1, d,
                     1, &one, d, 1) == CUBLAS_STATUS_INVALID_VALUE,
         "a size below 0");
    RULE(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 0, 0, &one, NULL, 1,
                     NULL, 1, &one, NULL, 1) == CUBLAS_STATUS_SUCCESS,
         "nothing to do");
    RULE(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 1, 1, NULL, NULL, 1,
                     NULL, 1, NULL, NULL, 1) == CUBLAS_STATUS_SUCCESS &&
             cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, NULL, d, 1,
                         d, 1, &one, d, 1) == CUBLAS_STATUS_INVALID_VALUE,
         "scalars are needed only if there is");
    RULE(cublasGetStream(handle, &s) == CUBLAS_STATUS_SUCCESS && s == stream,
         "the stream that was set");
    RULE(cublasGetVersion(handle, &version) == CUBLAS_STATUS_SUCCESS &&
             version >= 110000 &&
             cublasGetVersion(NULL, &version) == CUBLAS_STATUS_SUCCESS,
         "a version, which needs no handle");
    RULE(strcmp(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE),
                "CUBLAS_STATUS_INVALID_VALUE") == 0 &&
             strcmp(cublasGetStatusName((cublasStatus_t)2),
                    "unrecognized status") == 0,
         "errors have names");
    RULE(strcmp(cublasGetStatusString(CUBLAS_STATUS_INVALID_VALUE),
                "an unsupported value or parameter was passed to the "
                "function") == 0,
         "and texts");
    cudaFree(d);
}

static void check_workspaces(void)
{
    char *workspace;
    cudaMalloc((void **)&workspace, 4096);
    RULE(cublasSetWorkspace(handle, workspace, 4096) == CUBLAS_STATUS_SUCCESS,
         "a workspace is taken");
    RULE(cublasSetWorkspace(handle, workspace + 8, 256) ==
                 CUBLAS_STATUS_SUCCESS &&
             cublasSetWorkspace(handle, NULL, 4096) == CUBLAS_STATUS_SUCCESS,
         "at any address, and none");
    if (strict)
        RULE(cublasSetWorkspace(handle, workspace, 1 << 30) ==
                 CUBLAS_STATUS_INVALID_VALUE,
             "but not more than was allocated");
    cublasSetWorkspace(handle, NULL, 0);
    cudaFree(workspace);
}

static void check_math_modes(void)
{
    cublasMath_t math;
    RULE(cublasSetMathMode(handle, (cublasMath_t)31) == CUBLAS_STATUS_SUCCESS &&
             cublasSetMathMode(handle, (cublasMath_t)32) ==
                 CUBLAS_STATUS_INVALID_VALUE &&
             cublasGetMathMode(handle, &math) == CUBLAS_STATUS_SUCCESS &&
             (int)math == 31,
         "a math mode is five flags");
    cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);
}

/* Settings that programs make before their first product. */
static void check_settings(void)
{
    cublasAtomicsMode_t mode = CUBLAS_ATOMICS_ALLOWED;
    int nsms = -1;
    RULE(cublasGetAtomicsMode(handle, &mode) == CUBLAS_STATUS_SUCCESS &&
             mode == CUBLAS_ATOMICS_NOT_ALLOWED,
         "atomics are not allowed at first");
    RULE(cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED) ==
                 CUBLAS_STATUS_SUCCESS &&
             cublasGetAtomicsMode(handle, &mode) == CUBLAS_STATUS_SUCCESS &&
             mode == CUBLAS_ATOMICS_ALLOWED,
         "then they are");
    cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_NOT_ALLOWED);
    RULE(cublasSetSmCountTarget(handle, 8) == CUBLAS_STATUS_SUCCESS &&
             cublasGetSmCountTarget(handle, &nsms) == CUBLAS_STATUS_SUCCESS &&
             nsms == 8,
         "a number of SMs to use");
    RULE(cublasSetSmCountTarget(handle, -1) == CUBLAS_STATUS_INVALID_VALUE &&
             cublasSetSmCountTarget(handle, 1 << 20) ==
                 CUBLAS_STATUS_INVALID_VALUE,
         "but not more than there are");
    cublasSetSmCountTarget(handle, 0);
    RULE(cublasGetCudartVersion() >= 12000, "the runtime's version");
    RULE(cublasSetWorkspace(NULL, NULL, 0) == CUBLAS_STATUS_NOT_INITIALIZED &&
             cublasSetAtomicsMode(NULL, mode) == CUBLAS_STATUS_NOT_INITIALIZED,
         "settings need a handle");
}

/* A 2 x 3 matrix goes to a device with another leading dimension and comes
 * back; a row of it is a vector with a stride. */
static void check_transfers(void)
{
    const float a[] = {1, 2, -1, 3, 4, -1, 5, 6, -1}; // lda 3
    float back[6] = {0}, row[3] = {0};
    float *const d = to_device(calloc(12, 4), 12 * 4);
    int version = 0;
    RULE(cublasSetMatrix(2, 3, 4, a, 3, d, 4) == CUBLAS_STATUS_SUCCESS &&
             cublasGetMatrix(2, 3, 4, d, 4, back, 2) == CUBLAS_STATUS_SUCCESS &&
             back[0] == 1 && back[1] == 2 && back[2] == 3 && back[5] == 6,
         "a matrix there and back");
    RULE(cublasGetVectorAsync(3, 4, d + 1, 4, row, 1, stream) ==
                 CUBLAS_STATUS_SUCCESS &&
             cudaStreamSynchronize(stream) == cudaSuccess && row[0] == 2 &&
             row[1] == 4 && row[2] == 6,
         "a row of it");
    RULE(cublasSetVector(3, 4, row, 1, d, 1) == CUBLAS_STATUS_SUCCESS &&
             cublasGetVector(2, 4, d, 2, back, 1) == CUBLAS_STATUS_SUCCESS &&
             back[0] == 2 && back[1] == 6,
         "a vector without gaps");
    RULE(cublasSetMatrix(-1, 3, 4, a, 3, d, 4) == CUBLAS_STATUS_INVALID_VALUE &&
             cublasSetMatrix(2, 3, 4, a, 0, d, 4) ==
                 CUBLAS_STATUS_INVALID_VALUE &&
             cublasSetVector(3, 0, row, 1, d, 1) ==
                 CUBLAS_STATUS_INVALID_VALUE &&
             cublasSetVector(3, 4, row, 0, d, 1) ==
                 CUBLAS_STATUS_INVALID_VALUE &&
             cublasSetVector(3, 4, row, 1, d, 0) == CUBLAS_STATUS_INVALID_VALUE,
         "sizes that make no sense");
    RULE(cublasSetMatrix(2, 3, 4, a, 1, d, 4) == CUBLAS_STATUS_MAPPING_ERROR &&
             cublasSetVector(-1, 4, row, 1, d, 1) ==
                 CUBLAS_STATUS_MAPPING_ERROR,
         "copies that are refused");
    RULE(cublasGetProperty(MAJOR_VERSION, &version) == CUBLAS_STATUS_SUCCESS &&
             version >= 12,
         "a version without a handle");
    cudaFree(d);
}

/* One product with room between C's columns, and one in fp16, for the graph. */
static int record(void)
{
    const float one = 1, zero = 0;
    float *const d = to_device(calloc(256, 4), 256 * 4);
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 2, 8, &one, d, 4, d + 32,
                8, &one, d + 64, 16);
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 2, 8, &one, d, CUDA_R_16F,
                 4, d + 32, CUDA_R_16F, 8, &zero, d + 128, CUDA_R_32F, 4,
                 CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 2, 8, &one,
                              d, 4, 0, d + 32, 8, 0, &zero, d + 160, 4, 16, 2);
    float result;
    cublasAxpyEx(handle, 16, &one, CUDA_R_32F, d, CUDA_R_32F, 1, d + 32,
                 CUDA_R_32F, 1, CUDA_R_32F);
    cublasScalEx(handle, 16, &one, CUDA_R_32F, d, CUDA_R_32F, 1, CUDA_R_32F);
    cublasDotEx(handle, 16, d, CUDA_R_32F, 1, d + 32, CUDA_R_32F, 1, &result,
                CUDA_R_32F, CUDA_R_32F);
    cublasNrm2Ex(handle, 16, d, CUDA_R_32F, 1, &result, CUDA_R_32F, CUDA_R_32F);
    cublasSaxpy(handle, 16, &one, d, 1, d + 32, 1);
    cublasSscal(handle, 16, &one, d, 1);
    cublasSgemv(handle, CUBLAS_OP_N, 4, 2, &one, d, 8, d + 32, 1, &zero, d + 64,
                1);
    cublasSrot(handle, 16, d, 1, d + 32, 1, &one, &zero);
    return cudaStreamSynchronize(stream) != cudaSuccess;
}

int main(int argc, char **argv)
{
    RULE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "a handle is made");
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cublasSetStream(handle, stream);
    if (argc > 1 && strcmp(argv[1], "record") == 0)
        return record();
    strict = argc > 1 && strcmp(argv[1], "strict") == 0;
    check_products();
    check_narrow(CUDA_R_16F, &minifloat_half, "every fp16 number is read",
                 "products are rounded to fp16");
    check_narrow(CUDA_R_16BF, &minifloat_bfloat, "every bf16 number is read",
                 "products are rounded to bf16");
    check_roundings();
    check_vectors();
    check_errors();
    check_workspaces();
    check_math_modes();
    check_settings();
    check_transfers();
    RULE(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS, "it is destroyed");
    cudaStreamDestroy(stream);
    printf("digest %016llx\n", (unsigned long long)digest);
    return rule_status();
}
