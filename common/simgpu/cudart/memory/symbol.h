/*
 * symbol.h: __device__, __constant__ and __managed__ variables
 *
 * A variable's symbol is the address that host code gives it. Device code runs
 * on the same memory, unless the compiler has registered another address.
 */
#ifndef SIMGPU_CUDART_SYMBOL_H
#define SIMGPU_CUDART_SYMBOL_H

#include "cudart/api.h"

/* Where device code finds the variable. */
void *symbol_address(const void *symbol);

/* True if p points into a variable that the program has asked for. */
int symbol_holds(const void *p);

/* The kind of a copy to or from it: any, if the call says between devices. */
enum cudaMemcpyKind symbol_kind(enum cudaMemcpyKind kind);

/* For compiled code: a variable, and where device code finds it. */
void simgpu_register_symbol(const void *symbol, void *address, size_t nbytes);

#endif
