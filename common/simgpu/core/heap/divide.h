/*
 * divide.h: integer division with a GPU's results
 *
 * An x86-64 processor traps when an integer is divided by zero, or when the
 * smallest integer is divided by -1. A GPU continues: a quotient by zero has
 * all bits set, the remainder is the dividend, and the smallest integer divided
 * by -1 is itself. An arm64 processor also continues, but with a quotient of 0,
 * so there simnvcc makes it trap (base/trap.h).
 */
#ifndef SIMGPU_CORE_HEAP_DIVIDE_H
#define SIMGPU_CORE_HEAP_DIVIDE_H

/*
 * In a handler of signal `sig`: give the division that trapped a GPU's result,
 * and let the thread continue behind it. Returns 0 if the signal was not caused
 * by a division that is recognised here.
 */
int divide_as_gpu(int sig, void *context);

/* The same with the processor's own result, for host code.
 * Returns 0 if it has none. */
int divide_as_host(int sig, void *context);

#endif
