/*
 * reduce.h: element-wise arithmetic of every NCCL type and operation
 *
 * Types narrower than 32 bits are computed in float and rounded to the type
 * after each step, ties to even, as a chain of operations in that type would
 * be.
 */
#ifndef SIMGPU_NCCL_REDUCE_H
#define SIMGPU_NCCL_REDUCE_H

#include <nccl.h>
#include <stddef.h>

/* Bytes of an element; 0 for a type that doesn't exist. */
size_t reduce_type_size(ncclDataType_t type);

/* out = a op b (sum, prod, max or min) for count elements; out may be a. */
void reduce_combine(void *out, const void *a, const void *b, size_t count,
                    ncclDataType_t type, ncclRedOp_t op);

/* out = in * factor, in the type's arithmetic. */
void reduce_scale(void *out, const void *in, size_t count, ncclDataType_t type,
                  double factor);

/* acc = acc / n for integers, towards zero (the end of ncclAvg). */
void reduce_divide(void *acc, size_t count, ncclDataType_t type, int n);

/* Copy nbytes that will not be read soon, past the caches where that is faster.
 * The stores are ordered before any that follow. */
void reduce_store(void *to, const void *from, size_t nbytes);

/* One value of the type at p, as a double. */
double reduce_value(const void *p, ncclDataType_t type);

#endif
