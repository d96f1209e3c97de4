/*
 * rewrite.h: the two things in CUDA C++ that C++ doesn't know
 *
 *     k<<<grid, block>>>(x)      ->  ::simgpu::launch("k", k, grid, block)(x)
 *     extern __shared__ T s[];   ->  T *const s = (T *)simgpu_dynamic_shared();
 *
 * and after each __global__ function that isn't a template, its registration,
 * so that cudaLaunchKernel finds it. The text has been preprocessed; lines
 * keep their numbers. __shared__ arrives as SIMGPU_SHARED (see main.c), since
 * the preprocessor must leave it for us to see; so does __global__.
 */
#ifndef SIMNVCC_REWRITE_H
#define SIMNVCC_REWRITE_H

#include <stdio.h>

/* Write the rewritten text to out. On failure returns the line number, counted
 * from 1, and what is wrong; 0 when all is well. */
int rewrite(const char *text, FILE *out, const char **wrong);

#endif
