/*
 * data.h: element types; filling, combining and comparing buffers
 *
 * Types and operations have NCCL's numbers, so a plan's "float" means the same
 * in a rank, which uses NCCL, and in the judge, which does not.
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
    DATA_HALF,
    DATA_FLOAT,
    DATA_DOUBLE,
    DATA_BFLOAT16,
    DATA_FP8E4M3,
    DATA_FP8E5M2,
    DATA_TYPES
};
enum data_op { DATA_SUM, DATA_PROD, DATA_MAX, DATA_MIN, DATA_OPS };

/*
 * The type with this name: "int32", "half" ... as in nccl-tests, "float16" ...
 * as in PyTorch and NumPy, or short as in "fp16", in upper or lower case. -1 if
 * the name is unknown. data_type_names() lists all names, for messages, and
 * returns out.
 */
enum { DATA_NAMES = 512 };
int data_type(const char *name);
const char *data_type_names(char *out, size_t nbytes);
int data_op(const char *name);
const char *data_type_name(enum data_type type);
const char *data_op_name(enum data_op op);
size_t data_size(enum data_type type);

/*
 * The relative error of rounding to this type once; 0 for integers. Adding n
 * numbers, in any order, has an error of at most about n times that.
 */
double data_epsilon(enum data_type type);

/*
 * Element i of a buffer as a number, and the reverse, rounded to the type.
 * Integers beyond 2^53 are rounded; data_combine() and data_compare() are
 * exact.
 */
double data_get(const void *buf, size_t i, enum data_type type);
void data_set(void *buf, size_t i, enum data_type type, double value);

/*
 * Element i of a rank's input. Values are small integers, never 0, so that
 * sums, and products over a few ranks, are exact in every type: a result is
 * right or wrong to the bit, in any order of computation. They run from 1 to 4,
 * with either sign where the type has one; the 8-bit floating-point types,
 * which cannot represent 9, get 1 and -1.
 */
int data_value(uint64_t seed, size_t i, enum data_type type);

/* Fill a buffer with the first `count` elements of the input
 * drawn from a seed. */
void data_fill(void *buf, size_t count, enum data_type type, uint64_t seed);

/*
 * The same with numbers of as many bits as keep a sum of nterms of them exact,
 * so adding or moving them at a lower precision changes the result. Integers
 * and 8-bit types are filled as by data_fill().
 */
void data_fill_sum(void *buf, size_t count, enum data_type type, int nterms,
                   uint64_t seed);

/*
 * Element-wise acc = acc op in, for count elements. Integers wrap; floating
 * point rounds to the type after each operation.
 */
void data_combine(void *acc, const void *in, size_t count, enum data_type type,
                  enum data_op op);

/*
 * Compare a rank's output with the expected one. If they differ, the verdict
 * fails with the first difference and their number: "element 17 of rank 2 is 3,
 * should be 5 (3 of 1003 differ)". Integers must be equal; a NaN never is.
 */
void data_compare(const void *got, const void *want, size_t count,
                  enum data_type type, int rank, struct judge_verdict *v);

/*
 * As data_compare(), but floating-point numbers may differ by
 * absolute + relative * |want|.
 */
void data_compare_near(const void *got, const void *want, size_t count,
                       enum data_type type, double relative, double absolute,
                       int rank, struct judge_verdict *v);

/* Number of elements that differ, as counted by data_compare(). */
size_t data_differ(const void *got, const void *want, size_t count,
                   enum data_type type);

#endif
