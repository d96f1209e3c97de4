#include "graph/record/intern.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memcmp */

#include "base/mix.h"

static uint64_t hash_of(const void *data, size_t nbytes)
{
    uint64_t h = nbytes, word;
    for (size_t at = 0; at < nbytes; at += sizeof word) {
        const size_t left = nbytes - at;
        word = 0;
        memcpy(&word, (const char *)data + at,
               left < sizeof word ? left : sizeof word);
        h = mix_hash(h ^ word);
    }
    return h;
}

/* The slot of the value, or the free slot where it belongs. */
static uint32_t *find(struct intern *t, const void *data, size_t nbytes,
                      uint64_t hash)
{
    for (uint32_t i = (uint32_t)hash;; i++) {
        uint32_t *const slot = &t->slot[i & (t->nslots - 1)];
        if (*slot == 0)
            return slot;
        const struct intern_value *const v = &t->value[*slot - 1];
        if (v->hash == hash && v->nbytes == nbytes &&
            memcmp(v->data, data, nbytes) == 0)
            return slot;
    }
}

/* Double the number of slots, so that at most half of them are used. */
static int grow(struct intern *t)
{
    const uint32_t nslots = t->nslots ? 2 * t->nslots : 64;
    void *const value = realloc(t->value, nslots / 2 * sizeof *t->value);
    if (value)
        t->value = value;
    uint32_t *const slot = calloc(nslots, sizeof *slot);
    if (!value || !slot) {
        free(slot);
        return -1;
    }
    free(t->slot);
    t->slot = slot;
    t->nslots = nslots;
    for (uint32_t i = 0; i < t->count; i++) {
        const struct intern_value *const v = &t->value[i];
        *find(t, v->data, v->nbytes, v->hash) = i + 1;
    }
    return 0;
}

uint32_t intern_id(struct intern *t, const void *data, size_t nbytes,
                   int *is_new)
{
    *is_new = 0;
    if (2 * t->count >= t->nslots && grow(t) != 0)
        return 0;
    const uint64_t hash = hash_of(data, nbytes);
    uint32_t *const slot = find(t, data, nbytes, hash);
    if (*slot)
        return *slot;
    struct intern_value *const v = &t->value[t->count];
    *v = (struct intern_value){malloc(nbytes + 1), nbytes, hash};
    if (!v->data)
        return 0;
    memcpy(v->data, data, nbytes);
    *is_new = 1;
    return *slot = ++t->count;
}

void intern_release(struct intern *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->value[i].data);
    free(t->value);
    free(t->slot);
    *t = (struct intern){0};
}
