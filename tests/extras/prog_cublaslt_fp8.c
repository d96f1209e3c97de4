/* links: -lcublasLt
 * prog_cublaslt_fp8.c: cublasLt's products of fp8 matrices, against plain loops
 *
 *   prog_cublaslt_fp8           what is computed, and what is refused
 *   prog_cublaslt_fp8 time N    the time of products of N x N matrices
 *
 * Inputs are small multiples of 1/2, so that every sum is exact and D shows how
 * a result is scaled and rounded. A GPU without fp8 units refuses everything.
 */
#include <cublasLt.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
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
#define SET(desc, name, value)                                                 \
    MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_##name,     \
                                        &(value), sizeof(value)))

enum {
    E4 = CUDA_R_8F_E4M3,
    E5 = CUDA_R_8F_E5M2,
    BF = CUDA_R_16BF,
    FP16 = CUDA_R_16F,
    FP32 = CUDA_R_32F,
    ROOM = 1 << 16, /* bytes of each buffer */
    TEXT = 96
};

struct request {
    int a, b, c, d; /* types */
    int ta, tb, m, n, k, lda;
    uint32_t epilogue;
    float scale[4]; /* of A, B, C, D; 0: none */
    float alpha, beta;
    int compute, scale_type, bias_type, order;
    size_t offset; /* of A in its buffer, in bytes */
};

/* A product that a Hopper GPU can compute. */
static const struct request good = {.a = E4,
                                    .b = E4,
                                    .c = BF,
                                    .d = BF,
                                    .ta = 1,
                                    .m = 32,
                                    .n = 5,
                                    .k = 48,
                                    .lda = 64,
                                    .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                                    .alpha = 1,
                                    .compute = CUBLAS_COMPUTE_32F,
                                    .scale_type = CUDA_R_32F,
                                    .bias_type = -1};

static cublasLtHandle_t handle;
static cublasLtMatmulPreference_t preference;
static int cc; /* compute capability, times ten */
static unsigned char *on_device[5], on_host[5][ROOM]; /* A, B, C, D, bias */

static int bits_of(int type)
{
    return type == FP32 ? 32 : type == BF || type == FP16 ? 16 : 8;
}

/* ---- numbers ------------------------------------------------------------- */

static int mantissa_of(int type)
{
    return type == E4 ? 3 : type == E5 ? 2 : type == BF ? 7 : 10;
}

/* The value of a finite number of 8 or 16 bits. */
static double value_of(unsigned bits, int type)
{
    const int m = mantissa_of(type), e = bits_of(type) - 1 - m;
    const int exponent = (int)(bits >> m) & ((1 << e) - 1);
    const unsigned fraction = bits & ((1u << m) - 1);
    const int bias = (1 << (e - 1)) - 1;
    const double x = exponent ? ldexp((1 << m) | fraction, exponent - bias - m)
                              : ldexp(fraction, 1 - bias - m);
    return bits >> (e + m) & 1 ? -x : x;
}

static int is_finite(unsigned bits, int type)
{
    return type == E4 ? (bits & 0x7f) != 0x7f : (bits & 0x7c) != 0x7c;
}

/* Element i of a buffer. */
static double get(const unsigned char *p, size_t i, int type)
{
    float f;
    uint16_t half;
    if (bits_of(type) == 8)
        return value_of(p[i], type);
    if (bits_of(type) == 16) {
        memcpy(&half, p + 2 * i, 2);
        return value_of(half, type);
    }
    memcpy(&f, p + 4 * i, 4);
    return (double)f;
}

/* x, rounded to the nearest number of that type: of two, the even one. What is
 * too large for fp8 becomes its largest number. */
static double rounded(double x, int type)
{
    const int m = type == FP32 ? 23 : mantissa_of(type);
    const int least = type == E4 ? -6 : type == E5 || type == FP16 ? -14 : -126;
    const double most = type == E4 ? 448 : type == E5 ? 57344 : INFINITY;
    const int e = x < 0 || x > 0 ? ilogb(x) : least;
    const double step = ldexp(1, (e > least ? e : least) - m);
    return fmax(-most, fmin(most, step * rint(x / step)));
}

/* The bits of a number of 8 or 16 bits with this value. */
static unsigned encoded(double x, int type)
{
    unsigned bits = 0;
    while (value_of(bits, type) < x || value_of(bits, type) > x)
        bits++;
    return bits;
}

/* Fill a buffer with numbers from -2 to 2, in steps of 1/2. */
static void draw(unsigned char *p, int type)
{
    const size_t size = (size_t)bits_of(type) / 8;
    unsigned char number[9][sizeof(float)];
    for (int i = 0; i < 9; i++) {
        const float x = (float)(i - 4) / 2;
        const unsigned bits = type == FP32 ? 0 : encoded((double)x, type);
        memcpy(number[i], type == FP32 ? (const void *)&x : &bits, size);
    }
    for (size_t i = 0; i < ROOM / size; i++)
        memcpy(p + i * size, number[rand() % 9], size);
}

