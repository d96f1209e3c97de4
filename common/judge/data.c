#include "judge/data.h"

#include <float.h>   /* FLT_EPSILON */
#include <math.h>    /* fabs, ldexp */
#include <stdio.h>   /* snprintf */
#include <string.h>  /* memcpy */
#include <strings.h> /* strcasecmp */

#include "base/mix.h"
#include "base/narrow.h"
#include "judge/advice.h"

enum family { SIGNED, UNSIGNED, FLOAT, NARROW };

static const struct {
    const char *name;
    size_t size;
    enum family family;
    enum narrow_type narrow;
} types[DATA_TYPES] = {
    [DATA_INT8] = {"int8", 1, SIGNED, 0},
    [DATA_UINT8] = {"uint8", 1, UNSIGNED, 0},
    [DATA_INT32] = {"int32", 4, SIGNED, 0},
    [DATA_UINT32] = {"uint32", 4, UNSIGNED, 0},
    [DATA_INT64] = {"int64", 8, SIGNED, 0},
    [DATA_UINT64] = {"uint64", 8, UNSIGNED, 0},
    [DATA_HALF] = {"half", 2, NARROW, NARROW_FP16},
    [DATA_FLOAT] = {"float", 4, FLOAT, 0},
    [DATA_DOUBLE] = {"double", 8, FLOAT, 0},
    [DATA_BFLOAT16] = {"bfloat16", 2, NARROW, NARROW_BF16},
    [DATA_FP8E4M3] = {"fp8e4m3", 1, NARROW, NARROW_E4M3},
    [DATA_FP8E5M2] = {"fp8e5m2", 1, NARROW, NARROW_E5M2},
};

/* Names that PyTorch, NumPy, CUDA and C give to each type. */
static const struct {
    const char *name;
    enum data_type type;
} other_names[] = {
    {"char", DATA_INT8},           {"i8", DATA_INT8},
    {"byte", DATA_UINT8},          {"u8", DATA_UINT8},
    {"int", DATA_INT32},           {"i32", DATA_INT32},
    {"unsigned", DATA_UINT32},     {"u32", DATA_UINT32},
    {"long", DATA_INT64},          {"i64", DATA_INT64},
    {"u64", DATA_UINT64},          {"fp16", DATA_HALF},
    {"float16", DATA_HALF},        {"f16", DATA_HALF},
    {"fp32", DATA_FLOAT},          {"float32", DATA_FLOAT},
    {"f32", DATA_FLOAT},           {"fp64", DATA_DOUBLE},
    {"float64", DATA_DOUBLE},      {"f64", DATA_DOUBLE},
    {"bf16", DATA_BFLOAT16},       {"fp8_e4m3", DATA_FP8E4M3},
    {"e4m3", DATA_FP8E4M3},        {"float8_e4m3fn", DATA_FP8E4M3},
    {"fp8_e5m2", DATA_FP8E5M2},    {"e5m2", DATA_FP8E5M2},
    {"float8_e5m2", DATA_FP8E5M2},
};
enum { OTHER_NAMES = sizeof other_names / sizeof *other_names };

static const char *const ops[DATA_OPS] = {"sum", "prod", "max", "min"};

/* ---- names and sizes ----------------------------------------------------- */

int data_type(const char *name)
{
    for (int i = 0; i < DATA_TYPES; i++)
        if (strcasecmp(types[i].name, name) == 0)
            return i;
    for (int i = 0; i < OTHER_NAMES; i++)
        if (strcasecmp(other_names[i].name, name) == 0)
            return (int)other_names[i].type;
    return -1;
}

const char *data_type_names(char *out, size_t nbytes)
{
    size_t at = 0;
    out[0] = 0;
    for (int i = 0; i < DATA_TYPES && at < nbytes; i++) {
        const char *before = " (";
        at += (size_t)snprintf(out + at, nbytes - at, "%s%s", i ? ", " : "",
                               types[i].name);
        for (int k = 0; k < OTHER_NAMES && at < nbytes; k++)
            if ((int)other_names[k].type == i) {
                at += (size_t)snprintf(out + at, nbytes - at, "%s%s", before,
                                       other_names[k].name);
                before = " ";
            }
        if (*before && !before[1] && at < nbytes)
            at += (size_t)snprintf(out + at, nbytes - at, ")");
    }
    return out;
}

int data_op(const char *name)
{
    for (int i = 0; i < DATA_OPS; i++)
        if (strcmp(ops[i], name) == 0)
            return i;
    return -1;
}

const char *data_type_name(enum data_type type)
{
    return types[type].name;
}

const char *data_op_name(enum data_op op)
{
    return ops[op];
}

size_t data_size(enum data_type type)
{
    return types[type].size;
}

double data_epsilon(enum data_type type)
{
    switch (types[type].family) {
    case FLOAT: return (type == DATA_FLOAT ? FLT_EPSILON : DBL_EPSILON) / 2;
    case NARROW: return ldexp(0.5, -narrow_mantissa_bits(types[type].narrow));
    default: return 0;
    }
}

