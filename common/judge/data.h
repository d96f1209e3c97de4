/*
 * data.h: element types, filling and comparing: one of each, for everybody
 *
 * Types are numbered as NCCL numbers them, so that a plan's "float" is the
 * same thing in a rank, where NCCL is, and in the judge, where it isn't.
 */
#ifndef COMMLAB_JUDGE_DATA_H
#define COMMLAB_JUDGE_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "judge/judge.h"

enum data_type {
    DATA_INT8,
    DATA_UINT8,
    DATA_INT32,
    DATA_UINT32,
    DATA_INT64,
    DATA_UINT64,
    DATA_FLOAT16, /* not filled or compared yet */
    DATA_FLOAT,
    DATA_DOUBLE,
    DATA_TYPES
};
enum data_op { DATA_SUM, DATA_PROD, DATA_MAX, DATA_MIN, DATA_OPS };

/* "int32" -> its number; -1 if it means nothing. */
int data_type(const char *name);
int data_op(const char *name);
size_t data_size(enum data_type type);
const char *data_type_name(enum data_type type);

/*
 * Element i of a rank's input. Values are small integers, never 0, so that
 * sums, and products over a few ranks, are exact in every type: a result is
 * right or wrong to the bit, whatever order it was computed in.
 */
int data_value(uint64_t seed, size_t i, enum data_type type);

/* count elements of the input that follows from a seed. */
void data_fill(void *buf, size_t count, enum data_type type, uint64_t seed);

/*
 * Element-wise acc = acc op in, for count elements. Integers wrap.
 */
void data_combine(void *acc, const void *in, size_t count, enum data_type type,
                  enum data_op op);

/*
 * Compare a rank's output with what it should be, bit by bit. Fails the
 * verdict with the first difference and how many there are: "element 17 of
 * rank 2 is 3, should be 5 (3 of 1003 differ)".
 */
void data_compare(const void *got, const void *want, size_t count,
                  enum data_type type, int rank, struct judge_verdict *v);

#endif
