/*
 * symbol.h: __device__, __constant__ and __managed__ variables
 *
 * A variable's symbol is the address that host code gives it. Device code runs
 * on the same memory.
 */
#ifndef SIMGPU_CUDART_MEMORY_SYMBOL_H
#define SIMGPU_CUDART_MEMORY_SYMBOL_H

#include "cudart/api.h"

/* The variable's address in device code. */
void *symbol_address(const void *symbol);

/* True if a symbol is device code's, or that is unknown. */
int symbol_is_device(const void *symbol);

/* The size of a variable. Returns 0 if it is unknown. */
int symbol_size(const void *symbol, size_t *nbytes);

/* True if p points into a variable whose address the program has queried. */
int symbol_holds(const void *p);

/* The kind of a copy to or from a variable: any, if the call
 * says device to device. */
enum cudaMemcpyKind symbol_kind(enum cudaMemcpyKind kind);

#endif
