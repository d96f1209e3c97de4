/*
 * linked.h: finding the symbol at an address
 *
 * Unlike dladdr(), it also finds static functions and variables, unless the
 * program is stripped.
 */
#ifndef SIMGPU_CUDART_KERNELS_LINKED_H
#define SIMGPU_CUDART_KERNELS_LINKED_H

#include <stddef.h>
#include <stdint.h>

/* The path of the module that contains p, and the address at which it was
 * loaded; NULL if none does. */
const char *linked_module(const void *p, uintptr_t *base);

/* The name, mangled, and the size of the function or variable that starts at p,
 * or NULL if there is none. The caller frees the name. */
char *linked_name(const void *p, size_t *nbytes);

#endif
