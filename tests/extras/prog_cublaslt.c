/* links: -lcublasLt
 * prog_cublaslt.c: cublasLt's products and epilogues, against plain loops
 */
#include <cublasLt.h>
#include <cuda_runtime.h>
#include <math.h>
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

enum { M = 9, N = 5, K = 7, BATCH = 2, LD = 16, ROOM = LD * 16, AUX = 128 };

static float a[BATCH * ROOM], b[BATCH * ROOM], c[BATCH * ROOM], d[BATCH * ROOM],
    bias[BATCH * M], aux[BATCH * AUX * N];
static cublasLtHandle_t handle;
static int strict;       /* also pass what CUDA crashes with */
static double tolerance; /* of what is being compared */

struct run { /* one product */
    cublasLtEpilogue_t epilogue;
    int ta, tb, rows; /* rows: matrices lie in rows */
    float alpha, beta;
};

static size_t at(const struct run *r, int row, int col)
{
    return (size_t)(r->rows ? row * LD + col : col * LD + row);
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

static double gelu_slope(double x)
{
    return (gelu(x + 1e-4) - gelu(x - 1e-4)) / 2e-4;
}

static void *upload(const void *p, size_t nbytes)
{
    void *q;
    MUST(cudaMalloc(&q, nbytes));
    MUST(cudaMemcpy(q, p, nbytes, cudaMemcpyHostToDevice));
    return q;
}

static cublasLtMatrixLayout_t layout(const struct run *r, int rows, int cols)
{
    cublasLtMatrixLayout_t l;
    const int32_t order = r->rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    const int32_t batch = BATCH;
    const int64_t stride = ROOM;
    MUST(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, (uint64_t)rows,
                                    (uint64_t)cols, LD));
    MUST(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER,
                                          &order, sizeof order));
    MUST(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                          &batch, sizeof batch));
    MUST(cublasLtMatrixLayoutSetAttribute(
        l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
        sizeof stride));
    return l;
}

#define SET(desc, name, value)                                                 \
    MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_##name,     \
                                        &(value), sizeof(value)))

/* A D in rows has no bias and nothing auxiliary. A gradient of A needs an A
 * that is not transposed, and one of B a B that is. */
static int can_run(const struct run *r)
{
    if (r->epilogue == CUBLASLT_EPILOGUE_BGRADA && r->ta)
        return 0;
    if (r->epilogue == CUBLASLT_EPILOGUE_BGRADB && !r->tb)
        return 0;
    return !r->rows || !(r->epilogue & (4 | 16 | 128 | 256 | 512));
}

/* A gradient needs workspace, which a preference has to allow. */
static void *workspace_of(const struct run *r, cublasLtMatmulPreference_t pref,
                          size_t *nbytes)
{
    void *p = NULL;
    *nbytes = r->epilogue & 16 ? 1 << 16 : 0;
    MUST(cublasLtMatmulPreferenceSetAttribute(
        pref, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, nbytes,
        sizeof *nbytes));
    if (*nbytes > 0)
        MUST(cudaMalloc(&p, *nbytes));
    return p;
}