/*
 * A loop over elements. Nearly every case uses float: for it `type` is a
 * constant, and the compiler drops the code of all other types from the loop.
 */
#define BY_TYPE(loop, type, ...)                                               \
    ((type) == DATA_FLOAT ? loop(DATA_FLOAT, __VA_ARGS__)                      \
                          : loop(type, __VA_ARGS__))
#define LOOP static inline __attribute__((always_inline))

/* ---- one element --------------------------------------------------------- */

static int is_integer(enum data_type type)
{
    return types[type].family == SIGNED || types[type].family == UNSIGNED;
}

/* The bits of element i, not sign-extended (little-endian, like the host
 * of every GPU). */
static uint64_t bits_at(const void *buf, size_t i, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, (const char *)buf + i * size, size);
    return bits;
}

/* An integer element, sign-extended if its type is signed. */
static uint64_t integer_at(const void *buf, size_t i, enum data_type type)
{
    const int unused = 64 - 8 * (int)types[type].size;
    const uint64_t bits = bits_at(buf, i, types[type].size) << unused;
    return types[type].family == SIGNED ? (uint64_t)((int64_t)bits >> unused)
                                        : bits >> unused;
}

static double float_at(const void *buf, size_t i, enum data_type type)
{
    if (type == DATA_FLOAT) {
        float v;
        memcpy(&v, (const char *)buf + i * sizeof v, sizeof v);
        return v;
    }
    double v;
    memcpy(&v, (const char *)buf + i * sizeof v, sizeof v);
    return v;
}

LOOP double get(const void *buf, size_t i, enum data_type type)
{
    switch (types[type].family) {
    case SIGNED: return (double)(int64_t)integer_at(buf, i, type);
    case UNSIGNED: return (double)integer_at(buf, i, type);
    case FLOAT: return float_at(buf, i, type);
    case NARROW: break;
    }
    return narrow_decode((unsigned)bits_at(buf, i, types[type].size),
                         types[type].narrow);
}

LOOP void put(void *buf, size_t i, enum data_type type, const void *bits)
{
    memcpy((char *)buf + i * types[type].size, bits, types[type].size);
}

LOOP void set(void *buf, size_t i, enum data_type type, double value)
{
    if (is_integer(type)) {
        const uint64_t bits =
            value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
        put(buf, i, type, &bits);
    } else if (types[type].family == NARROW) {
        const uint32_t bits =
            narrow_encode(value, types[type].narrow, NARROW_NEAREST);
        put(buf, i, type, &bits);
    } else if (type == DATA_FLOAT) {
        put(buf, i, type, &(float){(float)value});
    } else {
        put(buf, i, type, &value);
    }
}

double data_get(const void *buf, size_t i, enum data_type type)
{
    return get(buf, i, type);
}

void data_set(void *buf, size_t i, enum data_type type, double value)
{
    set(buf, i, type, value);
}

/* ---- filling and combining ----------------------------------------------- */

int data_value(uint64_t seed, size_t i, enum data_type type)
{
    const uint64_t random = mix_nth(seed, i);
    const int magnitude = types[type].size == 1 && types[type].family == NARROW
                              ? 1
                              : 1 + (int)(random % 4);
    const int is_signed = types[type].family != UNSIGNED;
    return magnitude * (1 - 2 * (is_signed & (int)(random >> 63)));
}

LOOP void fill(enum data_type type, void *buf, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        set(buf, i, type, data_value(seed, i, type));
}

void data_fill(void *buf, size_t count, enum data_type type, uint64_t seed)
{
    BY_TYPE(fill, type, buf, count, seed);
}

/*
 * n % by, for n below 2^63. n times the inverse (2^64 / by) is the quotient or
 * one less. A division would take longer than everything else done for an
 * element.
 */
LOOP uint64_t modulo(uint64_t n, uint64_t by, uint64_t inverse)
{
    const uint64_t quotient = (uint64_t)((unsigned __int128)n * inverse >> 64);
    const uint64_t rest = n - quotient * by;
    return rest < by ? rest : rest - by;
}

/*
 * Numbers from 1 to `largest` and their negatives. A power of two, which 2, 4
 * or 8 ranks give, needs no quotient. The sign is a factor, not a branch: the
 * processor would mispredict a random sign half of the time.
 */
LOOP void fill_to(enum data_type type, void *buf, size_t count,
                  uint64_t largest, uint64_t seed)
{
    const uint64_t mask = largest & (largest - 1) ? 0 : largest - 1,
                   inverse = UINT64_MAX / largest;
    for (size_t i = 0; i < count; i++) {
        const uint64_t random = mix_nth(seed, i);
        const uint64_t below =
            mask ? (random >> 1) & mask : modulo(random >> 1, largest, inverse);
        const int64_t sign = 1 - 2 * (int64_t)(random & 1);
        set(buf, i, type, (double)((int64_t)(1 + below) * sign));
    }
}

