/*
 * Narrow floats: every bit pattern, and what lies between, against an
 * arithmetic of the tests' own (minifloat.h).
 */
#include <check.h>
#include <float.h>  /* FLT_MAX */
#include <math.h>   /* nextafter */
#include <string.h> /* memcpy */

#include "base/narrow.h"
#include "minifloat.h"
#include "suite.h"

static const struct {
    enum narrow_type type;
    const struct minifloat *own;
} types[] = {
    {NARROW_FP16, &minifloat_half},
    {NARROW_BF16, &minifloat_bfloat},
    {NARROW_E4M3, &minifloat_fp8e4m3},
    {NARROW_E5M2, &minifloat_fp8e5m2},
};
enum { TYPES = sizeof types / sizeof *types };

static unsigned sign_bit(enum narrow_type type)
{
    return 1u << (narrow_exponent_bits(type) + narrow_mantissa_bits(type));
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

/* Both a NaN, or equal, the sign of 0 included. */
static int same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

/* As ck_assert_uint_eq(), which takes a microsecond. */
static void expect(unsigned got, unsigned want)
{
    if (got != want)
        ck_abort_msg("%#x, not %#x", got, want);
}

START_TEST(every_pattern_has_its_value)
{
    const enum narrow_type type = types[_i].type;
    for (unsigned bits = 0; bits < 2 * sign_bit(type); bits++) {
        const double want = minifloat_decode(types[_i].own, bits);
        if (!same(narrow_decode(bits, type), want) ||
            !same(narrow_to_float(bits, type), want))
            ck_abort_msg("%#x is not %a", bits, want);
    }
}
END_TEST

START_TEST(every_value_keeps_its_pattern)
{
    const enum narrow_type type = types[_i].type;
    for (unsigned bits = 0; bits < 2 * sign_bit(type); bits++) {
        const double value = narrow_decode(bits, type);
        if (isnan(value))
            continue;
        for (int how = NARROW_NEAREST; how <= NARROW_UP; how++)
            expect(narrow_encode(value, type, (enum narrow_rounding)how), bits);
        expect(narrow_from_float((float)value, type), bits);
    }
}
END_TEST

/* Between a number and the next larger one, of either sign. */
START_TEST(what_lies_between_rounds_to_the_nearest_and_ties_to_even)
{
    const enum narrow_type type = types[_i].type;
    for (unsigned bits = 0; bits + 1 < narrow_top(type); bits++) {
        const unsigned even = bits + (bits & 1), minus = sign_bit(type);
        const double low = narrow_decode(bits, type);
        const double high = narrow_decode(bits + 1, type);
        const double tie = low + (high - low) / 2;
        const double below = nextafter(tie, low), above = nextafter(tie, high);
        const enum narrow_rounding nearest = NARROW_NEAREST;
        expect(narrow_encode(tie, type, nearest), even);
        expect(narrow_encode(below, type, nearest), bits);
        expect(narrow_encode(above, type, nearest), bits + 1);
        expect(narrow_encode(-tie, type, nearest), even | minus);
        expect(narrow_encode(-above, type, nearest), (bits + 1) | minus);
        const float f = (float)tie; // exactly
        expect(narrow_from_float(f, type), even);
        expect(narrow_from_float(-f, type), even | minus);
        expect(narrow_from_float(nextafterf(f, 0), type), bits);
        expect(narrow_from_float(nextafterf(f, INFINITY), type), bits + 1);
    }
}
END_TEST

START_TEST(a_direction_is_kept)
{
    const enum narrow_type type = types[_i].type;
    for (unsigned bits = 0; bits + 1 < narrow_top(type); bits++) {
        const unsigned minus = sign_bit(type), next = bits + 1;
        const double low = narrow_decode(bits, type);
        const double just = nextafter(low, INFINITY);
        const double almost = nextafter(narrow_decode(next, type), 0);
        for (int i = 0; i < 2; i++) {
            const double x = i ? almost : just;
            expect(narrow_encode(x, type, NARROW_TO_ZERO), bits);
            expect(narrow_encode(x, type, NARROW_DOWN), bits);
            expect(narrow_encode(x, type, NARROW_UP), next);
            expect(narrow_encode(-x, type, NARROW_TO_ZERO), bits | minus);
            expect(narrow_encode(-x, type, NARROW_UP), bits | minus);
            expect(narrow_encode(-x, type, NARROW_DOWN), next | minus);
        }
    }
}
END_TEST

START_TEST(too_large_is_infinity_or_the_largest_number)
{
    const enum narrow_type type = types[_i].type;
    const unsigned top = narrow_top(type), minus = sign_bit(type);
    const double largest = narrow_decode(top - 1, type);
    const double step = largest - narrow_decode(top - 2, type);
    const double large[] = {nextafter(largest, INFINITY),
                            nextafter(largest + step / 2, 0),
                            largest + step / 2,
                            nextafter(largest + step / 2, INFINITY),
                            largest + step,
                            4 * largest,
                            DBL_MAX};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const double x = large[i];
        ck_assert_uint_eq(narrow_encode(x, type, NARROW_NEAREST),
                          minifloat_encode(types[_i].own, x));
        ck_assert_uint_eq(narrow_from_float((float)x, type),
                          minifloat_encode(types[_i].own, (float)x));
        ck_assert_uint_eq(narrow_encode(x, type, NARROW_TO_ZERO), top - 1);
        ck_assert_uint_eq(narrow_encode(x, type, NARROW_DOWN), top - 1);
        ck_assert_uint_eq(narrow_encode(x, type, NARROW_UP), top);
        ck_assert_uint_eq(narrow_encode(-x, type, NARROW_UP),
                          (top - 1) | minus);
        ck_assert_uint_eq(narrow_encode(-x, type, NARROW_DOWN), top | minus);
    }
    for (int how = NARROW_NEAREST; how <= NARROW_UP; how++)
        ck_assert_uint_eq(
            narrow_encode(-INFINITY, type, (enum narrow_rounding)how),
            top | minus);
    ck_assert_uint_eq(narrow_from_float(INFINITY, type), top);
}
END_TEST

