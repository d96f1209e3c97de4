/*
 * The arithmetic of collectives: every type and operation against plain C,
 * narrow floats against the tests' own arithmetic (minifloat.h).
 */
#include <check.h>
#include <math.h>   /* isnan */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "base/mix.h"
#include "minifloat.h"
#include "nccl/reduce.h"
#include "suite.h"

enum { N = 65536 + 3 }; /* all pairs of 8-bit values, and a partial chunk */

static const struct minifloat *const narrow[ncclNumTypes] = {
    [ncclFloat16] = &minifloat_half,
    [ncclBfloat16] = &minifloat_bfloat,
    [ncclFloat8e4m3] = &minifloat_fp8e4m3,
    [ncclFloat8e5m2] = &minifloat_fp8e5m2,
};

static uint64_t bits_at(const char *p, size_t i, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, p + i * size, size);
    return bits;
}

/* Element i of rank r: all pairs of 8-bit values, otherwise numbers of any
 * size. */
static uint64_t input(int r, size_t i, size_t size)
{
    return size == 1 ? i >> 8 * r : mix_nth((uint64_t)r, i) >> 7;
}

static char *filled(int r, size_t size)
{
    char *const p = malloc(N * size);
    for (size_t i = 0; i < N; i++) {
        const uint64_t bits = input(r, i, size);
        memcpy(p + i * size, &bits, size);
    }
    return p;
}

/* ---- what should come of two elements ------------------------------------ */

/* Of two values that are equal, the first is taken; of a number and a NaN, the
 * number. */
#define OPERATE(op, a, b)                                                      \
    ((op) == ncclSum    ? (a) + (b)                                            \
     : (op) == ncclProd ? (a) * (b)                                            \
     : (a) != (a)       ? (b)                                                  \
     : (op) == ncclMax  ? ((a) < (b) ? (b) : (a))                              \
                        : ((b) < (a) ? (b) : (a)))

static uint64_t combined_integers(uint64_t x, uint64_t y, size_t size,
                                  int is_signed, ncclRedOp_t op)
{
    const int unused = 64 - 8 * (int)size;
    const __int128 a =
        is_signed ? (__int128)((int64_t)(x << unused) >> unused) : (__int128)x;
    const __int128 b =
        is_signed ? (__int128)((int64_t)(y << unused) >> unused) : (__int128)y;
    const unsigned __int128 wraps = // a product of 64 bits may exceed 127
        op == ncclProd ? (unsigned __int128)a * (unsigned __int128)b
                       : (unsigned __int128)OPERATE(op, a, b);
    return (uint64_t)wraps << unused >> unused;
}

static uint64_t rounded(ncclDataType_t type, float x)
{
    const float most = type == ncclFloat8e4m3   ? 448
                       : type == ncclFloat8e5m2 ? 57344
                                                : INFINITY;
    if (fabsf(x) > most) // fp8 saturates
        x = copysignf(most, x);
    return minifloat_encode(narrow[type], x);
}

/* Both a NaN of the type, or the same bits. */
static int same(ncclDataType_t type, uint64_t got, uint64_t want)
{
    return got == want || (isnan(reduce_value(&got, type)) &&
                           isnan(reduce_value(&want, type)));
}

static uint64_t combined(ncclDataType_t type, uint64_t x, uint64_t y,
                         ncclRedOp_t op)
{
    uint64_t bits = 0;
    float a, b;
    double c, d;
    switch (type) {
    case ncclFloat32:
        memcpy(&a, &x, sizeof a);
        memcpy(&b, &y, sizeof b);
        memcpy(&bits, &(float){OPERATE(op, a, b)}, sizeof a);
        return bits;
    case ncclFloat64:
        memcpy(&c, &x, sizeof c);
        memcpy(&d, &y, sizeof d);
        memcpy(&bits, &(double){OPERATE(op, c, d)}, sizeof c);
        return bits;
    case ncclInt8:
    case ncclInt32:
    case ncclInt64:
        return combined_integers(x, y, reduce_type_size(type), 1, op);
    case ncclUint8:
    case ncclUint32:
    case ncclUint64:
        return combined_integers(x, y, reduce_type_size(type), 0, op);
    default: break;
    }
    a = (float)minifloat_decode(narrow[type], (uint32_t)x);
    b = (float)minifloat_decode(narrow[type], (uint32_t)y);
    return rounded(type, OPERATE(op, a, b));
}

