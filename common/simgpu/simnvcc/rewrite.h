/*
 * rewrite.h: the constructs of CUDA C++ that are not C++
 *
 *     k<<<grid, block>>>(x)     ->  (::simgpu::configure("k", grid, block),
 *                                    k(x))
 *     extern __shared__ T s[];  ->  in a function: a pointer to the block's
 *                                   dynamic shared memory; outside: a
 *                                   thread-local array that is this memory
 *     asm("red.global...")      ->  C++ that does it, in device code (ptx.h)
 *
 * and the prologue of each kernel (kernel.h). The text has been preprocessed;
 * what is inserted is followed by a line marker, so that messages and debug
 * information have the user's lines and columns. CUDA's words arrive as
 * SIMGPU_SHARED and the like (rewritten.h), since the preprocessor must leave
 * them in place.
 */
#ifndef SIMNVCC_REWRITE_H
#define SIMNVCC_REWRITE_H

#include <stdio.h>

/* Write the rewritten text to out. Returns NULL, or a message about what is
 * wrong that begins with file and line; the caller frees it. */
char *rewrite(const char *text, FILE *out);

#endif
