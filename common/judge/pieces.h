/*
 * pieces.h: what each byte of the ranks' memory descends from
 *
 * An allocation is kept as pieces in order, of bytes that descend from the same
 * ranks (origin.h). Bytes between them have no origin. Memory of the program
 * that is no allocation of CUDA's (pieces_ordinary()) has none that is kept,
 * and reads as the host's.
 */
#ifndef COMMLAB_JUDGE_PIECES_H
#define COMMLAB_JUDGE_PIECES_H

#include "base/map.h"
#include "graph/read.h"

struct piece { /* bytes [begin, end) of an allocation */
    uint64_t begin, end, from;
};

struct pieces { /* of all allocations; zeroed at first */
    struct memory *memory;
    size_t nmemory, cap_memory;
    struct map place;  /* of an allocation in memory[], from 1 */
    struct map pinned; /* 1 for those of the host, which writes there unseen */
    int failed;        /* out of memory: nothing is valid */
};

/* Begin with a graph's allocations. */
void pieces_begin(struct pieces *p, const struct graph *g);
void pieces_release(struct pieces *p);

/* True if it is memory of the program, which has no number. */
static inline int pieces_ordinary(uint64_t alloc)
{
    return (uint32_t)alloc == 0;
}

/* The bytes now have this origin. */
void pieces_put(struct pieces *p, uint64_t alloc, struct piece new);

/* Bytes of one range to another of the same length, with their origins. */
void pieces_carry(struct pieces *p, const struct graph_access *from,
                  const struct graph_access *to);

/* All that bytes [begin, end) descend from. */
uint64_t pieces_all(struct pieces *p, uint64_t alloc, uint64_t begin,
                    uint64_t end);

/* The pieces of an allocation, in order, which last until the next change. */
const struct piece *pieces_of(struct pieces *p, uint64_t alloc, size_t *n);

/* Room for one more element of a list, which may move; *failed is set if memory
 * runs out. */
void *pieces_grow(void *list, size_t n, size_t *cap, size_t size, int *failed);

#endif
