/*
 * linked.h: what the linker knows of an address
 *
 * Unlike dladdr(), this finds static functions and variables, too, unless the
 * program is stripped.
 */
#ifndef SIMGPU_CUDART_LINKED_H
#define SIMGPU_CUDART_LINKED_H

#include <stddef.h>

/* The function or variable that begins at p: its name, as the linker has it,
 * and its bytes. NULL if there is none. The caller frees it. */
char *linked_name(const void *p, size_t *nbytes);

#endif
