#include "nccl/reduce.h"

#include <stdint.h> /* int8_t .. */
#include <string.h> /* memcpy */
#if defined(__SSE2__)
#include <emmintrin.h> /* _mm_stream_si128 */
#endif

#include "base/narrow.h"
#include "base/widest.h"

/* out may be the same array as an input: elements are independent. clang's hint
 * would also promise vectorisation, which clang cannot deliver for narrow
 * floats. */
#if defined(__clang__)
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* ---- C's types ----------------------------------------------------------- */

typedef void combiner(void *out, const void *a, const void *b, size_t n);
typedef void scaler(void *out, const void *in, size_t n, double factor);
typedef void divider(void *acc, size_t n, int by);

/* Define a function of n elements that computes element i of the result from x
 * and y, or from x and s. */
#define COMBINE(name, type, expression)                                        \
    WIDEST static void name(void *out, const void *a, const void *b, size_t n) \
    {                                                                          \
        type *const to = out;                                                  \
        const type *const xs = a, *const ys = b;                               \
        INDEPENDENT for (size_t i = 0; i < n; i++)                             \
        {                                                                      \
            const type x = xs[i], y = ys[i];                                   \
            to[i] = (type)(expression);                                        \
        }                                                                      \
    }
#define SCALE(name, type, factor_as)                                           \
    static void name(void *out, const void *in, size_t n, double factor)       \
    {                                                                          \
        type *const to = out;                                                  \
        const type *const x = in, s = (type)factor_as(factor);                 \
        for (size_t i = 0; i < n; i++)                                         \
            to[i] = (type)(x[i] * s);                                          \
    }
#define DIVIDE(name, type)                                                     \
    static void name(void *acc, size_t n, int by)                              \
    {                                                                          \
        type *const x = acc;                                                   \
        for (size_t i = 0; i < n; i++)                                         \
            x[i] = (type)(x[i] / by);                                          \
    }

/* If one operand is a NaN, the result is the other one, in any order. */
#define LARGER(x, y)  (((x) < (y)) | ((x) != (x)) ? (y) : (x))
#define SMALLER(x, y) (((y) < (x)) | ((x) != (x)) ? (y) : (x))

/* Integer sums and products wrap around, signed or not. */
COMBINE(sum_8, uint8_t, x + y)
COMBINE(sum_32, uint32_t, x + y)
COMBINE(sum_64, uint64_t, x + y)
COMBINE(sum_f32, float, x + y)
COMBINE(sum_f64, double, x + y)
COMBINE(prod_8, uint8_t, x *y)
COMBINE(prod_32, uint32_t, x *y)
COMBINE(prod_64, uint64_t, x *y)
COMBINE(prod_f32, float, x *y)
COMBINE(prod_f64, double, x *y)

COMBINE(max_i8, int8_t, x < y ? y : x)
COMBINE(max_u8, uint8_t, x < y ? y : x)
COMBINE(max_i32, int32_t, x < y ? y : x)
COMBINE(max_u32, uint32_t, x < y ? y : x)
COMBINE(max_i64, int64_t, x < y ? y : x)
COMBINE(max_u64, uint64_t, x < y ? y : x)
COMBINE(max_f32, float, LARGER(x, y))
COMBINE(max_f64, double, LARGER(x, y))
COMBINE(min_i8, int8_t, y < x ? y : x)
COMBINE(min_u8, uint8_t, y < x ? y : x)
COMBINE(min_i32, int32_t, y < x ? y : x)
COMBINE(min_u32, uint32_t, y < x ? y : x)
COMBINE(min_i64, int64_t, y < x ? y : x)
COMBINE(min_u64, uint64_t, y < x ? y : x)
COMBINE(min_f32, float, SMALLER(x, y))
COMBINE(min_f64, double, SMALLER(x, y))

static uint64_t integer(double x)
{
    return x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
}
SCALE(scale_8, uint8_t, integer)
SCALE(scale_32, uint32_t, integer)
SCALE(scale_64, uint64_t, integer)
SCALE(scale_f32, float, )
SCALE(scale_f64, double, )

