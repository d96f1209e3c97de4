/*
 * heap_table.h: the heaps that a process knows, and their blocks
 *
 * Shared by heap.c (this process's memory), heap_peer.c (that of peers),
 * heap_map.c (what is mapped of both) and heap_describe.c (messages about
 * either). Reading or changing it takes its lock, except for the address and
 * size of a heap, which never change, and what is atomic.
 */
#ifndef SIMGPU_CORE_HEAP_TABLE_H
#define SIMGPU_CORE_HEAP_TABLE_H

#include <pthread.h> /* pthread_mutex_t */

#include "core/heap.h"
#include "core/heap_space.h"
#include "core/peer.h" /* struct heap_view */

struct block { /* an allocation */
    uint64_t offset, nbytes;
    uint32_t number, site;
    uint32_t freed_site; /* 0: unknown */
    int managed, opens, free_pending;
    int32_t numa_place; /* of memory of one NUMA node; 0: of the heap */
    uint64_t closed;    /* a bit for each device that can't reach it */
    uint64_t id;        /* of a virtual heap: whose memory is mapped here, */
    int device;         /* and where it is */
};

struct heap {
    char *user;
    struct heap_view *raw; /* &own, or its peer's; NULL: no heap yet */
    struct heap_view own;
    char *_Atomic *shadow; /* chunks of it; NULL: not mapped yet */
    char *common;
    uint64_t shown; /* bytes of the user view that are mapped */
    uint64_t nbytes, used;
    int device, fd, imported;
    int is_virtual;    /* its bytes are those of other heaps: virtual.h */
    int seen_as;       /* imported: the device's ordinal here */
    struct peer *peer; /* imported: its owner */
    struct proc_id owner;
    uint32_t owner_rank;
    struct block *block; /* by offset */
    size_t nblocks, cap;
};

/* This process's heaps, by heap_slot(), then those of peers. */
struct heap_table {
    pthread_mutex_t lock;
    struct heap heap[SPACE_HEAPS];
    int n;
};
extern struct heap_table heap_table;

int heap_slot(int device);

/* The heap whose user view holds p, or NULL. */
static inline struct heap *heap_of(const void *p)
{
    const int slot = space_slot(p);
    struct heap *const h = &heap_table.heap[slot < 0 ? 0 : slot];
    return slot >= 0 && slot < heap_table.n && h->raw ? h : NULL;
}

/* The block of h, which may be NULL, that holds p, or NULL. */
struct block *block_of(struct heap *h, const void *p);

/* The last block of h that starts at or before p, or NULL. */
struct block *block_before(struct heap *h, const void *p);

/* Size of a heap's memfd: its bytes, their shadow, and what they share. */
static inline uint64_t heap_file_nbytes(uint64_t heap_nbytes)
{
    return heap_nbytes * (1 + HEAP_SHADOW) + HEAP_COMMON;
}

/* nbytes rounded up to whole pages. */
uint64_t block_pages(uint64_t nbytes);

/* Find room for nbytes and the gap behind them: first fit. ENOMEM. */
int block_place(const struct heap *h, uint64_t nbytes, uint64_t *offset);

/* Pointers to blocks are valid until the next insertion or removal. */
struct block *block_insert(struct heap *h, struct block b);
void block_remove(struct heap *h, struct block *b);

/* Remember a block that is about to be freed, for messages about later use. */
void freed_add(const struct heap *h, const struct block *b);

/* The newest freed block that held p: its base, size and sites. Or ENOENT. */
int freed_find(const void *p, struct heap_block *out);

#endif
