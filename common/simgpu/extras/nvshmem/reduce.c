#include "extras/nvshmem/reduce.h"

#include <stdint.h>
#include <string.h> /* memcpy */

#include "base/narrow.h"

#define LOOP(T, EXPRESSION)                                                    \
    for (size_t i = 0; i < n; i++) {                                           \
        const T a = ((const T *)into)[i], b = ((const T *)from)[i];            \
        ((T *)into)[i] = (T)(EXPRESSION);                                      \
    }                                                                          \
    break

#define INTEGER(NAME, T)                                                       \
    static void reduce_##NAME(enum reduce_op op, void *into, const void *from, \
                              size_t n)                                        \
    {                                                                          \
        switch (op) {                                                          \
        case REDUCE_AND: LOOP(T, a &b);                                        \
        case REDUCE_OR: LOOP(T, a | b);                                        \
        case REDUCE_XOR: LOOP(T, a ^ b);                                       \
        case REDUCE_MIN: LOOP(T, b < a ? b : a);                               \
        case REDUCE_MAX: LOOP(T, b > a ? b : a);                               \
        case REDUCE_SUM: LOOP(T, (uint64_t)a + (uint64_t)b);                   \
        case REDUCE_PROD: LOOP(T, (uint64_t)a *(uint64_t)b);                   \
        }                                                                      \
    }
INTEGER(i8, int8_t)
INTEGER(u8, uint8_t)
INTEGER(i16, int16_t)
INTEGER(u16, uint16_t)
INTEGER(i32, int32_t)
INTEGER(u32, uint32_t)
INTEGER(i64, int64_t)
INTEGER(u64, uint64_t)

#define REAL(NAME, T)                                                          \
    static void reduce_##NAME(enum reduce_op op, void *into, const void *from, \
                              size_t n)                                        \
    {                                                                          \
        switch (op) {                                                          \
        case REDUCE_MIN: LOOP(T, b < a ? b : a);                               \
        case REDUCE_MAX: LOOP(T, b > a ? b : a);                               \
        case REDUCE_SUM: LOOP(T, a + b);                                       \
        case REDUCE_PROD: LOOP(T, a *b);                                       \
        default: break;                                                        \
        }                                                                      \
    }
REAL(float, float)
REAL(double, double)

/* Combine one element at a time, in double, rounded once. */
static void reduce_narrow(enum reduce_op op, enum narrow_type type, void *into,
                          const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint16_t bits[2];
        double v[2];
        memcpy(&bits[0], (char *)into + 2 * i, 2);
        memcpy(&bits[1], (const char *)from + 2 * i, 2);
        v[0] = narrow_decode(bits[0], type);
        v[1] = narrow_decode(bits[1], type);
        reduce_double(op, &v[0], &v[1], 1);
        bits[0] = (uint16_t)narrow_encode(v[0], type, NARROW_NEAREST);
        memcpy((char *)into + 2 * i, &bits[0], 2);
    }
}

void reduce_into(enum reduce_op op, enum reduce_type type, void *into,
                 const void *from, size_t n)
{
    switch (type) {
    case REDUCE_I8: reduce_i8(op, into, from, n); break;
    case REDUCE_U8: reduce_u8(op, into, from, n); break;
    case REDUCE_I16: reduce_i16(op, into, from, n); break;
    case REDUCE_U16: reduce_u16(op, into, from, n); break;
    case REDUCE_I32: reduce_i32(op, into, from, n); break;
    case REDUCE_U32: reduce_u32(op, into, from, n); break;
    case REDUCE_I64: reduce_i64(op, into, from, n); break;
    case REDUCE_U64: reduce_u64(op, into, from, n); break;
    case REDUCE_HALF: reduce_narrow(op, NARROW_FP16, into, from, n); break;
    case REDUCE_BF16: reduce_narrow(op, NARROW_BF16, into, from, n); break;
    case REDUCE_FLOAT: reduce_float(op, into, from, n); break;
    case REDUCE_DOUBLE: reduce_double(op, into, from, n); break;
    }
}
