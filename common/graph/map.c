#include "graph/map.h"

#include <stdlib.h> /* calloc */

uint64_t map_mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void map_release(struct map *m)
{
    free(m->entry);
    *m = (struct map){0};
}

/* The entry of the key, or the free one where it belongs. */
static struct map_entry *find(const struct map *m, uint64_t key)
{
    for (uint64_t i = map_mix(key);; i++) {
        struct map_entry *const e = &m->entry[i & (m->nentries - 1)];
        if (!e->used || e->key == key)
            return e;
    }
}

static int grow(struct map *m)
{
    struct map larger = {.count = m->count,
                         .nentries = m->nentries ? 2 * m->nentries : 16};
    larger.entry = calloc(larger.nentries, sizeof *larger.entry);
    if (!larger.entry)
        return -1;
    for (uint32_t i = 0; i < m->nentries; i++)
        if (m->entry[i].used)
            *find(&larger, m->entry[i].key) = m->entry[i];
    free(m->entry);
    *m = larger;
    return 0;
}

uint32_t *map_at(struct map *m, uint64_t key)
{
    if (2 * m->count >= m->nentries && grow(m) != 0)
        return NULL;
    struct map_entry *const e = find(m, key);
    if (!e->used) {
        *e = (struct map_entry){.key = key, .used = 1};
        m->count++;
    }
    return &e->value;
}

uint32_t map_get(const struct map *m, uint64_t key)
{
    return m->nentries ? find(m, key)->value : 0;
}
