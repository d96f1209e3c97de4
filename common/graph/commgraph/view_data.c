#include "view_data.h"

#include <inttypes.h> /* PRId64 */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* strlen */

#include "graph/cost.h"
#include "graph/escape.h"
#include "graph/hazard.h"
#include "graph/intern.h"
#include "graph/memory.h"
#include "graph/overlap.h"
#include "graph/path.h"
#include "graph/rows.h"
#include "graph/steps.h"
#include "topo/drawing.h"

struct writer {
    FILE *f;
    const struct graph *g;
    const struct topo *topo;
    const struct replay_time *time;
    struct intern strings, uses;
    char *used; /* by resource: 1 if an operation uses it */
    int failed;
    int64_t origin_ps; /* of the pieces being written */
    int npieces;
};

/* ---- columns ------------------------------------------------------------- */

typedef int64_t column_fn(struct writer *w, uint32_t at);

static void put_column(struct writer *w, const char *name, column_fn *value)
{
    fprintf(w->f, ",\n\"%s\":[", name);
    for (uint32_t at = 0; at < w->g->nnodes; at++)
        fprintf(w->f, "%s%" PRId64, at ? "," : "", value(w, at));
    fputc(']', w->f);
}

/* The number of a text, 0 for "". */
static int64_t number(struct writer *w, const char *text)
{
    int is_new;
    if (!text[0])
        return 0;
    const uint32_t id = intern_id(&w->strings, text, strlen(text) + 1, &is_new);
    w->failed |= id == 0;
    return id;
}

static int64_t rank_of(struct writer *w, uint32_t at)
{
    return w->g->nodes[at].node.rank;
}
static int64_t index_of(struct writer *w, uint32_t at)
{
    return w->g->nodes[at].node.index;
}
static int64_t kind_of(struct writer *w, uint32_t at)
{
    return w->g->nodes[at].node.kind;
}
static int64_t name_of(struct writer *w, uint32_t at)
{
    return number(w, w->g->nodes[at].name);
}
static int64_t site_of(struct writer *w, uint32_t at)
{
    return number(w, w->g->nodes[at].site);
}
static int64_t span_of(struct writer *w, uint32_t at)
{
    return number(w, w->g->nodes[at].span);
}

static int64_t bytes_of(struct writer *w, uint32_t at)
{
    const struct graph_view *const v = &w->g->nodes[at];
    uint64_t nbytes = v->node.bytes;
    for (size_t i = 0; i < v->nmoves && v->node.bytes == 0; i++)
        nbytes += v->moves[i].nbytes;
    return (int64_t)nbytes;
}

static int64_t match_of(struct writer *w, uint32_t at)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(w->g, at, &n);
    return n ? (int64_t)member[0] : -1;
}

static int64_t bound_of(struct writer *w, uint32_t at)
{
    const int bound = w->time[at].bound;
    return bound;
}

static int64_t start_of(struct writer *w, uint32_t at)
{
    return (int64_t)(w->time[at].start_ps -
                     (at ? w->time[at - 1].start_ps : 0));
}
static int64_t issued_of(struct writer *w, uint32_t at)
{
    return (int64_t)(w->time[at].start_ps - w->time[at].issue_ps);
}
static int64_t ready_of(struct writer *w, uint32_t at)
{
    return (int64_t)(w->time[at].start_ps - w->time[at].ready_ps);
}
static int64_t took_of(struct writer *w, uint32_t at)
{
    return (int64_t)(w->time[at].end_ps - w->time[at].start_ps);
}

static int64_t why_of(struct writer *w, uint32_t at)
{
    const uint32_t why = path_awaited(w->g, w->time, at);
    return why == GRAPH_NOWHERE || w->time[at].ready_ps == w->time[at].issue_ps
               ? -1
               : (int64_t)why;
}

static int64_t late_of(struct writer *w, uint32_t at)
{
    const uint32_t late = path_last_to_come(w->g, w->time, at);
    return late == at ? -1 : (int64_t)late;
}

/* ---- resources ----------------------------------------------------------- */

enum { MOST_USES = 1024 }; /* of one operation that are shown */

struct pair { /* no padding: it is interned as bytes */
    double amount;
    int64_t resource;
};

