/* Element types: what is filled in, combined and told apart. */
#include <check.h>
#include <float.h>  /* FLT_EPSILON */
#include <math.h>   /* NAN */
#include <string.h> /* memcpy */

#include "judge/data.h"
#include "judge/minifloat.h"
#include "suite.h"

const struct judge_lab *const judge_labs[] = {NULL};

static int is_float(enum data_type type)
{
    return data_epsilon(type) != 0;
}

/* ---- types and ops ------------------------------------------------------------- */

START_TEST(types_are_numbered_and_named_as_nccls)
{
    static const struct {
        const char *name;
        int number;
        size_t size;
    } nccl[] = {{"int8", 0, 1},     {"uint8", 1, 1},    {"int32", 2, 4},
                {"uint32", 3, 4},   {"int64", 4, 8},    {"uint64", 5, 8},
                {"half", 6, 2},     {"float", 7, 4},    {"double", 8, 8},
                {"bfloat16", 9, 2}, {"fp8e4m3", 10, 1}, {"fp8e5m2", 11, 1},
                {"complex", -1, 0}};
    static const char *const ops[] = {"sum", "prod", "max", "min"};
    for (size_t i = 0; i < sizeof nccl / sizeof *nccl; i++) {
        ck_assert_int_eq(data_type(nccl[i].name), nccl[i].number);
        if (nccl[i].number >= 0)
            ck_assert_int_eq(data_size((enum data_type)i), nccl[i].size);
    }
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(data_op(ops[i]), i);
    ck_assert_int_eq(data_op("avg"), -1);
}
END_TEST

/* ---- small floating-point types -------------------------------------------------- */

static const struct minifloat *const minis[] = {
    &minifloat_half, &minifloat_bfloat, &minifloat_fp8e4m3, &minifloat_fp8e5m2};

START_TEST(every_bit_pattern_survives_being_a_double)
{
    const struct minifloat *const f = minis[_i];
    const uint32_t n = 1u << (1 + f->exponent_bits + f->mantissa_bits);
    for (uint32_t bits = 0; bits < n; bits++) {
        const double v = minifloat_decode(f, bits);
        if (isnan(v))
            ck_assert(isnan(minifloat_decode(f, minifloat_encode(f, v))));
        else
            ck_assert_uint_eq(minifloat_encode(f, v), bits);
    }
}
END_TEST

START_TEST(halfway_values_round_to_even)
{
    const struct minifloat *const f = minis[_i];
    const uint32_t n = 1u << (f->exponent_bits + f->mantissa_bits);
    for (uint32_t bits = 0; bits + 1 < n; bits++) {
        const double v = minifloat_decode(f, bits);
        const double next = minifloat_decode(f, bits + 1);
        if (!isfinite(v) || !isfinite(next))
            continue;
        const double half = v + (next - v) / 2;
        ck_assert_uint_eq(minifloat_encode(f, half), bits + (bits & 1));
        ck_assert_uint_eq(minifloat_encode(f, nextafter(half, v)), bits);
        ck_assert_uint_eq(minifloat_encode(f, nextafter(half, next)), bits + 1);
    }
}
END_TEST

