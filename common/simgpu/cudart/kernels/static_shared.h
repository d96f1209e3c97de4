/*
 * static_shared.h: how much shared memory a kernel's own arrays take
 *
 * simnvcc makes thread-local variables of them, and C++ names these after the
 * function: k's array s is _ZZ1kPfE1s. Arrays of functions that the kernel
 * calls are not counted, nor are those of a stripped program.
 */
#ifndef SIMGPU_CUDART_KERNELS_STATIC_SHARED_H
#define SIMGPU_CUDART_KERNELS_STATIC_SHARED_H

#include "device/launch.h"

/* In bytes; 0 without a kernel. */
size_t static_shared(const struct simgpu_kernel *k);

#endif