DIVIDE(divide_i8, int8_t)
DIVIDE(divide_u8, uint8_t)
DIVIDE(divide_i32, int32_t)
DIVIDE(divide_u32, uint32_t)
DIVIDE(divide_i64, int64_t)
DIVIDE(divide_u64, uint64_t)

/* ---- narrow floats ------------------------------------------------------- */

/* Narrow floats are widened to float, combined and rounded, a chunk at a
 * time. */
enum { CHUNK = 512 };

typedef void widener(float *out, const void *in, size_t n);
typedef void rounder(void *out, const float *in, size_t n);

/* A sum that overflows an fp8 type becomes the type's largest number, as in the
 * conversion on GPUs. */
static inline float saturate(float x, float most)
{
    const uint32_t u = narrow_bits_of(x), size = u & 0x7fffffffu;
    const uint32_t largest = narrow_bits_of(most);
    const int too_large = (size > largest) & (size <= 0x7f800000u);
    return narrow_float_of(narrow_select(too_large, u ^ size ^ largest, u));
}
static inline float in_e4m3(float x)
{
    return saturate(x, 448);
}
static inline float in_e5m2(float x)
{
    return saturate(x, 57344);
}

#define NARROW(name, storage, type, limit)                                     \
    WIDEST static void widen_##name(float *out, const void *in, size_t n)      \
    {                                                                          \
        const storage *const x = in;                                           \
        for (size_t i = 0; i < n; i++)                                         \
            out[i] = narrow_to_float(x[i], type);                              \
    }                                                                          \
    WIDEST static void round_##name(void *out, const float *in, size_t n)      \
    {                                                                          \
        storage *const to = out;                                               \
        for (size_t i = 0; i < n; i++)                                         \
            to[i] = (storage)narrow_from_float(limit(in[i]), type);            \
    }
NARROW(fp16, uint16_t, NARROW_FP16, )
NARROW(bf16, uint16_t, NARROW_BF16, )
NARROW(e4m3, uint8_t, NARROW_E4M3, in_e4m3)
NARROW(e5m2, uint8_t, NARROW_E5M2, in_e5m2)

/* ---- tables by type ------------------------------------------------------ */

#define OF_FLOAT {sum_f32, prod_f32, max_f32, min_f32}, scale_f32, NULL

// clang-format off
static const struct arithmetic {
    size_t nbytes;
    combiner *combine[4]; /* indexed by ncclRedOp_t */
    scaler *scale;
    divider *divide;      /* integers only */
    widener *widen;       /* narrow floats only; the rest is then float's */
    rounder *round;
} types[ncclNumTypes] = {
    [ncclInt8] = {1, {sum_8, prod_8, max_i8, min_i8},
                  scale_8, divide_i8, NULL, NULL},
    [ncclUint8] = {1, {sum_8, prod_8, max_u8, min_u8},
                   scale_8, divide_u8, NULL, NULL},
    [ncclInt32] = {4, {sum_32, prod_32, max_i32, min_i32},
                   scale_32, divide_i32, NULL, NULL},
    [ncclUint32] = {4, {sum_32, prod_32, max_u32, min_u32},
                    scale_32, divide_u32, NULL, NULL},
    [ncclInt64] = {8, {sum_64, prod_64, max_i64, min_i64},
                   scale_64, divide_i64, NULL, NULL},
    [ncclUint64] = {8, {sum_64, prod_64, max_u64, min_u64},
                    scale_64, divide_u64, NULL, NULL},
    [ncclFloat32] = {4, OF_FLOAT, NULL, NULL},
    [ncclFloat64] = {8, {sum_f64, prod_f64, max_f64, min_f64},
                     scale_f64, NULL, NULL, NULL},
    [ncclFloat16] = {2, OF_FLOAT, widen_fp16, round_fp16},
    [ncclBfloat16] = {2, OF_FLOAT, widen_bf16, round_bf16},
    [ncclFloat8e4m3] = {1, OF_FLOAT, widen_e4m3, round_e4m3},
    [ncclFloat8e5m2] = {1, OF_FLOAT, widen_e5m2, round_e5m2},
};
// clang-format on

