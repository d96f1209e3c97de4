/*
 * charge.h: work without contents. Given: nothing to edit here.
 */
#ifndef LAB8_CHARGE_H
#define LAB8_CHARGE_H

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueue a kernel that computes nothing and has the modelled cost of `flops`
 * in bf16 on the matrix units. */
cudaError_t charge(double flops, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
