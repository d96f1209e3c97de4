#include <errno.h>    /* ENOMEM */
#include <inttypes.h> /* PRIu64 */

#include "graph/draw/escape.h"
#include "graph/draw/rows.h"
#include "graph/draw/timeline.h"
#include "graph/replay/overlap.h"

static const char *const look_name[LOOKS] = {
    [LOOK_HOST] = "host",
    [LOOK_WAIT] = "host waits",
    [LOOK_COMPUTE] = "compute",
    [LOOK_LOCAL] = "copy",
    [LOOK_HIDDEN] = "comm hidden",
    [LOOK_EXPOSED] = "comm exposed",
    [LOOK_PENDING] = "comm pending",
    [LOOK_FAULT] = "fault",
};

struct writer {
    FILE *f;
    const struct timeline *t;
    const struct rows *rows;
    int nevents;
};

/* Write ps as microseconds, exactly. */
static void put_us(FILE *f, const char *key, uint64_t ps)
{
    fprintf(f, ",\"%s\":%" PRIu64 ".%06" PRIu64, key, ps / 1000000,
            ps % 1000000);
}

/* Start an event on a row; the caller writes the rest and "}". */
static void begin_event(struct writer *w, const char *phase, uint32_t row)
{
    const struct graph_row *const r = &w->rows->row[row];
    fprintf(w->f, "%s{\"ph\":\"%s\",\"pid\":%u,\"tid\":%u",
            w->nevents++ ? ",\n" : "", phase, r->rank, row);
}

static void put_row(struct writer *w, uint32_t row)
{
    const struct graph_row *const r = &w->rows->row[row];
    if (row == 0 || w->rows->row[row - 1].rank != r->rank) {
        begin_event(w, "M", row);
        fprintf(w->f,
                ",\"name\":\"process_name\",\"args\":{\"name\":\"rank %u\"}}",
                r->rank);
    }
    begin_event(w, "M", row);
    fputs(",\"name\":\"thread_name\",\"args\":{\"name\":\"", w->f);
    escape_json(w->f, r->name);
    fputs("\"}}", w->f);
    begin_event(w, "M", row);
    fprintf(w->f,
            ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}",
            row);
}

static void put_piece(void *arg, const struct graph_piece *p)
{
    struct writer *const w = arg;
    const struct graph_view *const v = &w->t->graph->nodes[p->node];
    const int bound = w->t->time[p->node].bound;
    begin_event(w, "X", p->row);
    fputs(",\"name\":\"", w->f);
    escape_json(w->f, v->name[0] ? v->name : look_name[p->look]);
    fprintf(w->f, "\",\"cat\":\"%s\"", look_name[p->look]);
    put_us(w->f, "ts", p->begin_ps);
    put_us(w->f, "dur", p->end_ps - p->begin_ps);
    fprintf(w->f, ",\"args\":{\"operation\":%u,\"site\":\"", v->node.index);
    escape_json(w->f, v->site);
    fputc('"', w->f);
    if (v->node.bytes)
        fprintf(w->f, ",\"bytes\":%" PRIu64, v->node.bytes);
    if (bound >= 0 && w->t->topo && p->look != LOOK_HOST) {
        fputs(",\"bound\":\"", w->f);
        escape_json(w->f, topo_resource(w->t->topo, bound)->name);
        fputc('"', w->f);
    }
    fputs("}}", w->f);
}

/* Write an arrow from the first member of a match to each of the others. */
static void put_arrows(struct writer *w, uint32_t at)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(w->t->graph, at, &n);
    if (n < 2 || member[0] != at)
        return;
    for (uint32_t i = 1; i < n; i++)
        for (int end = 0; end < 2; end++) {
            const uint32_t m = end ? member[i] : at;
            const uint32_t row = w->rows->device[m] == GRAPH_NOWHERE
                                     ? w->rows->host[m]
                                     : w->rows->device[m];
            begin_event(w, end ? "f" : "s", row);
            fprintf(w->f,
                    ",\"name\":\"match\",\"cat\":\"match\",\"id\":\"%u.%u\"%s",
                    at, i, end ? ",\"bp\":\"e\"" : "");
            put_us(w->f, "ts",
                   end ? w->t->time[m].end_ps : w->t->time[m].start_ps);
            fputc('}', w->f);
        }
}

int timeline_json(FILE *f, const struct timeline *t)
{
    struct rows rows;
    struct overlap *const o = overlap_new(t->graph, t->time);
    if (!o || rows_init(&rows, t->graph) != 0) {
        overlap_free(o);
        errno = ENOMEM;
        return -1;
    }
    struct writer w = {f, t, &rows, 0};
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", f);
    for (uint32_t row = 0; row < rows.n; row++)
        put_row(&w, row);
    for (uint32_t at = 0; at < t->graph->nnodes; at++) {
        rows_pieces(&rows, t->graph, t->time, o, at, put_piece, &w);
        put_arrows(&w, at);
    }
    fputs("\n]}\n", f);
    rows_release(&rows);
    overlap_free(o);
    return fflush(f) != 0 || ferror(f) ? -1 : 0;
}
