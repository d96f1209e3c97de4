/*
 * numbers.h: device code's floating-point functions; integers.h has the rest
 *
 * Included by device.h. They return what a GPU returns, except that the fast
 * approximations (__expf and the like) are as exact as the C library's.
 */
#ifndef SIMGPU_NUMBERS_H
#define SIMGPU_NUMBERS_H

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/integers.h"

/* ---- bits of floats ------------------------------------------------------ */

SIMGPU_F int __float_as_int(float x)
{
    return simgpu_bits<int>(x);
}
SIMGPU_F unsigned __float_as_uint(float x)
{
    return simgpu_bits<unsigned>(x);
}
SIMGPU_F float __int_as_float(int x)
{
    return simgpu_bits<float>(x);
}
SIMGPU_F float __uint_as_float(unsigned x)
{
    return simgpu_bits<float>(x);
}
SIMGPU_F long long __double_as_longlong(double x)
{
    return simgpu_bits<long long>(x);
}
SIMGPU_F double __longlong_as_double(long long x)
{
    return simgpu_bits<double>(x);
}
SIMGPU_F int __double2hiint(double x)
{
    return (int)(simgpu_bits<uint64_t>(x) >> 32);
}
SIMGPU_F int __double2loint(double x)
{
    return (int)simgpu_bits<uint64_t>(x);
}
SIMGPU_F double __hiloint2double(int hi, int lo)
{
    return simgpu_bits<double>((uint64_t)(unsigned)hi << 32 | (unsigned)lo);
}

/* ---- roundings ----------------------------------------------------------- */

/* Evaluate with another rounding mode of the floating-point unit. */
#define SIMGPU_ROUNDED(mode, T, expression)                                    \
    const int before = fegetround();                                           \
    fesetround(mode);                                                          \
    volatile T simgpu_r = (expression);                                        \
    fesetround(before);                                                        \
    return simgpu_r;
#define SIMGPU_EACH_ROUNDING(X)                                                \
    X(rn, FE_TONEAREST)                                                        \
    X(rz, FE_TOWARDZERO)                                                       \
    X(ru, FE_UPWARD)                                                           \
    X(rd, FE_DOWNWARD)
