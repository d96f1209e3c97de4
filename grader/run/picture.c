#define _GNU_SOURCE
#include "grader/run/picture.h"

#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strlen */

#include "graph/draw/timeline.h"
#include "graph/draw/view.h"
#include "judge/graph/sections.h"
#include "judge/graph/spans.h"
#include "topo/topo.h"

static const struct plan_case *case_at(const struct shown *s, int i)
{
    return &s->place->plan->cases[s->batch->case_no[i]];
}

/* The batch's visible case, among those that were completed, whose first
 * iteration takes longest; NULL if there is none. */
static const struct plan_case *longest_shown(const struct shown *s)
{
    const struct run_batch *const b = s->batch;
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
        if (!c->hidden && us > most_us && // false for NaN
            shown_finished(s, i) && !shown_left(s, i, RUN_NOT_IMPLEMENTED)) {
            most_us = us;
            longest = c;
        }
    }
    return longest;
}

/*
 * Mark, by position, the case's operations in its first n iterations. The
 * caller frees the marks. NULL if there are none, or if they include other
 * operations.
 */
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

/* The text that `put` writes, which the caller frees; NULL if it is longer
 * than `most` bytes. */
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

/*
 * Replace the result's pictures by those of this view; a picture that is too
 * large is dropped. Returns 1, or 0 if the timeline is too large, or not larger
 * than the existing one.
 */
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

/* Only one iteration is drawn: next to the half second that creating a
 * communicator takes, everything else would be too small to see. */
void picture_keep(const struct shown *s, struct result *r)
{
    const struct run_batch *const b = s->batch;
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
    const struct run_batch *const b = s->batch;
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
                                               .topo = s->topo,
                                               .replay = s->early,
                                               .options = &shown_unfinished,
                                               .title = title,
                                               .in = in},
                                0);
    free(in);
}
