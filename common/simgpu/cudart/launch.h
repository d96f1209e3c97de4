/*
 * launch.h: kernel launches, for the files that make, keep and repeat them
 */
#ifndef SIMGPU_CUDART_LAUNCH_H
#define SIMGPU_CUDART_LAUNCH_H

#include "cudart/api.h"

struct launch_call {
    const void *func;
    dim3 grid, block;
    void **args;
    size_t shared_nbytes;
    struct stream *stream;
    uint32_t site;
    const cudaLaunchAttribute *attr; /* nattrs of them */
    unsigned nattrs;
    int cooperative;
};

/* Check a launch and enqueue it; a stream that captures gets a node. */
cudaError_t launch_run(const struct launch_call *c);

/* The error of such a launch on the current device. */
cudaError_t launch_check(const void *func, dim3 grid, dim3 block,
                         size_t shared_nbytes);

/* A copy of a kernel's arguments, *nargs of them; and its release. */
void **launch_copy_args(const void *func, void **args, unsigned *nargs);
void launch_free_args(void **args, unsigned nargs);
int launch_has_args(const void *func);

/* The name of a kernel, which lasts. */
const char *launch_name(const void *func);

#endif
