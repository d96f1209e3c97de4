/*
 * small_float.h: floating-point types that the host's compiler has no name for
 *
 * A type is a sign, e exponent bits and m mantissa bits. Its values are doubles
 * exactly; a double becomes the nearest of them, ties to even, or the next one
 * in a direction. One rounding, whatever the value was computed from: an
 * operation computes in double and then rounds, which gives what one operation
 * of the GPU gives (for a sum of products see simgpu_small_fma).
 *
 *     type   e  m  largest   infinity        type   e  m  largest   infinity
 *     half   5 10  65504     yes             e4m3   4  3  448       no: one NaN
 *     bf16   8  7  3.4e38    yes             e5m2   5  2  57344     yes
 */
#ifndef SIMGPU_SMALL_FLOAT_H
#define SIMGPU_SMALL_FLOAT_H

#include <math.h>   /* ldexp */
#include <stdint.h> /* uint64_t */
#include <string.h> /* memcpy */

enum simgpu_small { /* exponent bits << 8 | mantissa bits */
                    SIMGPU_HALF = 5 << 8 | 10,
                    SIMGPU_BF16 = 8 << 8 | 7,
                    SIMGPU_E4M3 = 4 << 8 | 3,
                    SIMGPU_E5M2 = 5 << 8 | 2,
};

enum simgpu_round { /* to nearest even, to zero, down, up */
                    SIMGPU_RN,
                    SIMGPU_RZ,
                    SIMGPU_RD,
                    SIMGPU_RU,
};

/* What lies above the largest finite number, as bits without sign: infinity, or
 * e4m3's NaN. */
static inline unsigned simgpu_small_top(enum simgpu_small type)
{
    const int e = type >> 8, m = type & 0xff;
    return type == SIMGPU_E4M3 ? 0x7f : ((1u << e) - 1) << m;
}

/* The bits of value rounded: q units, and what is left of 1 << shift. */
static inline uint64_t simgpu_small_round(uint64_t q, uint64_t left, int shift,
                                          enum simgpu_round how, int negative)
{
    const uint64_t tie = UINT64_C(1) << (shift - 1);
    switch (how) {
    case SIMGPU_RN: return q + (left > tie || (left == tie && (q & 1)));
    case SIMGPU_RZ: return q;
    case SIMGPU_RD: return q + (left && negative);
    case SIMGPU_RU: return q + (left && !negative);
    }
    return q;
}

/* A finite value's bits without sign; too large a one gives simgpu_small_top()
 * or what follows it. */
static inline unsigned simgpu_small_magnitude(uint64_t bits,
                                              enum simgpu_small type,
                                              enum simgpu_round how)
{
    const int e = type >> 8, m = type & 0xff;
    const int negative = (int)(bits >> 63);
    const int biased = (int)(bits >> 52 & 0x7ff);
    int exponent = biased - 1023 + (1 << (e - 1)) - 1; // in the small type
    uint64_t mantissa = bits & 0xfffffffffffffu;
    int shift = 52 - m;
    if (biased)
        mantissa |= UINT64_C(1) << 52;
    if (exponent >= 1 << e) // beyond any rounding
        return simgpu_small_top(type);
    if (exponent <= 0) { // subnormal
        shift += 1 - exponent;
        exponent = 1;
    }
    if (shift > 62) { // nothing is left but that there was something
        mantissa = mantissa != 0;
        shift = 62;
    }
    const uint64_t left = mantissa & ((UINT64_C(1) << shift) - 1);
    const uint64_t q =
        simgpu_small_round(mantissa >> shift, left, shift, how, negative);
    return (unsigned)(((uint64_t)(exponent - 1) << m) + q);
}

static inline unsigned simgpu_small_encode(double value, enum simgpu_small type,
                                           enum simgpu_round how)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int e = type >> 8, m = type & 0xff;
    const unsigned sign = (unsigned)(bits >> 63) << (e + m);
    const unsigned top = simgpu_small_top(type);
    if (value != value) // NaN: the one that GPUs make
        return (1u << (e + m)) - 1;
    if ((bits >> 52 & 0x7ff) == 0x7ff)
        return sign | top;
    const unsigned size = simgpu_small_magnitude(bits, type, how);
    if (size < top)
        return sign | size;
    // A direction that leads towards zero ends at the largest number.
    const int inwards =
        how == SIMGPU_RZ || how == (sign ? SIMGPU_RU : SIMGPU_RD);
    return sign | (inwards ? top - 1 : top);
}

static inline double simgpu_small_decode(unsigned bits, enum simgpu_small type)
{
    const int e = type >> 8, m = type & 0xff;
    const unsigned size = bits & ((1u << (e + m)) - 1);
    const unsigned exponent = size >> m, top = simgpu_small_top(type);
    double value;
    if (size > top || (size == top && type == SIMGPU_E4M3)) {
        value = NAN;
    } else if (size == top) {
        value = INFINITY;
    } else if (exponent == 0) { // subnormal
        value = ldexp(size, 2 - (1 << (e - 1)) - m);
    } else {
        const uint64_t wide = ((uint64_t)size << (52 - m)) +
                              ((uint64_t)(1024 - (1 << (e - 1))) << 52);
        memcpy(&value, &wide, sizeof value);
    }
    return bits >> (e + m) & 1 ? -value : value;
}

/*
 * a * b + c with one rounding. The product of two 16-bit floats is a double
 * exactly; their sum with c may not be, so it is rounded to odd, which a second
 * rounding to few bits can't tell from the exact sum.
 */
static inline double simgpu_small_fma(double a, double b, double c)
{
    const double p = a * b, sum = p + c;
    if (!isfinite(sum))
        return sum;
    const double part = sum - p;
    const double error = (p - (sum - part)) + (c - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error == 0 || (bits & 1))
        return sum;
    bits += (error > 0) == (sum > 0) ? 1 : -1;
    double odd;
    memcpy(&odd, &bits, sizeof odd);
    return odd;
}

#ifdef __cplusplus
#include <limits> /* std::numeric_limits */

/* An integer as a double that rounds to few bits as the integer would: beyond 53
 * bits to odd. */
template <class I> static inline double simgpu_small_integer(I value)
{
    const bool negative = value < 0;
    uint64_t size = negative ? 0 - (uint64_t)value : (uint64_t)value;
    if (size >> 53)
        size = (size & ~UINT64_C(0xfff)) | (uint64_t)((size & 0xfff) != 0)
                                               << 11;
    return negative ? -(double)size : (double)size;
}

/* Towards zero; too large gives the nearest integer there is, a NaN 0. */
template <class I> static inline I simgpu_small_to(double value)
{
    typedef std::numeric_limits<I> limits;
    if (value != value)
        return 0;
    if (value >= ldexp(1.0, limits::digits))
        return limits::max();
    if (value < (double)limits::min())
        return limits::min();
    return (I)value;
}
#endif

#endif
