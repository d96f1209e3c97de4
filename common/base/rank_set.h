/*
 * rank_set.h: a set of ranks
 *
 * Ranks that LAB_MAX_RANKS excludes are in no set.
 */
#ifndef COMMLAB_BASE_RANK_SET_H
#define COMMLAB_BASE_RANK_SET_H

#include <stdint.h>

#include "base/ranks.h"

enum { RANK_SET_WORDS = LAB_MAX_RANKS / 64 };

struct rank_set { /* empty if it is zeroed */
    uint64_t word[RANK_SET_WORDS];
};

static inline void rank_set_add(struct rank_set *s, int rank)
{
    if (rank >= 0 && rank < LAB_MAX_RANKS)
        s->word[rank / 64] |= UINT64_C(1) << rank % 64;
}

static inline int rank_set_has(const struct rank_set *s, int rank)
{
    return rank >= 0 && rank < LAB_MAX_RANKS &&
           (s->word[rank / 64] >> rank % 64 & 1);
}

/* The set of one rank. */
static inline struct rank_set rank_set_of(int rank)
{
    struct rank_set s = {{0}};
    rank_set_add(&s, rank);
    return s;
}

/* The set of ranks 0 to n - 1. */
static inline struct rank_set rank_set_first(int n)
{
    struct rank_set s = {{0}};
    for (int rank = 0; rank < n; rank++)
        rank_set_add(&s, rank);
    return s;
}

/* Add all ranks of b to a. */
static inline void rank_set_join(struct rank_set *a, const struct rank_set *b)
{
    for (int i = 0; i < RANK_SET_WORDS; i++)
        a->word[i] |= b->word[i];
}

/* Remove all ranks of b from a. */
static inline void rank_set_remove(struct rank_set *a, const struct rank_set *b)
{
    for (int i = 0; i < RANK_SET_WORDS; i++)
        a->word[i] &= ~b->word[i];
}

/* The lowest rank of a set; -1 if it is empty. */
static inline int rank_set_lowest(const struct rank_set *s)
{
    for (int i = 0; i < RANK_SET_WORDS; i++)
        if (s->word[i])
            return 64 * i + __builtin_ctzll(s->word[i]);
    return -1;
}

static inline int rank_set_count(const struct rank_set *s)
{
    int n = 0;
    for (int i = 0; i < RANK_SET_WORDS; i++)
        n += __builtin_popcountll(s->word[i]);
    return n;
}

static inline int rank_set_equal(const struct rank_set *a,
                                 const struct rank_set *b)
{
    int i = 0;
    while (i < RANK_SET_WORDS && a->word[i] == b->word[i])
        i++;
    return i == RANK_SET_WORDS;
}

#endif
