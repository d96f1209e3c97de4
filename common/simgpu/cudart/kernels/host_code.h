/*
 * host_code.h: pointers to functions that host code passes to kernels
 *
 * A __host__ __device__ function has two addresses on a GPU. Host code has the
 * host's, at which a kernel finds no code, unless a copy from the device has
 * told it the other one. Here there is one address. So when host code passes a
 * function's address that no such copy has contained, the kernel gets that of a
 * stub instead: a call of the stub fails the kernel, with the call's line. Host
 * code that gets the stub back calls the function.
 *
 * Parameters whose type is a pointer to a function count, and so does any word
 * of another parameter, or of a copy from the host to a device, that is an
 * address in the program's code: of a structure, or of a table of functions.
 * The copy of a table back to the host has the functions again.
 *
 * Where the program has managed memory, by which device code may tell an
 * address, and on processors other than x86-64, all addresses are passed as
 * they are. Inside of structures and tables they also are if there is memory
 * that is mapped to both, if the parameter or the copy is longer than 1 KiB,
 * after a longer copy to the host, and if the program isn't position
 * independent.
 */
#ifndef SIMGPU_CUDART_KERNELS_HOST_CODE_H
#define SIMGPU_CUDART_KERNELS_HOST_CODE_H

#include "device/launch.h"

/* True if a copy of nbytes bytes is looked through. If it tells the host what
 * a device has, and isn't, the host may know any address from then on. */
int host_code_looks(size_t nbytes, int tells);

/* Bytes have been copied from a device to the host. Replaces stubs by their
 * functions. */
void host_code_told(void *bytes, size_t nbytes);

/* Replace the functions of the host in bytes that a copy has brought from the
 * host to a device, and in a launch's copy of its parameters if the kernel is
 * the program's: simgpu's libraries pass addresses of calls to theirs. */
void host_code_replace_bytes(void *bytes, size_t nbytes);
void host_code_replace(const struct simgpu_kernel *k, void **params);

#endif
