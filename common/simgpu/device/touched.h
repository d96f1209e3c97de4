/*
 * touched.h: an exact set of bytes of global memory
 *
 * The set has a bit for each byte, in chunks that cover 32 KiB of addresses and
 * are allocated when the first of their bytes is added. Most bytes that a
 * kernel touches were touched before, so the test for that is inline: a
 * direct-mapped cache of chunks, a shift and a comparison. Only a kernel that
 * jumps between more chunks than the cache has lines (32 MiB) needs a binary
 * search each time.
 *
 *     address:  [ chunk's number | word | bit ]
 *                      17..         9     6      bits
 *
 * A zeroed struct is an empty set.
 */
#ifndef SIMGPU_DEVICE_TOUCHED_H
#define SIMGPU_DEVICE_TOUCHED_H

#include <stddef.h>
#include <stdint.h>

#include "base/mix.h"

enum {
    TOUCHED_SHIFT = 15,
    TOUCHED_WORDS = 1 << (TOUCHED_SHIFT - 6),
    TOUCHED_LINE_BITS = 10,
    TOUCHED_LINES = 1 << TOUCHED_LINE_BITS
};

struct touched_chunk {
    uintptr_t number; /* address >> TOUCHED_SHIFT */
    struct touched_chunk *next;
    uint64_t bits[TOUCHED_WORDS];
};

/* A recently used chunk, and the addresses [begin, end) around it that the
 * caller has found to be valid. */
struct touched_line {
    uintptr_t number; /* 0: empty line */
    uint64_t *bits;
    const char *begin, *end;
};

struct touched {
    struct touched_line line[TOUCHED_LINES];
    struct touched_chunk **chunk; /* by number */
    size_t n, cap;
    struct touched_chunk *spare;
    size_t nspare;
};

/* The cache line for a chunk. Ranks' memories are the same power of two apart,
 * and a kernel reads them in turn, so all bits of the number are hashed. */
static inline size_t touched_place(uintptr_t number)
{
    return (number * MIX_STEP) >> (64 - TOUCHED_LINE_BITS);
}

/* The line of p's chunk if it is in the cache, else another chunk's line. */
static inline struct touched_line *touched_line(struct touched *t,
                                                const void *p)
{
    return &t->line[touched_place((uintptr_t)p >> TOUCHED_SHIFT)];
}

static inline int touched_is_line(const struct touched_line *l, const void *p)
{
    return l->number == (uintptr_t)p >> TOUCHED_SHIFT;
}

/* The word of p's bit in its line; the bit is number p % 64 of the word. */
static inline uint64_t *touched_word(const struct touched_line *l,
                                     const void *p)
{
    return &l->bits[((uintptr_t)p >> 6) % TOUCHED_WORDS];
}

/* True if p is at a word of a cached line, all of whose bits are set. */
static inline int touched_is_full(struct touched *t, const void *p)
{
    const struct touched_line *const l = touched_line(t, p);
    return (uintptr_t)p % 64 == 0 && touched_is_line(l, p) &&
           *touched_word(l, p) == UINT64_MAX;
}

/* Set n bits, starting at bit `first`. */
static inline void touched_set_bits(uint64_t *bits, size_t first, size_t n)
{
    for (size_t end = first + n; first < end;) {
        const size_t at = first % 64, left = end - first;
        const size_t here = left < 64 - at ? left : 64 - at;
        bits[first / 64] |= (UINT64_MAX >> (64 - here)) << at;
        first += here;
    }
}

/* Add [p, p + nbytes) if that only takes setting bits; otherwise returns 0. */
static inline int touched_add_known(struct touched *t, const char *p,
                                    size_t nbytes)
{
    const struct touched_line *const l = touched_line(t, p);
    const size_t at = (uintptr_t)p % ((size_t)1 << TOUCHED_SHIFT);
    if (!touched_is_line(l, p) || at + nbytes > (size_t)1 << TOUCHED_SHIFT)
        return 0;
    touched_set_bits(l->bits, at, nbytes);
    return 1;
}

/* Add [p, p + nbytes), which lies in [begin, end). */
void touched_add(struct touched *t, const char *p, size_t nbytes,
                 const char *begin, const char *end);

/* True if the byte is in the set. */
int touched_has(struct touched *t, const char *p);

/* Find the next maximal run of bytes in the order of addresses: the first that
 * ends behind *end. Start with *end = NULL. Returns 0 if there is none. */
int touched_next(const struct touched *t, const char **begin, const char **end);

/* Add all bytes of another set. */
void touched_join(struct touched *t, const struct touched *other);

/* Empty the set; its memory is kept for later use, up to a limit. */
void touched_clear(struct touched *t);

#endif
