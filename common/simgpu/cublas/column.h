/*
 * column.h: columns of numbers, converted as a GPU's matrix units do
 */
#ifndef SIMGPU_CUBLAS_COLUMN_H
#define SIMGPU_CUBLAS_COLUMN_H

#include <library_types.h>
#include <stddef.h>

/* How inputs are rounded before they are multiplied. */
enum column_rounding { COLUMN_EXACT, COLUMN_TF32, COLUMN_FP16, COLUMN_BF16 };

/* Bytes in a real number; 0 for a type that is not supported. */
size_t column_type_nbytes(cudaDataType type);

/* The same, including complex numbers and the integers that products accept. */
size_t column_operand_nbytes(cudaDataType type);

int column_is_complex(cudaDataType type);
int column_is_double(cudaDataType type); /* true for complex doubles, too */

/* Convert n numbers of a type to floats, and round them. */
void column_widen(float *out, const void *in, size_t n, cudaDataType type,
                  enum column_rounding rounding);

/* Convert n floats to numbers of a type. */
void column_narrow(void *out, const float *in, size_t n, cudaDataType type);

#endif