/* The uses of an operation, which its first member stands for; 0: none. */
static int64_t use_of(struct writer *w, struct cost_table *costs, uint32_t at)
{
    char err[200];
    struct cost c;
    struct pair pair[MOST_USES];
    uint32_t n;
    int is_new, npairs = 0;
    const uint32_t *const member = graph_matched(w->g, at, &n);
    if (w->g->nodes[at].node.queue == 0 || (n && member[0] != at) ||
        cost_of(costs, w->g, at, &c, err, sizeof err) != 0 || c.work <= 0)
        return 0;
    for (int i = 0; i < c.nuses && npairs < MOST_USES; i++)
        if (c.use[i].weight > 0)
            pair[npairs++] =
                (struct pair){c.work * c.use[i].weight, c.use[i].resource};
    if (npairs == 0)
        return 0;
    const uint32_t id =
        intern_id(&w->uses, pair, (size_t)npairs * sizeof *pair, &is_new);
    w->failed |= id == 0;
    return id;
}

static void put_uses(struct writer *w, const struct replay_options *options)
{
    struct cost_table *const costs = cost_table_new(w->topo, options);
    if (!costs) {
        w->failed = 1;
        return;
    }
    fputs(",\n\"use\":[", w->f);
    for (uint32_t at = 0; at < w->g->nnodes; at++)
        fprintf(w->f, "%s%" PRId64, at ? "," : "", use_of(w, costs, at));
    fputs("],\n\"uses\":[[]", w->f);
    cost_table_free(costs);
    for (uint32_t u = 0; u < w->uses.count; u++) {
        const struct pair *const pair = w->uses.value[u].data;
        fputs(",[", w->f);
        for (size_t i = 0; i < w->uses.value[u].nbytes / sizeof *pair; i++) {
            w->used[pair[i].resource] = 1;
            fprintf(w->f, "%s[%" PRId64 ",%.6g]", i ? "," : "",
                    pair[i].resource, pair[i].amount);
        }
        fputc(']', w->f);
    }
    fputc(']', w->f);
}

/* All resources keep their numbers; those that are not used have no name. */
static void put_resources(struct writer *w)
{
    const int n = topo_nresources(w->topo);
    fputs(",\n\"resources\":[", w->f);
    for (int i = 0; i < n; i++) {
        const struct topo_resource *const r = topo_resource(w->topo, i);
        fprintf(w->f, "%s[\"", i ? "," : "");
        escape_json(w->f, r->name);
        fprintf(w->f, "\",%.6g]", w->used[i] ? r->rate : 0);
    }
    fputc(']', w->f);
}

/* ---- the machine --------------------------------------------------------- */

static int is_used(const struct writer *w, const struct drawing_panel *p)
{
    for (size_t i = 0; i < p->nlinks; i++)
        if (w->used[p->link[i].resource])
            return 1;
    return 0;
}

static void put_panel(struct writer *w, const struct drawing_panel *p)
{
    fprintf(w->f, "[\"%s\",%d,[", p->title, p->height);
    for (size_t i = 0; i < p->nboxes; i++) {
        const struct drawing_box *const b = &p->box[i];
        fprintf(w->f, "%s[%d,%d,%d,%d,%d,\"%s\"]", i ? "," : "", b->kind, b->x,
                b->y, b->w, b->h, b->label);
    }
    fputs("],[", w->f);
    for (size_t i = 0; i < p->nlinks; i++) {
        const struct drawing_link *const l = &p->link[i];
        fprintf(w->f, "%s[%d", i ? "," : "", l->resource);
        for (int k = 0; k < l->npoints; k++)
            fprintf(w->f, ",%d,%d", l->x[k], l->y[k]);
        fputc(']', w->f);
    }
    fputs("]]", w->f);
}

/* The panels in which something is used; the first one if none is. */
static void put_drawing(struct writer *w)
{
    struct drawing d;
    int nput = 0;
    w->failed |= drawing_init(&d, w->topo) != 0;
    fputs(",\n\"drawing\":[", w->f);
    for (size_t i = 0; i < d.n; i++)
        if (is_used(w, &d.panel[i])) {
            fputs(nput++ ? ",\n" : "", w->f);
            put_panel(w, &d.panel[i]);
        }
    if (nput == 0 && d.n)
        put_panel(w, &d.panel[0]);
    fputc(']', w->f);
    drawing_release(&d);
}

/* ---- rows and pieces ----------------------------------------------------- */

