/*
 * ptx_multimem.h: PTX's multimem instructions
 *
 *     multimem.ld_reduce.global.add.v4.f32 {%0,%1,%2,%3},[%4];
 *     ->  ::simgpu::multimem_ld_reduce<float, ::simgpu::multimem_add>(...)
 */
#ifndef SIMNVCC_PTX_MULTIMEM_H
#define SIMNVCC_PTX_MULTIMEM_H

#include <stddef.h>

/* The function (simgpu/multimem.h) that does this opcode, without its
 * arguments, into call: 1. 0: the opcode is none of these. */
int ptx_multimem_call(const char *opcode, size_t n, char *call, size_t nbytes);

#endif