size_t reduce_type_size(ncclDataType_t type)
{
    return (unsigned)type < ncclNumTypes ? types[type].nbytes : 0;
}

void reduce_combine(void *out, const void *a, const void *b, size_t count,
                    ncclDataType_t type, ncclRedOp_t op)
{
    const struct arithmetic *const t = &types[type];
    float x[CHUNK], y[CHUNK];
    if (!t->widen) {
        t->combine[op](out, a, b, count);
        return;
    }
    for (size_t i = 0; i < count; i += CHUNK) {
        const size_t n = count - i < CHUNK ? count - i : CHUNK;
        t->widen(x, (const char *)a + i * t->nbytes, n);
        t->widen(y, (const char *)b + i * t->nbytes, n);
        t->combine[op](x, x, y, n);
        t->round((char *)out + i * t->nbytes, x, n);
    }
}

void reduce_scale(void *out, const void *in, size_t count, ncclDataType_t type,
                  double factor)
{
    const struct arithmetic *const t = &types[type];
    float x[CHUNK], wide = (float)factor;
    uint16_t bits;
    if (!t->widen) {
        t->scale(out, in, count, factor);
        return;
    }
    t->round(&bits, &wide, 1);
    t->widen(&wide, &bits, 1);
    for (size_t i = 0; i < count; i += CHUNK) {
        const size_t n = count - i < CHUNK ? count - i : CHUNK;
        t->widen(x, (const char *)in + i * t->nbytes, n);
        t->scale(x, x, n, wide);
        t->round((char *)out + i * t->nbytes, x, n);
    }
}

void reduce_divide(void *acc, size_t count, ncclDataType_t type, int n)
{
    if (types[type].divide) // floats were scaled before the sum
        types[type].divide(acc, count, n);
}

double reduce_value(const void *p, ncclDataType_t type)
{
    float wide;
    switch (type) {
    case ncclInt8: return *(const int8_t *)p;
    case ncclUint8: return *(const uint8_t *)p;
    case ncclInt32: return *(const int32_t *)p;
    case ncclUint32: return *(const uint32_t *)p;
    case ncclInt64: return (double)*(const int64_t *)p;
    case ncclUint64: return (double)*(const uint64_t *)p;
    case ncclFloat32: return *(const float *)p;
    case ncclFloat64: return *(const double *)p;
    default: types[type].widen(&wide, p, 1); return wide;
    }
}

/* ---- storing ------------------------------------------------------------- */

#if defined(__SSE2__)
/* Store whole cache lines; `from` is aligned. A store into the cache would
 * first read the line that it overwrites, which is a third of the memory
 * traffic of an all-reduce. */
static void store_lines(char *to, const char *from, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i += 64) {
        const __m128i *const in = (const __m128i *)(from + i);
        __m128i *const out = (__m128i *)(to + i);
        const __m128i a = _mm_load_si128(in), b = _mm_load_si128(in + 1);
        const __m128i c = _mm_load_si128(in + 2), d = _mm_load_si128(in + 3);
        _mm_stream_si128(out, a);
        _mm_stream_si128(out + 1, b);
        _mm_stream_si128(out + 2, c);
        _mm_stream_si128(out + 3, d);
    }
    _mm_sfence();
}
#else
static void store_lines(char *to, const char *from, size_t nbytes)
{
    memcpy(to, from, nbytes);
}
#endif

void reduce_store(void *to, const void *from, size_t nbytes)
{
    const size_t aligned =
        ((uintptr_t)to | (uintptr_t)from) % 16 ? 0 : nbytes & ~(size_t)63;
    store_lines(to, from, aligned);
    memcpy((char *)to + aligned, (const char *)from + aligned,
           nbytes - aligned);
}
