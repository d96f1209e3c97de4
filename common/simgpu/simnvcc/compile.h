/*
 * compile.h: compiling a source file to an object
 *
 * A .cu file takes three steps. The host compiler preprocesses it; rewrite.c
 * turns launches and dynamic shared memory into C++; the host compiler compiles
 * the result and inserts a call of a __tsan_ hook at each memory access.
 * simgpu's runtime defines these hooks, so no thread sanitizer is linked. Other
 * files are passed to the host compiler.
 */
#ifndef SIMNVCC_COMPILE_H
#define SIMNVCC_COMPILE_H

#include "task.h"

/* Add the compiler, and what it needs to preprocess a file. */
void compile_preprocessing(const struct nvcc_task *t, struct nvcc_args *a,
                           const char *source);

/* Returns the exit status of the command. */
int compile_file(struct nvcc_task *t, const char *source, const char *object);

/* For -E and -M: print the compiler's own output. */
int compile_show(const struct nvcc_task *t, const char *source);

#endif
