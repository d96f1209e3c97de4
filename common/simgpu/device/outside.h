/*
 * outside.h: memory outside the heaps that device code touches
 *
 * Most of it is device code's own: local variables on the stacks of device
 * threads, shared memory, parameters, constants, device variables. The rest is
 * the host's. On a GPU without access to pageable memory, touching that fails
 * the kernel with cudaErrorIllegalAddress. A GPU that shares its CPU's page
 * tables reaches it, and the access is recorded like one of mapped memory. So
 * are those of registered memory and of variables, with which copies may race.
 */
#ifndef SIMGPU_DEVICE_OUTSIDE_H
#define SIMGPU_DEVICE_OUTSIDE_H

#include <stddef.h>

#include "core/heap/heap_space.h"
#include "device/access_log.h"

struct outside_range { /* bytes that the kernel may touch */
    const char *begin, *end;
    int is_local; /* to the calling thread */
    int is_constant;
    int is_variable; /* declared, not allocated by device code */
    int is_recorded;
};

/*
 * Check an access by the running kernel's instruction at pc to bytes outside
 * the heaps. *r says how far these bytes extend. Returns 1 if the access is to
 * be recorded, 0 if the bytes are the kernel's own.
 * Doesn't return if the GPU could not make the access.
 */
int outside_touch(struct access_log *g, const char *p, size_t nbytes,
                  enum touch_kind kind, const void *pc,
                  struct outside_range *r);

/* Describe the memory at p, to which outside_touch() has returned 1, as an
 * allocation. If it is a device's variable, all have this device's values from
 * now on, until the kernel leaves: resident.h. */
void outside_block(struct access_log *g, const char *p, const void *pc,
                   struct heap_block *out);
void outside_leave(struct access_log *g);

/* The kernel's threads wait: another device's kernel may come first. */
void outside_yield(struct access_log *g);

#endif
