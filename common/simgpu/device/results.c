/*
 * results.c: mathematical functions that return results through pointers
 *
 * simnvcc replaces device code's modf() and the like by these, since the
 * compiler inserts no hook for what libm writes (simnvcc/announced.h).
 */
#define _GNU_SOURCE
#include <math.h> /* sincos */

#include "device/access_live.h"

#define WROTE(p)                                                               \
    access_plain((const char *)(p), sizeof *(p), TOUCH_WRITE,                  \
                 __builtin_return_address(0))

/* The functions for one type, with the ending that their names have for it. */
#define RESULTS(type, ending)                                                  \
    void simgpu_sincos##ending(type x, type *sine, type *cosine);              \
    void simgpu_sincos##ending(type x, type *sine, type *cosine)               \
    {                                                                          \
        WROTE(sine);                                                           \
        WROTE(cosine);                                                         \
        sincos##ending(x, sine, cosine);                                       \
    }                                                                          \
    type simgpu_modf##ending(type x, type *whole);                             \
    type simgpu_modf##ending(type x, type *whole)                              \
    {                                                                          \
        WROTE(whole);                                                          \
        return modf##ending(x, whole);                                         \
    }                                                                          \
    type simgpu_frexp##ending(type x, int *exponent);                          \
    type simgpu_frexp##ending(type x, int *exponent)                           \
    {                                                                          \
        WROTE(exponent);                                                       \
        return frexp##ending(x, exponent);                                     \
    }                                                                          \
    type simgpu_remquo##ending(type x, type y, int *quotient);                 \
    type simgpu_remquo##ending(type x, type y, int *quotient)                  \
    {                                                                          \
        WROTE(quotient);                                                       \
        return remquo##ending(x, y, quotient);                                 \
    }

RESULTS(double, )
RESULTS(float, f)
RESULTS(long double, l)
