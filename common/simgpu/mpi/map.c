#include "mpi/map.h"

#include <stdlib.h> /* calloc */

#include "core/proc.h" /* proc_fault */

struct map_entry {
    uint64_t key, value;
    int taken;
};

static struct map_entry *probe(const struct map *m, uint64_t key)
{
    size_t i = (key * 0x9e3779b97f4a7c15u >> 32) & (m->cap - 1);
    while (m->entry[i].taken && m->entry[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return &m->entry[i];
}

/* Twice the room, so that at most half of it is taken. */
static void grow(struct map *m)
{
    const struct map old = *m;
    m->cap = old.cap ? 2 * old.cap : 16;
    m->entry = calloc(m->cap, sizeof *m->entry);
    if (!m->entry)
        proc_fault(NULL, "out of memory for %zu map entries", m->cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.entry[i].taken)
            *probe(m, old.entry[i].key) = old.entry[i];
    free(old.entry);
}

uint64_t *map_slot(struct map *m, uint64_t key)
{
    if (2 * m->used >= m->cap)
        grow(m);
    struct map_entry *const e = probe(m, key);
    if (!e->taken) {
        *e = (struct map_entry){.key = key, .taken = 1};
        m->used++;
    }
    return &e->value;
}

void map_clear(struct map *m)
{
    free(m->entry);
    *m = (struct map){0};
}
