#include <inttypes.h> /* PRId64 */
#include <stdlib.h>   /* calloc */

#include "graph/draw/escape.h"
#include "graph/draw/view_writer.h"
#include "graph/explain/path.h"

/* ---- the selection ------------------------------------------------------- */

/* The time at which the node's call began. */
static uint64_t call_ps(const struct view_writer *w, uint32_t at)
{
    const uint64_t host_ps = w->g->nodes[at].node.host_ps;
    const uint64_t issue_ps = w->time[at].issue_ps;
    return issue_ps > host_ps ? issue_ps - host_ps : 0;
}

/* Number what is shown, and find its time; for all operations, the run's
 * time. */
static void choose(struct view_writer *w, const struct view *v)
{
    w->begin_ps = v->in ? UINT64_MAX : 0;
    w->end_ps = v->in ? 0 : replay_end_ps(v->replay);
    for (uint32_t at = 0; at < w->g->nnodes; at++) {
        w->number[at] = GRAPH_NOWHERE;
        if (v->in && !v->in[at])
            continue;
        w->number[at] = w->n;
        w->shown[w->n++] = at;
        if (v->in && call_ps(w, at) < w->begin_ps)
            w->begin_ps = call_ps(w, at);
        if (w->time[at].end_ps > w->end_ps)
            w->end_ps = w->time[at].end_ps;
    }
    if (w->n == 0)
        w->begin_ps = w->end_ps;
}

/* ---- columns ------------------------------------------------------------- */

typedef int64_t column_fn(struct view_writer *w, uint32_t at);

static void put_column(struct view_writer *w, const char *name,
                       column_fn *value)
{
    fprintf(w->f, ",\n\"%s\":[", name);
    for (uint32_t i = 0; i < w->n; i++)
        fprintf(w->f, "%s%" PRId64, i ? "," : "", value(w, w->shown[i]));
    fputc(']', w->f);
}

static int64_t rank_of(struct view_writer *w, uint32_t at)
{
    return w->g->nodes[at].node.rank;
}
static int64_t index_of(struct view_writer *w, uint32_t at)
{
    return w->g->nodes[at].node.index;
}
static int64_t kind_of(struct view_writer *w, uint32_t at)
{
    return w->g->nodes[at].node.kind;
}
static int64_t name_of(struct view_writer *w, uint32_t at)
{
    return view_string(w, w->g->nodes[at].name);
}
static int64_t site_of(struct view_writer *w, uint32_t at)
{
    return view_string(w, w->g->nodes[at].site);
}
static int64_t span_of(struct view_writer *w, uint32_t at)
{
    return view_string(w, w->g->nodes[at].span);
}

static int64_t bytes_of(struct view_writer *w, uint32_t at)
{
    const struct graph_view *const v = &w->g->nodes[at];
    uint64_t nbytes = v->node.bytes;
    for (size_t i = 0; i < v->nmoves && v->node.bytes == 0; i++)
        nbytes += v->moves[i].nbytes;
    return (int64_t)nbytes;
}

static int64_t bound_of(struct view_writer *w, uint32_t at)
{
    const int bound = w->time[at].bound;
    return bound;
}

static int64_t start_of(struct view_writer *w, uint32_t at)
{
    const uint32_t i = w->number[at];
    const uint64_t before_ps =
        i ? w->time[w->shown[i - 1]].start_ps : w->begin_ps;
    return (int64_t)(w->time[at].start_ps - before_ps);
}
static int64_t issued_of(struct view_writer *w, uint32_t at)
{
    return (int64_t)(w->time[at].start_ps - w->time[at].issue_ps);
}
static int64_t ready_of(struct view_writer *w, uint32_t at)
{
    return (int64_t)(w->time[at].start_ps - w->time[at].ready_ps);
}
static int64_t took_of(struct view_writer *w, uint32_t at)
{
    return (int64_t)(w->time[at].end_ps - w->time[at].start_ps);
}

static int64_t why_of(struct view_writer *w, uint32_t at)
{
    const uint32_t why = path_awaited(w->g, w->time, at);
    return why == GRAPH_NOWHERE || w->time[at].ready_ps == w->time[at].issue_ps
               ? -1
               : view_number(w, why, -2);
}

static int64_t late_of(struct view_writer *w, uint32_t at)
{
    const uint32_t late = path_last_to_come(w->g, w->time, at);
    return late == at ? -1 : view_number(w, late, -1);
}

/* ---- the whole object ---------------------------------------------------- */

static void put_strings(struct view_writer *w)
{
    fputs(",\n\"strings\":[\"\"", w->f);
    for (uint32_t i = 0; i < w->strings.count; i++) {
        fputs(",\"", w->f);
        escape_json(w->f, w->strings.value[i].data);
        fputc('"', w->f);
    }
    fputc(']', w->f);
}

static void put_all(struct view_writer *w)
{
    put_column(w, "rank", rank_of);
    put_column(w, "index", index_of);
    put_column(w, "kind", kind_of);
    put_column(w, "name", name_of);
    put_column(w, "site", site_of);
    put_column(w, "span", span_of);
    put_column(w, "bytes", bytes_of);
    put_column(w, "match", view_match);
    put_column(w, "bound", bound_of);
    put_column(w, "start", start_of);
    put_column(w, "issued", issued_of);
    put_column(w, "ready", ready_of);
    put_column(w, "took", took_of);
    put_column(w, "why", why_of);
    put_column(w, "late", late_of);
    view_put_rows(w);
    view_put_machine(w);
    view_put_found(w);
    put_strings(w);
}

int view_data(FILE *f, const struct view *v)
{
    const size_t n = (size_t)v->graph->nnodes + 1;
    struct view_writer w = {.f = f,
                            .g = v->graph,
                            .topo = v->topo,
                            .time = replay_times(v->replay),
                            .options = v->options};
    w.shown = malloc(n * sizeof *w.shown);
    w.number = malloc(n * sizeof *w.number);
    w.used = calloc((size_t)topo_nresources(v->topo) + 1, 1);
    if (w.shown && w.number && w.used) {
        choose(&w, v);
        fputs("{\"title\":\"", f);
        escape_json(f, v->title);
        fputs("\",\"machine\":\"", f);
        escape_json(f, topo_name(v->topo));
        fprintf(f, "\",\"ranks\":%u,\"end\":%" PRId64, v->graph->nranks,
                view_since(&w, w.end_ps));
        put_all(&w);
        fputs("}\n", f);
    } else {
        w.failed = 1;
    }
    intern_release(&w.strings);
    intern_release(&w.uses);
    free(w.row);
    free(w.used);
    free(w.number);
    free(w.shown);
    return w.failed || ferror(f) ? -1 : 0;
}
