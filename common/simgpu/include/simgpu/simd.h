/*
 * simd.h: arithmetic on the two halves or four bytes of a word (__vadd4 ...)
 *
 * Included by device.h.
 */
#ifndef SIMGPU_SIMD_H
#define SIMGPU_SIMD_H

#include "simgpu/numbers.h"

/* For each lane of type T: r = expression of a, b and c, computed as int64_t
 * and, with `saturate`, clamped to T's range. */
#define SIMGPU_LANES(name, T, saturate, expression)                            \
    SIMGPU_F unsigned name(unsigned x, unsigned y)                             \
    {                                                                          \
        T va[4 / sizeof(T)], vb[4 / sizeof(T)];                                \
        const int64_t most = (T)-1 < 0                                         \
                                 ? ((int64_t)1 << (8 * sizeof(T) - 1)) - 1     \
                                 : ((int64_t)1 << 8 * sizeof(T)) - 1;          \
        const int64_t least = (T)-1 < 0 ? -most - 1 : 0;                       \
        __builtin_memcpy(va, &x, 4);                                           \
        __builtin_memcpy(vb, &y, 4);                                           \
        for (unsigned i = 0; i < 4 / sizeof(T); i++) {                         \
            const int64_t a = va[i], b = vb[i];                                \
            (void)b;                                                           \
            int64_t r = (expression);                                          \
            if (saturate)                                                      \
                r = r > most ? most : r < least ? least : r;                   \
            va[i] = (T)r;                                                      \
        }                                                                      \
        __builtin_memcpy(&x, va, 4);                                           \
        return x;                                                              \
    }
#define SIMGPU_SIMD(n, S, U)                                                   \
    SIMGPU_LANES(__vadd##n, U, 0, a + b)                                       \
    SIMGPU_LANES(__vaddss##n, S, 1, a + b)                                     \
    SIMGPU_LANES(__vaddus##n, U, 1, a + b)                                     \
    SIMGPU_LANES(__vsub##n, U, 0, a - b)                                       \
    SIMGPU_LANES(__vsubss##n, S, 1, a - b)                                     \
    SIMGPU_LANES(__vsubus##n, U, 1, a - b)                                     \
    SIMGPU_LANES(__vavgs##n, S, 0, (a + b + (a + b >= 0)) >> 1)                \
    SIMGPU_LANES(__vavgu##n, U, 0, (a + b + 1) >> 1)                           \
    SIMGPU_LANES(__vhaddu##n, U, 0, (a + b) >> 1)                              \
    SIMGPU_LANES(__vmaxs##n, S, 0, a > b ? a : b)                              \
    SIMGPU_LANES(__vmaxu##n, U, 0, a > b ? a : b)                              \
    SIMGPU_LANES(__vmins##n, S, 0, a < b ? a : b)                              \
    SIMGPU_LANES(__vminu##n, U, 0, a < b ? a : b)                              \
    SIMGPU_LANES(__vabsdiffs##n, S, 0, a > b ? a - b : b - a)                  \
    SIMGPU_LANES(__vabsdiffu##n, U, 0, a > b ? a - b : b - a)                  \
    SIMGPU_LANES(__vcmpeq##n, U, 0, a == b ? -1 : 0)                           \
    SIMGPU_LANES(__vcmpne##n, U, 0, a != b ? -1 : 0)                           \
    SIMGPU_LANES(__vcmpges##n, S, 0, a >= b ? -1 : 0)                          \
    SIMGPU_LANES(__vcmpgeu##n, U, 0, a >= b ? -1 : 0)                          \
    SIMGPU_LANES(__vcmpgts##n, S, 0, a > b ? -1 : 0)                           \
    SIMGPU_LANES(__vcmpgtu##n, U, 0, a > b ? -1 : 0)                           \
    SIMGPU_LANES(__vcmples##n, S, 0, a <= b ? -1 : 0)                          \
    SIMGPU_LANES(__vcmpleu##n, U, 0, a <= b ? -1 : 0)                          \
    SIMGPU_LANES(__vcmplts##n, S, 0, a < b ? -1 : 0)                           \
    SIMGPU_LANES(__vcmpltu##n, U, 0, a < b ? -1 : 0)                           \
    SIMGPU_LANES(__vseteq##n, U, 0, a == b)                                    \
    SIMGPU_LANES(__vsetne##n, U, 0, a != b)                                    \
    SIMGPU_LANES(__vsetges##n, S, 0, a >= b)                                   \
    SIMGPU_LANES(__vsetgeu##n, U, 0, a >= b)                                   \
    SIMGPU_LANES(__vsetgts##n, S, 0, a > b)                                    \
    SIMGPU_LANES(__vsetgtu##n, U, 0, a > b)                                    \
    SIMGPU_LANES(__vsetles##n, S, 0, a <= b)                                   \
    SIMGPU_LANES(__vsetleu##n, U, 0, a <= b)                                   \
    SIMGPU_LANES(__vsetlts##n, S, 0, a < b)                                    \
    SIMGPU_LANES(__vsetltu##n, U, 0, a < b)                                    \
    SIMGPU_LANES(simgpu_abs##n, S, 0, a < 0 ? -a : a)                          \
    SIMGPU_LANES(simgpu_absss##n, S, 1, a < 0 ? -a : a)                        \
    SIMGPU_LANES(simgpu_neg##n, S, 0, -a)                                      \
    SIMGPU_LANES(simgpu_negss##n, S, 1, -a)                                    \
    SIMGPU_F unsigned __vabs##n(unsigned a)                                    \
    {                                                                          \
        return simgpu_abs##n(a, 0);                                            \
    }                                                                          \
    SIMGPU_F unsigned __vabsss##n(unsigned a)                                  \
    {                                                                          \
        return simgpu_absss##n(a, 0);                                          \
    }                                                                          \
    SIMGPU_F unsigned __vneg##n(unsigned a)                                    \
    {                                                                          \
        return simgpu_neg##n(a, 0);                                            \
    }                                                                          \
    SIMGPU_F unsigned __vnegss##n(unsigned a)                                  \
    {                                                                          \
        return simgpu_negss##n(a, 0);                                          \
    }                                                                          \
    SIMGPU_F unsigned __vsads##n(unsigned a, unsigned b)                       \
    {                                                                          \
        unsigned sum = 0;                                                      \
        for (unsigned i = 0; i < 32; i += 32 / n)                              \
            sum += (unsigned)abs((S)(a >> i) - (S)(b >> i));                   \
        return sum;                                                            \
    }                                                                          \
    SIMGPU_F unsigned __vsadu##n(unsigned a, unsigned b)                       \
    {                                                                          \
        unsigned sum = 0;                                                      \
        for (unsigned i = 0; i < 32; i += 32 / n)                              \
            sum += (unsigned)abs((U)(a >> i) - (U)(b >> i));                   \
        return sum;                                                            \
    }
SIMGPU_SIMD(2, int16_t, uint16_t)
SIMGPU_SIMD(4, int8_t, uint8_t)
#undef SIMGPU_SIMD
#undef SIMGPU_LANES

#endif
