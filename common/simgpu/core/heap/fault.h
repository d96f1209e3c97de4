/*
 * fault.h: accesses to device memory that the hardware traps
 *
 * The user view of device memory is inaccessible (heap.h). When a thread that
 * runs a kernel touches an allocation for the first time, the fault handler
 * opens the allocation to such threads, and the access is repeated. Any other
 * thread that faults there is host code dereferencing device memory: on a real
 * GPU it would crash as well, with a less helpful message.
 *
 * A memory protection key (pkeys(7)) tells the two kinds of threads apart. On a
 * processor without keys, an allocation that a kernel has opened is open to all
 * threads until fault_rest().
 */
#ifndef SIMGPU_CORE_HEAP_FAULT_H
#define SIMGPU_CORE_HEAP_FAULT_H

#include <stddef.h>
#include <stdint.h>

/* Advice for a kernel that touches memory that was
 * freed, or never allocated. */
#define FAULT_FREED                                                            \
    "Free memory when nothing uses it any more: wait for the streams that do."
#define FAULT_INDEX "Check the index against the number of elements."

/* Install the handler for the whole process. */
void fault_start(void);

/*
 * Call these when the calling thread starts and stops running a kernel on
 * `device`. A touch outside any allocation ends the run with a report that
 * names the kernel, where it was launched, the address, and the nearest
 * allocation.
 */
void fault_kernel_enter(const char *kernel, int device, uint32_t site);
void fault_kernel_leave(void);

/* Set what the calling thread waits for before it reports an error of the
 * kernel that it runs, so that errors are reported in order; NULL: nothing. */
void fault_set_order(void (*wait)(void));
void fault_in_order(void);

/* Called when a stream has no work left, or the host has waited for work: close
 * what kernels have opened, if none runs. */
void fault_rest(void);

/*
 * Memory of the program that is protected for a while (stream/pending.h). The
 * function gets the first address of each access that faults, and returns true
 * if the access may be tried again: because it has opened the page, for good or
 * for this instruction (step.h).
 */
typedef int fault_touched(const void *p, int writes, int in_kernel,
                          void *context);

/* Returns false if the program has a handler of its own instead of this one. */
int fault_set_watch(fault_touched *watch);

/* The site of the interrupted instruction: the innermost call of the program on
 * the stack. */
uint32_t fault_site(const void *context);

#endif
