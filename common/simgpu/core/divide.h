/*
 * divide.h: integer division as a GPU does it
 *
 * An x86-64 traps when an integer is divided by zero, or the least one by -1. A
 * GPU continues: the quotient by zero has all bits set, the remainder is the
 * dividend, and the least integer divided by -1 is itself. An arm64 continues,
 * too, but with a quotient of 0: there simnvcc makes it trap (base/trap.h).
 */
#ifndef SIMGPU_CORE_DIVIDE_H
#define SIMGPU_CORE_DIVIDE_H

/*
 * In a handler of signal `sig`: give the division that trapped a GPU's result,
 * and let the thread continue behind it. 0 if there was none, or none that this
 * knows.
 */
int divide_as_gpu(int sig, void *context);

/* The same with the processor's own result, for host code; 0: it has none. */
int divide_as_host(int sig, void *context);

#endif
