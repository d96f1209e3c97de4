/*
 * heap_table.h: the heaps that a process knows, and their blocks
 *
 * heap.c (this process's memory), heap_peer.c (peers' memory), heap_map.c (what
 * is mapped of both) and heap_describe.c (messages about either) share it.
 * Reading or changing it takes its lock, except for the address and size of a
 * heap, which never change, and for atomic members.
 */
#ifndef SIMGPU_CORE_HEAP_HEAP_TABLE_H
#define SIMGPU_CORE_HEAP_HEAP_TABLE_H

#include <pthread.h> /* pthread_mutex_t */

#include "core/heap/heap.h"
#include "core/heap/heap_space.h"
#include "core/peer.h" /* struct heap_view */

struct heap_entry { /* an allocation */
    uint64_t offset, nbytes;
    uint32_t number, site;
    uint32_t freed_site; /* 0: unknown */
    int managed, pooled, opens, free_pending;
    uint64_t used, used_nbytes; /* heap_block.used: its place in the block */
    int32_t numa_place; /* for memory of one NUMA node; 0: the heap's place */
    uint64_t closed;    /* bit i: device i can't reach it */
    uint64_t id;        /* in a virtual heap: the mapped allocation's id */
    int device;         /* in a virtual heap: that allocation's device */
};

struct heap {
    char *user;
    struct heap_view *raw; /* &own, or its peer's; NULL: no heap yet */
    struct heap_view own;
    char *_Atomic *shadow; /* mapped chunks; NULL: not mapped yet */
    char *common;
    uint64_t shown; /* mapped bytes of the user view */
    uint64_t nbytes, used;
    int device, fd, imported;
    int is_virtual;    /* shows bytes of other heaps: address.h */
    int seen_as;       /* imported: the device's ordinal here */
    struct peer *peer; /* imported: its owner */
    struct proc_id owner;
    uint32_t owner_rank;
    struct heap_entry *block; /* by offset */
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

/* The heap whose user view contains p, or NULL. */
static inline struct heap *heap_of(const void *p)
{
    const int slot = space_slot(p);
    struct heap *const h = &heap_table.heap[slot < 0 ? 0 : slot];
    return slot >= 0 && slot < heap_table.n && h->raw ? h : NULL;
}

/* The block of h that contains p, or NULL. h may be NULL. */
struct heap_entry *block_of(struct heap *h, const void *p);

/* The last block of h that starts at or before p, or NULL. */
struct heap_entry *block_before(struct heap *h, const void *p);

/* The size of a heap's memfd: its bytes, their shadow, and what words share. */
static inline uint64_t heap_file_nbytes(uint64_t heap_nbytes)
{
    return heap_nbytes * (1 + HEAP_SHADOW) + HEAP_COMMON;
}

/* nbytes rounded up to whole pages. */
uint64_t block_pages(uint64_t nbytes);

/* Find a place for nbytes and the gap behind them: first
 * fit. Returns 0 or ENOMEM. */
int block_place(const struct heap *h, uint64_t nbytes, uint64_t *offset);

/* Pointers to blocks are valid until the next insertion or removal. */
struct heap_entry *block_insert(struct heap *h, struct heap_entry b);
void block_remove(struct heap *h, struct heap_entry *b);

/* Record a block that is about to be freed, for messages about later use. */
void freed_add(const struct heap *h, const struct heap_entry *b);

/* Find the most recently freed block that contained p: its base, size and
 * sites. Returns 0 or ENOENT. */
int freed_find(const void *p, struct heap_block *out);

#endif
