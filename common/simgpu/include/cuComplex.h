/*
 * cuComplex.h: complex numbers as pairs, as cuBLAS and cuFFT pass them
 *
 * Division and absolute value scale their operands first, so that they overflow
 * only if the result does.
 */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h> /* sqrt */

#include "vector_types.h" /* float2 */

#ifdef __SIMNVCC__
#define SIMGPU_COMPLEX __host__ __device__ static __inline__
#else
#define SIMGPU_COMPLEX static __inline__
#endif

/* The functions' names end in F; type is the number's,
 * real that of its parts. */
#define SIMGPU_COMPLEX_TYPE(F, type, real, fabs, sqrt)                         \
    SIMGPU_COMPLEX real cuCreal##F(type x)                                     \
    {                                                                          \
        return x.x;                                                            \
    }                                                                          \
    SIMGPU_COMPLEX real cuCimag##F(type x)                                     \
    {                                                                          \
        return x.y;                                                            \
    }                                                                          \
    SIMGPU_COMPLEX type simgpu_complex##F(real r, real i)                      \
    {                                                                          \
        type z;                                                                \
        z.x = r;                                                               \
        z.y = i;                                                               \
        return z;                                                              \
    }                                                                          \
    SIMGPU_COMPLEX type cuConj##F(type x)                                      \
    {                                                                          \
        return simgpu_complex##F(x.x, -x.y);                                   \
    }                                                                          \
    SIMGPU_COMPLEX type cuCadd##F(type x, type y)                              \
    {                                                                          \
        return simgpu_complex##F(x.x + y.x, x.y + y.y);                        \
    }                                                                          \
    SIMGPU_COMPLEX type cuCsub##F(type x, type y)                              \
    {                                                                          \
        return simgpu_complex##F(x.x - y.x, x.y - y.y);                        \
    }                                                                          \
    SIMGPU_COMPLEX type cuCmul##F(type x, type y)                              \
    {                                                                          \
        return simgpu_complex##F(x.x * y.x - x.y * y.y,                        \
                                 x.x * y.y + x.y * y.x);                       \
    }                                                                          \
    SIMGPU_COMPLEX type cuCdiv##F(type x, type y)                              \
    {                                                                          \
        const real s = (real)1 / (fabs(y.x) + fabs(y.y));                      \
        const real ar = x.x * s, ai = x.y * s, br = y.x * s, bi = y.y * s;     \
        const real d = (real)1 / (br * br + bi * bi);                          \
        return simgpu_complex##F((ar * br + ai * bi) * d,                      \
                                 (ai * br - ar * bi) * d);                     \
    }                                                                          \
    SIMGPU_COMPLEX real cuCabs##F(type x)                                      \
    {                                                                          \
        const real a = fabs(x.x), b = fabs(x.y);                               \
        const real v = a > b ? a : b, w = a > b ? b : a;                       \
        const real t = w / v;                                                  \
        return v == 0 || isinf(v) ? v + w : v * sqrt((real)1 + t * t);         \
    }                                                                          \
    SIMGPU_COMPLEX type cuCfma##F(type x, type y, type d)                      \
    {                                                                          \
        return cuCadd##F(cuCmul##F(x, y), d);                                  \
    }

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

SIMGPU_COMPLEX_TYPE(f, cuFloatComplex, float, fabsf, sqrtf)
SIMGPU_COMPLEX_TYPE(, cuDoubleComplex, double, fabs, sqrt)

SIMGPU_COMPLEX cuFloatComplex make_cuFloatComplex(float r, float i)
{
    return simgpu_complexf(r, i);
}

SIMGPU_COMPLEX cuDoubleComplex make_cuDoubleComplex(double r, double i)
{
    return simgpu_complex(r, i);
}

SIMGPU_COMPLEX cuComplex make_cuComplex(float x, float y)
{
    return simgpu_complexf(x, y);
}

SIMGPU_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c)
{
    return simgpu_complex(c.x, c.y);
}

SIMGPU_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return simgpu_complexf((float)c.x, (float)c.y);
}

#undef SIMGPU_COMPLEX_TYPE
#undef SIMGPU_COMPLEX
#endif