static void put_piece(void *arg, const struct piece *p)
{
    struct writer *const w = arg;
    fprintf(w->f, "%s%u,%d,%" PRId64 ",%" PRIu64, w->npieces++ ? "," : "",
            p->row, p->look, (int64_t)p->begin_ps - w->origin_ps,
            p->end_ps - p->begin_ps);
}

static void put_rows(struct writer *w)
{
    struct rows rows;
    struct overlap *const o = overlap_new(w->g, w->time);
    if (!o || rows_init(&rows, w->g) != 0) {
        overlap_free(o);
        w->failed = 1;
        return;
    }
    fputs(",\n\"rows\":[", w->f);
    for (uint32_t i = 0; i < rows.n; i++) {
        fprintf(w->f, "%s[\"", i ? "," : "");
        escape_json(w->f, rows.row[i].name);
        fprintf(w->f, "\",%u,%d]", rows.row[i].rank, rows.row[i].is_queue);
    }
    fputs("],\n\"pieces\":[", w->f);
    for (uint32_t at = 0; at < w->g->nnodes; at++) {
        w->origin_ps = (int64_t)w->time[at].start_ps;
        w->npieces = 0;
        fputs(at ? ",[" : "[", w->f);
        rows_pieces(&rows, w->g, w->time, o, at, put_piece, w);
        fputc(']', w->f);
    }
    fputc(']', w->f);
    rows_release(&rows);
    overlap_free(o);
}

static void put_path(struct writer *w)
{
    struct path p;
    if (path_find(&p, w->g, w->time) != 0) {
        w->failed = 1;
        return;
    }
    fputs(",\n\"path\":[", w->f);
    for (size_t i = 0; i < p.n; i++)
        fprintf(w->f, "%s%u,%" PRIu64 ",%" PRIu64, i ? "," : "", p.step[i].node,
                p.step[i].begin_ps, p.step[i].end_ps - p.step[i].begin_ps);
    fputc(']', w->f);
    path_release(&p);
}

/* ---- hazards ------------------------------------------------------------- */

static int64_t position(const struct writer *w, const struct hazard *h, int i)
{
    const uint32_t at = i < h->nops && h->op[i].node.index
                            ? graph_find(w->g, h->op[i].node)
                            : GRAPH_NOWHERE;
    return at == GRAPH_NOWHERE ? -1 : (int64_t)at;
}

/* A report of several lines as one string. */
static void put_lines(FILE *f, char *text)
{
    for (char *line = text; *line;) {
        char *const end = line + strcspn(line, "\n");
        const int more = *end == '\n';
        *end = '\0';
        escape_json(f, line);
        fputs(more ? "\\n" : "", f);
        line = end + more;
    }
}

static void put_hazards(struct writer *w)
{
    char text[4096], err[200];
    struct hazards found = {0};
    if (hazards_find(w->g, NULL, &found, err, sizeof err) != 0)
        w->failed = 1;
    fputs(",\n\"hazards\":[", w->f);
    for (size_t i = 0; i < found.n; i++) {
        const struct hazard *const h = &found.hazard[i];
        hazard_text(h, text, sizeof text);
        fputs(i ? ",[\"" : "[\"", w->f);
        put_lines(w->f, text);
        fprintf(w->f, "\",%" PRId64 ",%" PRId64 ",%d]", position(w, h, 0),
                position(w, h, 1), h->warning);
    }
    fputc(']', w->f);
    hazards_release(&found);
}

/* ---- memory -------------------------------------------------------------- */

/* Of each GPU with allocations: its number, its bytes, and the changes. */
static void put_memory(struct writer *w)
{
    struct memory m;
    int32_t place = -1; /* of the list that is open */
    w->failed |= memory_find(&m, w->g, w->time) != 0;
    fputs(",\n\"memory\":[", w->f);
    for (size_t i = 0; i < m.n; i++) {
        const struct memory_change *const c = &m.change[i];
        if (c->place < 0 || c->place >= topo_ngpus(w->topo))
            continue;
        if (c->place != place)
            fprintf(w->f, "%s[%d,%" PRIu64 ",[", place < 0 ? "" : "]],",
                    c->place, topo_gpu(w->topo, c->place)->mem_nbytes);
        fprintf(w->f, "%s%" PRIu64 ",%" PRId64, c->place != place ? "" : ",",
                c->at_ps, c->nbytes);
        place = c->place;
    }
    fputs(place < 0 ? "]" : "]]]", w->f);
    memory_release(&m);
}

