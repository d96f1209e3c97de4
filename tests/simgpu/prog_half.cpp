/*
 * The small floats, exhaustively. Compiled against simgpu's headers here, and
 * against CUDA's by tests/real-libraries.sh: the printed checksums of all
 * results must be the same.
 *
 * One value of half and bfloat16: all 65536; pairs: all of one with a few
 * hundred of the other; floats and doubles: every exponent with patterns of the
 * mantissa around each tie.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <float.h>
#include <stdint.h>
#include <string.h>

#include <initializer_list>

#include "rule.h"

static uint64_t sum; // FNV-1a over 16-bit results

static void add(unsigned bits)
{
    sum = (sum ^ bits) * 1099511628211u;
}

static void report(const char *what)
{
    printf("sum    %016llx %s\n", (unsigned long long)sum, what);
    sum = 14695981039346656037u;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* All NaNs are the same. */
static unsigned bits_of(__half x)
{
    return __hisnan(x) ? 0x7fff : __half_as_ushort(x);
}
static unsigned bits_of(__nv_bfloat16 x)
{
    return __hisnan(x) ? 0x7fff : __bfloat16_as_ushort(x);
}

/* All exponents and signs; mantissas in which the bits that decide on rounding
 * to 2, 3, 7 and 10 bits take all their values. */
template <class F> static void each_float(F f)
{
    static const uint32_t low[] = {0,      1,      0x7ff,  0x800,  0x801,
                                   0xfff,  0x1000, 0x1001, 0x1fff, 0x7fff,
                                   0x8000, 0x8001, 0xffff};
    for (uint32_t top = 0; top < 1u << 14; top++) // sign, exponent, 5 bits
        for (uint32_t x : low)
            for (uint32_t mid = 0; mid < 4; mid++)
                f(float_of(top << 18 | ((mid << 16 | x) & 0x3ffff)));
}

template <class T, class FROM, class BACK>
static void check_one(const char *name, FROM from, BACK back)
{
    bool same = true;
    for (unsigned i = 0; i < 65536; i++) {
        const T h = back((unsigned short)i);
        const float x = (float)h;
        same &= __hisnan(h) ? x != x : bits_of(from(x)) == i;
        add(__hisnan(h) ? 0x7fff : bits_of(x) >> 16);
        add(__hisnan(h) ? 0x7fff : bits_of(x) & 0xffff);
        add(bits_of(-h));
        add(bits_of(__habs(h)));
        add((unsigned)(int)h);
        add((unsigned)(unsigned)h);
        add(__hisinf(h) + 1);
    }
    RULE(same, "every value survives a conversion to float and back");
    report(name);
}

template <class T, class BACK>
static void check_two(const char *name, BACK back)
{
    for (unsigned i = 0; i < 65536; i++)
        for (unsigned k = i % 257; k < 65536; k += 2609) {
            const T a = back((unsigned short)i), b = back((unsigned short)k);
            add(bits_of(a + b));
            add(bits_of(a - b));
            add(bits_of(a * b));
            add(bits_of(a / b));
            add(a < b);
            add(a == b);
            add(a != b);
            add(__hgeu(a, b));
            add(bits_of(__hmax(a, b)));
            add(bits_of(__hmin(a, b)));
        }
    report(name);
}

static void check_halves()
{
    check_one<__half>(
        "half: one value", [](float x) { return __float2half(x); },
        [](unsigned short i) { return __ushort_as_half(i); });
    check_one<__nv_bfloat16>(
        "bfloat16: one value", [](float x) { return __float2bfloat16(x); },
        [](unsigned short i) { return __ushort_as_bfloat16(i); });
    check_two<__half>("half: two values",
                      [](unsigned short i) { return __ushort_as_half(i); });
    check_two<__nv_bfloat16>("bfloat16: two values", [](unsigned short i) {
        return __ushort_as_bfloat16(i);
    });
}

/* name: what CUDA's functions call the integer type; its other roundings to
 * bfloat16 are for devices only. */
