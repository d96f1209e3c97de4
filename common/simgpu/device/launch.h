/*
 * launch.h: between compiled device code and the runtime
 *
 * simnvcc registers each __global__ function under its address, with the sizes
 * of its parameters and a function that calls it. cudaLaunchKernel looks it up,
 * copies the parameters (they may change after the call) and enqueues an op,
 * which runs kernel_run().
 *
 * The __tsan_* hooks in a kernel's code report what it touches, which is
 * collected per launch as exact byte ranges.
 */
#ifndef SIMGPU_DEVICE_LAUNCH_H
#define SIMGPU_DEVICE_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "core/op.h"
#include "simgpu/kernel.h" /* struct kernel */

/* The kernel that host code knows by this address, or NULL. */
const struct kernel *kernel_find(const void *host_stub);

/* The address of the kernel that has this handle, its entry's; or NULL. */
const void *kernel_of_handle(const void *handle);

/* Name a kernel that is a template by the text of its first launch. */
void kernel_rename(const void *host_stub, const char *text);

/* What simnvcc has found out about it: SIMGPU_INDEPENDENT, SIMGPU_UNWAITING. */
unsigned kernel_promises(const struct kernel *k);

struct launch {
    const struct kernel *kernel;
    unsigned grid[3], block[3];
    unsigned cluster[3]; /* blocks; 1, 1, 1: none */
    size_t shared_nbytes;
    void **params; /* private copies */
    struct op *op; /* that it is, or is launched from */
    int device;
    uint32_t site;   /* of the launch */
    int cooperative; /* all blocks run at the same time */
};

/* What a launch touched. The arrays belong to kernel_run() and last until the
 * next kernel on the same thread. */
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
