/*
 * rewrite.h: the two constructs of CUDA C++ that are not C++
 *
 *     k<<<grid, block>>>(x)      ->  ::simgpu::launch("k", k, grid, block)(x)
 *     extern __shared__ T s[];   ->  T *const s = (T *)simgpu_dynamic_shared();
 *
 * and after each __global__ function that is not a template, its registration,
 * so that cudaLaunchKernel finds it. The text has been preprocessed; lines keep
 * their numbers. __shared__ and __global__ arrive as SIMGPU_SHARED and
 * SIMGPU_GLOBAL (main.c), since the preprocessor must leave them in place.
 */
#ifndef SIMNVCC_REWRITE_H
#define SIMNVCC_REWRITE_H

#include <stdio.h>

/* Write the rewritten text to out. Returns 0, or the number of a line, from 1,
 * and what is wrong there. */
int rewrite(const char *text, FILE *out, const char **wrong);

#endif
