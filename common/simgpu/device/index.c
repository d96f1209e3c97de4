/*
 * index.c: what device code reads of its thread: where it is in its block and
 * grid, whether it is host code, which words it may change unannounced
 */
#include "simgpu/kernel.h"

__thread struct simgpu_uint3 simgpu_thread_idx, simgpu_block_idx,
    simgpu_block_dim, simgpu_grid_dim;
__thread int simgpu_outside = 1;
__thread const struct simgpu_own *simgpu_live_own;
