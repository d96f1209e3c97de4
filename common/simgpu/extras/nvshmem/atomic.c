/*
 * atomic.c: the functions of nvshmem/atomic.h
 */
#include "extras/nvshmem/word.h"

/* half is the only type in the list for which C has no name. */
#define TYPE_OF(T)                                                             \
    _Generic((T *)0,                                                           \
        half *: REDUCE_HALF,                                                   \
        float *: REDUCE_FLOAT,                                                 \
        double *: REDUCE_DOUBLE,                                               \
        default: sizeof(T) == 4 ? REDUCE_U32 : REDUCE_U64)

/* Request an update, and get the value before it. */
#define UPDATE(CALL, T, HOW, ...)                                              \
    REQUEST(CALL, SCOPE_THREAD, NULL, .kind = REQUEST_UPDATE, .update = (HOW), \
            .dest = (void *)dest, .size = sizeof(T), .type = TYPE_OF(T),       \
            .pe = pe, __VA_ARGS__)
#define VALUE .value = word_bits(&value, sizeof value)

#define CHANGE(PREFIX, NAME, T, FUNCTION, HOW)                                 \
    void PREFIX##_##NAME##_atomic_##FUNCTION(T *dest, T value, int pe)         \
    {                                                                          \
        UPDATE(#PREFIX "_" #NAME "_atomic_" #FUNCTION, T, HOW, VALUE);         \
    }
#define FETCH(PREFIX, NAME, T, FUNCTION, HOW)                                  \
    T PREFIX##_##NAME##_atomic_##FUNCTION(T *dest, T value, int pe)            \
    {                                                                          \
        T old;                                                                 \
        UPDATE(#PREFIX "_" #NAME "_atomic_" #FUNCTION, T, HOW, VALUE,          \
               .result = &old);                                                \
        return old;                                                            \
    }

#define ALL(NAME, T)                                                           \
    T nvshmem_##NAME##_atomic_fetch(const T *dest, int pe)                     \
    {                                                                          \
        T old;                                                                 \
        UPDATE("nvshmem_" #NAME "_atomic_fetch", T, UPDATE_FETCH,              \
               .result = &old);                                                \
        return old;                                                            \
    }                                                                          \
    CHANGE(nvshmem, NAME, T, set, UPDATE_SET)                                  \
    FETCH(nvshmem, NAME, T, swap, UPDATE_SET)
SIMGPU_SHMEM_COUNTS(ALL)
SIMGPU_SHMEM_REALS(ALL)

#define COUNT(NAME, T)                                                         \
    void nvshmem_##NAME##_atomic_inc(T *dest, int pe)                          \
    {                                                                          \
        UPDATE("nvshmem_" #NAME "_atomic_inc", T, UPDATE_ADD, .value = 1);     \
    }                                                                          \
    T nvshmem_##NAME##_atomic_fetch_inc(T *dest, int pe)                       \
    {                                                                          \
        T old;                                                                 \
        UPDATE("nvshmem_" #NAME "_atomic_fetch_inc", T, UPDATE_ADD,            \
               .value = 1, .result = &old);                                    \
        return old;                                                            \
    }                                                                          \
    CHANGE(nvshmem, NAME, T, add, UPDATE_ADD)                                  \
    FETCH(nvshmem, NAME, T, fetch_add, UPDATE_ADD)                             \
    T nvshmem_##NAME##_atomic_compare_swap(T *dest, T cond, T value, int pe)   \
    {                                                                          \
        T old;                                                                 \
        UPDATE("nvshmem_" #NAME "_atomic_compare_swap", T, UPDATE_SWAP_IF,     \
               VALUE, .compare = word_bits(&cond, sizeof cond),                \
               .result = &old);                                                \
        return old;                                                            \
    }
SIMGPU_SHMEM_COUNTS(COUNT)

#define BITS(NAME, T)                                                          \
    CHANGE(nvshmem, NAME, T, and, UPDATE_AND)                                  \
    CHANGE(nvshmem, NAME, T, or, UPDATE_OR)                                    \
    CHANGE(nvshmem, NAME, T, xor, UPDATE_XOR)                                  \
    FETCH(nvshmem, NAME, T, fetch_and, UPDATE_AND)                             \
    FETCH(nvshmem, NAME, T, fetch_or, UPDATE_OR)                               \
    FETCH(nvshmem, NAME, T, fetch_xor, UPDATE_XOR)
SIMGPU_SHMEM_BITS(BITS)

#define REAL(NAME, T)                                                          \
    CHANGE(nvshmemx, NAME, T, add, UPDATE_ADD)                                 \
    FETCH(nvshmemx, NAME, T, fetch_add, UPDATE_ADD)
SIMGPU_SHMEM_REALS(REAL)
