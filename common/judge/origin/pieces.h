/*
 * pieces.h: what each byte of the ranks' memory descends from
 *
 * An allocation is kept as a sorted list of pieces, each of which descends from
 * the same ranks throughout (origin.h). Bytes between the pieces have no
 * origin. Ordinary memory of the program, which CUDA did not allocate
 * (pieces_ordinary()), has no pieces, and reads from it count as the host's.
 */
#ifndef COMMLAB_JUDGE_PIECES_H
#define COMMLAB_JUDGE_PIECES_H

#include "base/map.h"
#include "graph/record/read.h"
#include "judge/origin/sets.h"

struct piece { /* bytes [begin, end) of an allocation */
    uint64_t begin, end;
    const struct origin_set *from;
};

struct pieces { /* the pieces of all allocations; zero it first */
    struct memory *memory;
    size_t nmemory, cap_memory;
    struct map place;  /* by allocation: its position in memory[], from 1 */
    struct map pinned; /* 1 for the host's allocations, which it writes
                          unseen */
    struct sets sets;  /* what pieces descend from */
    int failed;        /* out of memory: nothing is valid */
};

/* Start with a graph's allocations, without any pieces. */
void pieces_begin(struct pieces *p, const struct graph *g);
void pieces_release(struct pieces *p);

/* True for ordinary memory of the program, which has no number. */
static inline int pieces_ordinary(uint64_t alloc)
{
    return (uint32_t)alloc == 0;
}

/* Give the piece's bytes its origins. */
void pieces_put(struct pieces *p, uint64_t alloc, struct piece new);

/* Give range `to` the origins of range `from`, byte by byte; they are
 * of equal length. */
void pieces_carry(struct pieces *p, const struct graph_access *from,
                  const struct graph_access *to);

/* The union of what bytes [begin, end) descend from. */
const struct origin_set *pieces_all(struct pieces *p, uint64_t alloc,
                                    uint64_t begin, uint64_t end);

/* The sorted pieces of an allocation, valid until the next change. */
const struct piece *pieces_of(struct pieces *p, uint64_t alloc, size_t *n);

/* Make space for one more element of a list. Returns the list, which may have
 * moved; sets *failed if memory runs out. */
void *pieces_grow(void *list, size_t n, size_t *cap, size_t size, int *failed);

#endif