/* ---- the tests ----------------------------------------------------------- */

START_TEST(elements_are_combined_in_their_type)
{
    const ncclDataType_t type = (ncclDataType_t)(_i / 4);
    const ncclRedOp_t op = (ncclRedOp_t)(_i % 4);
    const size_t size = reduce_type_size(type);
    char *const a = filled(0, size), *const b = filled(1, size);
    char *const out = filled(2, size);
    reduce_combine(out, a, b, N, type, op);
    for (size_t i = 0; i < N; i++) {
        const uint64_t x = bits_at(a, i, size), y = bits_at(b, i, size);
        const uint64_t got = bits_at(out, i, size);
        const uint64_t want = combined(type, x, y, op);
        if (!same(type, got, want))
            ck_abort_msg("%llx op %llx is %llx, not %llx",
                         (unsigned long long)x, (unsigned long long)y,
                         (unsigned long long)got, (unsigned long long)want);
    }
    reduce_combine(a, a, b, N, type, op); // in place
    ck_assert_mem_eq(a, out, N * size);
    free(a);
    free(b);
    free(out);
}
END_TEST

START_TEST(only_count_elements_are_written)
{
    static const size_t counts[] = {0, 1, 15, 511, 512, 513, 1027};
    const ncclDataType_t type = (ncclDataType_t)_i;
    const size_t size = reduce_type_size(type);
    char *const a = filled(0, size), *const b = filled(1, size);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char *const out = filled(2, size), *const before = filled(2, size);
        const size_t n = counts[i], rest = (N - n) * size;
        reduce_combine(out, a, b, n, type, ncclSum);
        ck_assert_mem_eq(out + n * size, before + n * size, rest);
        memcpy(out, before, n * size);
        reduce_scale(out, a, n, type, 2);
        ck_assert_mem_eq(out + n * size, before + n * size, rest);
        free(out);
        free(before);
    }
    free(a);
    free(b);
}
END_TEST

START_TEST(halves_round_to_even)
{
    const uint16_t a[] = {0x6800, 0x6801}, one[] = {0x3c00, 0x3c00};
    uint16_t sum[2]; // 2048 + 1 and 2050 + 1 lie between two halves
    reduce_combine(sum, a, one, 2, ncclFloat16, ncclSum);
    ck_assert_uint_eq(sum[0], 0x6800); // 2048
    ck_assert_uint_eq(sum[1], 0x6802); // 2052
}
END_TEST

START_TEST(narrow_floats_are_scaled_by_a_rounded_factor)
{
    static const ncclDataType_t types[] = {ncclFloat16, ncclBfloat16,
                                           ncclFloat8e4m3, ncclFloat8e5m2};
    const ncclDataType_t type = types[_i];
    const size_t size = reduce_type_size(type);
    char *const a = filled(0, size), *const out = filled(1, size);
    const double third = minifloat_decode(
        narrow[type], minifloat_encode(narrow[type], (float)(1.0 / 3)));
    reduce_scale(out, a, N, type, 1.0 / 3);
    for (size_t i = 0; i < N; i++) {
        const uint64_t x = bits_at(a, i, size);
        const float product =
            (float)minifloat_decode(narrow[type], (uint32_t)x) * (float)third;
        if (!same(type, bits_at(out, i, size), rounded(type, product)))
            ck_abort_msg("%llx / 3", (unsigned long long)x);
    }
    free(a);
    free(out);
}
END_TEST

START_TEST(other_types_are_scaled_in_their_own_arithmetic)
{
    int8_t i8[] = {5, -7, 100};
    uint32_t u32[] = {3, 0xffffffff, 0};
    int64_t i64[] = {-4, INT64_C(1) << 40, 9};
    float f32[] = {0.1f, -3, 1e30f};
    double f64[] = {0.1, -3, 1e300};
    reduce_scale(i8, i8, 3, ncclInt8, -2);
    reduce_scale(u32, u32, 3, ncclUint32, 5);
    reduce_scale(i64, i64, 3, ncclInt64, -3);
    reduce_scale(f32, f32, 3, ncclFloat32, 1.0 / 3);
    reduce_scale(f64, f64, 3, ncclFloat64, 1.0 / 3);
    ck_assert(i8[0] == -10 && i8[1] == 14 && i8[2] == 56); // -200 wraps
    ck_assert(u32[0] == 15 && u32[1] == 0xfffffffb && u32[2] == 0);
    ck_assert(i64[0] == 12 && i64[1] == -3 * (INT64_C(1) << 40));
    ck_assert(f32[0] == 0.1f * (float)(1.0 / 3) && f32[2] == 1e30f / 3);
    ck_assert(f64[0] == 0.1 * (1.0 / 3) && f64[1] == -1);
}
END_TEST

