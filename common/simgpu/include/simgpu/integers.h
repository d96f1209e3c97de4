/*
 * integers.h: device code's functions of integers
 *
 * Included by numbers.h.
 */
#ifndef SIMGPU_INTEGERS_H
#define SIMGPU_INTEGERS_H

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#define SIMGPU_F static inline __attribute__((unused))

template <class TO, class FROM> SIMGPU_F TO simgpu_bits(FROM from)
{
    TO to;
    static_assert(sizeof to == sizeof from, "of one size");
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

SIMGPU_F int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
SIMGPU_F int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
SIMGPU_F int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
SIMGPU_F int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
SIMGPU_F int __ffs(int x)
{
    return __builtin_ffs(x);
}
/* The position of the offset-th set bit of mask, counting upwards from base;
 * downwards for a negative offset; for 0, base itself. ~0 if there is none. */
SIMGPU_F unsigned __fns(unsigned mask, unsigned base, int offset)
{
    const int step = offset < 0 ? -1 : 1;
    int left = offset < 0 ? -offset : offset;
    left += left == 0;
    for (int i = (int)base; i >= 0 && i < 32; i += step) {
        if (mask >> i & 1 && --left == 0)
            return (unsigned)i;
        if (offset == 0)
            break;
    }
    return 0xffffffffu;
}
SIMGPU_F int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
SIMGPU_F unsigned __brev(unsigned x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
SIMGPU_F unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 |
           __brev((unsigned)(x >> 32));
}
SIMGPU_F unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
    const uint64_t both = (uint64_t)y << 32 | x;
    unsigned out = 0;
    for (int i = 0; i < 4; i++) {
        const unsigned pick = s >> 4 * i & 0xf;
        unsigned byte = (unsigned)(both >> 8 * (pick & 7)) & 0xff;
        if (pick & 8) // its sign bit, eight times
            byte = byte & 0x80 ? 0xff : 0;
        out |= byte << 8 * i;
    }
    return out;
}
SIMGPU_F unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((uint64_t)hi << 32 | lo) << (n & 31) >> 32);
}
SIMGPU_F unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n)
{
    return (unsigned)(((uint64_t)hi << 32 | lo) >> (n & 31));
}
SIMGPU_F unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n)
{
    return n >= 32 ? lo : __funnelshift_l(lo, hi, n);
}
SIMGPU_F unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n)
{
    return n >= 32 ? hi : __funnelshift_r(lo, hi, n);
}
SIMGPU_F int __mulhi(int a, int b)
{
    return (int)((int64_t)a * b >> 32);
}
SIMGPU_F unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}
SIMGPU_F long long __mul64hi(long long a, long long b)
{
    return (long long)((__int128)a * b >> 64);
}
SIMGPU_F unsigned long long __umul64hi(unsigned long long a,
                                       unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
SIMGPU_F int __mul24(int a, int b)
{
    return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8));
}
SIMGPU_F unsigned __umul24(unsigned a, unsigned b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
SIMGPU_F unsigned __sad(int a, int b, unsigned c)
{
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
SIMGPU_F unsigned __usad(unsigned a, unsigned b, unsigned c)
{
    return (a > b ? a - b : b - a) + c;
}
SIMGPU_F int __hadd(int a, int b)
{
    return (int)(((int64_t)a + b) >> 1);
}
SIMGPU_F int __rhadd(int a, int b)
{
    return (int)(((int64_t)a + b + 1) >> 1);
}
SIMGPU_F unsigned __uhadd(unsigned a, unsigned b)
{
    return (unsigned)(((uint64_t)a + b) >> 1);
}
SIMGPU_F unsigned __urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((uint64_t)a + b + 1) >> 1);
}

/* Sums of products of bytes or of halves, signed or not. */
#define SIMGPU_DOT(name, R, A, a_type, B, b_type, from)                        \
    SIMGPU_F R name(A a, B b, R c)                                             \
    {                                                                          \
        const int per = (int)(sizeof(a) / sizeof(a_type));                     \
        a_type x[4];                                                           \
        b_type y[4];                                                           \
        __builtin_memcpy(x, &a, sizeof a);                                     \
        __builtin_memcpy(y, &b, sizeof b);                                     \
        for (int i = 0; i < per; i++)                                          \
            c += (R)x[i] * (R)y[i + (from)];                                   \
        return c;                                                              \
    }
SIMGPU_DOT(__dp4a, int, int, int8_t, int, int8_t, 0)
SIMGPU_DOT(__dp4a, unsigned, unsigned, uint8_t, unsigned, uint8_t, 0)
SIMGPU_DOT(__dp4a, int, char4, int8_t, char4, int8_t, 0)
SIMGPU_DOT(__dp4a, unsigned, uchar4, uint8_t, uchar4, uint8_t, 0)
SIMGPU_DOT(__dp2a_lo, int, int, int16_t, int, int8_t, 0)
SIMGPU_DOT(__dp2a_lo, unsigned, unsigned, uint16_t, unsigned, uint8_t, 0)
SIMGPU_DOT(__dp2a_hi, int, int, int16_t, int, int8_t, 2)
SIMGPU_DOT(__dp2a_hi, unsigned, unsigned, uint16_t, unsigned, uint8_t, 2)
#undef SIMGPU_DOT

/* CUDA's min and max, for each pair of types. */
#define SIMGPU_MINMAX(T, A, B)                                                 \
    SIMGPU_F T min(A a, B b)                                                   \
    {                                                                          \
        return (T)a < (T)b ? (T)a : (T)b;                                      \
    }                                                                          \
    SIMGPU_F T max(A a, B b)                                                   \
    {                                                                          \
        return (T)a < (T)b ? (T)b : (T)a;                                      \
    }
SIMGPU_MINMAX(int, int, int)
SIMGPU_MINMAX(unsigned, unsigned, unsigned)
SIMGPU_MINMAX(unsigned, int, unsigned)
SIMGPU_MINMAX(unsigned, unsigned, int)
SIMGPU_MINMAX(long, long, long)
SIMGPU_MINMAX(unsigned long, unsigned long, unsigned long)
SIMGPU_MINMAX(unsigned long, long, unsigned long)
SIMGPU_MINMAX(unsigned long, unsigned long, long)
SIMGPU_MINMAX(long long, long long, long long)
SIMGPU_MINMAX(unsigned long long, unsigned long long, unsigned long long)
SIMGPU_MINMAX(unsigned long long, long long, unsigned long long)
SIMGPU_MINMAX(unsigned long long, unsigned long long, long long)
#undef SIMGPU_MINMAX
SIMGPU_F float min(float a, float b)
{
    return fminf(a, b);
}
SIMGPU_F float max(float a, float b)
{
    return fmaxf(a, b);
}
SIMGPU_F double min(double a, double b)
{
    return fmin(a, b);
}
SIMGPU_F double max(double a, double b)
{
    return fmax(a, b);
}
SIMGPU_F double min(float a, double b)
{
    return fmin(a, b);
}
SIMGPU_F double max(float a, double b)
{
    return fmax(a, b);
}
SIMGPU_F double min(double a, float b)
{
    return fmin(a, b);
}
SIMGPU_F double max(double a, float b)
{
    return fmax(a, b);
}
SIMGPU_F unsigned umin(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
SIMGPU_F unsigned umax(unsigned a, unsigned b)
{
    return a < b ? b : a;
}
SIMGPU_F long long llmin(long long a, long long b)
{
    return a < b ? a : b;
}
SIMGPU_F long long llmax(long long a, long long b)
{
    return a < b ? b : a;
}
SIMGPU_F unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
SIMGPU_F unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
    return a < b ? b : a;
}

#endif
