#include "judge/graph/sections.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

/* The number of this range's section; 0 if the range isn't an iteration's or
 * memory runs out. */
static uint32_t section_of(struct sections *h, const char *range)
{
    static const char digits[] = "-0123456789";
    const char *const number = strrchr(range, '#');
    if (!number || strspn(number + 1, digits) == 0 ||
        number[1 + strspn(number + 1, digits)])
        return 0;
    for (uint32_t i = 1; i <= h->nnames; i++)
        if (strcmp(h->name[i], range) == 0)
            return i;
    const char **const name = realloc(h->name, (h->nnames + 2) * sizeof *name);
    if (!name)
        return 0;
    h->name = name;
    h->name[++h->nnames] = range;
    return h->nnames;
}

/*
 * Each iteration is a section: on each rank, everything from the first to the
 * last operation of its range, including ranges that the student's code opens.
 */
static void fill_sections(struct sections *h)
{
    const struct graph *const g = h->g;
    for (uint32_t r = 0; r < g->nranks; r++) {
        uint32_t last = 0, last_at = 0;
        for (uint32_t at = g->first[r]; at < g->first[r + 1]; at++) {
            const char *const range = g->nodes[at].span;
            const uint32_t now = range[0] ? section_of(h, range) : 0;
            if (now == 0)
                continue;
            for (uint32_t i = now == last ? last_at : at; i <= at; i++)
                h->of[i] = now;
            last = now;
            last_at = at;
        }
    }
}

/* Find where each section starts and ends on each rank. */
static void fill_bounds(struct sections *h)
{
    const struct graph *const g = h->g;
    const size_t n = (size_t)g->nranks * h->nnames;
    h->bounds = malloc((n + 1) * sizeof *h->bounds);
    for (size_t i = 0; h->bounds && i < n; i++)
        h->bounds[i].first = GRAPH_NOWHERE;
    for (uint32_t r = 0; h->bounds && r < g->nranks; r++)
        for (uint32_t at = g->first[r]; at < g->first[r + 1]; at++) {
            if (h->of[at] == 0)
                continue;
            struct bounds *const b =
                &h->bounds[(size_t)r * h->nnames + h->of[at] - 1];
            if (b->first == GRAPH_NOWHERE)
                b->first = at;
            b->last = at;
        }
}

struct sections *sections_new(const struct graph *g)
{
    struct sections *const h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->g = g;
    h->of = calloc((size_t)g->nnodes + 1, sizeof *h->of);
    if (h->of) {
        fill_sections(h);
        fill_bounds(h);
    }
    if (h->bounds)
        return h;
    sections_free(h);
    return NULL;
}

void sections_free(struct sections *h)
{
    if (!h)
        return;
    free(h->of);
    free(h->name);
    free(h->bounds);
    free(h);
}

const struct bounds *sections_bounds(const struct sections *h, uint32_t rank,
                                     const char *range)
{
    for (uint32_t i = 0; i < h->nnames && rank < h->g->nranks; i++)
        if (strcmp(h->name[i + 1], range) == 0) {
            const struct bounds *const b =
                &h->bounds[(size_t)rank * h->nnames + i];
            return b->first == GRAPH_NOWHERE ? NULL : b;
        }
    return NULL;
}

int64_t sections_mark(const struct sections *h, const char *range, char *in)
{
    int64_t n = 0;
    for (uint32_t r = 0; r < h->g->nranks; r++) {
        const struct bounds *const b = sections_bounds(h, r, range);
        for (uint32_t at = b ? b->first : 0; b && at <= b->last; at++, n++) {
            if (h->of[at] != h->of[b->first])
                return -1;
            in[at] = 1;
        }
    }
    return n;
}
