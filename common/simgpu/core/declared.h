/*
 * declared.h: what a kernel is said to cost
 *
 * The cost of a kernel is what its run is seen to do, unless the program says
 * so, by an NVTX range around the launch:
 *
 *     nvtxRangePushA("cost: 2e9 flops, 8e6 bytes");
 *     kernel<<<grid, block, 0, stream>>>(...);
 *     nvtxRangePop();
 *
 * It goes for each kernel that the thread launches inside, and the innermost
 * such range counts: flops in single precision, bytes read and written in the
 * device's own memory. On a GPU it is a range like any other. A run without data
 * (dataless.h) needs it, and one with data gets the same times.
 */
#ifndef SIMGPU_CORE_DECLARED_H
#define SIMGPU_CORE_DECLARED_H

struct declared {
    double flops, nbytes;
};

/* The calling thread enters a range of that name; leaves the innermost one. */
void declared_enter(const char *name);
void declared_leave(void);

/* The cost that is declared where the thread is. 0: none is. */
int declared_cost(struct declared *out);

#endif
