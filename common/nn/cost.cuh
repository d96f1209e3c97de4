// cost.cuh: what a kernel of common/nn costs
//
// cost_begin() and cost_end() enclose one launch that computes nflops and reads
// and writes nbytes of device memory. Profilers show both, and runs without
// data (SIMGPU_DATALESS) derive times from them.
#ifndef COMMLAB_NN_COST_CUH
#define COMMLAB_NN_COST_CUH

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h> // nvtxRangePushA
#include <stdio.h>            // snprintf

static inline void cost_begin(double nflops, double nbytes)
{
    char text[64];
    snprintf(text, sizeof text, "cost: %.0f flops, %.0f bytes", nflops, nbytes);
    nvtxRangePushA(text);
}

// The launch's error.
static inline cudaError_t cost_end(void)
{
    nvtxRangePop();
    return cudaPeekAtLastError();
}

#endif
