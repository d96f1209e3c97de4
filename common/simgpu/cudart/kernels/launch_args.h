/*
 * launch_args.h: what a kernel is launched with, for calls and for graphs
 */
#ifndef SIMGPU_CUDART_KERNELS_LAUNCH_ARGS_H
#define SIMGPU_CUDART_KERNELS_LAUNCH_ARGS_H

#include "cudart/api.h"

struct simgpu_kernel;

/* Check such a launch on a device, or on the current one. */
cudaError_t launch_check_on(const void *func, dim3 grid, dim3 block,
                            size_t shared_nbytes, int device);
cudaError_t launch_check(const void *func, dim3 grid, dim3 block,
                         size_t shared_nbytes);

/* Copy a kernel's arguments, *nargs of them; and free the copy. */
void **launch_copy_args(const void *func, void **args, unsigned *nargs);
void **launch_copy_params(const struct simgpu_kernel *k, void **args);
void launch_free_args(void **args, unsigned nargs);
int launch_has_args(const void *func);

/* A kernel's name, which remains valid. */
const char *launch_name(const void *func);

#endif
