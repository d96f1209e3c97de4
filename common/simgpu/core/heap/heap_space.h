/*
 * heap_space.h: where heaps are in the address space
 *
 * The user view of each heap has its own window. Windows have equal size and
 * fixed addresses, so a subtraction and a shift find a pointer's window:
 *
 *     SPACE_BASE + slot * SPACE_WINDOW
 *     slots 0..63: this process's devices; 64: its pinned memory;
 *     above: heaps of peers, in the order in which they were imported
 *
 * Behind the last window follow the stacks of device threads, so that one
 * comparison tells a local variable from everything else.
 */
#ifndef SIMGPU_CORE_HEAP_HEAP_SPACE_H
#define SIMGPU_CORE_HEAP_HEAP_SPACE_H

#include <stdint.h>

#include <stddef.h> /* size_t */

enum { SPACE_HEAPS = 384, SPACE_SHIFT = 37 };
#define SPACE_BASE          ((char *)0x100000000000)
#define SPACE_WINDOW        (UINT64_C(1) << SPACE_SHIFT) /* 128 GiB */

#define SPACE_STACKS        (SPACE_BASE + SPACE_HEAPS * SPACE_WINDOW)
#define SPACE_STACKS_NBYTES (UINT64_C(1) << 44)

enum { SPACE_STACK_NBYTES = 516 << 10 }; /* a stack with its guard */

static inline int space_is_stack(const void *p)
{
    return (uintptr_t)p - (uintptr_t)SPACE_STACKS < SPACE_STACKS_NBYTES;
}

/* The end of the stack that contains p. */
static inline const char *space_stack_top(const void *p)
{
    const uint64_t at = (uint64_t)((const char *)p - SPACE_STACKS);
    return SPACE_STACKS + (at / SPACE_STACK_NBYTES + 1) * SPACE_STACK_NBYTES;
}

static inline char *space_window(int slot)
{
    return SPACE_BASE + (uint64_t)slot * SPACE_WINDOW;
}

/* The window that contains p, or -1. */
static inline int space_slot(const void *p)
{
    const uint64_t distance = (uint64_t)((uintptr_t)p - (uintptr_t)SPACE_BASE);
    return distance >> SPACE_SHIFT < SPACE_HEAPS
               ? (int)(distance >> SPACE_SHIFT)
               : -1;
}

#endif
