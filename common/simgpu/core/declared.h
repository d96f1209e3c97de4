/*
 * declared.h: costs of kernels that the program declares
 *
 * The cost of a kernel is what its run is observed to do, unless the program
 * declares it with an NVTX range around the launch:
 *
 *     nvtxRangePushA("cost: 2e9 flops, 8e6 bytes");
 *     kernel<<<grid, block, 0, stream>>>(...);
 *     nvtxRangePop();
 *
 * It applies to each kernel that the thread launches inside; the innermost such
 * range counts: flops in single precision, bytes read and written in the
 * device's own memory. "2e9 bf16 flops" are of that precision, at the machine's
 * rate for it: fp32, tf32, fp16 (or bf16) or fp64. On a GPU it is a range like
 * any other. A run without data (dataless.h) needs it, and a run with data gets
 * the same times.
 */
#ifndef SIMGPU_CORE_DECLARED_H
#define SIMGPU_CORE_DECLARED_H

#include "topo/op.h" /* enum topo_math */

struct declared {
    double flops, nbytes;
    enum topo_math math; /* of flops */
};

/* The calling thread enters a range of that name, or leaves the innermost
 * one. */
void declared_enter(const char *name);
void declared_leave(void);

/* The cost declared at this point of the thread. Returns 0 if there is none. */
int declared_cost(struct declared *out);

#endif
