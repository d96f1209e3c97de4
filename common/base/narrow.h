/*
 * narrow.h: floating-point types that C doesn't have
 *
 * A type is a sign, e exponent bits and m mantissa bits:
 *
 *     type       e  m  largest   above it
 *     fp16       5 10  65504     infinity
 *     bf16       8  7  3.39e38   infinity
 *     fp8 e4m3   4  3  448       NaN: it has no infinity
 *     fp8 e5m2   5  2  57344     infinity
 *     tf32       8 10            a float whose last 13 mantissa bits are 0
 *
 * Every value of these types is exact as a double and as a float.
 * narrow_encode() rounds a double, in any direction, so an operation computed
 * in double and rounded gives the result of a GPU's operation.
 * narrow_from_float() and narrow_to_float() convert floats without branches, so
 * loops over arrays vectorise. For C, C++ and device code: simgpu's CUDA
 * headers include this file.
 */
#ifndef COMMLAB_BASE_NARROW_H
#define COMMLAB_BASE_NARROW_H

#include <math.h>   /* ldexp, NAN */
#include <stdint.h> /* uint32_t */
#include <string.h> /* memcpy */

/* Exponent bits << 8 | mantissa bits. */
enum narrow_type {
    NARROW_FP16 = 5 << 8 | 10,
    NARROW_BF16 = 8 << 8 | 7,
    NARROW_E4M3 = 4 << 8 | 3,
    NARROW_E5M2 = 5 << 8 | 2,
};

/* To the nearest value, ties to even, or in a direction. */
enum narrow_rounding {
    NARROW_NEAREST,
    NARROW_TO_ZERO,
    NARROW_DOWN,
    NARROW_UP,
};

static inline int narrow_exponent_bits(enum narrow_type type)
{
    return type >> 8;
}

static inline int narrow_mantissa_bits(enum narrow_type type)
{
    return type & 0xff;
}

/* The bits, without the sign, that follow those of the largest number:
 * infinity's, or for e4m3 those of NaN. */
static inline unsigned narrow_top(enum narrow_type type)
{
    const int e = narrow_exponent_bits(type), m = narrow_mantissa_bits(type);
    return type == NARROW_E4M3 ? 0x7f : ((1u << e) - 1) << m;
}

/* The bits, without the sign, of the quiet NaN without a payload. */
static inline unsigned narrow_nan(enum narrow_type type)
{
    return narrow_top(type) | 1u << (narrow_mantissa_bits(type) - 1);
}

/* ---- doubles ------------------------------------------------------------- */

/* Round a number of q units and a remainder, `left` of 1 << shift, to units. */
static inline uint64_t narrow_round(uint64_t q, uint64_t left, int shift,
                                    enum narrow_rounding how, int negative)
{
    const uint64_t tie = UINT64_C(1) << (shift - 1);
    switch (how) {
    case NARROW_NEAREST: return q + (left > tie || (left == tie && (q & 1)));
    case NARROW_TO_ZERO: return q;
    case NARROW_DOWN: return q + (left && negative);
    case NARROW_UP: return q + (left && !negative);
    }
    return q;
}

/* The bits, without the sign, of a finite double given by its own bits. A
 * number that is too large gives narrow_top() or more. */
static inline unsigned narrow_magnitude(uint64_t bits, enum narrow_type type,
                                        enum narrow_rounding how)
{
    const int e = narrow_exponent_bits(type), m = narrow_mantissa_bits(type);
    const int negative = (int)(bits >> 63);
    const int biased = (int)(bits >> 52 & 0x7ff);
    // biased as in the narrow type
    int exponent = biased - 1023 + (1 << (e - 1)) - 1;
    uint64_t mantissa = bits & 0xfffffffffffffu;
    int shift = 52 - m;
    if (biased)
        mantissa |= UINT64_C(1) << 52;
    if (exponent >= 1 << e) // too large in any direction of rounding
        return narrow_top(type);
    if (exponent <= 0) { // subnormal
        shift += 1 - exponent;
        exponent = 1;
    }
    if (shift > 62) { // so small that only being nonzero matters
        mantissa = mantissa != 0;
        shift = 62;
    }
    const uint64_t left = mantissa & ((UINT64_C(1) << shift) - 1);
    const uint64_t q =
        narrow_round(mantissa >> shift, left, shift, how, negative);
    // a carry out of the mantissa increments the exponent
    return (unsigned)(((uint64_t)(exponent - 1) << m) + q);
}

/*
 * The bits of a rounded value. A value that is too large becomes infinity
 * (e4m3: NaN), or the largest number if rounding goes towards zero. NaN keeps
 * its sign.
 */
static inline unsigned narrow_encode(double value, enum narrow_type type,
                                     enum narrow_rounding how)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int e = narrow_exponent_bits(type), m = narrow_mantissa_bits(type);
    const unsigned sign = (unsigned)(bits >> 63) << (e + m);
    const unsigned top = narrow_top(type);
    if (value != value)
        return sign | narrow_nan(type);
    if ((bits >> 52 & 0x7ff) == 0x7ff)
        return sign | top;
    const unsigned size = narrow_magnitude(bits, type, how);
    if (size < top)
        return sign | size;
    const int inwards =
        how == NARROW_TO_ZERO || how == (sign ? NARROW_UP : NARROW_DOWN);
    return sign | (inwards ? top - 1 : top);
}

