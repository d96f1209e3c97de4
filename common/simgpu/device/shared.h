/*
 * shared.h: shared memory of the blocks of a cluster
 *
 * Shared memory is thread-local, so a variable of another block lies at the
 * same offset from that runner's thread pointer.
 */
#ifndef SIMGPU_DEVICE_SHARED_H
#define SIMGPU_DEVICE_SHARED_H

#include <stddef.h> /* ptrdiff_t */

/* Thread-local memory lies within this distance of the thread pointer: below it
 * on x86-64, above it on arm64. */
enum { SHARED_REACH = 1 << 20 };

/* True if p is in the memory of the runner with this thread pointer. */
static inline int shared_holds(const char *thread, const void *p)
{
    const ptrdiff_t at = (const char *)p - thread;
#if defined(__x86_64__)
    return -SHARED_REACH < at && at < 0;
#else
    return 0 <= at && at < SHARED_REACH;
#endif
}

/* True if p is in the calling thread's own. */
static inline int shared_is_own(const void *p)
{
    return shared_holds(__builtin_thread_pointer(), p);
}

/* The calling thread's own, and more of its thread-local memory. */
void shared_range(const char **begin, const char **end);

/* Number of ended blocks whose shared memory is still mapped. */
extern int shared_nstale;

/* Fail if p is in an ended block's shared memory. Called where device code
 * touches p. */
void shared_check(const void *p, const void *pc);

/* End the run, reporting a wrong use of another block's shared memory at pc. */
_Noreturn void shared_bad_use(const char *what, const void *pc);

#endif
