/*
 * unsupported.h: what nvcc refuses of a program's words
 *
 * These are rules that neither g++ nor clang has: lambdas that are marked
 * __device__ without --extended-lambda, kernels that are members of a class,
 * and dynamic_cast and typeid in device code.
 */
#ifndef SIMNVCC_UNSUPPORTED_H
#define SIMNVCC_UNSUPPORTED_H

/* Check a preprocessed text. `lambdas`: --extended-lambda is given. Returns
 * NULL or "file:line: error: ...", which the caller frees. */
char *unsupported(const char *text, int lambdas);

#endif
