// cost.cuh: what a kernel of common/nn costs
//
// cost_begin() and cost_end() enclose one launch that computes nflops and reads
// and writes nbytes of device memory. Profilers show both, and runs without
// data (SIMGPU_DATALESS) derive times from them. cost_begin_math() names the
// flops' precision, such as "bf16 ".
#ifndef COMMLAB_NN_COST_CUH
#define COMMLAB_NN_COST_CUH

#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h> // nvtxRangePushA
#include <stdio.h>            // snprintf

static inline void cost_begin_math(const char *math, double nflops,
                                   double nbytes)
{
    char text[80];
    snprintf(text, sizeof text, "cost: %.0f %sflops, %.0f bytes", nflops, math,
             nbytes);
    nvtxRangePushA(text);
}

static inline void cost_begin(double nflops, double nbytes)
{
    cost_begin_math("", nflops, nbytes);
}

// The launch's error.
static inline cudaError_t cost_end(void)
{
    nvtxRangePop();
    return cudaPeekAtLastError();
}

#endif
