/*
 * access.h: which bytes of global memory a kernel touches
 *
 * Every access of instrumented code arrives here. Between access_begin() and
 * access_end(), the bytes touched are collected for each kind of access
 * (touched.h). Bounds are checked before a byte is added, so a byte that was
 * added before needs no check. An access out of bounds fails the kernel, with a
 * message that names the kernel, thread, line and allocation (failure.h).
 */
#ifndef SIMGPU_DEVICE_ACCESS_H
#define SIMGPU_DEVICE_ACCESS_H

#include "device/launch.h"
#include "device/poll.h"

void access_begin(const struct launch *l);

/* Attribute the following accesses to another kernel,
 * which this one launched. */
void access_go_on(const struct launch *l);
void access_end(struct launch_cost *c);

/*
 * Call these around a slice of a kernel's blocks (cores.h) that runs on another
 * thread. What a slice has collected is appended to the kernel's log in the
 * order of the slices. `earlier` is what access_shared() returned on the
 * kernel's thread. A slice that has recorded many first reads (access_log.h) is
 * full and ends before its next block.
 */
void access_begin_slice(const struct launch *l, const void *earlier);
int access_slice_is_full(void);
void *access_end_slice(void);
void access_append(void *later);

/* The calling worker's log, for another thread that runs blocks of the same
 * kernel; access_adopt() with NULL gives it up. */
void *access_shared(void);
void access_adopt(void *log);

/* Let other kernels begin, if this one is alone (alone.h). Called while no
 * thread is in the middle of an atomic. */
void access_yield(void);

/* The kernel's threads wait: let another device's kernel have the variables
 * meanwhile (resident.h). */
void access_yield_variables(void);

/* Where the caller stores a pointer to the running thread's poll. */
const struct poll **access_running(void);

/* Record an access that the runtime makes for the running thread's instruction
 * at pc. A poll only checks whether a word has been written and counts as
 * moving no bytes. */
enum access_use {
    ACCESS_POLL,
    ACCESS_SIGNAL,
    ACCESS_ATOMIC,
    ACCESS_RETRY, /* access_log.h */
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_REDUCED, /* read by the switch */
    ACCESS_SPREAD
};
void access_touch(const volatile void *p, size_t nbytes, enum access_use use,
                  const void *pc);

/* The thread's next access by access_touch() is an atomic
 * that the switch does. */
void access_by_the_switch(void);

/* True if the kernel has read any of these bytes since the last flush. */
int access_has_read(const void *p, size_t nbytes);

/* Note that the kernel calls a fence that orders it with
 * other kernels of its device. */
void access_fence(void);

/* True if anything but polls and signals has been collected since the kernel
 * began or since the last flush. */
int access_any(void);

/* True if anything has been collected since then. */
int access_touched(void);

/* Count the running thread's next accesses again and have them end its poll.
 * Call this when a thread that has waited continues. */
void access_forget(void);

/* The number of writes so far, without polls and atomics. Of the accesses
 * that one instruction makes after access_forget(), the first counts; later
 * ones may not. */
uint64_t access_count(void);

/* Record the collected accesses on the current part of op, and start over. */
void access_flush(struct op *op);

#endif