#define SIMGPU_ARITHMETIC(r, mode)                                             \
    SIMGPU_F float __fadd_##r(float a, float b)                                \
    {                                                                          \
        volatile float x = a, y = b;                                           \
        SIMGPU_ROUNDED(mode, float, x + y)                                     \
    }                                                                          \
    SIMGPU_F float __fsub_##r(float a, float b)                                \
    {                                                                          \
        volatile float x = a, y = b;                                           \
        SIMGPU_ROUNDED(mode, float, x - y)                                     \
    }                                                                          \
    SIMGPU_F float __fmul_##r(float a, float b)                                \
    {                                                                          \
        volatile float x = a, y = b;                                           \
        SIMGPU_ROUNDED(mode, float, x *y)                                      \
    }                                                                          \
    SIMGPU_F float __fdiv_##r(float a, float b)                                \
    {                                                                          \
        volatile float x = a, y = b;                                           \
        SIMGPU_ROUNDED(mode, float, x / y)                                     \
    }                                                                          \
    SIMGPU_F float __frcp_##r(float a)                                         \
    {                                                                          \
        volatile float x = a;                                                  \
        SIMGPU_ROUNDED(mode, float, 1.0f / x)                                  \
    }                                                                          \
    SIMGPU_F float __fsqrt_##r(float a)                                        \
    {                                                                          \
        volatile float x = a;                                                  \
        SIMGPU_ROUNDED(mode, float, sqrtf(x))                                  \
    }                                                                          \
    SIMGPU_F float __fmaf_##r(float a, float b, float c)                       \
    {                                                                          \
        volatile float x = a, y = b, z = c;                                    \
        SIMGPU_ROUNDED(mode, float, fmaf(x, y, z))                             \
    }                                                                          \
    SIMGPU_F double __dadd_##r(double a, double b)                             \
    {                                                                          \
        volatile double x = a, y = b;                                          \
        SIMGPU_ROUNDED(mode, double, x + y)                                    \
    }                                                                          \
    SIMGPU_F double __dsub_##r(double a, double b)                             \
    {                                                                          \
        volatile double x = a, y = b;                                          \
        SIMGPU_ROUNDED(mode, double, x - y)                                    \
    }                                                                          \
    SIMGPU_F double __dmul_##r(double a, double b)                             \
    {                                                                          \
        volatile double x = a, y = b;                                          \
        SIMGPU_ROUNDED(mode, double, x *y)                                     \
    }                                                                          \
    SIMGPU_F double __ddiv_##r(double a, double b)                             \
    {                                                                          \
        volatile double x = a, y = b;                                          \
        SIMGPU_ROUNDED(mode, double, x / y)                                    \
    }                                                                          \
    SIMGPU_F double __drcp_##r(double a)                                       \
    {                                                                          \
        volatile double x = a;                                                 \
        SIMGPU_ROUNDED(mode, double, 1.0 / x)                                  \
    }                                                                          \
    SIMGPU_F double __dsqrt_##r(double a)                                      \
    {                                                                          \
        volatile double x = a;                                                 \
        SIMGPU_ROUNDED(mode, double, sqrt(x))                                  \
    }                                                                          \
    SIMGPU_F double __fma_##r(double a, double b, double c)                    \
    {                                                                          \
        volatile double x = a, y = b, z = c;                                   \
        SIMGPU_ROUNDED(mode, double, fma(x, y, z))                             \
    }                                                                          \
    SIMGPU_F float __double2float_##r(double a)                                \
    {                                                                          \
        volatile double x = a;                                                 \
        SIMGPU_ROUNDED(mode, float, (float)x)                                  \
    }                                                                          \
    SIMGPU_F float __int2float_##r(int a)                                      \
    {                                                                          \
        volatile int x = a;                                                    \
        SIMGPU_ROUNDED(mode, float, (float)x)                                  \
    }                                                                          \
    SIMGPU_F float __uint2float_##r(unsigned a)                                \
    {                                                                          \
        volatile unsigned x = a;                                               \
        SIMGPU_ROUNDED(mode, float, (float)x)                                  \
    }                                                                          \
    SIMGPU_F float __ll2float_##r(long long a)                                 \
    {                                                                          \
        volatile long long x = a;                                              \
        SIMGPU_ROUNDED(mode, float, (float)x)                                  \
    }                                                                          \
    SIMGPU_F float __ull2float_##r(unsigned long long a)                       \
    {                                                                          \
        volatile unsigned long long x = a;                                     \
        SIMGPU_ROUNDED(mode, float, (float)x)                                  \
    }                                                                          \
    SIMGPU_F double __ll2double_##r(long long a)                               \
    {                                                                          \
        volatile long long x = a;                                              \
        SIMGPU_ROUNDED(mode, double, (double)x)                                \
    }                                                                          \
    SIMGPU_F double __ull2double_##r(unsigned long long a)                     \
    {                                                                          \
        volatile unsigned long long x = a;                                     \
        SIMGPU_ROUNDED(mode, double, (double)x)                                \
    }
SIMGPU_EACH_ROUNDING(SIMGPU_ARITHMETIC)
#undef SIMGPU_ARITHMETIC
SIMGPU_F double __int2double_rn(int x)
{
    return x;
}
SIMGPU_F double __uint2double_rn(unsigned x)
{
    return x;
}
SIMGPU_F float __frsqrt_rn(float x)
{
    return (float)(1 / sqrt((double)x));
}

/* Conversions to integers saturate; a NaN gives 0 (or the
 * smallest 64-bit integer). */
