/*
 * small_float.h: a GPU's operations on narrow floats (narrow.h)
 *
 * Every operation computes in double and then rounds once, which gives the
 * result of one operation on a GPU (for a sum of products see
 * simgpu_small_fma).
 */
#ifndef SIMGPU_SMALL_FLOAT_H
#define SIMGPU_SMALL_FLOAT_H

#include <math.h>   /* isfinite */
#include <stdint.h> /* uint64_t */

#include "simgpu/narrow.h"

/* As narrow_encode(), with the NaN that GPUs produce: all bits but the sign. */
static inline unsigned simgpu_small_encode(double value, enum narrow_type type,
                                           enum narrow_rounding how)
{
    const int nbits = narrow_exponent_bits(type) + narrow_mantissa_bits(type);
    return value != value ? (1u << nbits) - 1 : narrow_encode(value, type, how);
}

/*
 * a * b + c with one rounding. The product of two 16-bit floats is exact in
 * double. Its sum with c may not be, so that is rounded to odd: a second
 * rounding, to fewer bits, then gives the same result as rounding the exact
 * sum.
 */
static inline double simgpu_small_fma(double a, double b, double c)
{
    const double p = a * b, sum = p + c;
    if (!isfinite(sum))
        return sum;
    const double part = sum - p;
    const double error = (p - (sum - part)) + (c - part);
    uint64_t bits;
    __builtin_memcpy(&bits, &sum, sizeof bits);
    if (error == 0 || (bits & 1))
        return sum;
    bits += (error > 0) == (sum > 0) ? 1 : -1;
    double odd;
    __builtin_memcpy(&odd, &bits, sizeof odd);
    return odd;
}

#ifdef __cplusplus
#include <limits> /* std::numeric_limits */

/* An integer as a double that rounds to fewer bits as the integer would: beyond
 * 53 bits it is rounded to odd. */
template <class I> static inline double simgpu_small_integer(I value)
{
    const bool negative = value < 0;
    uint64_t size = negative ? 0 - (uint64_t)value : (uint64_t)value;
    if (size >> 53)
        size = (size & ~UINT64_C(0xfff)) | (uint64_t)((size & 0xfff) != 0)
                                               << 11;
    return negative ? -(double)size : (double)size;
}

/* Rounds towards zero and saturates; a NaN gives 0. */
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
