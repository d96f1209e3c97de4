/*
 * ptx_multimem.h: PTX's multimem instructions
 *
 *     multimem.ld_reduce.global.add.v4.f32 {%0,%1,%2,%3},[%4];
 *     ->  ::simgpu::multimem_ld_reduce<float, ::simgpu::multimem_add>(...)
 */
#ifndef SIMNVCC_PTX_MULTIMEM_H
#define SIMNVCC_PTX_MULTIMEM_H

#include <stdio.h> /* FILE */

#include "ptx_asm.h"

/* Write the call that does a statement of one multimem instruction, of the
 * functions in simgpu/multimem.h. Returns 0, and writes nothing, for any
 * other. */
int ptx_multimem_write(FILE *out, const struct ptx_asm *a);

#endif
