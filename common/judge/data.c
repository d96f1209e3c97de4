#include "judge/data.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* memcmp */

static const char *const type_name[DATA_TYPES] = {"int8",    "uint8", "int32",
                                                  "uint32",  "int64", "uint64",
                                                  "float16", "float", "double"};
static const size_t type_size[DATA_TYPES] = {1, 1, 4, 4, 8, 8, 2, 4, 8};
static const char *const op_name[DATA_OPS] = {"sum", "prod", "max", "min"};

static int find(const char *name, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

int data_type(const char *name)
{
    return find(name, type_name, DATA_TYPES);
}

int data_op(const char *name)
{
    return find(name, op_name, DATA_OPS);
}

size_t data_size(enum data_type type)
{
    return type_size[type];
}

const char *data_type_name(enum data_type type)
{
    return type_name[type];
}

int data_value(uint64_t seed, size_t i, enum data_type type)
{
    const int magnitude = 1 + (int)(judge_seed(seed, i) % 4); // 1 .. 4
    const int negative = (int)(judge_seed(seed, i) >> 63);
    const int is_unsigned =
        type == DATA_UINT8 || type == DATA_UINT32 || type == DATA_UINT64;
    return negative && !is_unsigned ? -magnitude : magnitude;
}

/* Run `code` with T being the C type of `type`. */
#define BY_TYPE(type, code)                                                    \
    switch (type) {                                                            \
    case DATA_INT8: code(int8_t);                                              \
    case DATA_UINT8: code(uint8_t);                                            \
    case DATA_INT32: code(int32_t);                                            \
    case DATA_UINT32: code(uint32_t);                                          \
    case DATA_INT64: code(int64_t);                                            \
    case DATA_UINT64: code(uint64_t);                                          \
    case DATA_FLOAT: code(float);                                              \
    case DATA_DOUBLE: code(double);                                            \
    default: break;                                                            \
    }

#define FILL(T)                                                                \
    for (size_t i = 0; i < count; i++)                                         \
        ((T *)buf)[i] = (T)data_value(seed, i, type);                          \
    break

void data_fill(void *buf, size_t count, enum data_type type, uint64_t seed)
{
    BY_TYPE(type, FILL)
}

#define EACH(T, expression)                                                    \
    for (size_t i = 0; i < count; i++) {                                       \
        const T a = ((T *)acc)[i], b = ((const T *)in)[i];                     \
        ((T *)acc)[i] = (T)(expression);                                       \
    }
#define COMBINE(T)                                                             \
    switch (op) {                                                              \
    case DATA_SUM: EACH(T, a + b) break;                                       \
    case DATA_PROD: EACH(T, a *b) break;                                       \
    case DATA_MAX: EACH(T, a < b ? b : a) break;                               \
    case DATA_MIN: EACH(T, b < a ? b : a) break;                               \
    default: break;                                                            \
    }                                                                          \
    break

void data_combine(void *acc, const void *in, size_t count, enum data_type type,
                  enum data_op op)
{
    BY_TYPE(type, COMBINE)
}

/* An element as text. */
#define PRINT(T)                                                               \
    snprintf(out, nbytes, (T)0.5 != 0 ? "%g" : "%.0f", (double)*(const T *)p); \
    break

static void print(const void *p, enum data_type type, char *out, size_t nbytes)
{
    out[0] = 0;
    BY_TYPE(type, PRINT)
}

void data_compare(const void *got, const void *want, size_t count,
                  enum data_type type, int rank, struct judge_verdict *v)
{
    const size_t size = data_size(type);
    const char *const g = got, *const w = want;
    size_t first = count, differ = 0;
    for (size_t i = 0; i < count; i++)
        if (memcmp(g + i * size, w + i * size, size) != 0) {
            if (first == count)
                first = i;
            differ++;
        }
    if (!differ)
        return;
    char is[64], should[64];
    print(g + first * size, type, is, sizeof is);
    print(w + first * size, type, should, sizeof should);
    judge_fail(v,
               "element %zu of rank %d is %s, should be %s (%zu of %zu "
               "differ)",
               first, rank, is, should, differ, count);
}