#define TO_NARROW(name, value)                                                 \
    do {                                                                       \
        add(bits_of(__##name##2half_rn(value)));                               \
        add(bits_of(__##name##2half_rz(value)));                               \
        add(bits_of(__##name##2half_rd(value)));                               \
        add(bits_of(__##name##2half_ru(value)));                               \
        add(bits_of(__##name##2bfloat16_rn(value)));                           \
    } while (0)
#define FROM_NARROW(name)                                                      \
    do {                                                                       \
        add((unsigned)__half2##name##_rz(h));                                  \
        add((unsigned)__bfloat162##name##_rz(b));                              \
    } while (0)

static void check_integers()
{
    for (int top = 0; top < 64; top++)
        for (int low = 0; low < 64; low++)
            for (int add_one = -1; add_one < 2; add_one++) {
                const unsigned long long v =
                    (1ull << top) + (1ull << low) + (unsigned)add_one;
                TO_NARROW(short, (short)v);
                TO_NARROW(ushort, (unsigned short)v);
                TO_NARROW(int, (int)v);
                TO_NARROW(uint, (unsigned)v);
                TO_NARROW(ll, (long long)v);
                TO_NARROW(ull, v);
            }
    report("integers to both");
    for (unsigned i = 0; i < 65536; i++) {
        const __half h = __ushort_as_half((unsigned short)i);
        const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)i);
        FROM_NARROW(char);
        FROM_NARROW(uchar);
        FROM_NARROW(short);
        FROM_NARROW(ushort);
        FROM_NARROW(int);
        FROM_NARROW(uint);
        FROM_NARROW(ll);
        FROM_NARROW(ull);
    }
    report("both to integers");
}

template <class T, class P> static void compare_pairs(P a, P b)
{
    for (P r : {__heq2(a, b), __hneu2(a, b), __hlt2(a, b), __hgeu2(a, b),
                __hisnan2(a), __hmax2(a, b), __hmin2(a, b)}) {
        add(bits_of(r.x));
        add(bits_of(r.y));
    }
    for (P r : {__hmax2_nan(a, b), __hmin2_nan(a, b)}) {
        // which zero: CUDA's host code for bfloat16 differs from devices
        add(r.x == T(0.0f) ? 0 : bits_of(r.x));
        add(r.y == T(0.0f) ? 0 : bits_of(r.y));
    }
    add(__heq2_mask(a, b) + 3 * __hne2_mask(a, b) + 5 * __hleu2_mask(a, b) +
        7 * __hgtu2_mask(a, b));
    add(__hbequ2(a, b) + 2u * __hbne2(a, b) + 4u * __hblt2(a, b) +
        8u * __hbgeu2(a, b));
    T x = a.x, y = x++;
    add(bits_of(x) + 3 * bits_of(y) + 5 * bits_of(--y));
}

static void check_pairs_in_order()
{
    const unsigned short some[] = {0,      0x8000, 1,      0x3c00, 0x3c01,
                                   0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e00,
                                   0x7fff, 0x3f80, 0x7f80, 0xff80, 0x4000};
    for (unsigned short i : some)
        for (unsigned short k : some)
            for (unsigned short m : some) {
                compare_pairs<__half>(
                    __half2(__ushort_as_half(i), __ushort_as_half(k)),
                    __half2(__ushort_as_half(m), __ushort_as_half(i)));
                compare_pairs<__nv_bfloat16>(
                    __nv_bfloat162(__ushort_as_bfloat16(i),
                                   __ushort_as_bfloat16(k)),
                    __nv_bfloat162(__ushort_as_bfloat16(m),
                                   __ushort_as_bfloat16(i)));
            }
    report("pairs in order");
}

static void check_floats()
{
    each_float([](float x) {
        add(bits_of(__float2half(x)));
        add(bits_of(__float2half_rz(x)));
        add(bits_of(__float2half_rd(x)));
        add(bits_of(__float2half_ru(x)));
    });
    report("float to half");
    each_float([](float x) {
        add(bits_of(__float2bfloat16(x)));
        add(bits_of(__float2bfloat16_rz(x)));
        add(bits_of(__float2bfloat16_rd(x)));
        add(bits_of(__float2bfloat16_ru(x)));
    });
    report("float to bfloat16");
    each_float([](float x) {
        if (x != x)
            return;
        for (double d : {x * (1 - 1e-15), x * (1 + 1e-15)}) {
            add(bits_of(__double2half(d)));
            add(bits_of(__double2bfloat16(d)));
        }
    });
    report("double to both");
    each_float([](float x) {
        for (__nv_saturation_t s : {__NV_NOSAT, __NV_SATFINITE}) {
            add(__nv_cvt_float_to_fp8(x, s, __NV_E4M3));
            add(__nv_cvt_float_to_fp8(x, s, __NV_E5M2));
        }
    });
    report("float to fp8");
}

static void check_fp8()
{
    bool same = true;
    for (int i = 0; i < 256; i++) {
        __nv_fp8_e4m3 a;
        __nv_fp8_e5m2 b;
        a.__x = b.__x = (__nv_fp8_storage_t)i;
        const float x = (float)a, y = (float)b;
        same &= x != x || __nv_fp8_e4m3(x).__x == i;
        same &= y != y || y - y != 0 || __nv_fp8_e5m2(y).__x == i;
        add(x != x ? 1 : bits_of(x) >> 16);
        add(y != y ? 1 : bits_of(y) >> 16);
        add(bits_of((__half)a));
        add(bits_of((__nv_bfloat16)b));
    }
    RULE(same, "every 8-bit value survives a conversion to float and back");
    RULE(__nv_fp8_e4m3(1e9f).__x == 0x7e && __nv_fp8_e5m2(-1e9f).__x == 0xfb,
         "the classes saturate");
    const float4 v = (float4)__nv_fp8x4_e4m3(make_float4(1, -2, 3, 448));
    RULE(v.x == 1 && v.y == -2 && v.z == 3 && v.w == 448, "four at once");
    report("fp8");
}

static void check_powers()
{
    each_float([](float x) {
        for (__nv_saturation_t s : {__NV_NOSAT, __NV_SATFINITE})
            for (cudaRoundMode how : {cudaRoundZero, cudaRoundPosInf}) {
                add(__nv_cvt_float_to_e8m0(x, s, how));
                add(__nv_cvt_double_to_e8m0(x * (1 + 1e-15), s, how));
            }
    });
    for (int i = 0; i < 256; i++) {
        __nv_fp8_e8m0 e;
        e.__x = (__nv_fp8_storage_t)i;
        add(i == 255 ? (float)e != (float)e : bits_of((float)e) >> 16);
        add(bits_of((__nv_bfloat16)e));
        add(bits_of((__half)e));
        add(__nv_fp8_e8m0(i * 0.75f).__x);
    }
    report("powers of two");
}

static void check_pairs()
{
    const __half2 a = __floats2half2_rn(1.5f, -2.0f);
    const __half2 b = __hadd2(a, __half2half2(1.0f)) * a;
    RULE(__low2float(b) == 3.75f && __high2float(b) == 2, "pairs of halves");
    const __nv_bfloat162 c =
        __hmul2(__floats2bfloat162_rn(3, 4), __float2bfloat162_rn(0.5f));
    const float2 f = __bfloat1622float2(c);
    RULE(f.x == 1.5f && f.y == 2, "pairs of bfloat16");
    RULE(sizeof(__half) == 2 && sizeof(__half2) == 4 && alignof(__half2) == 4 &&
             sizeof(__nv_bfloat16) == 2 && sizeof(__nv_fp8_e4m3) == 1 &&
             sizeof(__nv_fp8x4_e5m2) == 4,
         "types are as large as their bits");
    __half h = 3;
    h += 1.0f;
    h *= __half(2.5);
    RULE((float)h == 10 && (int)h == 10 && h == __half(10),
         "numbers convert as they are written");
}

#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else // arm64
typedef long double quad;
static_assert(LDBL_MANT_DIG == 113, "quad has 128 bits");
#endif

/* CUDA's is for devices only. A product of two plus a third value of few bits,
 * in 128 bits: exact for halves, and for the values of bfloat16 tried here. */
static void check_fma()
{
#ifdef SIMGPU_SMALL_FLOAT_H
    bool right = true;
    uint32_t seed = 20240607;
    for (int i = 0; i < 3000000; i++) {
        unsigned short n[3];
        for (unsigned short &k : n)
            k = (unsigned short)((seed = seed * 1664525 + 1013904223) >> 16);
        const __half a = __ushort_as_half(n[0]), b = __ushort_as_half(n[1]),
                     c = __ushort_as_half(n[2]);
        const quad exact = (quad)(float)a * (float)b + (float)c;
        const double once = (double)exact;
        right &= bits_of(__hfma(a, b, c)) == bits_of(__double2half(once));
    }
    RULE(right, "a sum of a product of halves is rounded once");
    const __nv_bfloat16 tie = __float2bfloat16(1 + 1.0f / 128);
    const __nv_bfloat16 half_ulp = __float2bfloat16(0x1p-8f);
    RULE(bits_of(__hfma(half_ulp, __nv_bfloat16(1.0f), tie)) ==
                 bits_of(tie) + 1 &&
             bits_of(__hfma(half_ulp, tie, __nv_bfloat16(1.0f))) == 0x3f81 &&
             bits_of(__hfma(half_ulp, __nv_bfloat16(1.0f),
                            __nv_bfloat16(1.0f))) == 0x3f80,
         "ties go to even, a little more goes up");
    // 1.5 * (1 + 1/128) is a tie between two bfloat16
    const __nv_bfloat16 p = __float2bfloat16(1.5f),
                        tiny = __float2bfloat16(0x1p-100f);
    RULE((float)__hfma(p, tie, tiny) == 1.515625f &&
             (float)__hfma(p, tie, -tiny) == 1.5078125f &&
             (float)__hfma(-p, tie, tiny) == -1.5078125f,
         "what is far below the last bit of a double counts");
#endif
}

int main()
{
    report("nothing");
    check_halves();
    check_floats();
    check_integers();
    check_pairs_in_order();
    check_fp8();
    check_powers();
    check_pairs();
    check_fma();
    return rule_status();
}
