/*
 * recorder_memory.h: the memory of the ranks' devices, as the recorder sees it
 *
 * Each heap of simgpu is a memfd, which its rank hands over when it makes it;
 * the graph says for each allocation where in it it lies. Both are said once,
 * before student code can know of the allocation, so what a rank says later
 * changes nothing.
 */
#ifndef GRADER_RECORDER_MEMORY_H
#define GRADER_RECORDER_MEMORY_H

#include "graph/format.h"

/* NULL if memory runs out. */
struct recorder_memory *recorder_memory_new(int nranks);
void recorder_memory_free(struct recorder_memory *m); /* NULL is allowed */

/* True if fd is memory without a name, and has n bytes at offset `at`. */
int recorder_memory_has(int fd, uint64_t at, uint64_t n);

/* A rank's heap is this file, which is taken over. Returns 0, or -1 for what no
 * kit says; likewise below. */
int recorder_memory_heap(struct recorder_memory *m, uint32_t rank,
                         uint32_t device, int fd);

/* A rank has placed an allocation of its own. */
int recorder_memory_place(struct recorder_memory *m, uint32_t rank,
                          const struct format_alloc *a);

/* True if it has been said where the allocation lies. */
int recorder_memory_knows(const struct recorder_memory *m, uint64_t alloc);

/*
 * Overwrite a part of a range, at a place that a number chooses which no rank
 * can foresee, with bytes that are no result: as floats of any width they are
 * not numbers. Nothing happens to memory that is not a device's. Returns 0, or
 * -1 if the range leaves its allocation.
 */
int recorder_memory_spoil(struct recorder_memory *m,
                          const struct graph_access *range, uint64_t number);

#endif
