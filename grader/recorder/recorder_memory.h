/*
 * recorder_memory.h: the memory of the ranks' devices, as the recorder knows it
 *
 * Each heap of simgpu is a memfd, which its rank hands over when it is made.
 * The graph says where in the heap each allocation lies. A rank reports each of
 * them once, before student code can know of the allocation, so nothing that it
 * sends later changes them.
 */
#ifndef GRADER_RECORDER_MEMORY_H
#define GRADER_RECORDER_MEMORY_H

#include "graph/record/format.h"

/* Start without any memory. NULL if memory runs out. */
struct recorder_memory *recorder_memory_new(int nranks);
void recorder_memory_free(struct recorder_memory *m); /* NULL is allowed */

/* True if fd is an anonymous file that has n bytes at offset `at`. */
int recorder_memory_has(int fd, uint64_t at, uint64_t n);

/* Take over this file as a rank's heap. This and the next function return 0, or
 * -1 if it is something that the kit never sends. */
int recorder_memory_heap(struct recorder_memory *m, uint32_t rank,
                         uint32_t device, int fd);

/* Note where a rank has placed an allocation of its own. */
int recorder_memory_place(struct recorder_memory *m, uint32_t rank,
                          const struct format_alloc *a);

/* True if the place of the allocation is known. */
int recorder_memory_knows(const struct recorder_memory *m, uint64_t alloc);

/*
 * Spoil a part of a range: overwrite it with bytes that can't be a result,
 * since as floats of any width they are not numbers. `number`, which no rank
 * can predict, chooses the part. Memory that isn't a device's is left alone.
 * Returns 0, or -1 if the range exceeds its allocation.
 */
int recorder_memory_spoil(struct recorder_memory *m,
                          const struct graph_access *range, uint64_t number);

#endif
