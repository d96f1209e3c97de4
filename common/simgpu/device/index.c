/*
 * index.c: where the running thread is, in its block and grid
 */
#include "simgpu/kernel.h"

__thread struct simgpu_uint3 simgpu_thread_idx, simgpu_block_idx,
    simgpu_block_dim, simgpu_grid_dim;
__thread int simgpu_outside = 1;