/* The value of these bits. */
static inline double narrow_decode(unsigned bits, enum narrow_type type)
{
    const int e = narrow_exponent_bits(type), m = narrow_mantissa_bits(type);
    const unsigned size = bits & ((1u << (e + m)) - 1);
    const unsigned top = narrow_top(type);
    double value;
    if (size > top || (size == top && type == NARROW_E4M3)) {
        value = NAN;
    } else if (size == top) {
        value = INFINITY;
    } else if (size >> m == 0) { // subnormal
        value = ldexp(size, 2 - (1 << (e - 1)) - m);
    } else {
        const uint64_t wide = ((uint64_t)size << (52 - m)) +
                              ((uint64_t)(1024 - (1 << (e - 1))) << 52);
        memcpy(&value, &wide, sizeof value);
    }
    return bits >> (e + m) & 1 ? -value : value;
}

/* ---- floats -------------------------------------------------------------- */

static inline uint32_t narrow_bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float narrow_float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* a if condition (0 or 1), else b. With a ?:, a compiler would branch around
 * the arithmetic that it saves, and not vectorise the loop. */
static inline uint32_t narrow_select(int condition, uint32_t a, uint32_t b)
{
    const uint32_t mask = 0u - (uint32_t)condition;
    return (a & mask) | (b & ~mask);
}

/* bf16 is the upper half of a float. A NaN keeps its payload. */
static inline unsigned narrow_bf16_from_float(float x)
{
    const uint32_t u = narrow_bits_of(x);
    return narrow_select((u & 0x7fffffffu) > 0x7f800000u, u >> 16 | 0x40,
                         (u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

/*
 * The same as narrow_encode(x, type, NARROW_NEAREST), except that a NaN of bf16
 * keeps its payload.
 *
 * A normal number is the float with 23 - m fewer mantissa bits and another
 * bias. Below the smallest normal number, steps are 2^(1 - bias - m) wide:
 * adding a power of two that has such steps rounds to them.
 */
static inline unsigned narrow_from_float(float x, enum narrow_type type)
{
    const int e = narrow_exponent_bits(type), m = narrow_mantissa_bits(type);
    const int bias = (1 << (e - 1)) - 1, drop = 23 - m;
    if (type == NARROW_BF16)
        return narrow_bf16_from_float(x);
    const uint32_t u = narrow_bits_of(x), size = u & 0x7fffffffu;
    const uint32_t sign = u >> 31 << (e + m);
    const uint32_t nearest = size + (1u << (drop - 1)) - 1 + (size >> drop & 1);
    const uint32_t normal = (nearest >> drop) - ((uint32_t)(127 - bias) << m);
    const uint32_t coarse = (uint32_t)(127 + 24 - bias - m) << 23;
    const uint32_t subnormal =
        narrow_bits_of(narrow_float_of(size) + narrow_float_of(coarse)) -
        coarse;
    const uint32_t smallest = (uint32_t)(127 + 1 - bias) << 23;
    const uint32_t number = narrow_select(size < smallest, subnormal, normal);
    const uint32_t top = narrow_top(type);
    const uint32_t limited = narrow_select(number < top, number, top);
    return sign | narrow_select(size > 0x7f800000u, narrow_nan(type), limited);
}

/* The value of these bits. A NaN keeps its payload. */
static inline float narrow_to_float(unsigned bits, enum narrow_type type)
{
    const int e = narrow_exponent_bits(type), m = narrow_mantissa_bits(type);
    const int bias = (1 << (e - 1)) - 1;
    if (type == NARROW_BF16)
        return narrow_float_of((uint32_t)bits << 16);
    const uint32_t size = bits & ((1u << (e + m)) - 1), top = narrow_top(type);
    const uint32_t sign = (uint32_t)(bits >> (e + m) & 1) << 31;
    const uint32_t normal = (size << (23 - m)) + ((uint32_t)(127 - bias) << 23);
    const uint32_t step = (uint32_t)(127 + 1 - bias - m) << 23;
    const uint32_t subnormal =
        narrow_bits_of((float)(int)size * narrow_float_of(step));
    const uint32_t number = narrow_select(size >> m == 0, subnormal, normal);
    const uint32_t beyond =
        type == NARROW_E4M3 ? 0x7fc00000u : 0x7f800000u | size << (23 - m);
    return narrow_float_of(sign | narrow_select(size < top, number, beyond));
}

/* A float rounded to tf32's mantissa: to the nearest value, ties away from zero
 * (cvt.rna, the only rounding to tf32 that GPUs have). */
static inline float narrow_tf32(float x)
{
    const uint32_t u = narrow_bits_of(x);
    const int finite = (u & 0x7f800000u) != 0x7f800000u;
    return narrow_float_of(finite ? (u + 0x1000u) & ~0x1fffu : u);
}

#endif
