/*
 * minifloat.h: floating-point types that C has no name for
 *
 * fp16, bf16 and the two 8-bit types are a sign, e exponent bits and m mantissa
 * bits. All their values are doubles exactly; a double is rounded to the
 * nearest of theirs, ties to even, as GPUs do. fp8 e4m3 has no infinity: what
 * is too large becomes its NaN.
 *
 *     type      e  m  largest
 *     float16   5 10  65504
 *     bfloat16  8  7  3.4e38
 *     fp8e4m3   4  3  448
 *     fp8e5m2   5  2  57344
 */
#ifndef COMMLAB_JUDGE_MINIFLOAT_H
#define COMMLAB_JUDGE_MINIFLOAT_H

#include <stdint.h>

struct minifloat {
    int exponent_bits, mantissa_bits;
    int has_infinity; /* else the largest exponent has numbers, and one NaN */
};

extern const struct minifloat minifloat_half, minifloat_bfloat,
    minifloat_fp8e4m3, minifloat_fp8e5m2;

double minifloat_decode(const struct minifloat *f, uint32_t bits);
uint32_t minifloat_encode(const struct minifloat *f, double value);

#endif
