/*
 * launch.h: kernel launches, for the files that make, store and repeat them
 */
#ifndef SIMGPU_CUDART_KERNELS_LAUNCH_H
#define SIMGPU_CUDART_KERNELS_LAUNCH_H

#include "cudart/api.h"

struct declared; /* core/declared.h */

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
    const struct declared *declared; /* a captured kernel's; or NULL */
};

/* Check a launch and enqueue it. A captured stream gets a node instead. */
cudaError_t launch_run(const struct launch_call *c);

/* The same for the program's handle of a stream, which has to be one of the
 * current device. Sets c->stream. */
cudaError_t launch_on(struct launch_call *c, cudaStream_t stream);

#endif
