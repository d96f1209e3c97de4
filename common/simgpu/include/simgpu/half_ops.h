/*
 * half_ops.h: what cuda_fp16.h and cuda_bf16.h have in common
 *
 * Each includes it with the macros below. It defines the arithmetic of a 16-bit
 * type T and of its pairs T2, in C++ only. Every operation rounds once, to
 * nearest even.
 *
 *     SIMGPU_T, SIMGPU_T2    the types; SIMGPU_RAW: a struct of the bits of T
 *     SIMGPU_FROM(double)    a T, rounded
 *     SIMGPU_TO(T)           a double
 */

#define SIMGPU_HD static inline __attribute__((unused))

/* ---- one value ----------------------------------------------------------- */

#define SIMGPU_BINARY(name, expression)                                        \
    SIMGPU_HD SIMGPU_T name(const SIMGPU_T a, const SIMGPU_T b)                \
    {                                                                          \
        const double x = SIMGPU_TO(a), y = SIMGPU_TO(b);                       \
        return SIMGPU_FROM(expression);                                        \
    }                                                                          \
    SIMGPU_HD SIMGPU_T name##_rn(const SIMGPU_T a, const SIMGPU_T b)           \
    {                                                                          \
        return name(a, b);                                                     \
    }                                                                          \
    SIMGPU_HD SIMGPU_T name##_sat(const SIMGPU_T a, const SIMGPU_T b)          \
    {                                                                          \
        const double x = SIMGPU_TO(name(a, b));                                \
        return SIMGPU_FROM(x > 0 ? x < 1 ? x : 1 : 0);                         \
    }                                                                          \
    SIMGPU_HD SIMGPU_T2 name##2(const SIMGPU_T2 a, const SIMGPU_T2 b)          \
    {                                                                          \
        return SIMGPU_T2(name(a.x, b.x), name(a.y, b.y));                      \
    }                                                                          \
    SIMGPU_HD SIMGPU_T2 name##2_rn(const SIMGPU_T2 a, const SIMGPU_T2 b)       \
    {                                                                          \
        return name##2(a, b);                                                  \
    }                                                                          \
    SIMGPU_HD SIMGPU_T2 name##2_sat(const SIMGPU_T2 a, const SIMGPU_T2 b)      \
    {                                                                          \
        return SIMGPU_T2(name##_sat(a.x, b.x), name##_sat(a.y, b.y));          \
    }
SIMGPU_BINARY(__hadd, x + y)
SIMGPU_BINARY(__hsub, x - y)
SIMGPU_BINARY(__hmul, x *y)
#undef SIMGPU_BINARY

SIMGPU_HD SIMGPU_T __hdiv(const SIMGPU_T a, const SIMGPU_T b)
{
    return SIMGPU_FROM(SIMGPU_TO(a) / SIMGPU_TO(b));
}
SIMGPU_HD SIMGPU_T2 __h2div(const SIMGPU_T2 a, const SIMGPU_T2 b)
{
    return SIMGPU_T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

SIMGPU_HD SIMGPU_T __hfma(const SIMGPU_T a, const SIMGPU_T b, const SIMGPU_T c)
{
    return SIMGPU_FROM(
        simgpu_small_fma(SIMGPU_TO(a), SIMGPU_TO(b), SIMGPU_TO(c)));
}
SIMGPU_HD SIMGPU_T __hfma_sat(const SIMGPU_T a, const SIMGPU_T b,
                              const SIMGPU_T c)
{
    const double x = SIMGPU_TO(__hfma(a, b, c));
    return SIMGPU_FROM(x > 0 ? x < 1 ? x : 1 : 0);
}
SIMGPU_HD SIMGPU_T __hfma_relu(const SIMGPU_T a, const SIMGPU_T b,
                               const SIMGPU_T c)
{
    const double x = SIMGPU_TO(__hfma(a, b, c));
    return SIMGPU_FROM(x < 0 ? 0 : x);
}
SIMGPU_HD SIMGPU_T2 __hfma2(const SIMGPU_T2 a, const SIMGPU_T2 b,
                            const SIMGPU_T2 c)
{
    return SIMGPU_T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
SIMGPU_HD SIMGPU_T2 __hfma2_sat(const SIMGPU_T2 a, const SIMGPU_T2 b,
                                const SIMGPU_T2 c)
{
    return SIMGPU_T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
SIMGPU_HD SIMGPU_T2 __hfma2_relu(const SIMGPU_T2 a, const SIMGPU_T2 b,
                                 const SIMGPU_T2 c)
{
    return SIMGPU_T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
/* a * b + c for complex numbers (real, imaginary), in four
 * steps that each round. */
SIMGPU_HD SIMGPU_T2 __hcmadd(const SIMGPU_T2 a, const SIMGPU_T2 b,
                             const SIMGPU_T2 c)
{
    const SIMGPU_T real = __hfma(a.x, b.x, c.x), imag = __hfma(a.x, b.y, c.y);
    const SIMGPU_T minus = SIMGPU_FROM(-SIMGPU_TO(a.y));
    return SIMGPU_T2(__hfma(minus, b.y, real), __hfma(a.y, b.x, imag));
}

/* Only the sign bit changes, even for NaN and zero. */
SIMGPU_HD SIMGPU_T __hneg(const SIMGPU_T a)
{
    return SIMGPU_T(SIMGPU_RAW{(unsigned short)(SIMGPU_RAW(a).x ^ 0x8000)});
}
SIMGPU_HD SIMGPU_T __habs(const SIMGPU_T a)
{
    return SIMGPU_T(SIMGPU_RAW{(unsigned short)(SIMGPU_RAW(a).x & 0x7fff)});
}
SIMGPU_HD SIMGPU_T2 __hneg2(const SIMGPU_T2 a)
{
    return SIMGPU_T2(__hneg(a.x), __hneg(a.y));
}
SIMGPU_HD SIMGPU_T2 __habs2(const SIMGPU_T2 a)
{
    return SIMGPU_T2(__habs(a.x), __habs(a.y));
}

/* ---- comparing ----------------------------------------------------------- */

SIMGPU_HD bool __hisnan(const SIMGPU_T a)
{
    return SIMGPU_TO(a) != SIMGPU_TO(a);
}
SIMGPU_HD SIMGPU_T2 __hisnan2(const SIMGPU_T2 a)
{
    return SIMGPU_T2(SIMGPU_FROM(__hisnan(a.x)), SIMGPU_FROM(__hisnan(a.y)));
}
SIMGPU_HD int __hisinf(const SIMGPU_T a)
{
    return isinf(SIMGPU_TO(a)) ? SIMGPU_TO(a) > 0 ? 1 : -1 : 0;
}

/* For pairs: 1 or 0 for each half; true if both hold; all bits of each half. */
#define SIMGPU_COMPARE_PAIRS(name, order)                                      \
    SIMGPU_HD bool __hb##name##order##2(const SIMGPU_T2 a, const SIMGPU_T2 b)  \
    {                                                                          \
        return __h##name##order(a.x, b.x) && __h##name##order(a.y, b.y);       \
    }                                                                          \
    SIMGPU_HD SIMGPU_T2 __h##name##order##2(const SIMGPU_T2 a,                 \
                                            const SIMGPU_T2 b)                 \
    {                                                                          \
        return SIMGPU_T2(SIMGPU_FROM(__h##name##order(a.x, b.x)),              \
                         SIMGPU_FROM(__h##name##order(a.y, b.y)));             \
    }                                                                          \
    SIMGPU_HD unsigned __h##name##order##2_mask(const SIMGPU_T2 a,             \
                                                const SIMGPU_T2 b)             \
    {                                                                          \
        return (__h##name##order(a.x, b.x) ? 0x0000ffffu : 0) |                \
               (__h##name##order(a.y, b.y) ? 0xffff0000u : 0);                 \
    }
/* Functions whose names end in u are true if either value is a NaN. */
#define SIMGPU_COMPARE(name, op)                                               \
    SIMGPU_HD bool __h##name(const SIMGPU_T a, const SIMGPU_T b)               \
    {                                                                          \
        return SIMGPU_TO(a) op SIMGPU_TO(b) && !__hisnan(a) && !__hisnan(b);   \
    }                                                                          \
    SIMGPU_HD bool __h##name##u(const SIMGPU_T a, const SIMGPU_T b)            \
    {                                                                          \
        return SIMGPU_TO(a) op SIMGPU_TO(b) || __hisnan(a) || __hisnan(b);     \
    }                                                                          \
    SIMGPU_COMPARE_PAIRS(name, )                                               \
    SIMGPU_COMPARE_PAIRS(name, u)
SIMGPU_COMPARE(eq, ==)
SIMGPU_COMPARE(ne, !=)
SIMGPU_COMPARE(lt, <)
SIMGPU_COMPARE(le, <=)
SIMGPU_COMPARE(gt, >)
SIMGPU_COMPARE(ge, >=)
#undef SIMGPU_COMPARE
#undef SIMGPU_COMPARE_PAIRS

/* If one is a NaN, the result is the other; -0 is less than +0. */
#define SIMGPU_CHOOSE(name, less)                                              \
    SIMGPU_HD SIMGPU_T name(const SIMGPU_T a, const SIMGPU_T b)                \
    {                                                                          \
        const double x = SIMGPU_TO(a), y = SIMGPU_TO(b);                       \
        if (__hisnan(a) || __hisnan(b))                                        \
            return __hisnan(a) ? __hisnan(b) ? SIMGPU_FROM(NAN) : b : a;       \
        const bool is_less = x < y || (x == y && signbit(x) > signbit(y));     \
        return is_less == less ? a : b;                                        \
    }                                                                          \
    SIMGPU_HD SIMGPU_T name##_nan(const SIMGPU_T a, const SIMGPU_T b)          \
    {                                                                          \
        return __hisnan(a) || __hisnan(b) ? SIMGPU_FROM(NAN) : name(a, b);     \
    }                                                                          \
    SIMGPU_HD SIMGPU_T2 name##2(const SIMGPU_T2 a, const SIMGPU_T2 b)          \
    {                                                                          \
        return SIMGPU_T2(name(a.x, b.x), name(a.y, b.y));                      \
    }                                                                          \
    SIMGPU_HD SIMGPU_T2 name##2_nan(const SIMGPU_T2 a, const SIMGPU_T2 b)      \
    {                                                                          \
        return SIMGPU_T2(name##_nan(a.x, b.x), name##_nan(a.y, b.y));          \
    }
SIMGPU_CHOOSE(__hmin, true)
SIMGPU_CHOOSE(__hmax, false)
#undef SIMGPU_CHOOSE

/* ---- functions ----------------------------------------------------------- */

#define SIMGPU_FUNCTION(name, expression)                                      \
    SIMGPU_HD SIMGPU_T h##name(const SIMGPU_T a)                               \
    {                                                                          \
        const double x = SIMGPU_TO(a);                                         \
        return SIMGPU_FROM(expression);                                        \
    }                                                                          \
    SIMGPU_HD SIMGPU_T2 h2##name(const SIMGPU_T2 a)                            \
    {                                                                          \
        return SIMGPU_T2(h##name(a.x), h##name(a.y));                          \
    }
SIMGPU_FUNCTION(sqrt, sqrt(x))
SIMGPU_FUNCTION(rsqrt, 1 / sqrt(x))
SIMGPU_FUNCTION(rcp, 1 / x)
SIMGPU_FUNCTION(exp, exp(x))
SIMGPU_FUNCTION(exp2, exp2(x))
SIMGPU_FUNCTION(exp10, pow(10, x))
SIMGPU_FUNCTION(log, log(x))
SIMGPU_FUNCTION(log2, log2(x))
SIMGPU_FUNCTION(log10, log10(x))
SIMGPU_FUNCTION(sin, sin(x))
SIMGPU_FUNCTION(cos, cos(x))
SIMGPU_FUNCTION(tanh, tanh(x))
SIMGPU_FUNCTION(tanh_approx, tanh(x))
SIMGPU_FUNCTION(floor, floor(x))
SIMGPU_FUNCTION(ceil, ceil(x))
SIMGPU_FUNCTION(trunc, trunc(x))
SIMGPU_FUNCTION(rint, rint(x))
#undef SIMGPU_FUNCTION

/* ---- operators ----------------------------------------------------------- */

#define SIMGPU_OPERATOR(op, one, two)                                          \
    SIMGPU_HD SIMGPU_T operator op(const SIMGPU_T &a, const SIMGPU_T &b)       \
    {                                                                          \
        return one(a, b);                                                      \
    }                                                                          \
    SIMGPU_HD SIMGPU_T &operator op##=(SIMGPU_T &a, const SIMGPU_T &b)         \
    {                                                                          \
        return a = one(a, b);                                                  \
    }                                                                          \
    SIMGPU_HD SIMGPU_T2 operator op(const SIMGPU_T2 &a, const SIMGPU_T2 &b)    \
    {                                                                          \
        return two(a, b);                                                      \
    }                                                                          \
    SIMGPU_HD SIMGPU_T2 &operator op##=(SIMGPU_T2 &a, const SIMGPU_T2 &b)      \
    {                                                                          \
        return a = two(a, b);                                                  \
    }
SIMGPU_OPERATOR(+, __hadd, __hadd2)
SIMGPU_OPERATOR(-, __hsub, __hsub2)
SIMGPU_OPERATOR(*, __hmul, __hmul2)
SIMGPU_OPERATOR(/, __hdiv, __h2div)
#undef SIMGPU_OPERATOR

#define SIMGPU_STEP(T, op, by)                                                 \
    SIMGPU_HD T &operator op(T &a)                                             \
    {                                                                          \
        return a by;                                                           \
    }                                                                          \
    SIMGPU_HD T operator op(T &a, int)                                         \
    {                                                                          \
        const T old = a;                                                       \
        a by;                                                                  \
        return old;                                                            \
    }
#define SIMGPU_ONE SIMGPU_FROM(1)
SIMGPU_STEP(SIMGPU_T, ++, += SIMGPU_ONE)
SIMGPU_STEP(SIMGPU_T, --, -= SIMGPU_ONE)
SIMGPU_STEP(SIMGPU_T2, ++, += SIMGPU_T2(SIMGPU_ONE, SIMGPU_ONE))
SIMGPU_STEP(SIMGPU_T2, --, -= SIMGPU_T2(SIMGPU_ONE, SIMGPU_ONE))
#undef SIMGPU_ONE
#undef SIMGPU_STEP

SIMGPU_HD SIMGPU_T2 operator+(const SIMGPU_T2 &a)
{
    return a;
}
SIMGPU_HD SIMGPU_T operator+(const SIMGPU_T &a)
{
    return a;
}
SIMGPU_HD SIMGPU_T operator-(const SIMGPU_T &a)
{
    return __hneg(a);
}
SIMGPU_HD SIMGPU_T2 operator-(const SIMGPU_T2 &a)
{
    return __hneg2(a);
}

/* != is the negation of ==, so it is true for a NaN. */
#define SIMGPU_RELATION(op, one, two)                                          \
    SIMGPU_HD bool operator op(const SIMGPU_T &a, const SIMGPU_T &b)           \
    {                                                                          \
        return one(a, b);                                                      \
    }                                                                          \
    SIMGPU_HD bool operator op(const SIMGPU_T2 &a, const SIMGPU_T2 &b)         \
    {                                                                          \
        return two(a.x, b.x) && two(a.y, b.y);                                 \
    }
SIMGPU_RELATION(==, __heq, __heq)
SIMGPU_RELATION(!=, __hneu, __hneu)
SIMGPU_RELATION(<, __hlt, __hlt)
SIMGPU_RELATION(<=, __hle, __hle)
SIMGPU_RELATION(>, __hgt, __hgt)
SIMGPU_RELATION(>=, __hge, __hge)
#undef SIMGPU_RELATION

/* ---- pairs --------------------------------------------------------------- */

SIMGPU_HD SIMGPU_T2 __lowhigh2highlow(const SIMGPU_T2 a)
{
    return SIMGPU_T2(a.y, a.x);
}

#undef SIMGPU_HD
