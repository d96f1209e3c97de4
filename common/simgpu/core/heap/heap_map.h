/*
 * heap_map.h: how much of a heap is mapped
 *
 * A heap is as large as a GPU's memory, and its shadow 32 times as large.
 * Addresses are limited, by ulimit -v or by an emulator that keeps a table of
 * all pages, and a program uses few of a heap's bytes. A heap's views therefore
 * show only its first bytes, up to the last block, and its shadow is mapped in
 * chunks, each when a word in it is first used:
 *
 *     file    [ bytes of the heap ............ | their shadow ... | common ]
 *     user    [ shown .. ]                     stays: its addresses are fixed
 *     raw     [ shown .. ]                     moves when it grows
 *     shadow                                     [ ]   [ ]
 *
 * A mapping is never removed, because threads use the raw view and sleep on
 * words of the shadow without a lock. The raw view doubles when it grows, so
 * all its mappings together take at most twice the addresses of the last one.
 */
#ifndef SIMGPU_CORE_HEAP_HEAP_MAP_H
#define SIMGPU_CORE_HEAP_HEAP_MAP_H

#include "core/heap/heap_table.h"

/* Prepare a heap with the file fd; nothing of it is shown yet.
 * Returns 0, or -1 with errno. */
int heap_map_init(struct heap *h, int fd);

/* Undo heap_map_init(), even if that failed. */
void heap_map_release(struct heap *h);

/* Make both views of a heap show its first `end` bytes. The caller must hold
 * the heap's lock. Returns 0, or -1 with errno. */
int heap_map_show(struct heap *h, uint64_t end);

/* The same for the raw view alone, of the heap with this file. */
int heap_map_view(struct heap_view *v, int fd, uint64_t end);

/* Reserve the addresses of a virtual heap's raw view (address.h). Returns 0, or
 * -1 with errno. */
int heap_map_reserve(struct heap *h);

/* Make both views of a virtual heap show, from `offset` on, the nbytes of
 * another heap that begin at p; or nothing. Returns 0, or -1 with errno. */
int heap_map_alias(const struct heap *h, uint64_t offset,
                   const struct heap *from, const char *p, uint64_t nbytes);
void heap_map_unalias(const struct heap *h, uint64_t offset, uint64_t nbytes);

/* The shadow of the byte at offset, mapped if it is not mapped yet; failing to
 * map it ends the process. NULL if the heap's owner is gone. */
char *heap_map_shadow(const struct heap *h, uint64_t offset);

/*
 * The number of the block at offset, for peers that have mapped the heap. It is
 * in the shadow, so it disappears when the block is freed. NULL if the owner is
 * gone.
 */
_Atomic uint32_t *block_tag(const struct heap *h, uint64_t offset);

#endif
