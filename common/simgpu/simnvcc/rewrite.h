/*
 * rewrite.h: rewriting constructs of CUDA C++ that are not C++
 *
 *     k<<<grid, block>>>(x)     ->  (::simgpu::configure("k", grid, block),
 *                                    k(x))
 *     extern __shared__ T s[];  ->  in a function: a pointer to the block's
 *                                   dynamic shared memory; outside: a
 *                                   thread-local array that is this memory
 *     asm("red.global...")      ->  equivalent C++, in device code (ptx.h)
 *
 * and adding a prologue to each kernel (kernel.h). The text has been
 * preprocessed. Each insertion is followed by a line marker, so that messages
 * and debug information keep the user's lines and columns. CUDA's words arrive
 * as SIMGPU_SHARED and the like (rewritten.h), since the preprocessor must not
 * replace them.
 */
#ifndef SIMNVCC_REWRITE_H
#define SIMNVCC_REWRITE_H

#include <stdio.h>

/* Write the rewritten text to out. A kernel may launch kernels if `nests`, with
 * -rdc=true. Returns NULL, or an error message that starts with file and line,
 * which the caller frees. */
char *rewrite(const char *text, FILE *out, int nests);

#endif