void data_fill_sum(void *buf, size_t count, enum data_type type, int nterms,
                   uint64_t seed)
{
    // every integer up to here is exact
    const double exact = 1 / data_epsilon(type);
    const uint64_t largest = isinf(exact) ? 0 : (uint64_t)(exact / nterms);
    if (largest <= 4)
        data_fill(buf, count, type, seed);
    else
        BY_TYPE(fill_to, type, buf, count, largest, seed);
}

static uint64_t combine_integers(uint64_t a, uint64_t b, enum data_op op,
                                 int is_signed)
{
    const int less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (op) {
    case DATA_SUM: return a + b;
    case DATA_PROD: return a * b;
    case DATA_MAX: return less ? b : a;
    case DATA_MIN: return less ? a : b;
    default: return 0;
    }
}

static double combine_numbers(double a, double b, enum data_op op)
{
    switch (op) {
    case DATA_SUM: return a + b;
    case DATA_PROD: return a * b;
    case DATA_MAX: return a < b ? b : a;
    case DATA_MIN: return b < a ? b : a;
    default: return NAN;
    }
}

LOOP void combine(enum data_type type, void *acc, const void *in, size_t count,
                  enum data_op op)
{
    for (size_t i = 0; i < count; i++)
        if (is_integer(type)) {
            const uint64_t v = combine_integers(integer_at(acc, i, type),
                                                integer_at(in, i, type), op,
                                                types[type].family == SIGNED);
            put(acc, i, type, &v);
        } else {
            set(acc, i, type,
                combine_numbers(get(acc, i, type), get(in, i, type), op));
        }
}

void data_combine(void *acc, const void *in, size_t count, enum data_type type,
                  enum data_op op)
{
    BY_TYPE(combine, type, acc, in, count, op);
}

/* ---- comparing ----------------------------------------------------------- */

struct difference {
    size_t count, first;
};

static int near(double got, double want, double relative, double absolute)
{
    // equal infinities are near each other, a NaN is near nothing
    return got == want ||
           (isfinite(want) &&
            fabs(got - want) <= absolute + relative * fabs(want));
}

LOOP struct difference compare(enum data_type type, const void *got,
                               const void *want, size_t count, double relative,
                               double absolute)
{
    struct difference d = {0, count};
    for (size_t i = 0; i < count; i++) {
        const int same =
            is_integer(type)
                ? integer_at(got, i, type) == integer_at(want, i, type)
                : near(get(got, i, type), get(want, i, type), relative,
                       absolute);
        if (!same && d.count++ == 0)
            d.first = i;
    }
    return d;
}

static struct difference differences(const void *got, const void *want,
                                     size_t count, enum data_type type,
                                     double relative, double absolute)
{
    return BY_TYPE(compare, type, got, want, count, relative, absolute);
}

static void print(const void *buf, size_t i, enum data_type type, char *out,
                  size_t nbytes)
{
    if (types[type].family == SIGNED)
        snprintf(out, nbytes, "%lld", (long long)integer_at(buf, i, type));
    else if (types[type].family == UNSIGNED)
        snprintf(out, nbytes, "%llu",
                 (unsigned long long)integer_at(buf, i, type));
    else
        snprintf(out, nbytes, type == DATA_DOUBLE ? "%.17g" : "%.9g",
                 data_get(buf, i, type));
}

static void advise(const void *got, const void *want, size_t count,
                   enum data_type type, double relative, double absolute,
                   char *out, size_t nbytes)
{
    struct advice a = {.n = 0};
    for (size_t i = 0; i < count; i++) {
        const double is = data_get(got, i, type);
        const double should = data_get(want, i, type);
        if (!near(is, should, relative, absolute))
            advice_see(&a, is, should, (const char *)got + i * data_size(type),
                       data_size(type));
    }
    advice_text(&a, out, nbytes);
}

void data_compare_near(const void *got, const void *want, size_t count,
                       enum data_type type, double relative, double absolute,
                       int rank, struct judge_verdict *v)
{
    const struct difference d =
        differences(got, want, count, type, relative, absolute);
    if (!d.count || !v->pass)
        return;
    char is[64], should[64], advice[256];
    print(got, d.first, type, is, sizeof is);
    print(want, d.first, type, should, sizeof should);
    advise(got, want, count, type, relative, absolute, advice, sizeof advice);
    judge_fail(v,
               "element %zu of rank %d is %s, should be %s (%zu of %zu "
               "differ)%s",
               d.first, rank, is, should, d.count, count, advice);
}

void data_compare(const void *got, const void *want, size_t count,
                  enum data_type type, int rank, struct judge_verdict *v)
{
    data_compare_near(got, want, count, type, 0, 0, rank, v);
}

size_t data_differ(const void *got, const void *want, size_t count,
                   enum data_type type)
{
    return differences(got, want, count, type, 0, 0).count;
}
