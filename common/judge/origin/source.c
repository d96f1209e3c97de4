#include "judge/origin/source.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "base/mix.h"

const char *origin_source_name(const char *case_name, const char *name,
                               int iteration, char out[ORIGIN_NAME])
{
    snprintf(out, ORIGIN_NAME, "%.60s source %.40s %d", case_name, name,
             iteration);
    return out;
}

const char *origin_result_name(const char *case_name, const char *name,
                               int iteration, char out[ORIGIN_NAME])
{
    snprintf(out, ORIGIN_NAME, "%.60s result %.40s %d", case_name, name,
             iteration);
    return out;
}

/* True if v fills a range of bytes, in a range whose name has this word. */
static int is_mark(const struct graph_view *v, const char *word)
{
    return v->node.kind == GRAPH_MEMSET && v->part == 0 && v->naccesses == 1 &&
           strstr(v->span, word) != NULL;
}

int source_is_result(const struct graph_view *v)
{
    return is_mark(v, " result ");
}

/*
 * Choose the places of a source's probes: one in each half, and its end. They
 * are aligned, so that elements are whole; a source that is shorter than a
 * probe has them all at its beginning.
 */
static void place_probes(struct origin_source *s, uint64_t secret)
{
    const uint64_t whole = s->nbytes / ORIGIN_PROBE;
    const uint64_t half = whole / 2;
    const uint64_t draw[] = {mix_hash(secret + 2 * s->label),
                             mix_hash(secret + 2 * s->label + 1)};
    if (whole < 2)
        return;
    s->probe[0] = draw[0] % half * ORIGIN_PROBE;
    s->probe[1] = (half + draw[1] % (whole - half)) * ORIGIN_PROBE;
    s->probe[2] = (whole - 1) * ORIGIN_PROBE;
}

struct origin_source *sources_marked(const struct sources *s, int rank,
                                     const char *mark)
{
    for (size_t i = s->n; i-- > 0;)
        if (s->source[i].rank == rank && strcmp(s->source[i].mark, mark) == 0)
            return &s->source[i];
    return NULL;
}

static void add(struct sources *s, const struct graph_view *v, uint32_t at,
                uint64_t secret)
{
    const struct graph_access *const a = &v->accesses[0];
    struct origin_source *found = sources_marked(s, (int)v->node.rank, v->span);
    if (!found) {
        s->source = pieces_grow(s->source, s->n, &s->cap, sizeof *s->source,
                                &s->failed);
        if (s->failed)
            return;
        found = &s->source[s->n];
        *found = (struct origin_source){.rank = (int)v->node.rank,
                                        .mark = v->span,
                                        .label = ORIGIN_PROBES * s->n++,
                                        .nbytes = a->end - a->begin};
        place_probes(found, secret);
    }
    found->nmarks++;
    uint64_t *const of = map_at(&s->of, at);
    if (of)
        *of = (uint64_t)(found - s->source) + 1;
    s->failed |= !of;
}

void sources_find(struct sources *s, const struct graph *g,
                  const uint32_t *judged, uint64_t secret)
{
    for (uint32_t at = 0; at < g->nnodes && !s->failed; at++)
        if (judged[at] == 0 && is_mark(&g->nodes[at], " source "))
            add(s, &g->nodes[at], at, secret);
}

void sources_release(struct sources *s)
{
    free(s->source);
    map_release(&s->of);
}

const struct origin_source *sources_at(const struct sources *s, uint32_t at)
{
    const uint64_t found = map_get(&s->of, at);
    return found ? &s->source[found - 1] : NULL;
}

void source_begin(const struct origin_source *s, const struct graph_access *a,
                  struct pieces *p)
{
    pieces_put(p, a->alloc,
               (struct piece){a->begin, a->end, sets_rank(&p->sets, s->rank)});
    for (size_t i = 0; i < ORIGIN_PROBES; i++) {
        const uint64_t begin = a->begin + s->probe[i];
        const uint64_t end = begin + ORIGIN_PROBE;
        pieces_put(
            p, a->alloc,
            (struct piece){begin, end < a->end ? end : a->end,
                           sets_labelled(&p->sets, s->rank, s->label + i)});
    }
}
