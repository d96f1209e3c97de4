/*
 * heap_space.h: where heaps lie in the address space
 *
 * Windows of equal size at fixed addresses, one for the user view of each
 * heap, so that the window of a pointer is a subtraction and a shift:
 *
 *     SPACE_BASE + slot * SPACE_WINDOW
 *     slots 0..63: this process's devices; 64: its pinned memory;
 *     above: heaps of peers, in the order in which they were imported
 */
#ifndef SIMGPU_CORE_HEAP_SPACE_H
#define SIMGPU_CORE_HEAP_SPACE_H

#include "core/heap.h"

enum { SPACE_HEAPS = 192, SPACE_SHIFT = 37 };
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

/* Open or close an allocation's user view to this process. */
int heap_protect(const struct heap_block *b, int open);

#endif
