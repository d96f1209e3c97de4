/* Element types: filling, combining and comparing. */
#include <check.h>
#include <float.h>  /* FLT_EPSILON */
#include <math.h>   /* NAN */
#include <string.h> /* memcpy */

#include "judge/data.h"
#include "minifloat.h"
#include "suite.h"

const struct judge_lab *const judge_labs[] = {NULL};

static int is_float(enum data_type type)
{
    return data_epsilon(type) != 0;
}

static int is_unsigned(enum data_type type)
{
    return strchr(data_type_name(type), 'u') == data_type_name(type);
}

/* ---- types and ops ------------------------------------------------------- */

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
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(data_op(ops[i]), i);
        ck_assert_str_eq(data_op_name((enum data_op)i), ops[i]);
    }
    ck_assert_int_eq(data_op("avg"), -1);
}
END_TEST

START_TEST(types_have_the_names_that_people_use)
{
    static const struct {
        const char *name;
        enum data_type type;
    } used[] = {{"fp16", DATA_HALF},          {"float16", DATA_HALF},
                {"FP16", DATA_HALF},          {"bf16", DATA_BFLOAT16},
                {"fp32", DATA_FLOAT},         {"float32", DATA_FLOAT},
                {"fp64", DATA_DOUBLE},        {"float64", DATA_DOUBLE},
                {"float8_e5m2", DATA_FP8E5M2}};
    char names[DATA_NAMES];
    data_type_names(names, sizeof names);
    ck_assert_str_eq(
        names, "int8 (char i8), uint8 (byte u8), int32 (int i32), uint32 "
               "(unsigned u32), int64 (long i64), uint64 (u64), half (fp16 "
               "float16 f16), float (fp32 float32 f32), double (fp64 float64 "
               "f64), bfloat16 (bf16), fp8e4m3 (fp8_e4m3 e4m3 float8_e4m3fn), "
               "fp8e5m2 (fp8_e5m2 e5m2 float8_e5m2)");
    ck_assert_str_eq(data_type_names(names, 12), "int8 (char ");
    ck_assert_str_eq(data_type_names(names, 5), "int8");
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        ck_assert_int_eq(data_type(used[i].name), (int)used[i].type);
    }
    ck_assert_int_eq(data_type("fp17"), -1);
}
END_TEST

/* ---- narrow floating-point types ----------------------------------------- */

static const struct {
    enum data_type type;
    const struct minifloat *own; /* the test's own arithmetic */
} narrow[] = {
    {DATA_HALF, &minifloat_half},
    {DATA_BFLOAT16, &minifloat_bfloat},
    {DATA_FP8E4M3, &minifloat_fp8e4m3},
    {DATA_FP8E5M2, &minifloat_fp8e5m2},
};

static uint32_t set(double value, enum data_type type)
{
    uint32_t bits = 0;
    data_set(&bits, 0, type, value);
    return bits;
}

START_TEST(every_bit_pattern_survives_being_a_double)
{
    const enum data_type type = narrow[_i].type;
    for (uint32_t bits = 0; bits < 1u << 8 * data_size(type); bits++) {
        const double v = data_get(&bits, 0, type);
        const double want = minifloat_decode(narrow[_i].own, bits);
        if (isnan(want) ? !isnan(v) : v != want || set(v, type) != bits)
            ck_abort_msg("%#x is not %a", bits, want);
    }
}
END_TEST

START_TEST(halfway_values_round_to_even)
{
    const enum data_type type = narrow[_i].type;
    const uint32_t n = 1u << (8 * data_size(type) - 1);
    for (uint32_t bits = 0; bits + 1 < n; bits++) {
        const double v = data_get(&bits, 0, type);
        const double next = data_get(&(uint32_t){bits + 1}, 0, type);
        if (!isfinite(v) || !isfinite(next))
            continue;
        const double half = v + (next - v) / 2;
        if (set(half, type) != bits + (bits & 1) ||
            set(nextafter(half, v), type) != bits ||
            set(nextafter(half, next), type) != bits + 1)
            ck_abort_msg("around %a", half);
    }
}
END_TEST

