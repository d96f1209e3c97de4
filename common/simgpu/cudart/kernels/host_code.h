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
 * Only parameters whose type is a pointer to a function count. Where the
 * program has managed memory, by which device code may tell an address, and on
 * processors other than x86-64, all addresses are passed as they are.
 */
#ifndef SIMGPU_CUDART_KERNELS_HOST_CODE_H
#define SIMGPU_CUDART_KERNELS_HOST_CODE_H

#include "device/launch.h"

/* Bytes have been copied from a device to the host. */
void host_code_told(const void *bytes, size_t nbytes);

/* Replace the functions of the host in a launch's copy of its parameters. */
void host_code_replace(const struct simgpu_kernel *k, void **params);

#endif
