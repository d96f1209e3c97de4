#include <inttypes.h> /* PRId64 */
#include <stdio.h>    /* fprintf */

#include "graph/draw/escape.h"
#include "graph/draw/view_writer.h"
#include "graph/replay/cost.h"
#include "graph/replay/memory.h"
#include "topo/drawing.h"

/* ---- resources ----------------------------------------------------------- */

enum { MOST_USES = 1024 }; /* uses of one operation that are shown */

struct pair { /* without padding: it is interned as bytes */
    double amount;
    int64_t resource;
};

/* The number of an operation's uses, given for its first member that is
 * shown; 0 for none. */
static int64_t use_of(struct view_writer *w, struct cost_table *costs,
                      uint32_t at)
{
    char err[200];
    struct cost c;
    struct pair pair[MOST_USES];
    int is_new, npairs = 0;
    const int64_t first = view_match(w, at);
    if (w->g->nodes[at].node.queue == 0 ||
        (first >= 0 && w->shown[first] != at) ||
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

static void put_uses(struct view_writer *w)
{
    struct cost_table *const costs = cost_table_new(w->topo, w->options);
    if (!costs) {
        w->failed = 1;
        return;
    }
    fputs(",\n\"use\":[", w->f);
    for (uint32_t i = 0; i < w->n; i++)
        fprintf(w->f, "%s%" PRId64, i ? "," : "",
                use_of(w, costs, w->shown[i]));
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

/* Write all resources, which keep their numbers. Unused ones have no name. */
static void put_resources(struct view_writer *w)
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

static int is_used(const struct view_writer *w, const struct drawing_panel *p)
{
    for (size_t i = 0; i < p->nlinks; i++)
        if (w->used[p->link[i].resource])
            return 1;
    return 0;
}

static void put_panel(struct view_writer *w, const struct drawing_panel *p)
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

/* Write the panels in which something is used, or the first one if none is. */
static void put_drawing(struct view_writer *w)
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

/* ---- memory -------------------------------------------------------------- */

/* Write the changes. Those up to the start of the page are added up to one. */
static void put_changes(struct view_writer *w, const struct memory_change *c,
                        size_t n)
{
    int64_t before = 0;
    size_t i = 0;
    while (i < n && c[i].at_ps < w->begin_ps)
        before += c[i++].nbytes;
    int nput = before != 0;
    if (nput)
        fprintf(w->f, "0,%" PRId64, before);
    for (; i < n && c[i].at_ps <= w->end_ps; i++)
        fprintf(w->f, "%s%" PRId64 ",%" PRId64, nput++ ? "," : "",
                view_since(w, c[i].at_ps), c[i].nbytes);
}

/* Write for each GPU with allocations: its number, its bytes, and the
 * changes. */
static void put_memory(struct view_writer *w)
{
    struct memory m;
    int nput = 0;
    w->failed |= memory_find(&m, w->g, w->time) != 0;
    fputs(",\n\"memory\":[", w->f);
    for (size_t i = 0, n; i < m.n; i += n) {
        const int32_t place = m.change[i].place;
        for (n = 1; i + n < m.n && m.change[i + n].place == place; n++)
            ;
        if (place < 0 || place >= topo_ngpus(w->topo))
            continue;
        fprintf(w->f, "%s[%d,%" PRIu64 ",[", nput++ ? "," : "", place,
                topo_gpu(w->topo, place)->mem_nbytes);
        put_changes(w, &m.change[i], n);
        fputs("]]", w->f);
    }
    fputc(']', w->f);
    memory_release(&m);
}

void view_put_machine(struct view_writer *w)
{
    put_uses(w);
    put_resources(w);
    put_drawing(w);
    put_memory(w);
}
