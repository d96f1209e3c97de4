// cost.cuh: the cost of a kernel of common/nn
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

// Bytes that the next launch reads, or writes: runs without data have no other
// way to know. NULL is allowed.
static inline void cost_touches(const char *how, const void *p, double nbytes)
{
    char text[80];
    if (!p || nbytes <= 0)
        return;
    snprintf(text, sizeof text, "cost: %s %p + %.0f", how, p, nbytes);
    nvtxMarkA(text);
}

static inline void cost_reads(const void *p, double nbytes)
{
    cost_touches("reads", p, nbytes);
}

static inline void cost_writes(const void *p, double nbytes)
{
    cost_touches("writes", p, nbytes);
}

// Close the range and return the launch's error.
static inline cudaError_t cost_end(void)
{
    nvtxRangePop();
    return cudaPeekAtLastError();
}

#endif