/* ---- a product ----------------------------------------------------------- */

static cublasLtMatrixLayout_t layout(const struct request *r, int type,
                                     int rows, int cols, int ld)
{
    cublasLtMatrixLayout_t l;
    const int32_t order = r->order;
    MUST(cublasLtMatrixLayoutCreate(&l, (cudaDataType)type, (uint64_t)rows,
                                    (uint64_t)cols, ld));
    MUST(cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER,
                                          &order, sizeof order));
    return l;
}

static cublasLtMatmulDesc_t describe(const struct request *r, float *scales)
{
    cublasLtMatmulDesc_t desc;
    const int32_t ta = r->ta ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int32_t tb = r->tb ? CUBLAS_OP_T : CUBLAS_OP_N;
    void *const bias = on_device[4];
    MUST(cublasLtMatmulDescCreate(&desc, (cublasComputeType_t)r->compute,
                                  (cudaDataType)r->scale_type));
    SET(desc, TRANSA, ta);
    SET(desc, TRANSB, tb);
    SET(desc, EPILOGUE, r->epilogue);
    SET(desc, BIAS_DATA_TYPE, r->bias_type);
    if (r->epilogue & CUBLASLT_EPILOGUE_BIAS)
        SET(desc, BIAS_POINTER, bias);
    for (int i = 0; i < 4; i++) {
        void *const at = scales + i;
        if (r->scale[i] > 0)
            MUST(cublasLtMatmulDescSetAttribute(
                desc,
                (cublasLtMatmulDescAttributes_t)(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER +
                                                 i),
                &at, sizeof at));
    }
    return desc;
}

/* Multiply on the device. The heuristic has to agree with the product, unless
 * an address is the reason to refuse it. */
static cublasStatus_t multiply(const struct request *r)
{
    cublasLtMatmulHeuristicResult_t found;
    float *scales;
    int n = 0;
    MUST(cudaMalloc((void **)&scales, sizeof r->scale));
    MUST(cudaMemcpy(scales, r->scale, sizeof r->scale, cudaMemcpyHostToDevice));
    const cublasLtMatmulDesc_t desc = describe(r, scales);
    cublasLtMatrixLayout_t l[] = {
        layout(r, r->a, r->ta ? r->k : r->m, r->ta ? r->m : r->k, r->lda),
        layout(r, r->b, r->tb ? r->n : r->k, r->tb ? r->k : r->n, 64),
        layout(r, r->c, r->m, r->n, 64), layout(r, r->d, r->m, r->n, 64)};
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle, desc, l[0], l[1], l[2], l[3], preference, 1, &found, &n);
    const cublasStatus_t did =
        cublasLtMatmul(handle, desc, &r->alpha, on_device[0] + r->offset, l[0],
                       on_device[1], l[1], &r->beta, on_device[2], l[2],
                       on_device[3], l[3], NULL, NULL, 0, NULL);
    MUST(cudaDeviceSynchronize());
    if (did != status && r->offset == 0)
        printf("FAIL the heuristic returns %d, the product %d\n", (int)status,
               (int)did);
    for (int i = 0; i < 4; i++)
        MUST(cublasLtMatrixLayoutDestroy(l[i]));
    MUST(cublasLtMatmulDescDestroy(desc));
    MUST(cudaFree(scales));
    return did != status && r->offset == 0 ? CUBLAS_STATUS_INTERNAL_ERROR : did;
}

static double scale(const struct request *r, int i)
{
    return r->scale[i] > 0 ? (double)r->scale[i] : 1;
}

/* Element (row, col) of D, by loops. */
static double expected(const struct request *r, int row, int col)
{
    const int bias = r->c == FP32 ? BF : r->c;
    double sum = 0;
    for (int k = 0; k < r->k; k++) {
        const int a = r->ta ? row * r->lda + k : k * r->lda + row;
        const int b = r->tb ? k * 64 + col : col * 64 + k;
        sum +=
            get(on_host[0], (size_t)a, r->a) * get(on_host[1], (size_t)b, r->b);
    }
    sum *= (double)r->alpha * scale(r, 0) * scale(r, 1);
    if (r->beta > 0)
        sum +=
            (double)r->beta * get(on_host[2], (size_t)(col * 64 + row), r->c);
    if (r->epilogue & CUBLASLT_EPILOGUE_BIAS)
        sum += get(on_host[4], (size_t)row, bias);
    if (r->epilogue & CUBLASLT_EPILOGUE_RELU)
        sum = sum > 0 ? sum : 0;
    return rounded(sum * scale(r, 3), r->d);
}