START_TEST(small_types_have_their_known_values)
{
    static const struct {
        const struct minifloat *f;
        double value;
        uint32_t bits;
    } known[] = {
        {&minifloat_half, 1, 0x3c00},
        {&minifloat_half, -2, 0xc000},
        {&minifloat_half, 65504, 0x7bff},
        {&minifloat_half, 65520, 0x7c00}, // infinity
        {&minifloat_half, 5.960464477539063e-08, 0x0001},
        {&minifloat_half, -0.0, 0x8000},
        {&minifloat_bfloat, 1, 0x3f80},
        {&minifloat_bfloat, 3.140625, 0x4049},
        {&minifloat_bfloat, INFINITY, 0x7f80},
        {&minifloat_fp8e4m3, 448, 0x7e},
        {&minifloat_fp8e4m3, INFINITY, 0x7f}, // its NaN
        {&minifloat_fp8e4m3, 1, 0x38},
        {&minifloat_fp8e5m2, 57344, 0x7b},
        {&minifloat_fp8e5m2, -INFINITY, 0xfc},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_uint_eq(minifloat_encode(known[i].f, known[i].value),
                          known[i].bits);
}
END_TEST

/* ---- filling ----------------------------------------------------------------------- */

START_TEST(inputs_follow_from_their_seed_alone)
{
    enum { N = 64 };
    const enum data_type type = (enum data_type)_i;
    char a[N * 8] = {0}, b[N * 8] = {0};
    data_fill(a, N, type, 1);
    data_fill(b, N, type, 1);
    ck_assert_mem_eq(a, b, sizeof a);
    data_fill(b, N, type, 2);
    ck_assert_mem_ne(a, b, sizeof a);
    for (size_t i = 0; i < N; i++) {
        const double v = data_get(a, i, type);
        ck_assert(v != 0 && v == floor(v) && fabs(v) <= 4);
        ck_assert(v == data_value(1, i, type));
    }
}
END_TEST

/* The promise that lets results be compared to the bit. */
START_TEST(sums_over_eight_ranks_are_exact_in_any_order)
{
    enum { N = 200, RANKS = 8 };
    const enum data_type type = (enum data_type)_i;
    char forward[N * 8] = {0}, backward[N * 8] = {0}, in[N * 8];
    data_fill(forward, N, type, 0);
    data_fill(backward, N, type, RANKS - 1);
    for (int r = 1; r < RANKS; r++) {
        data_fill(in, N, type, (uint64_t)r);
        data_combine(forward, in, N, type, DATA_SUM);
        data_fill(in, N, type, (uint64_t)(RANKS - 1 - r));
        data_combine(backward, in, N, type, DATA_SUM);
    }
    ck_assert_int_eq(data_differ(forward, backward, N, type), 0);
    for (size_t i = 0; i < N; i++) {
        int sum = 0;
        for (int r = 0; r < RANKS; r++)
            sum += data_value((uint64_t)r, i, type);
        ck_assert(data_get(forward, i, type) == sum);
    }
}
END_TEST

START_TEST(integers_wrap_and_keep_their_sign)
{
    int8_t a[] = {127, -128, -3, 5}, b[] = {1, -128, 2, -7};
    uint8_t c[] = {255}, d[] = {3};
    int64_t e[] = {INT64_MAX}, f[] = {INT64_MAX - 1};
    int8_t sum[4], most[4];
    memcpy(sum, a, sizeof a);
    memcpy(most, a, sizeof a);
    data_combine(sum, b, 4, DATA_INT8, DATA_SUM);
    data_combine(most, b, 4, DATA_INT8, DATA_MAX);
    ck_assert(sum[0] == -128 && sum[1] == 0 && sum[2] == -1 && sum[3] == -2);
    ck_assert(most[0] == 127 && most[1] == -128 && most[2] == 2);
    data_combine(c, d, 1, DATA_UINT8, DATA_PROD);
    ck_assert_int_eq(c[0], 253);
    data_combine(e, f, 1, DATA_INT64, DATA_MIN); // beyond what a double holds
    ck_assert(e[0] == INT64_MAX - 1);
}
END_TEST

/* ---- comparing ------------------------------------------------------------------------ */

START_TEST(one_wrong_element_is_found_in_every_type)
{
    enum { N = 100 };
    const enum data_type type = (enum data_type)_i;
    char want[N * 8] = {0}, got[N * 8];
    struct judge_verdict v = {.pass = 1};
    data_fill(want, N, type, 42);
    memcpy(got, want, sizeof got);
    data_compare(got, want, N, type, 2, &v);
    ck_assert(v.pass);
    got[17 * data_size(type)] ^= 1;
    data_compare(got, want, N, type, 2, &v);
    ck_assert(!v.pass);
    ck_assert_msg(strncmp(v.message, "element 17 of rank 2 is ", 24) == 0 &&
                      strstr(v.message, "(1 of 100 differ)"),
                  "%s", v.message);
    ck_assert_int_eq(data_differ(got, want, N, type), 1);
}
END_TEST

START_TEST(nan_never_matches_and_infinity_only_itself)
{
    const enum data_type type = (enum data_type)_i;
    double nan, inf, one; // room for any type
    struct judge_verdict v = {.pass = 1};
    if (!is_float(type))
        return;
    data_set(&nan, 0, type, NAN);
    data_set(&inf, 0, type, INFINITY);
    data_set(&one, 0, type, 1);
    ck_assert_int_eq(data_differ(&nan, &one, 1, type), 1);
    ck_assert_int_eq(data_differ(&nan, &nan, 1, type), 1);
    ck_assert_int_eq(data_differ(&inf, &inf, 1, type), type == DATA_FP8E4M3);
    data_compare_near(&one, &inf, 1, type, 0.1, 0.1, 0, &v);
    ck_assert(!v.pass);
    v.pass = 1;
    data_compare_near(&nan, &one, 1, type, 10, 10, 0, &v);
    ck_assert(!v.pass);
}
END_TEST

static const enum data_type wide[] = {DATA_HALF, DATA_BFLOAT16, DATA_FLOAT,
                                      DATA_DOUBLE};

START_TEST(sums_take_all_bits_and_are_exact)
{
    enum { COUNT = 1000, TERMS = 8 };
    const enum data_type type = wide[_i];
    double in[COUNT], acc[COUNT] = {0}, want[COUNT] = {0}, most = 0;
    for (int r = 0; r < TERMS; r++) {
        data_fill_sum(in, COUNT, type, TERMS, judge_seed(1, (uint64_t)r));
        data_combine(acc, in, COUNT, type, DATA_SUM);
        for (int i = 0; i < COUNT; i++) {
            want[i] += data_get(in, (size_t)i, type);
            most = fmax(most, fabs(data_get(in, (size_t)i, type)));
        }
    }
    for (int i = 0; i < COUNT; i++)
        ck_assert(data_get(acc, (size_t)i, type) == want[i]);
    ck_assert(most <= 1 / data_epsilon(type) / TERMS &&
              most > .9 / data_epsilon(type) / TERMS);
}
END_TEST

START_TEST(a_tolerance_is_relative_plus_absolute)
{
    static const struct {
        double got, want;
        int pass;
    } cases[] = {{100.9, 100, 1},
                 {101.2, 100, 0},
                 {0.009, 0, 1},
                 {0.011, 0, 0},
                 {-100.9, 100, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct judge_verdict v = {.pass = 1};
        data_compare_near(&cases[i].got, &cases[i].want, 1, DATA_DOUBLE, 0.01,
                          0.01, 0, &v);
        ck_assert_int_eq(v.pass, cases[i].pass);
    }
    // integers are equal or they aren't
    struct judge_verdict v = {.pass = 1};
    data_compare_near(&(int32_t){100}, &(int32_t){101}, 1, DATA_INT32, 1, 1, 0,
                      &v);
    ck_assert(!v.pass);
    ck_assert_str_eq(v.message,
                     "element 0 of rank 0 is 100, should be 101 (1 of 1 "
                     "differ)");
}
END_TEST

START_TEST(epsilon_is_the_error_of_one_rounding)
{
    ck_assert(data_epsilon(DATA_FLOAT) == FLT_EPSILON / 2);
    ck_assert(data_epsilon(DATA_HALF) == 1.0 / 2048);
    ck_assert(data_epsilon(DATA_BFLOAT16) == 1.0 / 256);
    ck_assert(data_epsilon(DATA_INT32) == 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("data");
    TCase *const t = tcase_create("data");
    tcase_add_test(t, types_are_numbered_and_named_as_nccls);
    tcase_add_loop_test(t, every_bit_pattern_survives_being_a_double, 0, 4);
    tcase_add_loop_test(t, halfway_values_round_to_even, 0, 4);
    tcase_add_test(t, small_types_have_their_known_values);
    tcase_add_loop_test(t, inputs_follow_from_their_seed_alone, 0, DATA_TYPES);
    tcase_add_loop_test(t, sums_over_eight_ranks_are_exact_in_any_order, 0,
                        DATA_TYPES);
    tcase_add_test(t, integers_wrap_and_keep_their_sign);
    tcase_add_loop_test(t, one_wrong_element_is_found_in_every_type, 0,
                        DATA_TYPES);
    tcase_add_loop_test(t, nan_never_matches_and_infinity_only_itself, 0,
                        DATA_TYPES);
    tcase_add_loop_test(t, sums_take_all_bits_and_are_exact, 0,
                        sizeof wide / sizeof *wide);
    tcase_add_test(t, a_tolerance_is_relative_plus_absolute);
    tcase_add_test(t, epsilon_is_the_error_of_one_rounding);
    suite_add_tcase(s, t);
    return suite_run(s);
}
