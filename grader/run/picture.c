#define _GNU_SOURCE
#include "picture.h"

#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "graph/timeline.h"
#include "graph/view.h"
#include "judge/sections.h"
#include "judge/spans.h"
#include "topo/topo.h"

static const struct plan_case *case_at(const struct shown *s, int i)
{
    return &s->place->plan->cases[s->batch->case_no[i]];
}

/* Of the batch's visible cases that came to their end, the one whose first
 * iteration takes longest; or NULL. */
static const struct plan_case *longest_shown(const struct shown *s)
{
    const struct batch *const b = s->batch;
    const struct plan_case *longest = NULL;
    double most_us = 0;
    for (int i = 0; i < b->n; i++) {
        const struct plan_case *const c = case_at(s, i);
        const struct judge_task t = {.c = c,
                                     .case_no = (unsigned)b->case_no[i],
                                     .nranks = b->nranks,
                                     .iterations = b->iterations,
                                     .graph = s->graph,
                                     .spans = s->spans};
        const double us = spans_time_us(&t, 0);
        if (!c->hidden && us > most_us && // not so for NaN
            shown_finished(s, i) && !shown_left(s, i, RUN_NOT_IMPLEMENTED)) {
            most_us = us;
            longest = c;
        }
    }
    return longest;
}

/* By position, 1 for the case's operations in its first n iterations, for the
 * caller to free; NULL if there are none, or not these alone. */
static char *marks(const struct graph *g, const char *case_name, int n)
{
    char *const in = calloc((size_t)g->nnodes + 1, 1);
    struct sections *const h = sections_new(g);
    int any = 0, failed = !in || !h;
    for (int k = 0; k < n && !failed; k++) {
        char range[SPANS_NAME];
        const int64_t marked =
            sections_mark(h, spans_name(case_name, k, range), in);
        failed = marked < 0;
        any |= marked > 0;
    }
    sections_free(h);
    if (!failed && any)
        return in;
    free(in);
    return NULL;
}

/* Text of at most `most` bytes that `put` writes, for the caller to free, or
 * NULL. */
static char *text_of(int (*put)(FILE *, const struct view *),
                     const struct view *v, size_t most)
{
    char *text = NULL;
    size_t nbytes = 0;
    FILE *const f = open_memstream(&text, &nbytes);
    const int err = put(f, v);
    if (fclose(f) == 0 && !err && nbytes <= most)
        return text;
    free(text);
    return NULL;
}

static int put_timeline(FILE *f, const struct view *v)
{
    return timeline_svg(f, &(struct timeline){.graph = v->graph,
                                              .time = replay_times(v->replay),
                                              .topo = v->topo,
                                              .title = v->title,
                                              .in = v->in});
}

enum { MOST_SVG = 128 << 10, MOST_VIEW = 512 << 10 };

/* Replace the result's pictures by those of this; what is too large is none.
 * Returns 1, or 0 if the timeline is, or is not larger than the one before. */
static int replace(struct result *r, const struct view *v, int if_larger)
{
    char *const svg = text_of(put_timeline, v, MOST_SVG);
    if (!svg || (if_larger && r->svg && strlen(r->svg) >= strlen(svg))) {
        free(svg);
        return 0;
    }
    free(r->svg);
    free(r->view);
    r->svg = svg;
    r->view = text_of(view_data, v, MOST_VIEW);
    return 1;
}

/* Of one iteration, since beside the half second in which a communicator is
 * made everything else is too small to see. */
void picture_keep(const struct shown *s, struct result *r)
{
    const struct batch *const b = s->batch;
    const struct plan_case *const c = s->spans ? longest_shown(s) : NULL;
    char title[160];
    if (!c || r->svg_of_end)
        return;
    char *const in = marks(s->graph, c->name, 1);
    snprintf(title, sizeof title, "%s: %d ranks on %s", c->name, b->nranks,
             b->topo);
    if (in)
        replace(r,
                &(struct view){.graph = s->graph,
                               .topo = spans_topo(s->spans),
                               .replay = spans_replay(s->spans),
                               .title = title,
                               .in = in},
                1);
    free(in);
}

void picture_keep_end(const struct shown *s, int i, struct result *r)
{
    const struct batch *const b = s->batch;
    const struct plan_case *const c = case_at(s, i);
    char title[200];
    if (!s->early || c->hidden || r->svg_of_end)
        return;
    char *const in = marks(s->graph, c->name, b->iterations);
    snprintf(title, sizeof title,
             "%s: %d ranks on %s, up to where the run ended", c->name,
             b->nranks, b->topo);
    if (in)
        r->svg_of_end = replace(r,
                                &(struct view){.graph = s->graph,
                                               .topo = s->early_topo,
                                               .replay = s->early,
                                               .options = &shown_unfinished,
                                               .title = title,
                                               .in = in},
                                0);
    free(in);
}
