/*
 * divide.h: integer division as a GPU does it
 *
 * A processor traps when an integer is divided by zero, or the least one by -1.
 * A GPU continues: the quotient by zero has all bits set, the remainder is the
 * dividend, and the least integer divided by -1 is itself.
 */
#ifndef SIMGPU_CORE_DIVIDE_H
#define SIMGPU_CORE_DIVIDE_H

/*
 * In a handler of SIGFPE: give the division that trapped a GPU's result, and
 * let the thread continue behind it. 0 if there was none, or none that this
 * knows.
 */
int divide_as_gpu(void *context);

#endif
