/*
 * access.h: which bytes of global memory a kernel touches
 *
 * Every access of instrumented code arrives here. Between begin and end they
 * are collected as ranges: an access that continues one of the ranges touched
 * lately extends it, so a loop over an array costs one range. Bounds are
 * checked against the allocation that the range began in; a bad access ends
 * the run with a message that names kernel, thread, line and allocation.
 */
#ifndef SIMGPU_DEVICE_ACCESS_H
#define SIMGPU_DEVICE_ACCESS_H

#include "core/launch.h"

void access_begin(const struct launch *l, const struct op *op);
void access_end(struct launch_cost *c);

#endif
