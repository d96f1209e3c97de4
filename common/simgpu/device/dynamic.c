/*
 * dynamic.c: a block's dynamic shared memory
 *
 * The array is thread-local, because a block's threads are fibers of one
 * thread, and because device code may declare it outside of functions:
 *
 *     extern __shared__ float s[];
 */
#include "simgpu/kernel.h"

__thread char simgpu_dynamic_memory[SIMGPU_DYNAMIC_MAX]
    __attribute__((aligned(1024)));

void *simgpu_dynamic_shared(void)
{
    return simgpu_dynamic_memory;
}
