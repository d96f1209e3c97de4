/*
 * drawn.h: what a rank and the judge agree on: random choices that follow from
 * a seed, and the length of a guard. Given: nothing to edit here.
 */
#ifndef LAB5_DRAWN_H
#define LAB5_DRAWN_H

#include "judge/data.h"

/* The length of a guard (cases_alloc()), which no other memset has. */
enum { GUARD_NBYTES = 211 };

/* The path from a rank's seed to what it adds in ping-pong. */
enum { DRAWN_ADD = 5 };

/* Draws (judge/draw.h) besides those of nn/draws.h. */
enum {
    DRAWN_ROUGH = 2, /* drawn_rough(0), drawn_rough(1), ... */
    DRAWN_BEGIN,     /* drawn_begin(arg[0]): uint64_t */
    DRAWN_ADAPTERS,  /* drawn_adapter() of arg[0] adapters: int */
    DRAWN_PAIRS,     /* keys from 1 to arg[0], then as many values */
};

/* The adapter of a rank's request i, of nadapters. */
static inline int drawn_adapter(uint64_t seed, int i, int nadapters)
{
    return (int)(judge_seed(seed, (uint64_t)i + (UINT64_C(1) << 40)) %
                 (uint64_t)nadapters);
}

/* Key i of a rank, 1 to range, and the value that it adds. */
static inline unsigned drawn_key(uint64_t seed, int i, int range)
{
    return 1 + (unsigned)(judge_seed(seed, (uint64_t)i + (UINT64_C(2) << 40)) %
                          (uint64_t)range);
}
static inline unsigned drawn_value(uint64_t seed, int i)
{
    return 1 +
           (unsigned)(judge_seed(seed, (uint64_t)i + (UINT64_C(3) << 40)) % 9);
}

/* Element i of a rank's input with `rough: 1`: below 1, of 24 random bits, so
 * that a sum of three or more depends on their order. */
static inline float drawn_rough(uint64_t seed, size_t i)
{
    const uint64_t bits = judge_seed(seed, (uint64_t)i + (UINT64_C(5) << 40));
    const float size = (float)(UINT64_C(1) << (24 + (bits >> 1) % 8));
    return (bits & 1 ? -1 : 1) * (float)(bits >> 40) / size;
}

/* The first element of the range that a rank reads, which is half of the
 * tensor. */
static inline size_t drawn_begin(uint64_t seed, size_t count)
{
    return (size_t)(judge_seed(seed, UINT64_C(4) << 40) %
                    (uint64_t)(count - count / 2 + 1));
}

/* Rank r of n writes elements drawn_share(count, n, r) to drawn_share(.., r +
 * 1) - 1 of a tensor, which belong to other ranks. */
static inline size_t drawn_share(size_t count, int n, int r)
{
    return count * (size_t)r / (size_t)n;
}

#endif
