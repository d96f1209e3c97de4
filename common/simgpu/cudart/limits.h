/*
 * limits.h: limits of each compute capability
 *
 * From the table of technical specifications in the CUDA programming guide. A
 * capability that is not in it has the limits of the nearest one below.
 */
#ifndef SIMGPU_CUDART_LIMITS_H
#define SIMGPU_CUDART_LIMITS_H

struct limits {
    int sm; /* 90 for compute capability 9.0 */
    int threads_per_sm, blocks_per_sm;
    int shared_per_sm;        /* bytes */
    int shared_per_block;     /* without a request by the program */
    int shared_per_block_max; /* with cudaFuncSetAttribute */
};

const struct limits *limits_of(int device);

#endif
