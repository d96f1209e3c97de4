#include "base/map.h"

#include <stdlib.h> /* calloc */

#include "base/mix.h"

enum { MIN_ENTRIES = 16 };

void map_release(struct map *m)
{
    free(m->entry);
    *m = (struct map){0};
}

/* The entry of a nonzero key, or the free entry where it belongs. */
static struct map_entry *find(const struct map *m, uint64_t key)
{
    for (uint64_t i = mix_hash(key);; i++) {
        struct map_entry *const e = &m->entry[i & (m->nentries - 1)];
        if (!e->key || e->key == key)
            return e;
    }
}

/* Move the keys that have a value to a new table. The new table is at most a
 * quarter full, so another quarter can be filled before the next move. */
static int grow(struct map *m)
{
    struct map larger = {.zero = m->zero, .nentries = MIN_ENTRIES};
    uint32_t used = 0;
    for (uint32_t i = 0; i < m->nentries; i++)
        used += m->entry[i].value != 0;
    while (larger.nentries < 4 * used)
        larger.nentries *= 2;
    larger.entry = calloc(larger.nentries, sizeof *larger.entry);
    if (!larger.entry)
        return -1;
    for (uint32_t i = 0; i < m->nentries; i++)
        if (m->entry[i].value) {
            *find(&larger, m->entry[i].key) = m->entry[i];
            larger.count++;
        }
    free(m->entry);
    *m = larger;
    return 0;
}

uint64_t *map_at(struct map *m, uint64_t key)
{
    if (key == 0)
        return &m->zero;
    struct map_entry *e = m->nentries ? find(m, key) : NULL;
    if (e && e->key)
        return &e->value;
    if (2 * m->count >= m->nentries) {
        if (grow(m) != 0)
            return NULL;
        e = find(m, key);
    }
    e->key = key;
    m->count++;
    return &e->value;
}

uint64_t map_get(const struct map *m, uint64_t key)
{
    if (key == 0)
        return m->zero;
    const struct map_entry *const e = m->nentries ? find(m, key) : NULL;
    return e ? e->value : 0;
}