START_TEST(a_nan_stays_one_and_keeps_its_sign)
{
    const enum narrow_type type = types[_i].type;
    const unsigned nan = narrow_nan(type), minus = sign_bit(type);
    for (int how = NARROW_NEAREST; how <= NARROW_UP; how++) {
        const enum narrow_rounding r = (enum narrow_rounding)how;
        ck_assert_uint_eq(narrow_encode(NAN, type, r), nan);
        ck_assert_uint_eq(narrow_encode(-NAN, type, r), nan | minus);
    }
    ck_assert_uint_eq(minifloat_encode(types[_i].own, NAN), nan);
    ck_assert_uint_eq(narrow_from_float(NAN, type), nan);
    ck_assert_uint_eq(narrow_from_float(-NAN, type), nan | minus);
    // a payload that only the lowest bits hold, signalling
    const unsigned quiet = narrow_from_float(float_of(0x7f800001), type);
    ck_assert_uint_eq(quiet, nan);
}
END_TEST

START_TEST(a_nan_of_bf16_keeps_its_payload)
{
    const float x = float_of(0xffab1234);
    ck_assert_uint_eq(narrow_from_float(x, NARROW_BF16), 0xffeb);
    ck_assert_uint_eq(bits_of(narrow_to_float(0xffab, NARROW_BF16)),
                      0xffab0000);
}
END_TEST

/* All upper halves of a float and more, with lower bits that decide. */
START_TEST(floats_round_as_doubles_do)
{
    static const uint32_t lower[] = {0, 1, 0xfff};
    for (uint64_t upper = 0; upper <= UINT32_MAX; upper += 0x1000)
        for (size_t i = 0; i < sizeof lower / sizeof *lower; i++) {
            const float x = float_of((uint32_t)upper | lower[i]);
            const uint32_t want = minifloat_encode(types[_i].own, x);
            if (!isnan(x) && narrow_from_float(x, types[_i].type) != want)
                ck_abort_msg("%a is %#x, not %#x", x,
                             narrow_from_float(x, types[_i].type), want);
        }
}
END_TEST

/* x to 11 significant bits, or steps of 2^-136, halves away from zero. */
static float own_tf32(float x)
{
    int exponent;
    frexp(x, &exponent);
    const int step = (exponent - 1 < -126 ? -126 : exponent - 1) - 10;
    return (float)ldexp(round(ldexp(x, -step)), step);
}

START_TEST(tf32_has_ten_bits_and_halves_go_away_from_zero)
{
    static const uint32_t lower[] = {0, 1, 0xfff};
    for (uint64_t upper = 0; upper <= UINT32_MAX; upper += 0x1000)
        for (size_t i = 0; i < sizeof lower / sizeof *lower; i++) {
            const float x = float_of((uint32_t)upper | lower[i]);
            const float want = isfinite(x) ? own_tf32(x) : x;
            if (!same(narrow_tf32(x), want))
                ck_abort_msg("%a is %a, not %a", x, narrow_tf32(x), want);
        }
}
END_TEST

START_TEST(known_numbers_have_their_known_patterns)
{
    static const struct {
        enum narrow_type type;
        double value;
        unsigned bits;
    } known[] = {
        {NARROW_FP16, 1, 0x3c00},
        {NARROW_FP16, -2, 0xc000},
        {NARROW_FP16, 65504, 0x7bff},
        {NARROW_FP16, 65520, 0x7c00}, // infinity
        {NARROW_FP16, 5.960464477539063e-08, 0x0001},
        {NARROW_FP16, -0.0, 0x8000},
        {NARROW_FP16, 2049, 0x6800}, // a tie: 2048
        {NARROW_BF16, 1, 0x3f80},
        {NARROW_BF16, 3.140625, 0x4049},
        {NARROW_BF16, INFINITY, 0x7f80},
        {NARROW_E4M3, 448, 0x7e},
        {NARROW_E4M3, INFINITY, 0x7f}, // its NaN
        {NARROW_E4M3, 1, 0x38},
        {NARROW_E5M2, 57344, 0x7b},
        {NARROW_E5M2, -INFINITY, 0xfc},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ck_assert_uint_eq(
            narrow_encode(known[i].value, known[i].type, NARROW_NEAREST),
            known[i].bits);
        ck_assert_uint_eq(
            narrow_from_float((float)known[i].value, known[i].type),
            known[i].bits);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("narrow");
    TCase *const t = tcase_create("narrow");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, every_pattern_has_its_value, 0, TYPES);
    tcase_add_loop_test(t, every_value_keeps_its_pattern, 0, TYPES);
    tcase_add_loop_test(
        t, what_lies_between_rounds_to_the_nearest_and_ties_to_even, 0, TYPES);
    tcase_add_loop_test(t, a_direction_is_kept, 0, TYPES);
    tcase_add_loop_test(t, too_large_is_infinity_or_the_largest_number, 0,
                        TYPES);
    tcase_add_loop_test(t, a_nan_stays_one_and_keeps_its_sign, 0, TYPES);
    tcase_add_test(t, a_nan_of_bf16_keeps_its_payload);
    tcase_add_loop_test(t, floats_round_as_doubles_do, 0, TYPES);
    tcase_add_test(t, tf32_has_ten_bits_and_halves_go_away_from_zero);
    tcase_add_test(t, known_numbers_have_their_known_patterns);
    suite_add_tcase(s, t);
    return suite_run(s);
}