/* ---- steps --------------------------------------------------------------- */

static void put_steps_of(struct writer *w, const struct steps *s, int64_t span,
                         int is_first)
{
    fprintf(w->f,
            "%s{\"span\":%" PRId64 ",\"byRank\":%d,\"steps\":%u,\"pieces\":[",
            is_first ? "" : ",\n", span, s->by_rank, s->nsteps);
    for (uint32_t p = 0; p < s->npieces; p++)
        fprintf(w->f, "%s[%u,%" PRIu64 ",%" PRIu64 "]", p ? "," : "",
                s->piece[p].rank, s->piece[p].begin, s->piece[p].end);
    fputs("],\"ends\":[", w->f);
    for (uint32_t i = 0; i < s->nsteps; i++)
        fprintf(w->f, "%s%" PRIu64, i ? "," : "", s->end_ps[i]);
    fputs("],\"masks\":[", w->f);
    const size_t n = (size_t)s->nsteps * s->nranks * s->npieces;
    for (size_t i = 0; i < n; i++)
        fprintf(w->f, "%s\"%" PRIx64 "\"", i ? "," : "", s->mask[i]);
    fputs("]}", w->f);
}

/* Of each span in which messages were sent: the first MOST_SPANS. */
static void put_steps(struct writer *w)
{
    enum { MOST_SPANS = 32 };
    int64_t done[MOST_SPANS];
    int ndone = 0, nput = 0;
    fputs(",\n\"steps\":[", w->f);
    for (uint32_t at = 0; at < w->g->nnodes && ndone < MOST_SPANS; at++) {
        const int64_t span = span_of(w, at);
        int known = span == 0 || w->g->nodes[at].node.match_size != 2 ||
                    w->g->nodes[at].node.kind == GRAPH_COLL;
        for (int i = 0; i < ndone; i++)
            known |= done[i] == span;
        if (known)
            continue;
        done[ndone++] = span;
        struct steps s;
        if (steps_find(w->g, w->time, w->g->nodes[at].span, &s) != 0)
            w->failed = 1;
        if (s.npieces)
            put_steps_of(w, &s, span, nput++ == 0);
        steps_release(&s);
    }
    fputc(']', w->f);
}

/* ---- all of it ----------------------------------------------------------- */

static void put_strings(struct writer *w)
{
    fputs(",\n\"strings\":[\"\"", w->f);
    for (uint32_t i = 0; i < w->strings.count; i++) {
        fputs(",\"", w->f);
        escape_json(w->f, w->strings.value[i].data);
        fputc('"', w->f);
    }
    fputc(']', w->f);
}

int view_data(FILE *f, const struct command_run *r, const char *title)
{
    struct writer w = {.f = f,
                       .g = r->graph,
                       .topo = r->topo,
                       .time = replay_times(r->replay)};
    w.used = calloc((size_t)topo_nresources(r->topo) + 1, 1);
    if (!w.used)
        return -1;
    fputs("{\"title\":\"", f);
    escape_json(f, title);
    fputs("\",\"machine\":\"", f);
    escape_json(f, topo_name(r->topo));
    fprintf(f, "\",\"ranks\":%u,\"end\":%" PRIu64, r->graph->nranks,
            replay_end_ps(r->replay));
    put_uses(&w, &r->options);
    put_resources(&w);
    put_drawing(&w);
    put_column(&w, "rank", rank_of);
    put_column(&w, "index", index_of);
    put_column(&w, "kind", kind_of);
    put_column(&w, "name", name_of);
    put_column(&w, "site", site_of);
    put_column(&w, "span", span_of);
    put_column(&w, "bytes", bytes_of);
    put_column(&w, "match", match_of);
    put_column(&w, "bound", bound_of);
    put_column(&w, "start", start_of);
    put_column(&w, "issued", issued_of);
    put_column(&w, "ready", ready_of);
    put_column(&w, "took", took_of);
    put_column(&w, "why", why_of);
    put_column(&w, "late", late_of);
    put_rows(&w);
    put_path(&w);
    put_hazards(&w);
    put_memory(&w);
    put_steps(&w);
    put_strings(&w);
    fputs("}\n", f);
    intern_release(&w.strings);
    intern_release(&w.uses);
    free(w.used);
    return w.failed || ferror(f) ? -1 : 0;
}
