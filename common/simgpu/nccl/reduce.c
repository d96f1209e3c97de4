#include "nccl/reduce.h"

#include <math.h>   /* ldexpf */
#include <stdint.h> /* int8_t .. */
#include <string.h> /* memcpy */
#if defined(__SSE2__)
#include <emmintrin.h> /* _mm_stream_si128 */
#endif

/* ---- narrow floats ------------------------------------------------------------- */

/*
 * A float format of 8 or 16 bits: exponent and mantissa bits. e4m3 has no
 * infinity (its largest exponent holds numbers, all ones is NaN).
 */
struct narrow {
    int exponent_bits, mantissa_bits, has_inf;
};
static const struct narrow fp16 = {5, 10, 1}, e4m3 = {4, 3, 0},
                           e5m2 = {5, 2, 1};

static inline uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static float widen(uint32_t v, struct narrow f)
{
    const int m = f.mantissa_bits, e = f.exponent_bits;
    const uint32_t sign = v >> (e + m) << 31;
    const uint32_t exponent = v >> m & ((1u << e) - 1);
    const uint32_t mantissa = v & ((1u << m) - 1);
    const int bias = (1 << (e - 1)) - 1;
    float x;
    if (exponent == (1u << e) - 1 && (f.has_inf || mantissa == (1u << m) - 1))
        x = float_of(f.has_inf && mantissa == 0 ? 0x7f800000u : 0x7fc00000u);
    else if (exponent == 0)
        x = ldexpf((float)mantissa, 1 - bias - m);
    else
        x = ldexpf((float)(mantissa | 1u << m), (int)exponent - bias - m);
    return float_of(bits_of(x) | sign);
}

/* To nearest, ties to even; too large becomes infinity, or e4m3's largest. */
static uint32_t round_to(float x, struct narrow f)
{
    const int m = f.mantissa_bits, e = f.exponent_bits;
    const uint32_t sign = bits_of(x) >> 31 << (e + m);
    const int bias = (1 << (e - 1)) - 1;
    const uint32_t ones = (1u << (e + m)) - 1; // all but the sign
    const uint32_t inf = f.has_inf ? ((1u << e) - 1) << m : ones - 1;
    x = fabsf(x);
    if (x != x)
        return sign | (f.has_inf ? inf | 1u << (m - 1) : ones);
    if (x == 0)
        return sign;
    int exponent;
    frexpf(x, &exponent); // x in [2^(exponent-1), 2^exponent)
    int scale = exponent - 1;
    if (scale < 1 - bias)
        scale = 1 - bias; // a subnormal number
    const float quantum = ldexpf(1.0f, scale - m);
    const float steps = rintf(x / quantum); // exact: a power of two
    if (x > 3.0e38f && f.exponent_bits < 8)
        return sign | inf;
    // Carrying into the exponent is what adding does.
    const double v = (double)steps + ((double)(scale + bias - 1) * (1 << m));
    return sign | (v >= (double)inf ? inf : (uint32_t)v);
}

#define NARROW(name, storage, format)                                          \
    static inline float name##_widen(storage v)                                \
    {                                                                          \
        return widen(v, format);                                               \
    }                                                                          \
    static inline storage name##_round(float x)                                \
    {                                                                          \
        return (storage)round_to(x, format);                                   \
    }
NARROW(half, uint16_t, fp16)
NARROW(fp8e4m3, uint8_t, e4m3)
NARROW(fp8e5m2, uint8_t, e5m2)

/* bf16 is the upper half of a float: short enough to be vectorised. */
static inline float bfloat_widen(uint16_t v)
{
    return float_of((uint32_t)v << 16);
}

