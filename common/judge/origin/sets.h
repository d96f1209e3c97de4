/*
 * sets.h: sets of origins
 *
 * Bytes descend from a set of ranks, and perhaps from the host (origin.h). Of
 * equal sets there is one, so they can be compared by address; a set doesn't
 * change, and is valid until sets_release(). NULL is the empty set.
 *
 * A ring of n ranks makes some n * n sets for any number of pieces.
 */
#ifndef COMMLAB_JUDGE_SETS_H
#define COMMLAB_JUDGE_SETS_H

#include <stddef.h>

#include "base/map.h"
#include "base/rank_set.h"

struct origin_set {
    struct rank_set ranks;
    int host;        /* the host contributed to it */
    uint32_t number; /* from 1 */
};

struct sets { /* all sets; zero it first */
    struct origin_set **set;
    size_t n, cap;
    struct map by_hash; /* the number of the set with this hash */
    struct map joined;  /* the number of two sets' union, by their numbers */
    int failed;         /* out of memory: nothing is valid */
};

void sets_release(struct sets *s);

const struct origin_set *sets_host(struct sets *s); /* the host alone */
const struct origin_set *sets_rank(struct sets *s, int rank);
const struct origin_set *sets_join(struct sets *s, const struct origin_set *a,
                                   const struct origin_set *b);

/* The host if it is in the set, otherwise the empty set. */
const struct origin_set *sets_only_host(struct sets *s,
                                        const struct origin_set *a);

#endif
