/*
 * minmax.h: minimum and maximum of sums, of three values, with zero, and which
 *
 * Included by device.h. The functions work on words (s32, u32) and on a word's
 * two halves (s16x2, u16x2).
 */
#ifndef SIMGPU_MINMAX_H
#define SIMGPU_MINMAX_H

#include "simgpu/numbers.h"

namespace simgpu
{
template <class T> SIMGPU_F T least(T a, T b)
{
    return b < a ? b : a;
}
template <class T> SIMGPU_F T greatest(T a, T b)
{
    return a < b ? b : a;
}
/* A sum that wraps around. */
template <class T> SIMGPU_F T sum(T a, T b)
{
    return (T)((unsigned)a + (unsigned)b);
}
/* Half i of a word. */
template <class T> SIMGPU_F T part(unsigned word, int i)
{
    return (T)(word >> 16 * i);
}
SIMGPU_F unsigned join(unsigned low, unsigned high)
{
    return (low & 0xffff) | high << 16;
}
} // namespace simgpu

/* name(a, b) and name(a, b, c) for T, and for two halves H. */
#define SIMGPU_TWO(name, suffix, T, expression)                                \
    SIMGPU_F T name##suffix(const T a, const T b)                              \
    {                                                                          \
        return expression;                                                     \
    }
#define SIMGPU_THREE(name, suffix, T, expression)                              \
    SIMGPU_F T name##suffix(const T a, const T b, const T c)                   \
    {                                                                          \
        return expression;                                                     \
    }
#define SIMGPU_TWO_HALVES(name, suffix, H, expression)                         \
    SIMGPU_F unsigned name##suffix(const unsigned x, const unsigned y)         \
    {                                                                          \
        unsigned r[2];                                                         \
        for (int i = 0; i < 2; i++) {                                          \
            const H a = simgpu::part<H>(x, i), b = simgpu::part<H>(y, i);      \
            r[i] = (unsigned)(expression);                                     \
        }                                                                      \
        return simgpu::join(r[0], r[1]);                                       \
    }
#define SIMGPU_THREE_HALVES(name, suffix, H, expression)                       \
    SIMGPU_F unsigned name##suffix(const unsigned x, const unsigned y,         \
                                   const unsigned z)                           \
    {                                                                          \
        unsigned r[2];                                                         \
        for (int i = 0; i < 2; i++) {                                          \
            const H a = simgpu::part<H>(x, i), b = simgpu::part<H>(y, i),      \
                    c = simgpu::part<H>(z, i);                                 \
            r[i] = (unsigned)(expression);                                     \
        }                                                                      \
        return simgpu::join(r[0], r[1]);                                       \
    }

/* At least zero, for names that end in relu. */
#define SIMGPU_RELU(T, x) simgpu::greatest<T>(x, 0)
#define SIMGPU_MINMAX(name, pick)                                              \
    SIMGPU_THREE(__viadd##name, _s32, int, pick(simgpu::sum(a, b), c))         \
    SIMGPU_THREE(__viadd##name, _s32_relu, int,                                \
                 SIMGPU_RELU(int, pick(simgpu::sum(a, b), c)))                 \
    SIMGPU_THREE(__viadd##name, _u32, unsigned, pick(a + b, c))                \
    SIMGPU_THREE_HALVES(__viadd##name, _s16x2, int16_t,                        \
                        pick(simgpu::sum(a, b), c))                            \
    SIMGPU_THREE_HALVES(__viadd##name, _s16x2_relu, int16_t,                   \
                        SIMGPU_RELU(int16_t, pick(simgpu::sum(a, b), c)))      \
    SIMGPU_THREE_HALVES(__viadd##name, _u16x2, uint16_t,                       \
                        pick(simgpu::sum(a, b), c))                            \
    SIMGPU_THREE(__vi##name##3, _s32, int, pick(pick(a, b), c))                \
    SIMGPU_THREE(__vi##name##3, _s32_relu, int,                                \
                 SIMGPU_RELU(int, pick(pick(a, b), c)))                        \
    SIMGPU_THREE(__vi##name##3, _u32, unsigned, pick(pick(a, b), c))           \
    SIMGPU_THREE_HALVES(__vi##name##3, _s16x2, int16_t, pick(pick(a, b), c))   \
    SIMGPU_THREE_HALVES(__vi##name##3, _s16x2_relu, int16_t,                   \
                        SIMGPU_RELU(int16_t, pick(pick(a, b), c)))             \
    SIMGPU_THREE_HALVES(__vi##name##3, _u16x2, uint16_t, pick(pick(a, b), c))  \
    SIMGPU_TWO(__vi##name, _s32_relu, int, SIMGPU_RELU(int, pick(a, b)))       \
    SIMGPU_TWO_HALVES(__vi##name, _s16x2_relu, int16_t,                        \
                      SIMGPU_RELU(int16_t, pick(a, b)))
SIMGPU_MINMAX(min, simgpu::least)
SIMGPU_MINMAX(max, simgpu::greatest)
#undef SIMGPU_MINMAX
#undef SIMGPU_RELU
#undef SIMGPU_THREE_HALVES
#undef SIMGPU_TWO_HALVES
#undef SIMGPU_THREE
#undef SIMGPU_TWO

/* Also returns whether it is the first (for the high
 * half, for the low half). */
#define SIMGPU_WHICH(name, op, suffix, T)                                      \
    SIMGPU_F T name##suffix(const T a, const T b, bool *const pred)            \
    {                                                                          \
        *pred = a op b;                                                        \
        return *pred ? a : b;                                                  \
    }
#define SIMGPU_WHICH_HALVES(name, op, suffix, H)                               \
    SIMGPU_F unsigned name##suffix(const unsigned a, const unsigned b,         \
                                   bool *const pred_hi, bool *const pred_lo)   \
    {                                                                          \
        *pred_lo = simgpu::part<H>(a, 0) op simgpu::part<H>(b, 0);             \
        *pred_hi = simgpu::part<H>(a, 1) op simgpu::part<H>(b, 1);             \
        return simgpu::join(*pred_lo ? a : b, (*pred_hi ? a : b) >> 16);       \
    }
#define SIMGPU_WHICH_ALL(name, op)                                             \
    SIMGPU_WHICH(name, op, _s32, int)                                          \
    SIMGPU_WHICH(name, op, _u32, unsigned)                                     \
    SIMGPU_WHICH_HALVES(name, op, _s16x2, int16_t)                             \
    SIMGPU_WHICH_HALVES(name, op, _u16x2, uint16_t)
SIMGPU_WHICH_ALL(__vibmax, >=)
SIMGPU_WHICH_ALL(__vibmin, <=)
#undef SIMGPU_WHICH_ALL
#undef SIMGPU_WHICH_HALVES
#undef SIMGPU_WHICH

#endif
