#include "judge/zone.h"

#include <stdio.h> /* snprintf */

#include "graph/record/read.h"
#include "judge/graph/spans.h"

/* The bytes that a copy reads, if it reads as many; or NULL. */
static const struct graph_access *read_by(const struct graph_view *v,
                                          size_t nbytes)
{
    for (size_t i = 0; v->node.kind == GRAPH_COPY && i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        if ((a->write & GRAPH_TOUCH) == GRAPH_READ &&
            a->end - a->begin == nbytes)
            return a;
    }
    return NULL;
}

/* What the copy to the host reads that shows a rank's output, or NULL. */
static const struct graph_access *shown_by(const struct judge_task *t, int rank,
                                           int iteration, size_t whole,
                                           int number)
{
    struct spans_window w;
    if (!t->graph || spans_window(t, rank, iteration, &w) != 0)
        return NULL;
    for (uint32_t at = w.last + 1; at < t->graph->first[rank + 1]; at++) {
        const struct graph_access *const a =
            read_by(&t->graph->nodes[at], whole);
        if (a && number-- == 0)
            return a;
    }
    return NULL;
}

/* The first operation of an iteration on a rank that writes in the range. */
static const struct graph_view *writer_of(const struct judge_task *t, int rank,
                                          int iteration,
                                          const struct graph_access *range)
{
    struct spans_window w;
    if (spans_window(t, rank, iteration, &w) != 0)
        return NULL;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const v = &t->graph->nodes[at];
        for (size_t i = 0; i < v->naccesses; i++) {
            const struct graph_access *const a = &v->accesses[i];
            const uint32_t how = a->write & GRAPH_TOUCH;
            if ((how == GRAPH_WRITE || how == GRAPH_ATOMIC) &&
                a->alloc == range->alloc && a->begin < range->end &&
                range->begin < a->end)
                return v;
        }
    }
    return NULL;
}

/* Where a kernel first wrote outside a buffer, or NULL. */
static const char *place_of(const struct graph *g, const struct graph_view *v)
{
    for (size_t i = 0; i < g->nfaults; i++)
        if (g->faults[i].warning == GRAPH_PLACE &&
            g->faults[i].rank == v->node.rank &&
            g->faults[i].index == v->node.index)
            return g->faults[i].text;
    return NULL;
}

/* What wrote to bytes [begin, end) of a rank's output with its zones, as a
 * sentence. "" if the graph doesn't show it. */
static const char *name_writer(const struct judge_task *t, int rank,
                               int iteration, const char *name, size_t whole,
                               size_t begin, size_t end, char out[1024])
{
    const struct graph_access *const shown =
        shown_by(t, rank, iteration, whole,
                 evidence_output_number(t->evidence, rank, t->case_no,
                                        (unsigned)iteration, name));
    char site[256];
    out[0] = 0;
    for (int i = 0; shown && i < t->nranks; i++) {
        const int by = (rank + i) % t->nranks; // itself first
        struct graph_access range = *shown;
        range.end = range.begin + end;
        range.begin += begin;
        const struct graph_view *const v = writer_of(t, by, iteration, &range);
        const char *const place = v ? place_of(t->graph, v) : NULL;
        if (!v)
            continue;
        const int is_kernel = v->node.kind == GRAPH_KERNEL;
        snprintf(out, 1024, "\n%s%s%s at %s on rank %d, wrote them%s%s.",
                 is_kernel ? "Kernel " : "", v->name,
                 is_kernel ? ", launched" : ",",
                 graph_site_text_of(t->graph, v->node.rank, v->node.site, site,
                                    sizeof site),
                 by, place ? ",\nfirst at " : "", place ? place : "");
        break;
    }
    return out;
}

int zone_changed(const struct judge_task *t, int rank, int iteration,
                 const char *name, const unsigned char *p, size_t whole,
                 int is_before, struct judge_verdict *v)
{
    const size_t zone = is_before ? 0 : whole - JUDGE_RED_ZONE;
    size_t begin = zone, end = zone + JUDGE_RED_ZONE;
    char by[1024];
    while (begin < end && p[begin] == JUDGE_RED)
        begin++;
    while (begin < end && p[end - 1] == JUDGE_RED)
        end--;
    if (begin == end)
        return 0;
    judge_fail(v, "rank %d wrote %zu byte%s %s its output \"%s\"%s", rank,
               is_before ? JUDGE_RED_ZONE - begin : end - zone,
               (is_before ? JUDGE_RED_ZONE - begin : end - zone) == 1 ? ""
                                                                      : "s",
               is_before ? "before" : "past the end of", name,
               name_writer(t, rank, iteration, name, whole, begin, end, by));
    return 1;
}
