/*
 * launch.h: between compiled device code and the runtime
 *
 * simnvcc turns every __global__ function into an ordinary function and a
 * table entry that says how large its parameters are and how to call it; a
 * static initialiser registers the entry under the address by which host code
 * knows the kernel. cudaLaunchKernel looks it up, copies the parameters (they
 * may change after the call), and enqueues an op; the op runs kernel_run().
 *
 * Accesses to global memory come in through the __tsan_* hooks of device code
 * and are collected per launch as exact ranges, coalesced; the hooks check
 * bounds against heap.h's allocations.
 */
#ifndef SIMGPU_CORE_LAUNCH_H
#define SIMGPU_CORE_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

#include "core/stream.h"

struct kernel { /* one __global__ function; static storage in its object */
    const void *host_stub;         /* what &kernel is in host code */
    const char *name;              /* demangled */
    void (*call)(void *const *params); /* one thread's work */
    const uint32_t *param_nbytes;
    uint32_t nparams;
    uint32_t static_shared_nbytes;
    int uses_barrier; /* 0: threads of a block run as a plain loop */
    struct kernel *next;
};

void simgpu_register_kernel(struct kernel *k); /* called by device objects */
const struct kernel *kernel_find(const void *host_stub);

struct launch {
    const struct kernel *kernel;
    unsigned grid[3], block[3];
    size_t shared_nbytes;
    void **params; /* private copies */
    int device;
};

/* What a launch touched and computed; filled by kernel_run, owned by it until
 * the next kernel of the same thread. */
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
