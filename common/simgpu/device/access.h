/*
 * access.h: which bytes of global memory a kernel touches
 *
 * Every access of instrumented code arrives here. Between begin and end, the
 * bytes touched are collected, for each kind of access (touched.h). Bounds are
 * checked before a byte is added, so one that is known needs no check; an
 * access out of bounds ends the run with a message that names kernel, thread,
 * line and allocation.
 */
#ifndef SIMGPU_DEVICE_ACCESS_H
#define SIMGPU_DEVICE_ACCESS_H

#include "device/launch.h"
#include "device/run.h" /* struct poll */

void access_begin(const struct launch *l);

/* What follows is done by the kernel of another launch, which the first one has
 * made. */
void access_go_on(const struct launch *l);
void access_end(struct launch_cost *c);

/*
 * Around a slice of a kernel's blocks (cores.h) on a thread of its own. What it
 * has collected is appended, in the order of the slices, to what the kernel's
 * thread has. `earlier` is what that one shares. A slice with many first reads
 * (access_log.h) is full: it ends before its next block.
 */
void access_begin_slice(const struct launch *l, const void *earlier);
int access_slice_is_full(void);
void *access_end_slice(void);
void access_append(void *later);

/* What the calling worker collects, for another thread that runs blocks of the
 * same kernel. NULL: it is over. */
void *access_shared(void);
void access_adopt(void *log);

/* Where the caller keeps the poll of the thread that runs, up to date. */
const struct poll **access_running(void);

/* An access that the runtime makes at pc for the running thread. A poll checks
 * whether a word has been written: it moves no bytes. */
enum access_use {
    ACCESS_POLL,
    ACCESS_SIGNAL,
    ACCESS_ATOMIC,
    ACCESS_RETRY, /* access_log.h */
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_REDUCED, /* by the switch */
    ACCESS_SPREAD
};
void access_touch(const volatile void *p, size_t nbytes, enum access_use use,
                  const void *pc);

/* The thread's next access by access_touch(), an atomic, is the switch's. */
void access_by_the_switch(void);

/* True if the kernel has read any of these bytes since the last flush. */
int access_has_read(const void *p, size_t nbytes);

/* The kernel calls a fence that other kernels of its device take part in. */
void access_fence(void);

/* True if anything but polls and signals has been collected since the beginning
 * or the last flush. */
int access_any(void);

/* True if anything at all has been. */
int access_touched(void);

/* The running thread's next accesses are counted again, and end its poll: to be
 * called when a thread that has waited continues. */
void access_forget(void);

/* Accesses so far that were no polls nor atomics. Of those that an instruction
 * has made since access_forget(), the first counts, and maybe others. */
uint64_t access_count(void);

/* Record what has been collected on the current part of op, and start over. */
void access_flush(struct op *op);

#endif
