#include "minifloat.h"

#include <math.h> /* ldexp, frexp, nearbyint */

const struct minifloat minifloat_half = {5, 10, 1},
                       minifloat_bfloat = {8, 7, 1},
                       minifloat_fp8e4m3 = {4, 3, 0},
                       minifloat_fp8e5m2 = {5, 2, 1};

static int bias(const struct minifloat *f)
{
    return (1 << (f->exponent_bits - 1)) - 1;
}

static uint32_t largest_exponent(const struct minifloat *f)
{
    return (1u << f->exponent_bits) - 1;
}

/* The bits of the largest number, without the sign; infinity or
 * NaN follows it. */
static uint32_t largest_number(const struct minifloat *f)
{
    const uint32_t top = largest_exponent(f) << f->mantissa_bits;
    return f->has_infinity ? top - 1 : (top | ((1u << f->mantissa_bits) - 2));
}

double minifloat_decode(const struct minifloat *f, uint32_t bits)
{
    const int m = f->mantissa_bits;
    const uint32_t sign = bits >> (f->exponent_bits + m) & 1;
    const uint32_t magnitude = bits & ((1u << (f->exponent_bits + m)) - 1);
    const int exponent = (int)(magnitude >> m);
    const double fraction = magnitude & ((1u << m) - 1);
    double v;
    if (magnitude > largest_number(f))
        v = f->has_infinity && fraction == 0 ? INFINITY : NAN;
    else if (exponent == 0) // subnormal
        v = ldexp(fraction, 1 - bias(f) - m);
    else
        v = ldexp(fraction + (1 << m), exponent - bias(f) - m);
    return sign ? -v : v;
}

uint32_t minifloat_encode(const struct minifloat *f, double value)
{
    const int m = f->mantissa_bits;
    const uint32_t sign = (uint32_t)(signbit(value) != 0)
                          << (f->exponent_bits + m);
    const uint32_t infinity = largest_number(f) + 1; // for e4m3, its NaN
    if (isnan(value))
        return sign | infinity | (f->has_infinity ? 1u << (m - 1) : 0);
    int exponent; // value = x * 2^exponent, 1 <= x < 2
    frexp(value, &exponent);
    exponent--;
    if (value == 0 || exponent < 1 - bias(f))
        exponent = 1 - bias(f);
    if (isinf(value) || exponent > bias(f) + 1)
        return sign | infinity;
    // In units of the last place. A carry out of the mantissa increments the
    // exponent, and likewise turns a subnormal number into a normal one.
    const uint32_t units =
        (uint32_t)nearbyint(ldexp(fabs(value), m - exponent));
    const uint32_t magnitude =
        ((uint32_t)(exponent + bias(f) - 1) << m) + units;
    return sign | (magnitude < infinity ? magnitude : infinity);
}
