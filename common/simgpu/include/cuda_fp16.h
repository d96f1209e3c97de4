/*
 * cuda_fp16.h: half precision, on host and device
 *
 * The types, conversions, arithmetic and comparisons of CUDA's header that
 * programs use; each operation rounds once, as a GPU does. In C there are only
 * the raw types, as with CUDA.
 */
#ifndef SIMGPU_CUDA_FP16_H
#define SIMGPU_CUDA_FP16_H

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __half_raw;

typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __half2_raw;

#ifdef __cplusplus
#include "simgpu/small_float.h"
#include "vector_functions.h" /* make_float2 */

#define SIMGPU_T       __half
#define SIMGPU_T2      __half2
#define SIMGPU_RAW     __half_raw
#define SIMGPU_RAW2    __half2_raw
#define SIMGPU_KIND    SIMGPU_HALF
#define SIMGPU_FROM(x) __double2half(x)
#define SIMGPU_TO(h)   ((double)__half2float(h))
#define SIMGPU_INLINE  static inline __attribute__((unused))

#include "simgpu/half_type.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

/* ---- bits -------------------------------------------------------------------- */

SIMGPU_INLINE __half __ushort_as_half(unsigned short bits)
{
    return __half(__half_raw{bits});
}
SIMGPU_INLINE unsigned short __half_as_ushort(__half h)
{
    return __half_raw(h).x;
}
SIMGPU_INLINE __half __short_as_half(short bits)
{
    return __ushort_as_half((unsigned short)bits);
}
SIMGPU_INLINE short __half_as_short(__half h)
{
    return (short)__half_as_ushort(h);
}

/* ---- conversions: _rn nearest even, _rz to zero, _rd down, _ru up -------------- */

SIMGPU_INLINE __half __double2half(double x)
{
    return __half(x);
}
SIMGPU_INLINE float __half2float(__half h)
{
    return (float)h;
}
SIMGPU_INLINE __half __float2half(float x)
{
    return __half(x);
}
SIMGPU_INLINE __half __float2half_rn(float x)
{
    return __half(x);
}
SIMGPU_INLINE __half simgpu_float2half(float x, enum simgpu_round how)
{
    return __ushort_as_half(
        (unsigned short)simgpu_small_encode(x, SIMGPU_HALF, how));
}
SIMGPU_INLINE __half __float2half_rz(float x)
{
    return simgpu_float2half(x, SIMGPU_RZ);
}
SIMGPU_INLINE __half __float2half_rd(float x)
{
    return simgpu_float2half(x, SIMGPU_RD);
}
SIMGPU_INLINE __half __float2half_ru(float x)
{
    return simgpu_float2half(x, SIMGPU_RU);
}
SIMGPU_INLINE __half __int2half_rn(int x)
{
    return __half(x);
}
SIMGPU_INLINE __half __uint2half_rn(unsigned x)
{
    return __half(x);
}
SIMGPU_INLINE __half __ll2half_rn(long long x)
{
    return __half(x);
}
SIMGPU_INLINE int __half2int_rz(__half h)
{
    return (int)h;
}
SIMGPU_INLINE int __half2int_rn(__half h)
{
    return simgpu_small_to<int>(rint(SIMGPU_TO(h)));
}
SIMGPU_INLINE unsigned __half2uint_rz(__half h)
{
    return (unsigned)h;
}

/* ---- pairs ------------------------------------------------------------------- */

SIMGPU_INLINE __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
SIMGPU_INLINE __half2 make_half2(__half a, __half b)
{
    return __half2(a, b);
}
SIMGPU_INLINE __half2 __half2half2(__half a)
{
    return __half2(a, a);
}
SIMGPU_INLINE __half2 __float2half2_rn(float a)
{
    return __half2half2(__float2half(a));
}
SIMGPU_INLINE __half2 __floats2half2_rn(float a, float b)
{
    return __half2(__float2half(a), __float2half(b));
}
SIMGPU_INLINE __half2 __float22half2_rn(float2 a)
{
    return __floats2half2_rn(a.x, a.y);
}
SIMGPU_INLINE float2 __half22float2(__half2 a)
{
    return make_float2(__half2float(a.x), __half2float(a.y));
}
SIMGPU_INLINE __half __low2half(__half2 a)
{
    return a.x;
}
SIMGPU_INLINE __half __high2half(__half2 a)
{
    return a.y;
}
SIMGPU_INLINE float __low2float(__half2 a)
{
    return __half2float(a.x);
}
SIMGPU_INLINE float __high2float(__half2 a)
{
    return __half2float(a.y);
}
SIMGPU_INLINE __half2 __low2half2(__half2 a)
{
    return __half2(a.x, a.x);
}
SIMGPU_INLINE __half2 __high2half2(__half2 a)
{
    return __half2(a.y, a.y);
}
SIMGPU_INLINE __half2 __lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
SIMGPU_INLINE __half2 __highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}

#include "simgpu/half_ops.h"

#undef SIMGPU_T
#undef SIMGPU_T2
#undef SIMGPU_RAW
#undef SIMGPU_RAW2
#undef SIMGPU_KIND
#undef SIMGPU_FROM
#undef SIMGPU_TO
#undef SIMGPU_INLINE
#endif
#endif