template <class I> SIMGPU_F I simgpu_to_integer(double x)
{
    const bool is_signed = (I)-1 < (I)0;
    const int bits = (int)sizeof(I) * 8 - is_signed;
    const I most =
        (I)(((uint64_t)1 << (bits - 1)) - 1 + ((uint64_t)1 << (bits - 1)));
    const I least = is_signed ? (I)(-most - 1) : 0;
    if (x != x)
        return sizeof(I) == 8 ? (I)((uint64_t)1 << 63) : 0;
    if (x >= ldexp(1.0, bits))
        return most;
    return x < (double)least ? least : (I)x;
}
#define SIMGPU_CONVERSION(r, round)                                            \
    SIMGPU_F int __float2int_##r(float x)                                      \
    {                                                                          \
        return simgpu_to_integer<int>(round((double)x));                       \
    }                                                                          \
    SIMGPU_F unsigned __float2uint_##r(float x)                                \
    {                                                                          \
        return simgpu_to_integer<unsigned>(round((double)x));                  \
    }                                                                          \
    SIMGPU_F long long __float2ll_##r(float x)                                 \
    {                                                                          \
        return simgpu_to_integer<long long>(round((double)x));                 \
    }                                                                          \
    SIMGPU_F unsigned long long __float2ull_##r(float x)                       \
    {                                                                          \
        return simgpu_to_integer<unsigned long long>(round((double)x));        \
    }                                                                          \
    SIMGPU_F int __double2int_##r(double x)                                    \
    {                                                                          \
        return simgpu_to_integer<int>(round(x));                               \
    }                                                                          \
    SIMGPU_F unsigned __double2uint_##r(double x)                              \
    {                                                                          \
        return simgpu_to_integer<unsigned>(round(x));                          \
    }                                                                          \
    SIMGPU_F long long __double2ll_##r(double x)                               \
    {                                                                          \
        return simgpu_to_integer<long long>(round(x));                         \
    }                                                                          \
    SIMGPU_F unsigned long long __double2ull_##r(double x)                     \
    {                                                                          \
        return simgpu_to_integer<unsigned long long>(round(x));                \
    }
SIMGPU_CONVERSION(rn, rint)
SIMGPU_CONVERSION(rz, trunc)
SIMGPU_CONVERSION(ru, ceil)
SIMGPU_CONVERSION(rd, floor)
#undef SIMGPU_CONVERSION

/* ---- functions ----------------------------------------------------------- */

/* glibc declares functions with some of these names, so they are macros. */
#define __expf(x)          expf(x)
#define __exp10f(x)        exp10f(x)
#define __logf(x)          logf(x)
#define __log2f(x)         log2f(x)
#define __log10f(x)        log10f(x)
#define __sinf(x)          sinf(x)
#define __cosf(x)          cosf(x)
#define __tanf(x)          tanf(x)
#define __powf(x, y)       powf(x, y)
#define __sincosf(x, s, c) sincosf(x, s, c)
#define __tanhf(x)         tanhf(x)
SIMGPU_F float __fdividef(float x, float y)
{
    return x / y;
}
SIMGPU_F double fdivide(double x, double y)
{
    return x / y;
}
SIMGPU_F float fdividef(float x, float y)
{
    return x / y;
}
SIMGPU_F float __saturatef(float x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}
SIMGPU_F float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
SIMGPU_F double rsqrt(double x)
{
    return 1 / sqrt(x);
}
SIMGPU_F float rcbrtf(float x)
{
    return (float)(1 / cbrt((double)x));
}
SIMGPU_F double rcbrt(double x)
{
    return 1 / cbrt(x);
}
SIMGPU_F double sinpi(double x)
{
    const double r = fmod(x, 2.0);
    return r == 0 || r == 1 || r == -1 ? copysign(0.0, x) : sin(r * M_PI);
}
SIMGPU_F double cospi(double x)
{
    const double r = fabs(fmod(x, 2.0));
    return r == 0.5 || r == 1.5 ? 0.0 : cos(r * M_PI);
}
SIMGPU_F float sinpif(float x)
{
    return (float)sinpi(x);
}
SIMGPU_F float cospif(float x)
{
    return (float)cospi(x);
}
SIMGPU_F void sincospi(double x, double *s, double *c)
{
    *s = sinpi(x), *c = cospi(x);
}
SIMGPU_F void sincospif(float x, float *s, float *c)
{
    *s = sinpif(x), *c = cospif(x);
}
SIMGPU_F double normcdf(double x)
{
    return 0.5 * erfc(-x * M_SQRT1_2);
}
SIMGPU_F float normcdff(float x)
{
    return (float)normcdf(x);
}
SIMGPU_F double erfcx(double x)
{
    if (x < 25)
        return exp(x * x) * erfc(x);
    const double r = 1 / (x * x);
    return 0.56418958354775628695 / x * (1 - r * (0.5 - r * 0.75));
}
SIMGPU_F float erfcxf(float x)
{
    return (float)erfcx(x);
}
SIMGPU_F double erfinv(double y)
{
    if (fabs(y) >= 1)
        return y == 1 ? INFINITY : y == -1 ? -INFINITY : NAN;
    const double w = log1p(-y * y), t = 2 / (M_PI * 0.147) + w / 2;
    double x = copysign(sqrt(sqrt(t * t - w / 0.147) - t), y);
    for (int i = 0; i < 4; i++) // Newton's method
        x -= (erf(x) - y) * 0.5 * sqrt(M_PI) * exp(x * x);
    return x;
}
SIMGPU_F float erfinvf(float y)
{
    return (float)erfinv(y);
}
SIMGPU_F double erfcinv(double y)
{
    return erfinv(1 - y);
}
SIMGPU_F float erfcinvf(float y)
{
    return (float)erfinv(1 - (double)y);
}
SIMGPU_F double normcdfinv(double y)
{
    return M_SQRT2 * erfinv(2 * y - 1);
}
SIMGPU_F float normcdfinvf(float y)
{
    return (float)normcdfinv(y);
}

