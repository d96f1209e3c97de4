/*
 * ptx_multimem.h: PTX's multimem instructions
 *
 *     multimem.ld_reduce.global.add.v4.f32 {%0,%1,%2,%3},[%4];
 *     ->  ::simgpu::multimem_ld_reduce<float, ::simgpu::multimem_add>(...)
 */
#ifndef SIMNVCC_PTX_MULTIMEM_H
#define SIMNVCC_PTX_MULTIMEM_H

#include <stdio.h> /* FILE */

#include "simnvcc/ptx/ptx_asm.h"

/* Write a call of a function in simgpu/multimem.h for a statement that
 * consists of one multimem instruction. For any other statement returns
 * 0 and writes nothing. */
int ptx_multimem_write(FILE *out, const struct ptx_asm *a);

#endif