static inline uint16_t bfloat_round(float x)
{
    const uint32_t u = bits_of(x);
    const uint32_t nan = (u & 0x7fffffffu) > 0x7f800000u;
    return (uint16_t)(nan ? u >> 16 | 0x40
                          : (u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* ---- loops ------------------------------------------------------------------------ */

/* Wider vectors where the processor has them: the same results, to the bit,
 * since nothing is contracted. */
#if defined(__x86_64__)
#define WIDEST __attribute__((target_clones("avx2", "default")))
#else
#define WIDEST
#endif

/* out may be the same array as x: no element depends on another. clang has no
 * such hint without a promise that it then can't keep for narrow floats. */
#if defined(__clang__)
#define INDEPENDENT
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

/* For each type: combine() by operation, scale(). */
#define LOOP(expression)                                                       \
    INDEPENDENT for (size_t i = 0; i < n; i++)                                 \
    {                                                                          \
        const compute a = WIDEN(x[i]), b = WIDEN(y[i]);                        \
        out[i] = ROUND(expression);                                            \
    }                                                                          \
    break

#define DEFINE(name, storage, compute_type)                                    \
    WIDEST static void name##_combine(storage *out, const storage *x,          \
                                      const storage *y, size_t n,              \
                                      ncclRedOp_t op)                          \
    {                                                                          \
        typedef compute_type compute;                                          \
        switch (op) {                                                          \
        case ncclSum: LOOP(a + b);                                             \
        case ncclProd: LOOP(a *b);                                             \
        case ncclMax: LOOP(a < b ? b : a);                                     \
        case ncclMin: LOOP(b < a ? b : a);                                     \
        default: break;                                                        \
        }                                                                      \
    }                                                                          \
    static void name##_scale(storage *out, const storage *x, size_t n,         \
                             double scale)                                     \
    {                                                                          \
        typedef compute_type compute;                                          \
        const compute s = WIDEN(ROUND((compute)scale));                        \
        for (size_t i = 0; i < n; i++)                                         \
            out[i] = ROUND((compute)(WIDEN(x[i]) * s));                        \
    }

#define WIDEN(x) (x)
#define ROUND(x) (x)
DEFINE(i8, int8_t, int8_t)
DEFINE(u8, uint8_t, uint8_t)
DEFINE(i32, int32_t, uint32_t) /* wraps; max and min below */
DEFINE(u32, uint32_t, uint32_t)
DEFINE(i64, int64_t, uint64_t)
DEFINE(u64, uint64_t, uint64_t)
DEFINE(f32, float, float)
DEFINE(f64, double, double)
#undef WIDEN
#undef ROUND
#define WIDEN(x) half_widen(x)
#define ROUND(x) half_round(x)
DEFINE(f16, uint16_t, float)
#undef WIDEN
#undef ROUND
#define WIDEN(x) bfloat_widen(x)
#define ROUND(x) bfloat_round(x)
DEFINE(b16, uint16_t, float)
#undef WIDEN
#undef ROUND
#define WIDEN(x) fp8e4m3_widen(x)
#define ROUND(x) fp8e4m3_round(x)
DEFINE(e43, uint8_t, float)
#undef WIDEN
#undef ROUND
#define WIDEN(x) fp8e5m2_widen(x)
#define ROUND(x) fp8e5m2_round(x)
DEFINE(e52, uint8_t, float)

/* Signed max and min, which the wrapping arithmetic above would get wrong. */
#define SIGNED_EXTREME(name, type)                                             \
    static void name##_extreme(type *out, const type *x, const type *y,        \
                               size_t n, ncclRedOp_t op)                       \
    {                                                                          \
        INDEPENDENT for (size_t i = 0; i < n; i++) out[i] =                    \
            (op == ncclMax) == (x[i] < y[i]) ? y[i] : x[i];                    \
    }
SIGNED_EXTREME(i32, int32_t)
SIGNED_EXTREME(i64, int64_t)

/* ---- by type ------------------------------------------------------------------------ */

size_t reduce_type_size(ncclDataType_t type)
{
    static const size_t size[ncclNumTypes] = {1, 1, 4, 4, 8, 8,
                                              2, 4, 8, 2, 1, 1};
    return (unsigned)type < ncclNumTypes ? size[type] : 0;
}

