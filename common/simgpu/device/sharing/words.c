#include "device/sharing/words.h"

#include <stdlib.h> /* calloc */

#include "base/map.h"
#include "core/report.h"

enum { WORD = 4 };

struct cell {
    struct word_mark write, read[2]; /* reads of two blocks */
};

struct words {
    struct map number; /* by word: its position in cell, from 1 */
    struct cell *cell;
    size_t n, cap;
};

static struct cell *cell_of(struct words *w, uintptr_t word)
{
    uint64_t *const number =
        simgpu_need(map_at(&w->number, word), "the check of shared memory");
    if (*number)
        return &w->cell[*number - 1];
    if (w->n == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 256;
        w->cell = simgpu_need(realloc(w->cell, w->cap * sizeof *w->cell),
                              "the check of shared memory");
    }
    w->cell[w->n++] = (struct cell){0};
    *number = w->n;
    return &w->cell[w->n - 1];
}

static int races(const struct word_mark *a, const struct word_mark *b)
{
    return a->pc && a->epoch == b->epoch && a->block != b->block;
}

/* Keep the latest reads of two blocks in this epoch. */
static void keep_read(struct cell *c, const struct word_mark *m)
{
    const int i = c->read[0].pc && c->read[0].epoch == m->epoch &&
                  c->read[0].block != m->block;
    c->read[i] = *m;
}

static int touch(struct cell *c, const struct word_mark *m,
                 struct word_mark *with)
{
    const struct word_mark *found = races(&c->write, m) ? &c->write : NULL;
    for (int i = 0; i < 2 && m->writes && !found; i++)
        found = races(&c->read[i], m) ? &c->read[i] : NULL;
    if (found)
        *with = *found;
    if (m->writes)
        c->write = *m;
    else
        keep_read(c, m);
    return found != NULL;
}

int words_touch(struct words **w, const char *p, size_t nbytes,
                const struct word_mark *m, struct word_mark *with)
{
    const uintptr_t last = ((uintptr_t)p + nbytes - 1) / WORD;
    int found = 0;
    if (!*w)
        *w = simgpu_need(calloc(1, sizeof **w), "the check of shared memory");
    for (uintptr_t i = (uintptr_t)p / WORD; i <= last; i++) {
        struct word_mark other;
        if (touch(cell_of(*w, i), m, &other) && !found) {
            found = 1;
            *with = other;
        }
    }
    return found;
}

void words_free(struct words *w)
{
    if (!w)
        return;
    map_release(&w->number);
    free(w->cell);
    free(w);
}
