#include <inttypes.h> /* PRId64 */
#include <stdlib.h>   /* calloc */

#include "graph/draw/escape.h"
#include "graph/draw/rows.h"
#include "graph/draw/view_writer.h"
#include "graph/explain/path.h"
#include "graph/replay/overlap.h"

static void put_piece(void *arg, const struct graph_piece *p)
{
    struct view_writer *const w = arg;
    fprintf(w->f, "%s%d,%d,%" PRId64 ",%" PRIu64, w->npieces++ ? "," : "",
            w->row[p->row], p->look == LOOK_FAULT ? LOOK_WAIT : p->look,
            (int64_t)(p->begin_ps - w->time[w->piece_of].start_ps),
            p->end_ps - p->begin_ps);
}

/* Write only the rows in which something is shown. */
static void put_rows(struct view_writer *w, const struct rows *rows)
{
    int n = 0;
    for (uint32_t i = 0; i < rows->n; i++)
        w->row[i] = -1;
    for (uint32_t i = 0; i < w->n; i++) {
        const uint32_t at = w->shown[i], device = rows->device[at];
        w->row[rows->host[at]] = 0;
        if (device != GRAPH_NOWHERE)
            w->row[device] = 0;
    }
    fputs(",\n\"rows\":[", w->f);
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct graph_row *const r = &rows->row[i];
        if (w->row[i] < 0)
            continue;
        fputs(n ? ",[\"" : "[\"", w->f);
        escape_json(w->f, r->name);
        fprintf(w->f, "\",%u,%d]", r->rank, r->is_queue);
        w->row[i] = n++;
    }
    fputc(']', w->f);
}

static void put_pieces(struct view_writer *w)
{
    struct rows rows = {0};
    struct overlap *const o = overlap_new(w->g, w->time);
    if (!o || rows_init(&rows, w->g) != 0 ||
        !(w->row = calloc((size_t)rows.n + 1, sizeof *w->row))) {
        overlap_free(o);
        rows_release(&rows);
        w->failed = 1;
        return;
    }
    put_rows(w, &rows);
    fputs(",\n\"pieces\":[", w->f);
    for (uint32_t i = 0; i < w->n; i++) {
        w->piece_of = w->shown[i];
        w->npieces = 0;
        fputs(i ? ",[" : "[", w->f);
        rows_pieces(&rows, w->g, w->time, o, w->piece_of, put_piece, w);
        fputc(']', w->f);
    }
    fputc(']', w->f);
    rows_release(&rows);
    overlap_free(o);
}

static void put_path(struct view_writer *w)
{
    struct path p = {0};
    int nput = 0;
    const int has_end = !w->options || !w->options->unfinished;
    if (has_end && path_find(&p, w->g, w->time) != 0) {
        w->failed = 1;
        return;
    }
    fputs(",\n\"path\":[", w->f);
    for (size_t i = 0; i < p.n; i++) {
        const struct path_step *const s = &p.step[i];
        if (w->number[s->node] != GRAPH_NOWHERE)
            fprintf(w->f, "%s%u,%" PRId64 ",%" PRIu64, nput++ ? "," : "",
                    w->number[s->node], view_since(w, s->begin_ps),
                    s->end_ps - s->begin_ps);
    }
    fputc(']', w->f);
    path_release(&p);
}

void view_put_rows(struct view_writer *w)
{
    put_pieces(w);
    put_path(w);
}
