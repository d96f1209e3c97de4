/*
 * kernel.h: what device code and simgpu's runtime know of each other
 */
#ifndef SIMGPU_KERNEL_H
#define SIMGPU_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kernel { /* a __global__ function; lives as long as the program */
    const void *host_stub; /* its address */
    const char *name;      /* as the source writes it */
    /* Do one thread's work. */
    void (*call)(const void *host_stub, void *const *params);
    const uint32_t *param_nbytes;
    uint32_t nparams;
    struct kernel *next; /* set by the runtime */
};

/* Make a kernel known, once; a second time changes nothing. */
void simgpu_register_kernel(struct kernel *k);
int simgpu_knows_kernel(const void *host_stub);

/* What the code of a device thread asks the runtime for. */
struct simgpu_uint3 {
    unsigned x, y, z;
};
extern __thread struct simgpu_uint3 simgpu_thread_idx, simgpu_block_idx,
    simgpu_block_dim, simgpu_grid_dim;

void simgpu_syncthreads(void);
void *simgpu_dynamic_shared(void);
/* An atomic access, for hazards: nbytes at p. */
void simgpu_atomic_access(const volatile void *p, unsigned nbytes);
void simgpu_atomic_store(const volatile void *p, unsigned nbytes);
/* Exchange a value among the threads of a warp: every thread of it calls. */
uint64_t simgpu_shuffle(uint64_t value, int lane);
/* A bit for each lane of the warp whose predicate holds. */
unsigned simgpu_ballot(int predicate);

#ifdef __cplusplus
}
#endif
#endif