void reduce_combine(void *out, const void *a, const void *b, size_t count,
                    ncclDataType_t type, ncclRedOp_t op)
{
    const int extreme = op == ncclMax || op == ncclMin;
    switch (type) {
    case ncclInt8: i8_combine(out, a, b, count, op); break;
    case ncclUint8: u8_combine(out, a, b, count, op); break;
    case ncclInt32:
        extreme ? i32_extreme(out, a, b, count, op)
                : i32_combine(out, a, b, count, op);
        break;
    case ncclUint32: u32_combine(out, a, b, count, op); break;
    case ncclInt64:
        extreme ? i64_extreme(out, a, b, count, op)
                : i64_combine(out, a, b, count, op);
        break;
    case ncclUint64: u64_combine(out, a, b, count, op); break;
    case ncclFloat16: f16_combine(out, a, b, count, op); break;
    case ncclFloat32: f32_combine(out, a, b, count, op); break;
    case ncclFloat64: f64_combine(out, a, b, count, op); break;
    case ncclBfloat16: b16_combine(out, a, b, count, op); break;
    case ncclFloat8e4m3: e43_combine(out, a, b, count, op); break;
    case ncclFloat8e5m2: e52_combine(out, a, b, count, op); break;
    default: break;
    }
}

void reduce_scale(void *out, const void *in, size_t count, ncclDataType_t type,
                  double scale)
{
    switch (type) {
    case ncclInt8: i8_scale(out, in, count, scale); break;
    case ncclUint8: u8_scale(out, in, count, scale); break;
    case ncclInt32: i32_scale(out, in, count, scale); break;
    case ncclUint32: u32_scale(out, in, count, scale); break;
    case ncclInt64: i64_scale(out, in, count, scale); break;
    case ncclUint64: u64_scale(out, in, count, scale); break;
    case ncclFloat16: f16_scale(out, in, count, scale); break;
    case ncclFloat32: f32_scale(out, in, count, scale); break;
    case ncclFloat64: f64_scale(out, in, count, scale); break;
    case ncclBfloat16: b16_scale(out, in, count, scale); break;
    case ncclFloat8e4m3: e43_scale(out, in, count, scale); break;
    case ncclFloat8e5m2: e52_scale(out, in, count, scale); break;
    default: break;
    }
}

#define DIVIDE(type)                                                           \
    for (size_t i = 0; i < count; i++)                                         \
        ((type *)acc)[i] /= (type)n;                                           \
    break

void reduce_divide(void *acc, size_t count, ncclDataType_t type, int n)
{
    switch (type) {
    case ncclInt8: DIVIDE(int8_t);
    case ncclUint8: DIVIDE(uint8_t);
    case ncclInt32: DIVIDE(int32_t);
    case ncclUint32: DIVIDE(uint32_t);
    case ncclInt64: DIVIDE(int64_t);
    case ncclUint64: DIVIDE(uint64_t);
    default: break; // floats were scaled beforehand
    }
}

#if defined(__SSE2__)
/* Whole cache lines, `from` aligned. A store into the cache would first read the
 * line that it overwrites: a third of all traffic of an all-reduce. */
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

double reduce_value(const void *p, ncclDataType_t type)
{
    switch (type) {
    case ncclInt8: return *(const int8_t *)p;
    case ncclUint8: return *(const uint8_t *)p;
    case ncclInt32: return *(const int32_t *)p;
    case ncclUint32: return *(const uint32_t *)p;
    case ncclInt64: return (double)*(const int64_t *)p;
    case ncclUint64: return (double)*(const uint64_t *)p;
    case ncclFloat16: return half_widen(*(const uint16_t *)p);
    case ncclFloat32: return *(const float *)p;
    case ncclFloat64: return *(const double *)p;
    case ncclBfloat16: return bfloat_widen(*(const uint16_t *)p);
    case ncclFloat8e4m3: return fp8e4m3_widen(*(const uint8_t *)p);
    case ncclFloat8e5m2: return fp8e5m2_widen(*(const uint8_t *)p);
    default: return 0;
    }
}