START_TEST(what_is_too_large_or_no_number_is_set_as_such)
{
    const enum data_type type = narrow[_i].type;
    const double values[] = {INFINITY, -INFINITY, 1e300, -1e300, NAN, -0.0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        ck_assert_uint_eq(set(values[i], type),
                          minifloat_encode(narrow[_i].own, values[i]));
}
END_TEST

/* ---- filling ------------------------------------------------------------- */

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

/* The guarantee that allows results to be compared to the bit. */
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

START_TEST(operations_are_those_of_arithmetic)
{
    static const struct {
        double a, b, results[DATA_OPS]; // sum, prod, max, min
    } pairs[] = {{3, 2, {5, 6, 3, 2}},
                 {2, 3, {5, 6, 3, 2}},
                 {2, 2, {4, 4, 2, 2}},
                 {-3, 2, {-1, -6, 2, -3}}};
    const enum data_type type = (enum data_type)_i;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int op = 0; op < DATA_OPS; op++) {
            double a, b; // room for any type, two elements of the smaller
            if (pairs[i].a < 0 && is_unsigned(type))
                continue;
            data_set(&a, 0, type, pairs[i].a);
            data_set(&b, 0, type, pairs[i].b);
            data_combine(&a, &b, 1, type, (enum data_op)op);
            ck_assert_double_eq(data_get(&a, 0, type), pairs[i].results[op]);
        }
}
END_TEST

START_TEST(integers_are_read_and_set_with_their_sign)
{
    static const struct {
        enum data_type type;
        uint64_t bits;
        double value;
    } integers[] = {{DATA_INT8, 0x80, -128},
                    {DATA_UINT8, 0x80, 128},
                    {DATA_INT32, 0xffffffff, -1},
                    {DATA_UINT32, 0xffffffff, 4294967295},
                    {DATA_INT64, UINT64_MAX, -1},
                    {DATA_UINT64, UINT64_C(1) << 63, 9223372036854775808.0}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        uint64_t bits = 0;
        data_set(&bits, 0, integers[i].type, integers[i].value);
        ck_assert_uint_eq(bits, integers[i].bits);
        ck_assert_double_eq(data_get(&bits, 0, integers[i].type),
                            integers[i].value);
    }
}
END_TEST

/* What judges fill in is fixed: a run's evidence can be judged years later. */
START_TEST(the_values_of_a_seed_never_change)
{
    static const struct {
        enum data_type type;
        int nterms;
        double plain[4], sum[4];
    } values[] = {
        {DATA_INT32, 3, {4, 1, -3, -4}, {4, 1, -3, -4}},
        {DATA_UINT8, 3, {4, 1, 3, 4}, {4, 1, 3, 4}},
        {DATA_HALF, 3, {4, 1, -3, -4}, {-216, 661, 78, -402}},
        {DATA_FLOAT, 3, {4, 1, -3, -4}, {-3462569, 3973423, 2356054, -1382327}},
        {DATA_FLOAT, 8, {4, 1, -3, -4}, {-1640172, 1979151, 1611010, -2036966}},
        {DATA_FP8E4M3, 3, {1, 1, -1, -1}, {-4, 3, 4, -2}},
        {DATA_FP8E4M3, 4, {1, 1, -1, -1}, {1, 1, -1, -1}},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double buf[4];
        data_fill(buf, 4, values[i].type, 7);
        for (size_t k = 0; k < 4; k++)
            ck_assert_double_eq(data_get(buf, k, values[i].type),
                                values[i].plain[k]);
        data_fill_sum(buf, 4, values[i].type, values[i].nterms, 7);
        for (size_t k = 0; k < 4; k++)
            ck_assert_double_eq(data_get(buf, k, values[i].type),
                                values[i].sum[k]);
    }
}
END_TEST

