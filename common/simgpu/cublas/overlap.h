/*
 * overlap.h: outputs of a product that overlap an input or each other
 *
 * cuBLAS's products write C while they still read A and B, and all products of
 * a batch run at the same time. So C must not overlap A or B, nor any other C
 * of the batch: the result would depend on timing. Here the products run one
 * after the other.
 */
#ifndef SIMGPU_CUBLAS_OVERLAP_H
#define SIMGPU_CUBLAS_OVERLAP_H

#include "cublas/handle.h"

/*
 * Report an overlap among a product's touches: of what it writes with the first
 * `ninputs`, which it reads, or with something else that it writes. If the
 * function can work in place, the report says how. Has no effect without
 * SIMGPU_CHECK.
 */
void overlap_check(const struct touches *t, size_t ninputs, int in_place);

#endif
