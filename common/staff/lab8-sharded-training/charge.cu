/*
 * charge.cu: work without contents. Given: nothing to edit here.
 *
 *     kernel    computes                            called by   launch
 *     charged   nothing; it has a modelled cost     charge()    one thread
 */
#include "charge.h"

#include "nn/cost.cuh"

__global__ void charged() {}

cudaError_t charge(double flops, cudaStream_t stream)
{
    cost_begin_math("bf16 ", flops, 0);
    charged<<<1, 1, 0, stream>>>();
    return cost_end();
}