START_TEST(averages_of_integers_go_towards_zero)
{
    int8_t i8[] = {7, -7, -128};
    uint8_t u8[] = {255, 2, 0};
    int32_t i32[] = {-1, 8, INT32_MIN};
    uint64_t u64[] = {UINT64_MAX, 5, 3};
    float f32[] = {7, -7, 1};
    reduce_divide(i8, 3, ncclInt8, 3);
    reduce_divide(u8, 3, ncclUint8, 3);
    reduce_divide(i32, 3, ncclInt32, 3);
    reduce_divide(u64, 3, ncclUint64, 3);
    reduce_divide(f32, 3, ncclFloat32, 3); // scaled beforehand
    ck_assert(i8[0] == 2 && i8[1] == -2 && i8[2] == -42);
    ck_assert(u8[0] == 85 && u8[1] == 0 && u8[2] == 0);
    ck_assert(i32[0] == 0 && i32[1] == 2 && i32[2] == INT32_MIN / 3);
    ck_assert(u64[0] == UINT64_MAX / 3 && u64[1] == 1 && u64[2] == 1);
    ck_assert(f32[0] == 7 && f32[1] == -7 && f32[2] == 1);
}
END_TEST

START_TEST(values_are_read_as_doubles)
{
    ck_assert(reduce_value(&(int8_t){-3}, ncclInt8) == -3);
    ck_assert(reduce_value(&(uint8_t){253}, ncclUint8) == 253);
    ck_assert(reduce_value(&(int32_t){-3}, ncclInt32) == -3);
    ck_assert(reduce_value(&(uint32_t){0xfffffffd}, ncclUint32) == 4294967293);
    ck_assert(reduce_value(&(int64_t){-3}, ncclInt64) == -3);
    ck_assert(reduce_value(&(uint64_t){3}, ncclUint64) == 3);
    ck_assert(reduce_value(&(float){-0.5f}, ncclFloat32) == -0.5);
    ck_assert(reduce_value(&(double){1e300}, ncclFloat64) == 1e300);
    ck_assert(reduce_value(&(uint16_t){0xc000}, ncclFloat16) == -2);
    ck_assert(reduce_value(&(uint16_t){0xc000}, ncclBfloat16) == -2);
    ck_assert(reduce_value(&(uint8_t){0x7e}, ncclFloat8e4m3) == 448);
    ck_assert(reduce_value(&(uint8_t){0x7b}, ncclFloat8e5m2) == 57344);
}
END_TEST

START_TEST(what_is_stored_is_what_was_there)
{
    char from[4096 + 64] __attribute__((aligned(64))), to[sizeof from];
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (char)mix_hash(i);
    for (size_t shift = 0; shift < 64; shift += 8)
        for (size_t n = 0; n < 4096; n = 2 * n + 1) {
            memset(to, 0x55, sizeof to);
            reduce_store(to + shift, from + shift, n);
            ck_assert_mem_eq(to + shift, from + shift, n);
            ck_assert(to[shift + n] == 0x55);
        }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("reduce");
    TCase *const t = tcase_create("reduce");
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, elements_are_combined_in_their_type, 0,
                        4 * ncclNumTypes);
    tcase_add_loop_test(t, only_count_elements_are_written, 0, ncclNumTypes);
    tcase_add_test(t, halves_round_to_even);
    tcase_add_loop_test(t, narrow_floats_are_scaled_by_a_rounded_factor, 0, 4);
    tcase_add_test(t, other_types_are_scaled_in_their_own_arithmetic);
    tcase_add_test(t, averages_of_integers_go_towards_zero);
    tcase_add_test(t, values_are_read_as_doubles);
    tcase_add_test(t, what_is_stored_is_what_was_there);
    suite_add_tcase(s, t);
    return suite_run(s);
}