/* ---- comparing ----------------------------------------------------------- */

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
    // integers must be equal
    struct judge_verdict v = {.pass = 1};
    data_compare_near(&(int32_t){100}, &(int32_t){101}, 1, DATA_INT32, 1, 1, 0,
                      &v);
    ck_assert(!v.pass);
    ck_assert_str_eq(v.message,
                     "element 0 of rank 0 is 100, should be 101 (1 of 1 "
                     "differ)");
}
END_TEST

START_TEST(a_wrong_element_is_shown_as_its_type_has_it)
{
    static const struct {
        enum data_type type;
        double got, want;
        const char *says;
    } shown[] = {
        {DATA_INT64, -5, 7, "is -5, should be 7 "},
        {DATA_UINT64, 1e19, 7, "is 10000000000000000000, should be 7 "},
        {DATA_FLOAT, .1, 7, "is 0.100000001, should be 7 "},
        {DATA_DOUBLE, .1, 7, "is 0.10000000000000001, should be 7 "},
        {DATA_HALF, .5, 7, "is 0.5, should be 7 "}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        double got, want;
        struct judge_verdict v = {.pass = 1};
        data_set(&got, 0, shown[i].type, shown[i].got);
        data_set(&want, 0, shown[i].type, shown[i].want);
        data_compare(&got, &want, 1, shown[i].type, 0, &v);
        ck_assert_msg(strstr(v.message, shown[i].says), "%s", v.message);
    }
}
END_TEST

/* Advice is on the elements that differ alone. */
START_TEST(advice_follows_from_the_wrong_elements)
{
    const float want[] = {1, 2, 3, 4, 5}, got[] = {1, 6, 9, 12, 15},
                near[] = {1.5f, 6, 9, 12, 15};
    struct judge_verdict v = {.pass = 1};
    data_compare(got, want, 5, DATA_FLOAT, 0, &v);
    ck_assert_msg(
        strstr(v.message, "(4 of 5 differ)\nAll of these are 3 times"), "%s",
        v.message);
    v = (struct judge_verdict){.pass = 1};
    data_compare_near(near, want, 5, DATA_FLOAT, 0, .5, 0, &v);
    ck_assert_msg(
        strstr(v.message, "(4 of 5 differ)\nAll of these are 3 times"), "%s",
        v.message);
    v = (struct judge_verdict){.pass = 0, .message = "earlier"};
    data_compare(got, want, 5, DATA_FLOAT, 0, &v);
    ck_assert_str_eq(v.message, "earlier");
}
END_TEST

START_TEST(epsilon_is_the_error_of_one_rounding)
{
    ck_assert(data_epsilon(DATA_FLOAT) == FLT_EPSILON / 2);
    ck_assert(data_epsilon(DATA_HALF) == 1.0 / 2048);
    ck_assert(data_epsilon(DATA_BFLOAT16) == 1.0 / 256);
    ck_assert(data_epsilon(DATA_DOUBLE) == DBL_EPSILON / 2);
    ck_assert(data_epsilon(DATA_INT32) == 0);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("data");
    TCase *const t = tcase_create("data");
    tcase_add_test(t, types_are_numbered_and_named_as_nccls);
    tcase_add_test(t, types_have_the_names_that_people_use);
    tcase_add_loop_test(t, every_bit_pattern_survives_being_a_double, 0, 4);
    tcase_add_loop_test(t, halfway_values_round_to_even, 0, 4);
    tcase_add_loop_test(t, what_is_too_large_or_no_number_is_set_as_such, 0, 4);
    tcase_add_loop_test(t, inputs_follow_from_their_seed_alone, 0, DATA_TYPES);
    tcase_add_loop_test(t, sums_over_eight_ranks_are_exact_in_any_order, 0,
                        DATA_TYPES);
    tcase_add_test(t, integers_wrap_and_keep_their_sign);
    tcase_add_loop_test(t, operations_are_those_of_arithmetic, 0, DATA_TYPES);
    tcase_add_test(t, integers_are_read_and_set_with_their_sign);
    tcase_add_test(t, the_values_of_a_seed_never_change);
    tcase_add_test(t, a_wrong_element_is_shown_as_its_type_has_it);
    tcase_add_test(t, advice_follows_from_the_wrong_elements);
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