/* ---- lengths of vectors -------------------------------------------------- */

/* Floats are squared and added as doubles. Scaling is needed only for doubles,
 * whose squares are out of range where |x| is beyond 1e154. */
SIMGPU_F double norm(int n, const double *p)
{
    double most = 0, sum = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(p[i]));
    if (most == 0 || isinf(most))
        return most;
    for (int i = 0; i < n; i++)
        sum += p[i] / most * (p[i] / most);
    return most * sqrt(sum);
}
SIMGPU_F float normf(int n, const float *p)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)p[i] * p[i];
    return (float)sqrt(sum);
}
SIMGPU_F double norm3d(double a, double b, double c)
{
    const double p[] = {a, b, c};
    return norm(3, p);
}
SIMGPU_F float norm3df(float a, float b, float c)
{
    const float p[] = {a, b, c};
    return normf(3, p);
}
SIMGPU_F double norm4d(double a, double b, double c, double d)
{
    const double p[] = {a, b, c, d};
    return norm(4, p);
}
SIMGPU_F float norm4df(float a, float b, float c, float d)
{
    const float p[] = {a, b, c, d};
    return normf(4, p);
}
SIMGPU_F double rnorm(int n, const double *p)
{
    return 1 / norm(n, p);
}
SIMGPU_F float rnormf(int n, const float *p)
{
    return 1 / normf(n, p);
}
SIMGPU_F double rnorm3d(double a, double b, double c)
{
    return 1 / norm3d(a, b, c);
}
SIMGPU_F float rnorm3df(float a, float b, float c)
{
    return 1 / norm3df(a, b, c);
}
SIMGPU_F double rnorm4d(double a, double b, double c, double d)
{
    return 1 / norm4d(a, b, c, d);
}
SIMGPU_F float rnorm4df(float a, float b, float c, float d)
{
    return 1 / norm4df(a, b, c, d);
}
SIMGPU_F double rhypot(double a, double b)
{
    return 1 / hypot(a, b);
}
SIMGPU_F float rhypotf(float a, float b)
{
    return 1 / hypotf(a, b);
}

/* ---- Bessel functions ---------------------------------------------------- */

/* The modified Bessel functions of order 0 and 1, as a series of positive
 * terms, (x/2)^(2k + order) / (k! (k + order)!). */
SIMGPU_F double simgpu_bessel_i(int order, double x)
{
    const double q = x * x / 4;
    double term = order ? x / 2 : 1, sum = term;
    for (double k = 1; fabs(term) > fabs(sum) * 1e-17 && isfinite(sum); k++) {
        term *= q / (k * (k + order));
        sum += term;
    }
    return sum;
}
SIMGPU_F double cyl_bessel_i0(double x)
{
    return simgpu_bessel_i(0, x);
}
SIMGPU_F double cyl_bessel_i1(double x)
{
    return simgpu_bessel_i(1, x);
}
SIMGPU_F float cyl_bessel_i0f(float x)
{
    return (float)simgpu_bessel_i(0, x);
}
SIMGPU_F float cyl_bessel_i1f(float x)
{
    return (float)simgpu_bessel_i(1, x);
}

#endif
