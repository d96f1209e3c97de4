#include "judge/origin/pieces.h"

#include <stdlib.h> /* realloc */
#include <string.h> /* memmove */

struct memory { /* an allocation */
    struct piece *piece;
    size_t n, cap;
    int is_host; /* pinned */
};

void *pieces_grow(void *list, size_t n, size_t *cap, size_t size, int *failed)
{
    if (n < *cap)
        return list;
    const size_t more = *cap ? 2 * *cap : 16;
    void *const longer = realloc(list, more * size);
    if (!longer) {
        *failed = 1;
        return list;
    }
    *cap = more;
    return longer;
}

void pieces_begin(struct pieces *p, const struct graph *g)
{
    for (size_t i = 0; i < g->nallocs && !p->failed; i++) {
        // NCCL's own memory has the host's place, but the host can't write it
        const int is_host = g->allocs[i].place < 0 && !g->allocs[i].on_device;
        uint64_t *const at =
            is_host ? map_at(&p->pinned, g->allocs[i].alloc) : NULL;
        if (at)
            *at = 1;
        else if (is_host)
            p->failed = 1;
    }
}

void pieces_release(struct pieces *p)
{
    for (size_t i = 0; i < p->nmemory; i++)
        free(p->memory[i].piece);
    free(p->memory);
    map_release(&p->place);
    map_release(&p->pinned);
    sets_release(&p->sets);
}

/* The pieces of an allocation; NULL if memory runs out. */
static struct memory *memory_of(struct pieces *p, uint64_t alloc)
{
    uint64_t *const place = map_at(&p->place, alloc);
    if (place && *place)
        return &p->memory[*place - 1];
    p->memory = pieces_grow(p->memory, p->nmemory, &p->cap_memory,
                            sizeof *p->memory, &p->failed);
    if (!place || p->failed) {
        p->failed = 1;
        return NULL;
    }
    struct memory *const m = &p->memory[p->nmemory++];
    *m = (struct memory){.is_host = map_get(&p->pinned, alloc) != 0};
    *place = p->nmemory;
    return m;
}

/* Insert a piece at position i. */
static void insert(struct pieces *p, struct memory *m, size_t i,
                   struct piece new)
{
    m->piece =
        pieces_grow(m->piece, m->n, &m->cap, sizeof *m->piece, &p->failed);
    if (p->failed)
        return;
    memmove(m->piece + i + 1, m->piece + i, (m->n - i) * sizeof *m->piece);
    m->piece[i] = new;
    m->n++;
}

static void put(struct pieces *p, struct memory *m, struct piece new)
{
    size_t i = 0;
    while (i < m->n && m->piece[i].end <= new.begin)
        i++;
    if (i < m->n && m->piece[i].begin < new.begin) { // shorten it from its end
        struct piece rest = m->piece[i];
        m->piece[i++].end = new.begin;
        if (rest.end > new.end) {
            rest.begin = new.end;
            insert(p, m, i, rest);
        }
    }
    size_t gone = i;
    while (gone < m->n && m->piece[gone].end <= new.end)
        gone++;
    if (gone < m->n && m->piece[gone].begin < new.end)
        m->piece[gone].begin = new.end;
    memmove(m->piece + i, m->piece + gone, (m->n - gone) * sizeof *m->piece);
    m->n -= gone - i;
    if (i > 0 && m->piece[i - 1].end == new.begin &&
        m->piece[i - 1].from == new.from)
        m->piece[i - 1].end = new.end;
    else
        insert(p, m, i, new);
}

void pieces_put(struct pieces *p, uint64_t alloc, struct piece new)
{
    struct memory *const m =
        pieces_ordinary(alloc) || p->failed ? NULL : memory_of(p, alloc);
    if (m)
        put(p, m, new);
}

void pieces_carry(struct pieces *p, const struct graph_access *from,
                  const struct graph_access *to)
{
    struct memory *const m = memory_of(p, from->alloc);
    const size_t count = m ? m->n : 0;
    struct piece *const copy = malloc((count + 1) * sizeof *copy);
    if (!m || !copy) {
        free(copy);
        p->failed = 1;
        return;
    }
    if (count)
        memcpy(copy, m->piece, count * sizeof *copy);
    const struct origin_set *const rest =
        m->is_host ? sets_host(&p->sets) : NULL;
    pieces_put(p, to->alloc, (struct piece){to->begin, to->end, rest});
    for (size_t i = 0; i < count; i++) {
        const struct piece *const c = &copy[i];
        const uint64_t begin = c->begin > from->begin ? c->begin : from->begin;
        const uint64_t end = c->end < from->end ? c->end : from->end;
        if (begin < end)
            pieces_put(p, to->alloc,
                       (struct piece){begin - from->begin + to->begin,
                                      end - from->begin + to->begin,
                                      sets_join(&p->sets, c->from, rest)});
    }
    free(copy);
}

const struct origin_set *pieces_all(struct pieces *p, uint64_t alloc,
                                    uint64_t begin, uint64_t end)
{
    const struct memory *const m =
        pieces_ordinary(alloc) ? NULL : memory_of(p, alloc);
    const struct origin_set *from =
        !m || m->is_host ? sets_host(&p->sets) : NULL;
    for (size_t i = 0; m && i < m->n; i++)
        if (m->piece[i].begin < end && m->piece[i].end > begin)
            from = sets_join(&p->sets, from, m->piece[i].from);
    return from;
}

const struct piece *pieces_of(struct pieces *p, uint64_t alloc, size_t *n)
{
    const struct memory *const m = memory_of(p, alloc);
    *n = m ? m->n : 0;
    return m ? m->piece : NULL;
}