static int report(int bad, const char *name)
{
    printf("%s %s\n", bad ? "FAIL" : "pass", name);
    return bad != 0;
}

static void upload(void)
{
    for (int i = 0; i < 5; i++)
        MUST(
            cudaMemcpy(on_device[i], on_host[i], ROOM, cudaMemcpyHostToDevice));
}

static int can(void)
{
    return cc >= 89;
}

/* Compute a product of what is in the buffers, and compare it. */
static int compare(const struct request *r, const char *name)
{
    int bad = 0;
    upload();
    const cublasStatus_t status = multiply(r);
    if (!can())
        return report(status != CUBLAS_STATUS_NOT_SUPPORTED, name);
    MUST(cudaMemcpy(on_host[3], on_device[3], ROOM, cudaMemcpyDeviceToHost));
    for (int col = 0; col < r->n && status == CUBLAS_STATUS_SUCCESS; col++)
        for (int row = 0; row < r->m; row++) {
            const double got = get(on_host[3], (size_t)(col * 64 + row), r->d);
            const double want = expected(r, row, col);
            if (got < want || got > want)
                printf("D(%d, %d): %g, not %g\n", row, col, got, want);
            bad += got < want || got > want;
        }
    return report(bad || status != CUBLAS_STATUS_SUCCESS, name);
}

/* ---- what is computed ---------------------------------------------------- */

static int products(void)
{
    static const int types[][4] = {
        {E4, E4, BF, BF},     {E4, E4, FP16, FP16}, {E4, E4, FP32, FP32},
        {E4, E4, BF, E4},     {E4, E4, FP16, E4},   {E4, E5, BF, BF},
        {E4, E5, FP16, E5},   {E4, E5, BF, E4},     {E5, E4, FP16, FP16},
        {E5, E4, FP32, FP32}, {E5, E4, BF, E5}};
    static const uint32_t epilogues[] = {CUBLASLT_EPILOGUE_DEFAULT,
                                         CUBLASLT_EPILOGUE_BIAS,
                                         CUBLASLT_EPILOGUE_RELU_BIAS};
    char name[TEXT];
    int bad = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int e = 0; e < 3; e++) {
            struct request r = good;
            r.a = types[i][0], r.b = types[i][1];
            r.c = types[i][2], r.d = types[i][3];
            r.epilogue = epilogues[e];
            r.beta = e == 1 ? 0.5f : 0;
            r.scale[0] = e == 0 ? 0 : 0.25f;
            r.scale[1] = e == 2 ? 8 : 0;
            r.scale[3] = bits_of(r.d) == 8 && e == 2 ? 16 : 0;
            draw(on_host[0], r.a);
            draw(on_host[1], r.b);
            draw(on_host[2], r.c);
            draw(on_host[4], r.c == FP32 ? BF : r.c);
            snprintf(name, sizeof name, "types %d %d %d %d, epilogue %u", r.a,
                     r.b, r.c, r.d, (unsigned)r.epilogue);
            bad += compare(&r, name);
        }
    return bad;
}

/* All finite numbers of a type times 1, which lies on the diagonal of the other
 * matrix. */
static int every_number(int type, int in_b)
{
    struct request r = good;
    char name[TEXT];
    r.a = in_b ? E4 : type;
    r.b = in_b ? type : E4;
    r.c = r.d = FP32;
    r.m = r.n = r.k = 16;
    memset(on_host[0], 0, ROOM);
    memset(on_host[1], 0, ROOM);
    for (int i = 0; i < 16; i++)
        on_host[in_b ? 0 : 1][i * 64 + i] = 0x38; // 1 in e4m3
    for (unsigned bits = 0; bits < 256; bits++)
        if (is_finite(bits, type))
            on_host[in_b ? 1 : 0][bits / 16 * 64 + bits % 16] =
                (unsigned char)bits;
    snprintf(name, sizeof name, "every number of type %d as %c", type,
             in_b ? 'B' : 'A');
    return compare(&r, name);
}

/* ---- what is refused ----------------------------------------------------- */

static int refusal(const char *name, const struct request *r,
                   cublasStatus_t expect)
{
    const cublasStatus_t want = can() ? expect : CUBLAS_STATUS_NOT_SUPPORTED;
    const cublasStatus_t got = multiply(r);
    if (got != want)
        printf("status %d, not %d\n", (int)got, (int)want);
    return report(got != want, name);
}

