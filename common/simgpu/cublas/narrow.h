/*
 * narrow.h: the roundings that a GPU's matrix units do on their inputs
 *
 *   fp16, bf16   to the nearest, ties to even (cvt.rn)
 *   tf32         10 mantissa bits of a float, ties away from 0 (cvt.rna, the
 *                only rounding that the conversion has on sm_80)
 */
#ifndef SIMGPU_CUBLAS_NARROW_H
#define SIMGPU_CUBLAS_NARROW_H

#include <library_types.h>
#include <stddef.h>

enum narrow { NARROW_NONE, NARROW_TF32, NARROW_FP16, NARROW_BF16 };

size_t type_nbytes(cudaDataType type); /* 0: not one of ours */

/* n numbers of a type as floats, rounded as `narrow` says. */
void widen_column(float *out, const void *in, size_t n, cudaDataType type,
                  enum narrow narrow);

/* n floats into numbers of a type. */
void narrow_column(void *out, const float *in, size_t n, cudaDataType type);

#endif
