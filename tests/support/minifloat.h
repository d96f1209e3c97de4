/*
 * minifloat.h: narrow floating-point types in independent arithmetic
 *
 * What base/narrow.h computes with bits, this computes with ldexp, frexp and
 * nearbyint. That reveals mistakes in narrow.h, which the sums of NCCL, the
 * products of cuBLAS, the kernels of nn and the judge all use.
 *
 * A double is rounded to the nearest value of a type, ties to even. fp8 e4m3
 * has no infinity: a value that is too large becomes its NaN.
 */
#ifndef TESTS_SUPPORT_MINIFLOAT_H
#define TESTS_SUPPORT_MINIFLOAT_H

#include <stdint.h>

struct minifloat {
    int exponent_bits, mantissa_bits;
    int has_infinity; /* 0: the largest exponent is for numbers, and one NaN */
};

extern const struct minifloat minifloat_half, minifloat_bfloat,
    minifloat_fp8e4m3, minifloat_fp8e5m2;

double minifloat_decode(const struct minifloat *f, uint32_t bits);
uint32_t minifloat_encode(const struct minifloat *f, double value);

#endif
