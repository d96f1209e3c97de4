/*
 * limits.h: limits of each compute capability
 *
 * They are from the table of technical specifications in the CUDA programming
 * guide. A capability that is not in the table has the limits of the nearest
 * lower one.
 */
#ifndef SIMGPU_CUDART_KERNELS_LIMITS_H
#define SIMGPU_CUDART_KERNELS_LIMITS_H

struct limits {
    int sm; /* 90 means compute capability 9.0 */
    int threads_per_sm, blocks_per_sm;
    int shared_per_sm;        /* bytes */
    int shared_per_block;     /* by default */
    int shared_per_block_max; /* after cudaFuncSetAttribute */
};

const struct limits *limits_of(int device);

#endif
