#include "judge/origin/sets.h"

#include <stdlib.h> /* realloc */
#include <string.h> /* memcmp */

#include "base/mix.h"

void sets_release(struct sets *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->set[i]->label);
        free(s->set[i]);
    }
    free(s->set);
    free(s->both);
    map_release(&s->by_hash);
    map_release(&s->joined);
}

void sets_have_labels(struct sets *s, size_t n)
{
    s->nwords = (n + 63) / 64;
    s->both = calloc(s->nwords + 1, sizeof *s->both);
    s->failed |= !s->both;
}

static uint64_t hash_of(const struct sets *s, const struct origin_set *a)
{
    uint64_t hash = (uint64_t)a->host;
    for (int i = 0; i < RANK_SET_WORDS; i++)
        hash = mix_hash(hash + 1) ^ a->ranks.word[i];
    for (size_t i = 0; a->label && i < s->nwords; i++)
        hash = mix_hash(hash + 1) ^ a->label[i];
    return mix_hash(hash);
}

static int is_equal(const struct sets *s, const struct origin_set *a,
                    const struct origin_set *b)
{
    return a->host == b->host && rank_set_equal(&a->ranks, &b->ranks) &&
           !a->label == !b->label &&
           (!a->label ||
            memcmp(a->label, b->label, s->nwords * sizeof *a->label) == 0);
}

/* Add a set that is not there yet. NULL if memory runs out. */
static struct origin_set *add(struct sets *s, const struct origin_set *a)
{
    if (s->n == s->cap) {
        const size_t cap = s->cap ? 2 * s->cap : 64;
        void *const longer = realloc(s->set, cap * sizeof *s->set);
        if (!longer)
            return NULL;
        s->set = longer;
        s->cap = cap;
    }
    struct origin_set *const new = malloc(sizeof *new);
    if (!new)
        return NULL;
    *new = *a;
    if (a->label && !(new->label = malloc(s->nwords * sizeof *a->label))) {
        free(new);
        return NULL;
    }
    if (a->label)
        memcpy(new->label, a->label, s->nwords * sizeof *a->label);
    s->set[s->n++] = new;
    new->number = (uint32_t)s->n;
    return new;
}

/* The set that is equal to a. */
static const struct origin_set *find(struct sets *s, const struct origin_set *a)
{
    for (uint64_t hash = hash_of(s, a);; hash++) {
        uint64_t *const number = map_at(&s->by_hash, hash);
        if (number && *number && !is_equal(s, s->set[*number - 1], a))
            continue; // another set with this hash
        if (number && *number)
            return s->set[*number - 1];
        const struct origin_set *const new = number ? add(s, a) : NULL;
        if (new)
            *number = new->number;
        s->failed |= !new;
        return new;
    }
}

const struct origin_set *sets_host(struct sets *s)
{
    return find(s, &(struct origin_set){.host = 1});
}

const struct origin_set *sets_rank(struct sets *s, int rank)
{
    return find(s, &(struct origin_set){.ranks = rank_set_of(rank)});
}

const struct origin_set *sets_labelled(struct sets *s, int rank, size_t label)
{
    memset(s->both, 0, s->nwords * sizeof *s->both);
    s->both[label / 64] |= UINT64_C(1) << label % 64;
    return find(
        s, &(struct origin_set){.ranks = rank_set_of(rank), .label = s->both});
}

const struct origin_set *sets_join(struct sets *s, const struct origin_set *a,
                                   const struct origin_set *b)
{
    if (!a || !b || a == b)
        return a ? a : b;
    const uint64_t low = a->number < b->number ? a->number : b->number;
    const uint64_t high = a->number < b->number ? b->number : a->number;
    uint64_t *const known = map_at(&s->joined, low << 32 | high);
    if (known && *known)
        return s->set[*known - 1];
    struct origin_set both = *a;
    rank_set_join(&both.ranks, &b->ranks);
    both.host |= b->host;
    both.label = a->label || b->label ? s->both : NULL;
    for (size_t i = 0; both.label && i < s->nwords; i++)
        both.label[i] =
            (a->label ? a->label[i] : 0) | (b->label ? b->label[i] : 0);
    const struct origin_set *const found = find(s, &both);
    if (known && found)
        *known = found->number;
    s->failed |= !known;
    return found;
}

const struct origin_set *sets_only_host(struct sets *s,
                                        const struct origin_set *a)
{
    return a && a->host ? sets_host(s) : NULL;
}
