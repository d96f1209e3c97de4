/*
 * compile.h: a source becomes an object
 *
 * Three steps for a .cu file: the host compiler preprocesses; rewrite.c turns
 * launches and dynamic shared memory into C++; the host compiler compiles the
 * result, with every memory access announced through the __tsan_ hooks that
 * simgpu's runtime defines (no thread sanitizer is linked). Other files go to
 * the host compiler as they are.
 */
#ifndef SIMNVCC_COMPILE_H
#define SIMNVCC_COMPILE_H

#include "task.h"

/* The exit status of what was run. */
int compile_file(struct task *t, const char *source, const char *object);

/* -E, -M: the compiler's own output. */
int compile_show(const struct task *t, const char *source);

#endif
