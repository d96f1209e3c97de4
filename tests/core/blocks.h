/* blocks.h: a rank's allocations, which must succeed */
#ifndef COMMLAB_TESTS_BLOCKS_H
#define COMMLAB_TESTS_BLOCKS_H

#include "core/heap/heap.h"
#include "ranks.h"

static char *alloc(int device, size_t nbytes, uint32_t site)
{
    void *p;
    MUST(simgpu_heap_alloc(device, nbytes, HEAP_ORDINARY, site, &p) == 0);
    return p;
}

static struct heap_block found(const void *p)
{
    struct heap_block b;
    MUST(simgpu_heap_find(p, &b) == 0);
    return b;
}

#endif
