/*
 * sets.h: sets of origins
 *
 * Bytes descend from a set of ranks, perhaps from the host, and from labelled
 * bytes of their inputs (origin.h). Equal sets are one object, so they can be
 * compared by address; a set doesn't change, and is valid until sets_release().
 * NULL is the empty set.
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
    uint64_t *label; /* a bit for each label; NULL: none */
};

struct sets { /* all sets; zero it first */
    struct origin_set **set;
    size_t n, cap;
    struct map by_hash; /* the number of the set with this hash */
    struct map joined;  /* the number of two sets' union, by their numbers */
    size_t nwords;      /* in the labels of one set */
    uint64_t *both;     /* nwords, where the labels of a union are made */
    int failed;         /* out of memory: nothing is valid */
};

void sets_release(struct sets *s);

/* Have labels 0 to n - 1. Call it before there are sets. */
void sets_have_labels(struct sets *s, size_t n);

const struct origin_set *sets_host(struct sets *s); /* the host alone */
const struct origin_set *sets_rank(struct sets *s, int rank);
const struct origin_set *sets_labelled(struct sets *s, int rank, size_t label);
const struct origin_set *sets_join(struct sets *s, const struct origin_set *a,
                                   const struct origin_set *b);

/* The host if it is in the set, otherwise the empty set. */
const struct origin_set *sets_only_host(struct sets *s,
                                        const struct origin_set *a);

static inline int sets_has_label(const struct origin_set *a, size_t label)
{
    return a && a->label && a->label[label / 64] >> label % 64 & 1;
}

#endif
