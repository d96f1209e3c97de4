/*
 * reduce.h: element-wise reductions, rounded as on a GPU
 */
#ifndef SIMGPU_NVSHMEM_REDUCE_H
#define SIMGPU_NVSHMEM_REDUCE_H

#include <stddef.h>

enum reduce_op {
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_SUM,
    REDUCE_PROD
};

/* Types of elements; integers are distinguished by size and sign alone. */
enum reduce_type {
    REDUCE_I8,
    REDUCE_U8,
    REDUCE_I16,
    REDUCE_U16,
    REDUCE_I32,
    REDUCE_U32,
    REDUCE_I64,
    REDUCE_U64,
    REDUCE_HALF,
    REDUCE_BF16,
    REDUCE_FLOAT,
    REDUCE_DOUBLE
};

/* The enumerator for a C type. */
#define REDUCE_INTEGER(T)                                                      \
    ((enum reduce_type)((sizeof(T) == 1   ? 0                                  \
                         : sizeof(T) == 2 ? 2                                  \
                         : sizeof(T) == 4 ? 4                                  \
                                          : 6) +                               \
                        ((T)-1 > (T)0)))

/* into[i] = into[i] op from[i] for n elements. */
void reduce_into(enum reduce_op op, enum reduce_type type, void *into,
                 const void *from, size_t n);

#endif
