/*
 * dynamic.c: a block's dynamic shared memory
 *
 * A thread-local array, since the threads of a block are fibers of one thread,
 * and since device code may declare it as one, outside of functions:
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
