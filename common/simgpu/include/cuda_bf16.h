/*
 * cuda_bf16.h: bfloat16, on host and device
 *
 * The types, conversions, arithmetic and comparisons of CUDA's header that
 * programs use; each operation rounds once, as a GPU does. In C there are only
 * the raw types, as with CUDA.
 */
#ifndef SIMGPU_CUDA_BF16_H
#define SIMGPU_CUDA_BF16_H

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __nv_bfloat16_raw;

typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __nv_bfloat162_raw;

#ifdef __cplusplus
#include "simgpu/small_float.h"
#include "vector_functions.h" /* make_float2 */

#define SIMGPU_T       __nv_bfloat16
#define SIMGPU_T2      __nv_bfloat162
#define SIMGPU_RAW     __nv_bfloat16_raw
#define SIMGPU_RAW2    __nv_bfloat162_raw
#define SIMGPU_KIND    SIMGPU_BF16
#define SIMGPU_FROM(x) __double2bfloat16(x)
#define SIMGPU_TO(h)   ((double)__bfloat162float(h))
#define SIMGPU_INLINE  static inline __attribute__((unused))

#include "simgpu/half_type.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* ---- bits -------------------------------------------------------------------- */

SIMGPU_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
    return __nv_bfloat16(__nv_bfloat16_raw{bits});
}
SIMGPU_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 h)
{
    return __nv_bfloat16_raw(h).x;
}
SIMGPU_INLINE __nv_bfloat16 __short_as_bfloat16(short bits)
{
    return __ushort_as_bfloat16((unsigned short)bits);
}
SIMGPU_INLINE short __bfloat16_as_short(__nv_bfloat16 h)
{
    return (short)__bfloat16_as_ushort(h);
}

/* ---- conversions: _rn nearest even, _rz to zero, _rd down, _ru up -------------- */

SIMGPU_INLINE __nv_bfloat16 __double2bfloat16(double x)
{
    return __nv_bfloat16(x);
}
SIMGPU_INLINE float __bfloat162float(__nv_bfloat16 h)
{
    return (float)h;
}
SIMGPU_INLINE __nv_bfloat16 __float2bfloat16(float x)
{
    return __nv_bfloat16(x);
}
SIMGPU_INLINE __nv_bfloat16 __float2bfloat16_rn(float x)
{
    return __nv_bfloat16(x);
}
SIMGPU_INLINE __nv_bfloat16 simgpu_float2bfloat16(float x,
                                                  enum simgpu_round how)
{
    return __ushort_as_bfloat16(
        (unsigned short)simgpu_small_encode(x, SIMGPU_BF16, how));
}
SIMGPU_INLINE __nv_bfloat16 __float2bfloat16_rz(float x)
{
    return simgpu_float2bfloat16(x, SIMGPU_RZ);
}
SIMGPU_INLINE __nv_bfloat16 __float2bfloat16_rd(float x)
{
    return simgpu_float2bfloat16(x, SIMGPU_RD);
}
SIMGPU_INLINE __nv_bfloat16 __float2bfloat16_ru(float x)
{
    return simgpu_float2bfloat16(x, SIMGPU_RU);
}
SIMGPU_INLINE __nv_bfloat16 __int2bfloat16_rn(int x)
{
    return __nv_bfloat16(x);
}
SIMGPU_INLINE __nv_bfloat16 __uint2bfloat16_rn(unsigned x)
{
    return __nv_bfloat16(x);
}
SIMGPU_INLINE __nv_bfloat16 __ll2bfloat16_rn(long long x)
{
    return __nv_bfloat16(x);
}
SIMGPU_INLINE int __bfloat162int_rz(__nv_bfloat16 h)
{
    return (int)h;
}
SIMGPU_INLINE int __bfloat162int_rn(__nv_bfloat16 h)
{
    return simgpu_small_to<int>(rint(SIMGPU_TO(h)));
}
SIMGPU_INLINE unsigned __bfloat162uint_rz(__nv_bfloat16 h)
{
    return (unsigned)h;
}

/* ---- pairs ------------------------------------------------------------------- */

SIMGPU_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a,
                                                __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
SIMGPU_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
SIMGPU_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a)
{
    return __nv_bfloat162(a, a);
}
SIMGPU_INLINE __nv_bfloat162 __float2bfloat162_rn(float a)
{
    return __bfloat162bfloat162(__float2bfloat16(a));
}
SIMGPU_INLINE __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
    return __nv_bfloat162(__float2bfloat16(a), __float2bfloat16(b));
}
SIMGPU_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 a)
{
    return __floats2bfloat162_rn(a.x, a.y);
}
SIMGPU_INLINE float2 __bfloat1622float2(__nv_bfloat162 a)
{
    return make_float2(__bfloat162float(a.x), __bfloat162float(a.y));
}
SIMGPU_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a)
{
    return a.x;
}
SIMGPU_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a)
{
    return a.y;
}
SIMGPU_INLINE float __low2float(__nv_bfloat162 a)
{
    return __bfloat162float(a.x);
}
SIMGPU_INLINE float __high2float(__nv_bfloat162 a)
{
    return __bfloat162float(a.y);
}
SIMGPU_INLINE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.x, a.x);
}
SIMGPU_INLINE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a)
{
    return __nv_bfloat162(a.y, a.y);
}
SIMGPU_INLINE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a,
                                              __nv_bfloat162 b)
{
    return __nv_bfloat162(a.x, b.x);
}
SIMGPU_INLINE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a,
                                               __nv_bfloat162 b)
{
    return __nv_bfloat162(a.y, b.y);
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
