/*
 * declared.h: costs of kernels that the program declares
 *
 * A kernel costs what its run is observed to do, unless the program declares
 * the cost with an NVTX range around the launch:
 *
 *     nvtxRangePushA("cost: 2e9 flops, 8e6 bytes");
 *     kernel<<<grid, block, 0, stream>>>(...);
 *     nvtxRangePop();
 *
 * The cost applies to each kernel that the thread launches inside the range; if
 * such ranges are nested, the innermost applies. Flops are in single precision,
 * bytes are read and written in the device's own memory. "2e9 bf16 flops" have
 * another precision, at the machine's rate for it: fp32, tf32, fp16 (or bf16)
 * or fp64. On a GPU the range is like any other. Runs without data (dataless.h)
 * need the declaration, and a run with data gets the same times.
 */
#ifndef SIMGPU_CORE_DECLARED_H
#define SIMGPU_CORE_DECLARED_H

#include "topo/op.h" /* enum topo_math */

struct declared {
    double flops, nbytes;
    enum topo_math math; /* precision of the flops */
};

/* The calling thread enters a range with that name, or
 * leaves the innermost one. */
void declared_enter(const char *name);
void declared_leave(void);

/* Get the cost declared at this point of the thread.
 * Returns 0 if there is none. */
int declared_cost(struct declared *out);

#endif