static cublasLtMatmulDesc_t describe(const struct run *r, void *bias_at,
                                     void *aux_at)
{
    cublasLtMatmulDesc_t desc;
    const int32_t ta = r->ta ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int32_t tb = r->tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    const uint32_t epilogue = r->epilogue;
    const int64_t aux_ld = AUX, aux_stride = AUX * N, bias_stride = M;
    MUST(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    SET(desc, TRANSA, ta);
    SET(desc, TRANSB, tb);
    SET(desc, EPILOGUE, epilogue);
    if (epilogue & (4 | 16 | 256 | 512)) { // is refused otherwise
        SET(desc, BIAS_POINTER, bias_at);
        SET(desc, BIAS_BATCH_STRIDE, bias_stride);
    }
    if (epilogue & 128) {
        SET(desc, EPILOGUE_AUX_POINTER, aux_at);
        SET(desc, EPILOGUE_AUX_LD, aux_ld);
        SET(desc, EPILOGUE_AUX_BATCH_STRIDE, aux_stride);
    }
    return desc;
}

/* Fill d, aux and bias by cublasLt; 0 if it cannot. */
static int multiply(const struct run *r)
{
    cublasLtMatmulPreference_t pref;
    cublasLtMatmulHeuristicResult_t found;
    size_t nbytes;
    int n = 0;
    void *p[] = {upload(a, sizeof a),       upload(b, sizeof b),
                 upload(c, sizeof c),       upload(d, sizeof d),
                 upload(bias, sizeof bias), upload(aux, sizeof aux)};
    cublasLtMatrixLayout_t l[] = {layout(r, r->ta ? K : M, r->ta ? M : K),
                                  layout(r, r->tb ? N : K, r->tb ? K : N),
                                  layout(r, M, N), layout(r, M, N)};
    const cublasLtMatmulDesc_t desc = describe(r, p[4], p[5]);
    MUST(cublasLtMatmulPreferenceCreate(&pref));
    void *const room = workspace_of(r, pref, &nbytes);
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle, desc, l[0], l[1], l[2], l[3], pref, 1, &found, &n);
    if (status == CUBLAS_STATUS_SUCCESS)
        MUST(cublasLtMatmul(handle, desc, &r->alpha, p[0], l[0], p[1], l[1],
                            &r->beta, p[2], l[2], p[3], l[3], &found.algo, room,
                            nbytes, NULL));
    else if (status != CUBLAS_STATUS_NOT_SUPPORTED || n != 0)
        exit(1);
    MUST(cudaMemcpy(d, p[3], sizeof d, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(bias, p[4], sizeof bias, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(aux, p[5], sizeof aux, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 6; i++)
        MUST(cudaFree(p[i]));
    for (int i = 0; i < 4; i++)
        MUST(cublasLtMatrixLayoutDestroy(l[i]));
    MUST(cudaFree(room));
    MUST(cublasLtMatmulDescDestroy(desc));
    MUST(cublasLtMatmulPreferenceDestroy(pref));
    return status == CUBLAS_STATUS_SUCCESS;
}

static float in_a(const struct run *r, int i, int row, int k)
{
    return a[i * ROOM + (int)(r->ta ? at(r, k, row) : at(r, row, k))];
}

static float in_b(const struct run *r, int i, int k, int col)
{
    return b[i * ROOM + (int)(r->tb ? at(r, col, k) : at(r, k, col))];
}

static double before_epilogue(const struct run *r, int i, int row, int col)
{
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += (double)in_a(r, i, row, k) * (double)in_b(r, i, k, col);
    return (double)r->alpha * sum +
           (double)(r->beta * c[i * ROOM + (int)at(r, row, col)]);
}

static int wrong(const char *what, double got, double want)
{
    if (fabs(got - want) <= tolerance * (1 + fabs(want)))
        return 0;
    printf("%s: %g, not %g\n", what, got, want);
    return 1;
}

static int bit(const float *p, int i, int row, int col)
{
    const int n = i * AUX * N + col * AUX + row;
    return ((const unsigned char *)p)[n / 8] >> n % 8 & 1;
}

/* Product i with loops. The forward values of aux and bias: `aux0`, `bias0`. */
static int compare(const struct run *r, int i, const float *aux0,
                   const float *bias0)
{
    const unsigned e = r->epilogue;
    double sum[M] = {0};
    int bad = 0;
    for (int col = 0; col < N; col++)
        for (int row = 0; row < M; row++) {
            double v = before_epilogue(r, i, row, col);
            const int x = i * AUX * N + col * AUX + row;
            if (e & CUBLASLT_EPILOGUE_BIAS)
                v += (double)bias0[i * M + row];
            if (e == CUBLASLT_EPILOGUE_RELU_AUX_BIAS)
                bad += bit(aux, i, row, col) != (v > 0);
            if (e == CUBLASLT_EPILOGUE_GELU_AUX_BIAS)
                bad += wrong("aux", (double)aux[x], v);
            if (e & CUBLASLT_EPILOGUE_RELU)
                v = v > 0 ? v : 0;
            if (e & CUBLASLT_EPILOGUE_GELU)
                v = gelu(v);
            if ((e & 8) && !bit(aux0, i, row, col))
                v = 0;
            if (e & 64)
                v *= gelu_slope((double)aux0[x]);
            sum[row] += v;
            bad += wrong("D", (double)d[i * ROOM + (int)at(r, row, col)], v);
        }
    for (int row = 0; row < M && (e & 16); row++)
        bad += wrong("gradient", (double)bias[i * M + row], sum[row]);
    return bad;
}

/* The sums of op(A)'s rows, or of op(B)'s columns. */
static int compare_sums(const struct run *r, int i)
{
    const int of_a = r->epilogue == CUBLASLT_EPILOGUE_BGRADA;
    int bad = 0;
    for (int at = 0; at < (of_a ? M : N); at++) {
        double sum = 0;
        for (int k = 0; k < K; k++)
            sum += (double)(of_a ? in_a(r, i, at, k) : in_b(r, i, k, at));
        bad += wrong(of_a ? "gradient of A" : "gradient of B",
                     (double)bias[i * M + at], sum);
    }
    return bad;
}

static void randomise(float *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (float)(rand() % 2001 - 1000) / 1000;
}

static int try(const struct run *r)
{
    static float aux0[BATCH * AUX * N];
    float bias0[BATCH * M];
    int bad = 0;
    randomise(a, BATCH * ROOM);
    randomise(b, BATCH * ROOM);
    randomise(c, BATCH * ROOM);
    randomise(bias, BATCH * M);
    randomise(aux, BATCH * AUX * N);
    memcpy(aux0, aux, sizeof aux);
    memcpy(bias0, bias, sizeof bias);
    tolerance = r->epilogue & (32 | 64) ? 2e-3 : 1e-4; // GPUs approximate tanh
    const int ran = multiply(r);
    for (int i = 0; i < BATCH && ran; i++) {
        bad += compare(r, i, aux0, bias0);
        if (r->epilogue >= CUBLASLT_EPILOGUE_BGRADA)
            bad += compare_sums(r, i);
    }
    bad += ran != can_run(r);
    printf("%s epilogue %u ta %d tb %d rows %d%s\n", bad ? "FAIL" : "pass",
           (unsigned)r->epilogue, r->ta, r->tb, r->rows, ran ? "" : " refused");
    return bad;
}

static int try_all(void)
{
    static const cublasLtEpilogue_t epilogues[] = {
        CUBLASLT_EPILOGUE_DEFAULT,     CUBLASLT_EPILOGUE_RELU,
        CUBLASLT_EPILOGUE_BIAS,        CUBLASLT_EPILOGUE_RELU_BIAS,
        CUBLASLT_EPILOGUE_GELU,        CUBLASLT_EPILOGUE_GELU_BIAS,
        CUBLASLT_EPILOGUE_DRELU,       CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DGELU,       CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DRELU_BGRAD, CUBLASLT_EPILOGUE_DGELU_BGRAD,
        CUBLASLT_EPILOGUE_BGRADA,      CUBLASLT_EPILOGUE_BGRADB};
    int bad = 0;
    for (size_t e = 0; e < sizeof epilogues / sizeof *epilogues; e++)
        for (int how = 0; how < 8; how++)
            bad += try(&(struct run){epilogues[e], how & 1, how >> 1 & 1,
                                     how >> 2, 0.5f, how & 1 ? 0.25f : 0});
    return bad;
}

static cublasStatus_t run(cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t la,
                          cublasLtMatrixLayout_t lb, cublasLtMatrixLayout_t l)
{
    const float one = 1;
    return cublasLtMatmul(handle, desc, &one, a, la, b, lb, &one, c, l, d, l,
                          NULL, NULL, 0, NULL);
}

/* 1, and says so, if a call returned something else. */
static int differs(const char *what, int is, int expected)
{
    if (is != expected)
        printf("FAIL %s: %d, not %d\n", what, is, expected);
    return is != expected;
}

/* Operands that an epilogue lacks or does not use, and a missing workspace. */
static int refuse_epilogues(cublasLtMatrixLayout_t l)
{
    static const struct {
        uint32_t epilogue;
        int has_bias, has_aux;
        cublasStatus_t status;
    } cases[] = {
        {CUBLASLT_EPILOGUE_BIAS, 0, 0, CUBLAS_STATUS_INVALID_VALUE},
        {CUBLASLT_EPILOGUE_RELU, 1, 0, CUBLAS_STATUS_INVALID_VALUE},
        {CUBLASLT_EPILOGUE_RELU_AUX, 0, 0, CUBLAS_STATUS_NOT_SUPPORTED},
        {CUBLASLT_EPILOGUE_DRELU_BGRAD, 1, 1, CUBLAS_STATUS_NOT_SUPPORTED},
        {77, 0, 0, CUBLAS_STATUS_INVALID_VALUE},
    };
    const int64_t ld = AUX, stride = M, aux_stride = AUX * M;
    int bad = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *const p = bias, *const q = aux;
        cublasLtMatmulDesc_t desc;
        MUST(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
        SET(desc, EPILOGUE, cases[i].epilogue);
        if (cases[i].has_bias) {
            SET(desc, BIAS_POINTER, p);
            SET(desc, BIAS_BATCH_STRIDE, stride);
        }
        if (cases[i].has_aux) {
            SET(desc, EPILOGUE_AUX_POINTER, q);
            SET(desc, EPILOGUE_AUX_LD, ld);
            SET(desc, EPILOGUE_AUX_BATCH_STRIDE, aux_stride);
        }
        bad += differs("an epilogue without what it needs", run(desc, l, l, l),
                       cases[i].status);
        MUST(cublasLtMatmulDescDestroy(desc));
    }
    return bad;
}

/* What cannot be done is refused, before anything is read. */
static int refuse(void)
{
    const struct run r = {CUBLASLT_EPILOGUE_DEFAULT, 0, 0, 0, 1, 0};
    cublasLtMatrixLayout_t l = layout(&r, M, M), other = layout(&r, M, N);
    cublasLtMatmulDesc_t desc, wide;
    const int32_t order = 99;
    const uint32_t half = CUDA_R_16F;
    MUST(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    MUST(cublasLtMatmulDescCreate(&wide, CUBLAS_COMPUTE_32F, CUDA_R_64F));
    int bad =
        differs("shapes", run(desc, l, other, l), CUBLAS_STATUS_INVALID_VALUE);
    bad += differs("a wide scale", run(wide, l, l, l),
                   CUBLAS_STATUS_INVALID_VALUE);
    bad += refuse_epilogues(l);
    MUST(cublasLtMatrixLayoutDestroy(other));
    other = layout(&r, M, M);
    MUST(cublasLtMatrixLayoutSetAttribute(other, CUBLASLT_MATRIX_LAYOUT_TYPE,
                                          &half, sizeof half));
    bad += differs("one type of A", run(desc, other, l, l),
                   CUBLAS_STATUS_INVALID_VALUE);
    bad += differs("one type of C", run(desc, l, l, other),
                   CUBLAS_STATUS_NOT_SUPPORTED);
    MUST(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER,
                                          &order, sizeof order));
    bad += differs("an order", run(desc, l, l, l), CUBLAS_STATUS_NOT_SUPPORTED);
    MUST(cublasLtMatrixLayoutDestroy(l));
    MUST(cublasLtMatrixLayoutDestroy(other));
    MUST(cublasLtMatmulDescDestroy(desc));
    MUST(cublasLtMatmulDescDestroy(wide));
    return bad;
}

/* 0 if there is no algorithm for such a question, which lacks `what`. */
static int ask(const char *what, cublasLtMatmulDesc_t desc,
               cublasLtMatrixLayout_t l, cublasLtMatmulPreference_t pref,
               int most, cublasLtMatmulHeuristicResult_t *found, int *n)
{
    return differs(what,
                   cublasLtMatmulAlgoGetHeuristic(handle, desc, l, l, l, l,
                                                  pref, most, found, n),
                   CUBLAS_STATUS_INVALID_VALUE);
}

/* A matrix has at most as many rows and columns as an int can count. */
static int count_rows(void)
{
    const uint64_t rows[] = {INT32_MAX, INT32_MAX + UINT64_C(1)};
    cublasLtMatmulDesc_t desc;
    cublasLtMatmulPreference_t pref;
    cublasLtMatmulHeuristicResult_t found;
    cublasLtMatrixLayout_t one, l;
    cublasStatus_t status[2];
    int n;
    MUST(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    MUST(cublasLtMatmulPreferenceCreate(&pref));
    MUST(cublasLtMatrixLayoutCreate(&one, CUDA_R_32F, 1, 1, 1));
    for (int i = 0; i < 2; i++) {
        MUST(cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, rows[i], 1,
                                        (int64_t)rows[i]));
        status[i] = cublasLtMatmulAlgoGetHeuristic(handle, desc, l, one, l, l,
                                                   pref, 1, &found, &n);
        MUST(cublasLtMatrixLayoutDestroy(l));
    }
    const int unasked =
        ask("preference", desc, one, NULL, 1, &found, &n) +
        ask("room", desc, one, pref, 0, &found, &n) +
        (strict && ask("results", desc, one, pref, 1, NULL, &n)) +
        (strict && ask("count", desc, one, pref, 1, &found, NULL));
    MUST(cublasLtMatrixLayoutDestroy(one));
    MUST(cublasLtMatmulPreferenceDestroy(pref));
    MUST(cublasLtMatmulDescDestroy(desc));
    return unasked + differs("most rows", status[0], CUBLAS_STATUS_SUCCESS) +
           differs("more rows", status[1], CUBLAS_STATUS_NOT_SUPPORTED);
}

static uint64_t preferred(cublasLtMatmulPreference_t pref,
                          cublasLtMatmulPreferenceAttributes_t which,
                          size_t nbytes)
{
    uint64_t value = 0;
    MUST(cublasLtMatmulPreferenceGetAttribute(pref, which, &value, nbytes,
                                              NULL));
    return value;
}

/* Preferences that a program does not set. */
static int defaults(void)
{
    cublasLtMatmulPreference_t pref;
    MUST(cublasLtMatmulPreferenceCreate(&pref));
    int bad = differs(
        "workspace",
        (int)preferred(pref, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 8), 0);
    bad += differs(
        "reduction",
        (int)preferred(pref, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, 4),
        CUBLASLT_REDUCTION_SCHEME_MASK);
    for (int i = 0; i < 4; i++)
        bad += differs(
            "alignment",
            (int)preferred(
                pref,
                (cublasLtMatmulPreferenceAttributes_t)(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES +
                                                       i),
                4),
            256);
    MUST(cublasLtMatmulPreferenceDestroy(pref));
    return bad;
}

int main(int argc, char **argv)
{
    strict = argc > 1 && strcmp(argv[1], "strict") == 0;
    MUST(cublasLtCreate(&handle));
    int bad = try_all() + refuse() + count_rows() + defaults();
    MUST(cublasLtDestroy(handle));
    bad += differs("no handle", cublasLtDestroy(NULL),
                   CUBLAS_STATUS_INVALID_VALUE);
    return bad != 0;
}
