/*
 * ptx.h: functions that replace inline PTX (simnvcc/ptx.h)
 *
 * An instruction becomes a function do_NAME<types, tags>, where tags are parts
 * of its opcode, such as t_hi. Registers contain bits: a value is read as the
 * instruction's type, and its result is extended to the register's size.
 */
#ifndef SIMGPU_PTX_H
#define SIMGPU_PTX_H

#include "multimem.h"
#include "simgpu/numbers.h"
#include "simgpu/ptx_values.h"

namespace simgpu
{
namespace ptx
{
/* ---- arithmetic ---------------------------------------------------------- */

/* Wraps around, as on a GPU. */
#define SIMGPU_PTX_WRAPS(name, op)                                             \
    template <class T> static inline T name(T a, T b)                          \
    {                                                                          \
        return (T)((typename arithmetic<T>::type)a op(                         \
            typename arithmetic<T>::type) b);                                  \
    }
SIMGPU_PTX_WRAPS(wrap_add, +)
SIMGPU_PTX_WRAPS(wrap_sub, -)
SIMGPU_PTX_WRAPS(wrap_mul, *)
#undef SIMGPU_PTX_WRAPS

template <class T, class... TAGS> static inline T do_add(T a, T b)
{
    const T sum = wrap_add(a, b);
    if (has<t_cc, TAGS...>())
        carry() = (uint64_t)sum < (uint64_t)a;
    return limit<T, TAGS...>(sum, (long double)a + (long double)b);
}
template <class T, class... TAGS> static inline T do_addc(T a, T b)
{
    const unsigned in = carry();
    const T part = wrap_add(a, b), sum = wrap_add(part, (T)in);
    if (has<t_cc, TAGS...>())
        carry() = (uint64_t)part < (uint64_t)a || (uint64_t)sum < in;
    return sum;
}
template <class T, class... TAGS> static inline T do_sub(T a, T b)
{
    if (has<t_cc, TAGS...>())
        carry() = (uint64_t)a < (uint64_t)b;
    return limit<T, TAGS...>(wrap_sub(a, b), (long double)a - (long double)b);
}
template <class T, class... TAGS> static inline T do_subc(T a, T b)
{
    const unsigned in = carry();
    const T part = wrap_sub(a, b);
    if (has<t_cc, TAGS...>())
        carry() = (uint64_t)a < (uint64_t)b || (uint64_t)part < in;
    return wrap_sub(part, (T)in);
}

template <class T, class... TAGS>
static inline result<T, TAGS...> do_mul(T a, T b)
{
    return product<T, TAGS...>::of(a, b);
}
template <class T, class... TAGS, class W>
static inline result<T, TAGS...> do_mad(T a, T b, W c)
{
    return wrap_add(do_mul<T, TAGS...>(a, b), as<result<T, TAGS...>>(c));
}
template <class T, class... TAGS> static inline T do_mul24(T a, T b)
{
    const int64_t all = (int64_t)(T)((int64_t)a << 40 >> 40) *
                        (int64_t)(T)((int64_t)b << 40 >> 40);
    return (T)(has<t_hi, TAGS...>() ? all >> 16 : all);
}
template <class T, class... TAGS> static inline T do_mad24(T a, T b, T c)
{
    return wrap_add(do_mul24<T, TAGS...>(a, b), c);
}
static inline float fused(float a, float b, float c)
{
    return ::fmaf(a, b, c);
}
static inline double fused(double a, double b, double c)
{
    return ::fma(a, b, c);
}
template <class T, class... TAGS> static inline T do_fma(T a, T b, T c)
{
    return limit<T, TAGS...>(fused(a, b, c), 0);
}
template <class T> static inline T do_div(T a, T b)
{
    return b || !is_integer<T>() ? (T)(a / b) : (T)-1;
}
template <class T> static inline T do_rem(T a, T b)
{
    return b ? (T)(a % b) : a;
}
template <class T> static inline T do_abs(T a)
{
    return a < 0 ? wrap_sub((T)0, a) : a == 0 ? (T)0 : a;
}
template <class T> static inline T do_neg(T a)
{
    return is_integer<T>() ? wrap_sub((T)0, a) : (T)-a;
}
template <class T> static inline T do_min(T a, T b)
{
    return a != a ? b : b != b || a < b ? a : b;
}
template <class T> static inline T do_max(T a, T b)
{
    return a != a ? b : b != b || b < a ? a : b;
}
template <class T> static inline T do_sad(T a, T b, T c)
{
    return wrap_add(c, a < b ? wrap_sub(b, a) : wrap_sub(a, b));
}
template <class T, class U = T>
static inline uint32_t do_dp4a(T a, U b, uint32_t c)
{
    for (int i = 0; i < 32; i += 8)
        c += (uint32_t)(byte_of(a, i) * byte_of(b, i));
    return c;
}

#define SIMGPU_PTX_FUNCTION(name, expression)                                  \
    template <class T> static inline T do_##name(T a)                          \
    {                                                                          \
        return (T)(expression);                                                \
    }
SIMGPU_PTX_FUNCTION(rcp, 1 / a)
SIMGPU_PTX_FUNCTION(sqrt, ::sqrt(a))
SIMGPU_PTX_FUNCTION(rsqrt, 1 / ::sqrt(a))
SIMGPU_PTX_FUNCTION(sin, ::sin(a))
SIMGPU_PTX_FUNCTION(cos, ::cos(a))
SIMGPU_PTX_FUNCTION(tanh, ::tanh(a))
SIMGPU_PTX_FUNCTION(ex2, ::exp2(a))
SIMGPU_PTX_FUNCTION(lg2, ::log2(a))
SIMGPU_PTX_FUNCTION(not, ~a)
SIMGPU_PTX_FUNCTION(brev, __brevll(a) >> (64 - 8 * sizeof(T)))
#undef SIMGPU_PTX_FUNCTION
template <class T> static inline T do_copysign(T a, T b)
{
    return (T)::copysign(b, a);
}

/* ---- bits ---------------------------------------------------------------- */

template <class T> static inline T do_and(T a, T b)
{
    return (T)(a & b);
}
template <class T> static inline T do_or(T a, T b)
{
    return (T)(a | b);
}
template <class T> static inline T do_xor(T a, T b)
{
    return (T)(a ^ b);
}
template <class T> static inline T do_shl(T a, uint32_t n)
{
    return n < 8 * sizeof(T) ? (T)((uint64_t)a << n) : (T)0;
}
template <class T> static inline T do_shr(T a, uint32_t n)
{
    return n < 8 * sizeof(T) ? (T)(a >> n) : a < 0 ? (T)-1 : (T)0;
}
template <class T, class... TAGS>
static inline uint32_t do_shf(uint32_t low, uint32_t high, uint32_t n)
{
    if (has<t_clamp, TAGS...>())
        return has<t_l, TAGS...>() ? __funnelshift_lc(low, high, n)
                                   : __funnelshift_rc(low, high, n);
    return has<t_l, TAGS...>() ? __funnelshift_l(low, high, n)
                               : __funnelshift_r(low, high, n);
}
template <class T> static inline T do_bfe(T a, uint32_t at, uint32_t n)
{
    const uint32_t size = 8 * sizeof(T);
    uint64_t bits = 0;
    at &= 255, n &= 255;
    for (uint32_t i = 0; i < n && i < size; i++)
        bits |= at + i < size ? ((uint64_t)a >> (at + i) & 1) << i : 0;
    // the sign fills the bits above the field, and above the number
    const uint32_t top = at + n - 1 < size ? at + n - 1 : size - 1;
    if (n && (T)-1 < 0 && (uint64_t)a >> top & 1)
        bits |= at > top ? UINT64_MAX : UINT64_MAX << (top - at) << 1;
    return (T)bits;
}
template <class T> static inline T do_bfi(T a, T b, uint32_t at, uint32_t n)
{
    at &= 255, n &= 255;
    uint64_t bits = (uint64_t)b;
    for (uint32_t i = 0; i < n && at + i < 8 * sizeof(T); i++) {
        const uint64_t one = UINT64_C(1) << (at + i);
        bits = (uint64_t)a >> i & 1 ? bits | one : bits & ~one;
    }
    return (T)bits;
}
/* n ones from bit `at` on; both numbers are clamped to
 * 32, or taken modulo 32. */
template <class T, class... TAGS>
static inline uint32_t do_bmsk(uint32_t at, uint32_t n)
{
    const bool clamps = has<t_clamp, TAGS...>();
    at = clamps ? simgpu::least<uint32_t>(at, 32) : at & 31;
    n = clamps ? simgpu::least<uint32_t>(n, 32) : n & 31;
    return (uint32_t)(((UINT64_C(1) << n) - 1) << at);
}
template <class T, class... TAGS> static inline uint32_t do_bfind(T a)
{
    const uint64_t bits = low_bits<T>((uint64_t)(a < 0 ? ~a : a));
    if (!bits)
        return UINT32_MAX;
    const uint32_t at = 63 - (uint32_t)__builtin_clzll(bits);
    return has<t_shiftamt, TAGS...>() ? (uint32_t)(8 * sizeof(T)) - 1 - at : at;
}
template <class T> static inline uint32_t do_clz(T a)
{
    const uint32_t size = 8 * sizeof(T);
    const uint64_t bits = low_bits<T>((uint64_t)a);
    return bits ? (uint32_t)__builtin_clzll(bits) - (64 - size) : size;
}
template <class T> static inline uint32_t do_popc(T a)
{
    return (uint32_t)__builtin_popcountll(low_bits<T>((uint64_t)a));
}
template <class T, class... TAGS>
static inline uint32_t do_prmt(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t i = c & 3;
    uint32_t by = c;
    if (has<t_f4e, TAGS...>())
        by = 0x3210 + 0x1111 * i;
    else if (has<t_b4e, TAGS...>())
        by = i == 0 ? 0x5670 : i == 1 ? 0x6701 : i == 2 ? 0x7012 : 0x0123;
    else if (has<t_rc8, TAGS...>())
        by = 0x1111 * i;
    else if (has<t_ecl, TAGS...>())
        by = i == 0 ? 0x3210 : i == 1 ? 0x3211 : i == 2 ? 0x3222 : 0x3333;
    else if (has<t_ecr, TAGS...>())
        by = i == 0 ? 0x0000 : i == 1 ? 0x1110 : i == 2 ? 0x2210 : 0x3210;
    else if (has<t_rc16, TAGS...>())
        by = i & 1 ? 0x3232 : 0x1010;
    const uint64_t all = (uint64_t)b << 32 | a;
    uint32_t bits = 0;
    for (int k = 0; k < 4; k++) {
        const uint32_t byte = all >> (by >> 4 * k & 7) * 8 & 255;
        const uint32_t sign = byte >> 7 ? 255 : 0; // for a selector with bit 3
        bits |= (by >> 4 * k & 8 ? sign : byte) << 8 * k;
    }
    return bits;
}
template <class T>
static inline uint32_t do_lop3(uint32_t a, uint32_t b, uint32_t c,
                               uint32_t table)
{
    uint32_t bits = 0;
    for (int i = 0; i < 8; i++)
        if (table >> i & 1)
            bits |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return bits;
}

/* ---- comparison, selection, conversion ----------------------------------- */

template <class T, class... TAGS> static inline bool compare(T a, T b)
{
    const bool unordered = a != a || b != b;
    if (has<t_num, TAGS...>() || has<t_nan, TAGS...>())
        return unordered == has<t_nan, TAGS...>();
    if (has<t_equ, TAGS...>() || has<t_neu, TAGS...>() ||
        has<t_ltu, TAGS...>() || has<t_leu, TAGS...>() ||
        has<t_gtu, TAGS...>() || has<t_geu, TAGS...>())
        if (unordered)
            return true;
    if (has<t_eq, TAGS...>() || has<t_equ, TAGS...>())
        return a == b;
    if (has<t_ne, TAGS...>() || has<t_neu, TAGS...>())
        return a != b && !unordered;
    if (has<t_lt, TAGS...>() || has<t_lo, TAGS...>() || has<t_ltu, TAGS...>())
        return a < b;
    if (has<t_le, TAGS...>() || has<t_ls, TAGS...>() || has<t_leu, TAGS...>())
        return a <= b;
    if (has<t_gt, TAGS...>() || has<t_hi, TAGS...>() || has<t_gtu, TAGS...>())
        return a > b;
    return a >= b;
}
template <class T, class... TAGS>
static inline bool do_setp(T a, T b, bool &other)
{
    const bool holds = compare<T, TAGS...>(a, b);
    other = !holds;
    return holds;
}
template <class T, class U, class... TAGS> static inline T do_set(U a, U b)
{
    return compare<U, TAGS...>(a, b) ? (is_integer<T>() ? (T)-1 : (T)1) : (T)0;
}
template <class T> static inline T do_selp(T a, T b, bool p)
{
    return p ? a : b;
}
template <class T, class U> static inline T do_slct(T a, T b, U c)
{
    return c >= 0 ? a : b;
}
template <class T> static inline T do_cvta(T a)
{
    return a;
}

/* Float to integer: rounded; NaN becomes 0, and values out
 * of range are clamped. */
template <class T, class U, class... TAGS> static inline T do_cvt(U a)
{
    if (is_integer<U>())
        return has<t_sat, TAGS...>() ? clamp<T>((long double)a) : (T)a;
    const double x = (double)a;
    const double r = has<t_rzi, TAGS...>()   ? ::trunc(x)
                     : has<t_rmi, TAGS...>() ? ::floor(x)
                     : has<t_rpi, TAGS...>() ? ::ceil(x)
                     : has<t_rni, TAGS...>() ? ::rint(x)
                                             : x;
    if (is_integer<T>())
        return r == r ? clamp<T>(r) : (T)0;
    return limit<T, TAGS...>((T)r, 0);
}

template <class... TAGS> static inline bool do_isspacep_global(uint64_t p)
{
    return simgpu_is_global((const void *)p);
}
template <class... TAGS> static inline bool do_isspacep_shared(uint64_t p)
{
    return !simgpu_is_global((const void *)p);
}

} // namespace ptx
} // namespace simgpu

#include "simgpu/ptx_memory.h"

#endif
