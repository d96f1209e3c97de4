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
 * another precision, at the machine's rate for it: fp32, tf32, fp16 (or bf16),
 * fp8 or fp64. A machine whose GPUs have no fp8 units refuses the launch. On a
 * GPU the range is like any other. Runs without data (dataless.h)
 * need the declaration, and a run with data gets the same times.
 *
 * A kernel that is not run shows no accesses either. Marks inside the range
 * declare them, so that its node in the graph has them like any other:
 *
 *     nvtxMarkA("cost: reads 0x7f0000000000 + 4096");   %p and %zu
 *     nvtxMarkA("cost: writes 0x7f0000002000 + 4096");
 *
 * A kernel that is run has the accesses that it is seen to make instead.
 */
#ifndef SIMGPU_CORE_DECLARED_H
#define SIMGPU_CORE_DECLARED_H

#include <stddef.h>

#include "topo/op.h" /* enum topo_math */

enum { DECLARED_TOUCHES = 16 }; /* more than that are dropped */

struct declared_touch {
    const void *at;
    size_t nbytes;
    int writes;
};

struct declared {
    double flops, nbytes;
    enum topo_math math; /* precision of the flops */
    int ntouches;
    struct declared_touch touch[DECLARED_TOUCHES];
};

/* The calling thread enters a range with that name, or
 * leaves the innermost one. */
void declared_enter(const char *name);
void declared_leave(void);

/* The calling thread has set a mark. Only those that declare accesses
 * count. */
void declared_mark(const char *message);

/* Get the cost declared at this point of the thread.
 * Returns 0 if there is none. */
int declared_cost(struct declared *out);

#endif