#define REFUSED(name, status, ...)                                             \
    do {                                                                       \
        struct request r = good;                                               \
        __VA_ARGS__;                                                           \
        bad += refusal(name, &r, CUBLAS_STATUS_##status);                      \
    } while (0)

static int refuse(void)
{
    int bad = 0;
    REFUSED("none of that", SUCCESS, r.alpha = 1);
    REFUSED("e5m2 twice", NOT_SUPPORTED, r.a = r.b = E5);
    REFUSED("fp8 times bf16", NOT_SUPPORTED, r.b = BF);
    REFUSED("e5m2 of e4m3", NOT_SUPPORTED, r.d = E5);
    REFUSED("fp8 from an fp32 C", NOT_SUPPORTED, r.c = FP32; r.d = E4);
    REFUSED("an fp8 C", NOT_SUPPORTED, r.c = r.d = E4);
    REFUSED("C and D of two types", NOT_SUPPORTED, r.d = FP16);
    REFUSED("m of 24", NOT_SUPPORTED, r.m = 24);
    REFUSED("k of 40", NOT_SUPPORTED, r.k = 40);
    REFUSED("a leading dimension of 56", NOT_SUPPORTED, r.lda = 56);
    REFUSED("an address of 8", NOT_SUPPORTED, r.offset = 8);
    REFUSED("tf32 sums", NOT_SUPPORTED,
            r.compute = CUBLAS_COMPUTE_32F_FAST_TF32);
    REFUSED("a half alpha", NOT_SUPPORTED, r.scale_type = CUDA_R_16F);
    REFUSED("an fp32 bias", NOT_SUPPORTED, r.epilogue = CUBLASLT_EPILOGUE_BIAS;
            r.bias_type = FP32);
    REFUSED("a scale of a bf16 C", INVALID_VALUE, r.scale[2] = 2);
    REFUSED("a scale of a bf16 D", INVALID_VALUE, r.scale[3] = 2);
    return bad;
}

/* Only Blackwell's data center GPUs multiply in any format. */
static int formats(void)
{
    char name[] = "format NN";
    const int any = cc >= 100 && cc < 120;
    int bad = 0;
    for (int i = 0; i < 4; i++) {
        struct request r = good;
        r.ta = i & 1;
        r.tb = i >> 1;
        r.n = 16;
        name[7] = r.ta ? 'T' : 'N';
        name[8] = r.tb ? 'T' : 'N';
        draw(on_host[0], r.a);
        draw(on_host[1], r.b);
        bad += any || i == 1 ? compare(&r, name)
                             : refusal(name, &r, CUBLAS_STATUS_NOT_SUPPORTED);
    }
    return bad;
}

/* A scale belongs to fp8 matrices alone. */
static int scale_of_others(void)
{
    struct request r = good;
    r.a = r.b = BF;
    r.scale[0] = 2;
    return report(multiply(&r) != CUBLAS_STATUS_INVALID_VALUE,
                  "a scale of bf16 matrices");
}

/* ---- how long it takes --------------------------------------------------- */

static void time_of(const char *name, int type, int n)
{
    struct request r = good;
    cudaEvent_t begin, end;
    float ms;
    void *p[3];
    cublasLtMatrixLayout_t l[3];
    const int types[] = {type, type, BF};
    for (int i = 0; i < 3; i++) {
        MUST(cudaMalloc(&p[i], (size_t)n * (size_t)n * 2));
        l[i] = layout(&r, types[i], n, n, n);
    }
    const cublasLtMatmulDesc_t desc = describe(&r, NULL);
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    for (int i = 0; i < 2; i++) { // the first hides the host's time
        MUST(cudaEventRecord(begin, NULL));
        MUST(cublasLtMatmul(handle, desc, &r.alpha, p[0], l[0], p[1], l[1],
                            &r.beta, p[2], l[2], p[2], l[2], NULL, NULL, 0,
                            NULL));
    }
    MUST(cudaEventRecord(end, NULL));
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&ms, begin, end));
    printf("%s: %.6f ms\n", name, (double)ms);
    for (int i = 0; i < 3; i++) {
        MUST(cudaFree(p[i]));
        MUST(cublasLtMatrixLayoutDestroy(l[i]));
    }
    MUST(cublasLtMatmulDescDestroy(desc));
}

int main(int argc, char **argv)
{
    int bad = 0, major, minor;
    MUST(cublasLtCreate(&handle));
    MUST(cublasLtMatmulPreferenceCreate(&preference));
    MUST(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    MUST(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    cc = 10 * major + minor;
    if (argc > 2 && strcmp(argv[1], "time") == 0) {
        time_of("bf16", BF, atoi(argv[2]));
        time_of("fp8", E4, atoi(argv[2]));
        return 0;
    }
    for (int i = 0; i < 5; i++)
        MUST(cudaMalloc((void **)&on_device[i], ROOM));
    bad += products() + refuse() + formats() + scale_of_others();
    for (int i = 0; i < 4; i++)
        bad += every_number(i & 1 ? E5 : E4, i >> 1);
    for (int i = 0; i < 5; i++)
        MUST(cudaFree(on_device[i]));
    MUST(cublasLtMatmulPreferenceDestroy(preference));
    MUST(cublasLtDestroy(handle));
    return bad != 0;
}
