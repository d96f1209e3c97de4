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

void access_begin(const struct launch *l);
void access_end(struct launch_cost *c);

/* An access that the runtime makes for the running thread, at pc. A poll looks
 * whether a word has been written: it moves no bytes. */
enum access_use { ACCESS_POLL, ACCESS_SIGNAL, ACCESS_ATOMIC };
void access_touch(const volatile void *p, size_t nbytes, enum access_use use,
                  const void *pc);

/* Has anything but polls and signals been collected since the beginning or the
 * last flush? */
int access_any(void);

/* Accesses so far, polls and atomics not counted. */
uint64_t access_count(void);

/* Give what has been collected to the part of op that runs, and begin anew. */
void access_flush(struct op *op);

#endif
