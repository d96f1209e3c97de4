/*
 * limits.h: what a GPU of a compute capability can hold
 *
 * From the CUDA programming guide's table of technical specifications; a
 * capability that isn't in it has the limits of the nearest one below.
 */
#ifndef SIMGPU_CUDART_LIMITS_H
#define SIMGPU_CUDART_LIMITS_H

struct limits {
    int sm; /* 90 for compute capability 9.0 */
    int threads_per_sm, blocks_per_sm;
    int shared_per_sm;        /* bytes */
    int shared_per_block;     /* of which the program need not ask for */
    int shared_per_block_max; /* with cudaFuncSetAttribute */
};

const struct limits *limits_of(int device);

#endif
