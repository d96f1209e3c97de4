#include "graph/hazard/hazard_clocks.h"

#include <stddef.h> /* size_t */
#include <stdlib.h> /* realloc */
#include <string.h> /* memset */

enum { BLOCK = 16 }; /* numbers joined at once */

static size_t nwords(const struct hazard_clocks *c)
{
    return (c->nchains + (size_t)BLOCK - 1) / BLOCK * BLOCK;
}

uint32_t *clocks_at(const struct hazard_clocks *c, uint32_t clock)
{
    return c->word + clock * nwords(c);
}

static int grow(struct hazard_clocks *c)
{
    const uint32_t room = c->room ? 2 * c->room : 64;
    uint32_t *const word = realloc(c->word, room * nwords(c) * sizeof *word);
    if (word)
        c->word = word;
    uint32_t *const unused = realloc(c->unused, room * sizeof *unused);
    if (unused)
        c->unused = unused;
    if (!word || !unused)
        return -1;
    c->room = room;
    return 0;
}

uint32_t clocks_new(struct hazard_clocks *c)
{
    uint32_t clock = c->n + 1;
    if (c->nunused)
        clock = c->unused[--c->nunused];
    else if (clock >= c->room && grow(c) != 0)
        return 0;
    if (clock > c->n)
        c->n = clock;
    memset(clocks_at(c, clock), 0, nwords(c) * sizeof *c->word);
    return clock;
}

void clocks_free(struct hazard_clocks *c, uint32_t *clock)
{
    if (*clock)
        c->unused[c->nunused++] = *clock;
    *clock = 0;
}

/* A constant number of iterations lets the compiler use vectors. */
static void join_block(uint32_t *restrict a, const uint32_t *restrict b)
{
    for (int i = 0; i < BLOCK; i++)
        a[i] = b[i] > a[i] ? b[i] : a[i];
}

int clocks_join(struct hazard_clocks *c, uint32_t *to, uint32_t from)
{
    if (!from)
        return 0;
    if (!*to && !(*to = clocks_new(c)))
        return -1;
    uint32_t *const a = clocks_at(c, *to);
    const uint32_t *const b = clocks_at(c, from);
    for (size_t i = 0; a != b && i < nwords(c); i += BLOCK)
        join_block(a + i, b + i);
    return 0;
}

void clocks_release(struct hazard_clocks *c)
{
    free(c->word);
    free(c->unused);
}
