# Rounding modes, hexadecimal floats, vector extensions, __int128, unions,
# overflow builtins, tgmath, NaNs that are looked for.
sed -i '/#include "lab\/try.h"/r /dev/stdin' norms.c <<'C'
#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#pragma STDC FP_CONTRACT OFF
typedef float four __attribute__((vector_size(16), aligned(16)));
static int odd_numbers(void)
{
    const int before = fegetround();
    fesetround(FE_UPWARD);
    volatile double third = 0x1.8p+1 / 9;
    fesetround(before);
    const four a = {1, 2, 3, 4}, b = a * a + (four){1};
    const __int128 wide = (__int128)INT64_MAX * 4;
    union { float f; uint32_t u; } bits = {.f = -0.0f};
    int sum, lost = __builtin_add_overflow(INT32_MAX, 1, &sum);
    float back;
    memcpy(&back, &bits.u, sizeof back);
    fprintf(stderr, "%a %.3Lf %" PRIx32 "\n", third, (long double)b[3], bits.u);
    return lost && (uint64_t)(wide >> 64) == 1 && signbit(back) && isnan(NAN) && !isfinite(INFINITY) && nextafterf(1, 2) > 1 && fma(2, 3, 1) == 7 && lround(hypot(3, 4)) == 5 && (int)ldexp(frexp(8, &sum), 4) == 8 && __builtin_popcountll(255) == 8 && fetestexcept(FE_INVALID) == 0;
}
C
first=$(grep -n '^ncclResult_t' norms.c | head -n 1 | cut -d: -f1)
awk -v f="$first" 'NR >= f && !done && /^{/ { print; print "    if (!odd_numbers())\n        return ncclInternalError;"; done = 1; next } 1' norms.c > new.c && mv new.c norms.c
