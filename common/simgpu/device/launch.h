/*
 * launch.h: between compiled device code and the runtime
 *
 * simnvcc registers each __global__ function under its address, with the sizes
 * of its parameters and a function that calls it. cudaLaunchKernel looks it up,
 * copies the parameters (which may change after the call) and enqueues an op
 * that runs kernel_run().
 *
 * The __tsan_* hooks in a kernel's code report what it touches. Each launch
 * collects that as exact byte ranges.
 */
#ifndef SIMGPU_DEVICE_LAUNCH_H
#define SIMGPU_DEVICE_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "core/stream/op.h"
#include "simgpu/kernel.h" /* struct simgpu_kernel */

/* The kernel with this address in host code, or NULL. */
const struct simgpu_kernel *kernel_find(const void *host_stub);

/* The address of the kernel whose entry has this handle, or NULL. */
const void *kernel_of_handle(const void *handle);

/* Name a kernel that is a template after the text of its first launch. */
void kernel_rename(const void *host_stub, const char *text);

/* True in a program whose kernels are in a table (simgpu/kernel.h): a lab. */
int kernels_are_listed(void);

/* True if a kernel of the process has a pointer to a function as a parameter.
 */
int kernels_take_code(void);

/* What simnvcc has proved about the kernel: SIMGPU_INDEPENDENT,
 * SIMGPU_UNWAITING. */
unsigned kernel_promises(const struct simgpu_kernel *k);

struct launch {
    const struct simgpu_kernel *kernel;
    unsigned grid[3], block[3];
    unsigned cluster[3]; /* in blocks; 1, 1, 1: no clusters */
    size_t shared_nbytes;
    void **params; /* private copies */
    struct op *op; /* the operation of this or of the first kernel */
    int device;
    uint32_t site;     /* where it was launched */
    const void *frame; /* on the stack of the thread that launched it */
    int cooperative;   /* all blocks run at the same time */
};

/* What a launch has touched. The arrays belong to kernel_run() and are valid
 * until the next kernel on the same thread. */
struct launch_cost {
    double flops;
    const struct graph_move *moves;
    size_t nmoves;
    const struct graph_access *accesses;
    size_t naccesses;
};

/* Run all blocks of the grid on the calling thread. */
void kernel_run(const struct launch *l, struct op *op, struct launch_cost *c);

#endif
