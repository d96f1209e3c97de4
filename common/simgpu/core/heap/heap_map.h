/*
 * heap_map.h: how much of a heap is mapped
 *
 * A heap is as large as the memory of a GPU, and its shadow 32 times as large.
 * Addresses are limited, by ulimit -v or by an emulator that keeps a table of
 * all pages, and a program uses few of a heap's bytes. So its views show its
 * first bytes, up to the last block, and its shadow is mapped in chunks, when a
 * word of each is first used:
 *
 *     file    [ bytes of the heap ............ | their shadow ... | common ]
 *     user    [ shown .. ]                     stays: its addresses are fixed
 *     raw     [ shown .. ]                     moves when it grows
 *     shadow                                     [ ]   [ ]
 *
 * What has been mapped once stays, because threads use the raw view and sleep
 * on words of the shadow without a lock. The raw view doubles, so that its
 * mappings together take twice the last one's addresses.
 */
#ifndef SIMGPU_CORE_HEAP_MAP_H
#define SIMGPU_CORE_HEAP_MAP_H

#include "core/heap_table.h"

/* Prepare a heap with the file fd, of which nothing is shown yet. Returns 0, or
 * -1 with errno. */
int heap_map_init(struct heap *h, int fd);

/* Take back heap_map_init(), also after it has failed. */
void heap_map_release(struct heap *h);

/* Let both views of a heap show its first `end` bytes. The heap's lock is held.
 * Returns 0, or -1 with errno. */
int heap_map_show(struct heap *h, uint64_t end);

/* Likewise the raw view alone, of the heap with this file. */
int heap_map_view(struct heap_view *v, int fd, uint64_t end);

/* Reserve the addresses of a virtual heap's raw view (virtual.h). Returns 0, or
 * -1 with errno. */
int heap_map_reserve(struct heap *h);

/* Let both views of a virtual heap show, from `offset` on, nbytes of another
 * heap that begin at p; or nothing. Returns 0, or -1 with errno. */
int heap_map_alias(const struct heap *h, uint64_t offset,
                   const struct heap *from, const char *p, uint64_t nbytes);
void heap_map_unalias(const struct heap *h, uint64_t offset, uint64_t nbytes);

/* The shadow of the byte at offset, which is mapped if it is not yet; a failure
 * ends the process. NULL if the heap's owner is gone. */
char *heap_map_shadow(const struct heap *h, uint64_t offset);

/*
 * The number of the block at offset, for peers that have mapped the heap. It
 * lies in the shadow, so it vanishes when the block is freed. NULL likewise.
 */
_Atomic uint32_t *block_tag(const struct heap *h, uint64_t offset);

#endif
