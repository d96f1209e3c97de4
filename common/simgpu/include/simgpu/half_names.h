/*
 * half_names.h: conversions and pairs of a 16-bit type, with CUDA's names
 *
 * cuda_fp16.h and cuda_bf16.h include it between half_type.h and half_ops.h,
 * with half_type.h's macros and SIMGPU_NAME(a, b), which puts the type's name
 * between a and b: SIMGPU_NAME(__float2, _rn) is __float2half_rn or
 * __float2bfloat16_rn. SIMGPU_TWICE(a, b, c) puts it into both gaps.
 */

/* ---- bits ---------------------------------------------------------------- */

SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__ushort_as_, )(unsigned short bits)
{
    return SIMGPU_T(SIMGPU_RAW{bits});
}
SIMGPU_INLINE unsigned short SIMGPU_NAME(__, _as_ushort)(SIMGPU_T h)
{
    return SIMGPU_RAW(h).x;
}
SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__short_as_, )(short bits)
{
    return SIMGPU_NAME(__ushort_as_, )((unsigned short)bits);
}
SIMGPU_INLINE short SIMGPU_NAME(__, _as_short)(SIMGPU_T h)
{
    return (short)SIMGPU_NAME(__, _as_ushort)(h);
}

/* ---- conversions: _rn nearest even, _rz towards zero, _rd down, _ru up --- */

SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__double2, )(double x)
{
    return SIMGPU_T(x);
}
SIMGPU_INLINE float SIMGPU_NAME(__, 2float)(SIMGPU_T h)
{
    return (float)h;
}
SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__float2, )(float x)
{
    return SIMGPU_T(x);
}
SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__float2, _rn)(float x)
{
    return SIMGPU_T(x);
}
SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(simgpu_float2, )(float x,
                                                    enum narrow_rounding how)
{
    return SIMGPU_NAME(__ushort_as_, )(
        (unsigned short)simgpu_small_encode(x, SIMGPU_KIND, how));
}
SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__float2, _rz)(float x)
{
    return SIMGPU_NAME(simgpu_float2, )(x, NARROW_TO_ZERO);
}
SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__float2, _rd)(float x)
{
    return SIMGPU_NAME(simgpu_float2, )(x, NARROW_DOWN);
}
SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__float2, _ru)(float x)
{
    return SIMGPU_NAME(simgpu_float2, )(x, NARROW_UP);
}
/* Conversions to and from an integer I, called `name` in
 * the functions' names. */
#define SIMGPU_ONE_INTEGER(name, I, mode, how, round)                          \
    SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__##name##2, _##mode)(I x)              \
    {                                                                          \
        return SIMGPU_NAME(__ushort_as_, )(                                    \
            (unsigned short)simgpu_small_encode(simgpu_small_integer(x),       \
                                                SIMGPU_KIND, how));            \
    }                                                                          \
    SIMGPU_INLINE I SIMGPU_NAME(__, 2##name##_##mode)(SIMGPU_T h)              \
    {                                                                          \
        return simgpu_small_to<I>(round(SIMGPU_TO(h)));                        \
    }
#define SIMGPU_INTEGER(name, I)                                                \
    SIMGPU_ONE_INTEGER(name, I, rn, NARROW_NEAREST, rint)                      \
    SIMGPU_ONE_INTEGER(name, I, rz, NARROW_TO_ZERO, trunc)                     \
    SIMGPU_ONE_INTEGER(name, I, rd, NARROW_DOWN, floor)                        \
    SIMGPU_ONE_INTEGER(name, I, ru, NARROW_UP, ceil)
SIMGPU_INTEGER(short, short)
SIMGPU_INTEGER(ushort, unsigned short)
SIMGPU_INTEGER(int, int)
SIMGPU_INTEGER(uint, unsigned int)
SIMGPU_INTEGER(ll, long long)
SIMGPU_INTEGER(ull, unsigned long long)
#undef SIMGPU_INTEGER
#undef SIMGPU_ONE_INTEGER
SIMGPU_INLINE signed char SIMGPU_NAME(__, 2char_rz)(SIMGPU_T h)
{
    return (signed char)h;
}
SIMGPU_INLINE unsigned char SIMGPU_NAME(__, 2uchar_rz)(SIMGPU_T h)
{
    return (unsigned char)h;
}

/* ---- pairs --------------------------------------------------------------- */

SIMGPU_INLINE SIMGPU_T2 SIMGPU_NAME(__halves2, 2)(SIMGPU_T a, SIMGPU_T b)
{
    return SIMGPU_T2(a, b);
}
SIMGPU_INLINE SIMGPU_T2 SIMGPU_NAME(make_, 2)(SIMGPU_T a, SIMGPU_T b)
{
    return SIMGPU_T2(a, b);
}
SIMGPU_INLINE SIMGPU_T2 SIMGPU_TWICE(__, 2, 2)(SIMGPU_T a)
{
    return SIMGPU_T2(a, a);
}
SIMGPU_INLINE SIMGPU_T2 SIMGPU_NAME(__float2, 2_rn)(float a)
{
    return SIMGPU_TWICE(__, 2, 2)(SIMGPU_NAME(__float2, )(a));
}
SIMGPU_INLINE SIMGPU_T2 SIMGPU_NAME(__floats2, 2_rn)(float a, float b)
{
    return SIMGPU_T2(SIMGPU_NAME(__float2, )(a), SIMGPU_NAME(__float2, )(b));
}
SIMGPU_INLINE SIMGPU_T2 SIMGPU_NAME(__float22, 2_rn)(float2 a)
{
    return SIMGPU_NAME(__floats2, 2_rn)(a.x, a.y);
}
SIMGPU_INLINE float2 SIMGPU_NAME(__, 22float2)(SIMGPU_T2 a)
{
    return make_float2(SIMGPU_NAME(__, 2float)(a.x),
                       SIMGPU_NAME(__, 2float)(a.y));
}
SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__low2, )(SIMGPU_T2 a)
{
    return a.x;
}
SIMGPU_INLINE SIMGPU_T SIMGPU_NAME(__high2, )(SIMGPU_T2 a)
{
    return a.y;
}
SIMGPU_INLINE float __low2float(SIMGPU_T2 a)
{
    return SIMGPU_NAME(__, 2float)(a.x);
}
SIMGPU_INLINE float __high2float(SIMGPU_T2 a)
{
    return SIMGPU_NAME(__, 2float)(a.y);
}
SIMGPU_INLINE SIMGPU_T2 SIMGPU_NAME(__low2, 2)(SIMGPU_T2 a)
{
    return SIMGPU_T2(a.x, a.x);
}
SIMGPU_INLINE SIMGPU_T2 SIMGPU_NAME(__high2, 2)(SIMGPU_T2 a)
{
    return SIMGPU_T2(a.y, a.y);
}
SIMGPU_INLINE SIMGPU_T2 SIMGPU_NAME(__lows2, 2)(SIMGPU_T2 a, SIMGPU_T2 b)
{
    return SIMGPU_T2(a.x, b.x);
}
SIMGPU_INLINE SIMGPU_T2 SIMGPU_NAME(__highs2, 2)(SIMGPU_T2 a, SIMGPU_T2 b)
{
    return SIMGPU_T2(a.y, b.y);
}
