/*
 * reduce.h: element-wise arithmetic for every NCCL type and operation
 *
 * Types narrower than 32 bits are computed in float and rounded to the type
 * after each step, ties to even, which gives the same result as a chain of
 * operations in that type.
 */
#ifndef SIMGPU_NCCL_REDUCE_H
#define SIMGPU_NCCL_REDUCE_H

#include <nccl.h>
#include <stddef.h>

/* Bytes in an element; 0 for a type that doesn't exist. */
size_t reduce_type_size(ncclDataType_t type);

/* out = a op b (sum, prod, max or min) for count elements; out may be a. */
void reduce_combine(void *out, const void *a, const void *b, size_t count,
                    ncclDataType_t type, ncclRedOp_t op);

/* out = in * factor, in the type's arithmetic. */
void reduce_scale(void *out, const void *in, size_t count, ncclDataType_t type,
                  double factor);

/* acc = acc / n for integers, rounded towards zero (the last step of
 * ncclAvg). */
void reduce_divide(void *acc, size_t count, ncclDataType_t type, int n);

/* Copy nbytes that will not be read soon; bypass the caches where that is
 * faster. Later stores become visible after these. */
void reduce_store(void *to, const void *from, size_t nbytes);

/* The element at p as a double. */
double reduce_value(const void *p, ncclDataType_t type);

#endif
