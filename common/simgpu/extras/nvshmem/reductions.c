/*
 * reductions.c: the reductions of nvshmem/coll.h
 */
#include "extras/nvshmem/request.h"

/* Enumerators by the type's name, since half and bfloat16
 * are the same type in C. */
#define TYPE_half(T)      REDUCE_HALF
#define TYPE_bfloat16(T)  REDUCE_BF16
#define TYPE_float(T)     REDUCE_FLOAT
#define TYPE_double(T)    REDUCE_DOUBLE
#define TYPE_uchar(T)     REDUCE_INTEGER(T)
#define TYPE_ushort(T)    REDUCE_INTEGER(T)
#define TYPE_uint(T)      REDUCE_INTEGER(T)
#define TYPE_ulong(T)     REDUCE_INTEGER(T)
#define TYPE_ulonglong(T) REDUCE_INTEGER(T)
#define TYPE_int8(T)      REDUCE_INTEGER(T)
#define TYPE_int16(T)     REDUCE_INTEGER(T)
#define TYPE_int32(T)     REDUCE_INTEGER(T)
#define TYPE_int64(T)     REDUCE_INTEGER(T)
#define TYPE_uint8(T)     REDUCE_INTEGER(T)
#define TYPE_uint16(T)    REDUCE_INTEGER(T)
#define TYPE_uint32(T)    REDUCE_INTEGER(T)
#define TYPE_uint64(T)    REDUCE_INTEGER(T)
#define TYPE_size(T)      REDUCE_INTEGER(T)
#define TYPE_char(T)      REDUCE_INTEGER(T)
#define TYPE_schar(T)     REDUCE_INTEGER(T)
#define TYPE_short(T)     REDUCE_INTEGER(T)
#define TYPE_int(T)       REDUCE_INTEGER(T)
#define TYPE_long(T)      REDUCE_INTEGER(T)
#define TYPE_longlong(T)  REDUCE_INTEGER(T)

#define OP_and            REDUCE_AND
#define OP_or             REDUCE_OR
#define OP_xor            REDUCE_XOR
#define OP_min            REDUCE_MIN
#define OP_max            REDUCE_MAX
#define OP_sum            REDUCE_SUM
#define OP_prod           REDUCE_PROD

/* clang-format off */
#define REDUCTION(NAME, T, OP)                                                 \
    SHMEM_DEFINE(int, NAME##_##OP##_reduce,                                    \
                 (nvshmem_team_t team, T *dest, const T *src, size_t nreduce), \
                 return 0, .kind = REQUEST_REDUCE, .team = team, .dest = dest, \
                 .source = src, .size = sizeof(T), .nelems = nreduce,          \
                 .type = TYPE_##NAME(T), .op = OP_##OP)                        \
    SHMEM_DEFINE(int, NAME##_##OP##_reducescatter,                             \
                 (nvshmem_team_t team, T *dest, const T *src, size_t nreduce), \
                 return 0, .kind = REQUEST_REDUCESCATTER, .team = team,        \
                 .dest = dest, .source = src, .size = sizeof(T),               \
                 .nelems = nreduce, .type = TYPE_##NAME(T), .op = OP_##OP)
/* clang-format on */
SIMGPU_SHMEM_REDUCTIONS(REDUCTION)
