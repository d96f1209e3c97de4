/*
 * heap_space.h: where heaps lie in the address space
 *
 * The user view of each heap has a window of its own. Windows are of equal
 * size, at fixed addresses, so that a subtraction and a shift find a pointer's
 * window:
 *
 *     SPACE_BASE + slot * SPACE_WINDOW
 *     slots 0..63: this process's devices; 64: its pinned memory;
 *     above: heaps of peers, in the order in which they were imported
 */
#ifndef SIMGPU_CORE_HEAP_SPACE_H
#define SIMGPU_CORE_HEAP_SPACE_H

#include <stdint.h>

enum { SPACE_HEAPS = 384, SPACE_SHIFT = 37 };
#define SPACE_BASE   ((char *)0x100000000000)
#define SPACE_WINDOW (UINT64_C(1) << SPACE_SHIFT) /* 128 GiB */

static inline char *space_window(int slot)
{
    return SPACE_BASE + (uint64_t)slot * SPACE_WINDOW;
}

/* The window that holds p, or -1. */
static inline int space_slot(const void *p)
{
    const uint64_t distance = (uint64_t)((uintptr_t)p - (uintptr_t)SPACE_BASE);
    return distance >> SPACE_SHIFT < SPACE_HEAPS
               ? (int)(distance >> SPACE_SHIFT)
               : -1;
}

#endif
