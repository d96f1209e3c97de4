/*
 * fault.h: accesses to device memory that the hardware traps
 *
 * The user view of device memory is inaccessible (heap.h). When a thread that
 * runs a kernel touches an allocation for the first time, the fault handler
 * opens it to such threads, and the access is repeated. Any other thread that
 * faults there is host code that dereferences device memory: on a real GPU it
 * would crash as well, with less to say.
 *
 * What separates the threads is a memory protection key (pkeys(7)). Where the
 * processor has none, an allocation that a kernel has opened is open to all
 * threads until fault_rest().
 */
#ifndef SIMGPU_CORE_FAULT_H
#define SIMGPU_CORE_FAULT_H

#include <stdint.h>

/* What to look for when a kernel touches memory that was freed, or is none. */
#define FAULT_FREED                                                            \
    "Free memory when nothing uses it any more: wait for the streams that do."
#define FAULT_INDEX "Check the index against the number of elements."

/* Install the handler, for the whole process. */
void fault_start(void);

/*
 * The calling thread runs a kernel on `device` from enter to leave. A touch
 * outside any allocation ends the run with a report that names the kernel,
 * the site of its launch, the address, and the nearest allocation.
 */
void fault_kernel_enter(const char *kernel, int device, uint32_t site);
void fault_kernel_leave(void);

/* What the calling thread has to wait for before it reports an error of the
 * kernel that it runs, so that errors are reported in order; NULL: nothing. */
void fault_set_order(void (*wait)(void));
void fault_in_order(void);

/* A stream has no work left, or the host has waited for some: close what
 * kernels have opened, if none runs. */
void fault_rest(void);

#endif
