#include <errno.h>    /* ENOMEM */
#include <inttypes.h> /* PRIu64 */
#include <stdlib.h>   /* calloc */
#include <string.h>   /* strlen */

#include "graph/draw/escape.h"
#include "graph/draw/rows.h"
#include "graph/draw/timeline.h"
#include "graph/replay/overlap.h"

/*
 * Looks differ in lightness or pattern, so that they can be distinguished in
 * print.
 */
static const struct {
    const char *name, *fill, *ink; /* ink: colour of text on it */
} look[LOOKS] = {
    [LOOK_HOST] = {"host call", "#ffffff", "#000000"},
    [LOOK_WAIT] = {"host waits", "url(#wait)", "#000000"},
    [LOOK_COMPUTE] = {"computation", "#a6cee3", "#000000"},
    [LOOK_LOCAL] = {"host copy, memset", "url(#local)", "#000000"},
    [LOOK_HIDDEN] = {"communication, hidden", "url(#hidden)", "#000000"},
    [LOOK_EXPOSED] = {"communication, exposed", "#8c1a2b", "#ffffff"},
    [LOOK_PENDING] = {"waits for its peers", "url(#pending)", "#000000"},
    [LOOK_FAULT] = {"held up by a fault", "#ff7f00", "#000000"},
};

/* Sizes in pixels. */
enum {
    LEFT = 210,   /* for the names of rows */
    WIDTH = 1000, /* width of the plot */
    RIGHT = 20,
    TOP = 64,     /* for title and axis */
    ROW = 24,     /* height of a row */
    BAR = 18,     /* height of a bar in its row */
    GAP = 8,      /* between ranks */
    LETTER = 6,   /* width of a letter of a bar's text */
    LEGEND = 215, /* width of an entry of the legend, five per line */
    PER_LINE = 5,
};

struct drawing {
    FILE *f;
    const struct timeline *t;
    const struct rows *rows;
    uint32_t nrows;            /* rows of the ranks that are drawn, which
                                  come first */
    uint64_t begin_ps, end_ps; /* the time that is drawn */
    struct {                   /* by row */
        double y, until;       /* top; right end of the last bar */
        enum look look;        /* look of that bar */
    } * row;
    double bottom;
};

static double x_of(const struct drawing *d, uint64_t ps)
{
    if (ps < d->begin_ps)
        return LEFT;
    if (ps > d->end_ps)
        return LEFT + WIDTH;
    return LEFT + WIDTH * ((double)(ps - d->begin_ps) /
                           (double)(d->end_ps - d->begin_ps));
}

static const char defs[] =
    "<defs>\n"
    "<pattern id=\"wait\" width=\"6\" height=\"6\" "
    "patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" "
    "fill=\"#f4f4f4\"/><path d=\"M0 6L6 0\" stroke=\"#b0b0b0\"/></pattern>\n"
    "<pattern id=\"local\" width=\"6\" height=\"6\" "
    "patternUnits=\"userSpaceOnUse\"><rect width=\"6\" height=\"6\" "
    "fill=\"#fde0b8\"/><circle cx=\"3\" cy=\"3\" r=\"1\" fill=\"#8a5a00\"/>"
    "</pattern>\n"
    "<pattern id=\"hidden\" width=\"4\" height=\"4\" "
    "patternUnits=\"userSpaceOnUse\"><rect width=\"4\" height=\"4\" "
    "fill=\"#e3b4bb\"/><path d=\"M0 2H4\" stroke=\"#8c1a2b\"/></pattern>\n"
    "<pattern id=\"pending\" width=\"4\" height=\"4\" "
    "patternUnits=\"userSpaceOnUse\"><rect width=\"4\" height=\"4\" "
    "fill=\"#ffffff\"/><path d=\"M2 0V4\" stroke=\"#c9a0a6\"/></pattern>\n"
    "</defs>\n";

/* ---- frame --------------------------------------------------------------- */

static void place_rows(struct drawing *d)
{
    const uint32_t nranks = d->t->nranks ? d->t->nranks : UINT32_MAX;
    double y = TOP;
    for (uint32_t i = 0; i < d->rows->n && d->rows->row[i].rank < nranks; i++) {
        if (i && d->rows->row[i].rank != d->rows->row[i - 1].rank)
            y += GAP;
        d->row[i].y = y;
        y += ROW;
        d->nrows++;
    }
    d->bottom = y;
}

static void put_head(const struct drawing *d)
{
    const int lines = (LOOKS + PER_LINE - 1) / PER_LINE;
    const double height = d->bottom + 20 + 22 * lines;
    const int width = LEFT + WIDTH + RIGHT;
    fprintf(d->f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n",
            width, height, width, height);
    fputs(defs, d->f);
    fprintf(d->f, "<rect width=\"%d\" height=\"%.0f\" fill=\"#ffffff\"/>\n",
            width, height);
    fputs("<text x=\"8\" y=\"20\" font-size=\"14\">", d->f);
    escape_xml(d->f, d->t->title ? d->t->title : "");
    fputs("</text>\n", d->f);
}

/* The step between ticks: 1, 2 or 5 times a power of ten, for at
 * most ten ticks. */
static uint64_t tick_step(uint64_t whole_ps)
{
    uint64_t step = 1;
    for (int i = 0; whole_ps / step > 10; i++)
        step = step / (i % 3 == 1 ? 2 : 1) * (i % 3 == 1 ? 5 : 2);
    return step;
}

static void put_axis(const struct drawing *d)
{
    static const struct {
        uint64_t ps;
        const char *name;
    } unit[] = {{UINT64_C(1000000000000), "s"},
                {1000000000, "ms"},
                {1000000, "us"},
                {1000, "ns"},
                {1, "ps"}};
    int u = 0;
    const uint64_t whole = d->end_ps - d->begin_ps;
    while (unit[u].ps > whole) // `whole` is at least 1
        u++;
    const uint64_t step = tick_step(whole);
    for (uint64_t ps = 0; ps <= whole; ps += step) {
        const double x = x_of(d, d->begin_ps + ps);
        fprintf(d->f,
                "<path d=\"M%.2f %dV%.0f\" stroke=\"#dddddd\"/>"
                "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%g %s"
                "</text>\n",
                x, TOP - 8, d->bottom, x, TOP - 14,
                (double)ps / (double)unit[u].ps, unit[u].name);
    }
}

static void put_names(const struct drawing *d)
{
    for (uint32_t i = 0; i < d->nrows; i++) {
        fprintf(d->f, "<text x=\"8\" y=\"%.0f\">", d->row[i].y + 13);
        escape_xml(d->f, d->rows->row[i].name);
        fputs("</text>\n", d->f);
    }
}

static void put_legend(const struct drawing *d)
{
    const int nlooks = d->t->graph->nharms ? LOOKS : LOOK_FAULT;
    for (int i = 0; i < nlooks; i++) {
        const int x = 8 + LEGEND * (i % PER_LINE);
        const double y = d->bottom + 20 + 22 * (i / PER_LINE);
        fprintf(d->f,
                "<rect x=\"%d\" y=\"%.0f\" width=\"30\" height=\"14\" "
                "fill=\"%s\" stroke=\"#555555\" stroke-width=\"0.5\"/>"
                "<text x=\"%d\" y=\"%.0f\">%s</text>\n",
                x, y, look[i].fill, x + 36, y + 11, look[i].name);
    }
}

/* ---- operations ---------------------------------------------------------- */

#define ELLIPSIS "..." /* as wide as two letters */

/* True if this letter begins a second word of a name, as in "ncclSend". */
static int begins_word(const char *name, const char *at)
{
    return at > name && at[0] >= 'A' && at[0] <= 'Z' && at[-1] >= 'a' &&
           at[-1] <= 'z';
}

/*
 * What fits of a name into a bar. A name that is too long loses the library's
 * prefix first, then its end, which an ellipsis replaces. Returns 0 if fewer
 * than three letters fit, or five of a longer name, which say nothing.
 */
static int fit_text(char *out, size_t nbytes, const char *name, double width)
{
    const int room = (int)(nbytes - sizeof ELLIPSIS);
    const int wide = (int)((width - 4) / LETTER);
    const int fits = wide < room ? wide : room;
    const char *from = name;
    if ((int)strlen(name) > fits)
        while (*from && !begins_word(name, from))
            from++;
    if (!*from)
        from = name;
    const int is_cut = (int)strlen(from) > fits;
    snprintf(out, nbytes, "%.*s%s", is_cut ? fits - 2 : fits, from,
             is_cut ? ELLIPSIS : "");
    return fits >= (is_cut ? 7 : 3);
}

/* Write the text of a bar. On a pattern, draw it over a white copy of itself
 * with a wide outline, because not all SVG renderers support paint-order. */
static void put_text(const struct drawing *d, double x, double y,
                     const char *text, enum look l)
{
    const int is_pattern = look[l].fill[0] != '#';
    for (int copy = !is_pattern; copy < 2; copy++) {
        fprintf(d->f, "<text x=\"%.2f\" y=\"%.0f\" %s%s\">", x + 3, y + 13,
                copy ? "fill=\"" : "stroke=\"#ffffff\" stroke-width=\"3",
                copy ? look[l].ink : "");
        escape_xml(d->f, text);
        fputs("</text>", d->f);
    }
}

static void put_piece(void *arg, const struct graph_piece *p)
{
    struct drawing *const d = arg;
    const struct graph_view *const v = &d->t->graph->nodes[p->node];
    if (p->row >= d->nrows || p->end_ps < d->begin_ps ||
        p->begin_ps > d->end_ps)
        return;
    const double x = x_of(d, p->begin_ps), end = x_of(d, p->end_ps);
    if (end <= d->row[p->row].until + 0.25 && d->row[p->row].look == p->look)
        return; // invisible next to a bar with the same look
    d->row[p->row].until = end;
    d->row[p->row].look = p->look;
    const double y = d->row[p->row].y;
    fprintf(d->f,
            "<g><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" "
            "fill=\"%s\" stroke=\"#555555\" stroke-width=\"0.5\"/><title>",
            x, y, end - x, BAR, look[p->look].fill);
    escape_xml(d->f, v->name);
    fprintf(d->f, " (%s) %" PRIu64 ".%06" PRIu64 " us ", look[p->look].name,
            (p->end_ps - p->begin_ps) / 1000000,
            (p->end_ps - p->begin_ps) % 1000000);
    escape_xml(d->f, v->site);
    fputs("</title>", d->f);
    char text[64];
    if (fit_text(text, sizeof text, v->name, end - x))
        put_text(d, x, y, text, p->look);
    fputs("</g>\n", d->f);
}

/* Join the ends of a match's members on device rows by a line. */
static void put_join(const struct drawing *d, uint32_t at)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(d->t->graph, at, &n);
    const uint64_t ps = d->t->time[at].end_ps;
    if (n < 2 || member[0] != at || !d->t->graph->nodes[at].node.queue ||
        ps < d->begin_ps || ps > d->end_ps)
        return;
    double top = d->bottom, bottom = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t row = d->rows->device[member[i]];
        if (row >= d->nrows)
            continue;
        top = d->row[row].y < top ? d->row[row].y : top;
        bottom = d->row[row].y > bottom ? d->row[row].y : bottom;
    }
    if (top >= bottom) // fewer than two of them are drawn
        return;
    const double x = x_of(d, ps);
    fprintf(d->f,
            "<path d=\"M%.2f %.0fV%.0f\" stroke=\"#333333\" "
            "stroke-dasharray=\"3 2\"/>\n",
            x, top, bottom + BAR);
}

/* Mark where a planted fault struck by a cross on the host's row: at the start
 * of an operation, or at the end of a rank that was killed before it. */
static void put_fault(const struct drawing *d, const struct graph_harm_note *h)
{
    const struct graph *const g = d->t->graph;
    const struct graph_ref ref = {h->rank, h->harm->index};
    uint32_t at = h->harm->index ? graph_find(g, ref) : GRAPH_NOWHERE;
    const int is_after = at == GRAPH_NOWHERE;
    if (is_after)
        at = g->first[h->rank + 1] - 1;
    if (h->harm->index == 0 || g->first[h->rank] == g->first[h->rank + 1] ||
        d->rows->host[at] >= d->nrows)
        return;
    const uint64_t ps =
        is_after ? d->t->time[at].end_ps : d->t->time[at].issue_ps;
    if (ps < d->begin_ps || ps > d->end_ps)
        return;
    fprintf(d->f,
            "<g><path d=\"M%.2f %.0fl10 10m0 -10l-10 10\" stroke=\"#d00000\" "
            "stroke-width=\"3\"/><title>",
            x_of(d, ps) - 5, d->row[d->rows->host[at]].y + 4);
    escape_xml(d->f, h->text);
    fputs("</title></g>\n", d->f);
}

/* Choose the time to draw: everything, or the time in which the wanted
 * operations run. */
static void choose_window(struct drawing *d)
{
    const struct timeline *const t = d->t;
    d->begin_ps = t->in ? UINT64_MAX : 0;
    d->end_ps = 1;
    for (uint32_t at = 0; at < t->graph->nnodes; at++) {
        const struct replay_time *const time = &t->time[at];
        if (t->in && !t->in[at])
            continue;
        if (time->start_ps < d->begin_ps)
            d->begin_ps = time->start_ps;
        if (time->end_ps > d->end_ps)
            d->end_ps = time->end_ps;
    }
    if (d->begin_ps >= d->end_ps) // there are none, so the picture is empty
        d->begin_ps = 0;
}

int timeline_svg(FILE *f, const struct timeline *t)
{
    struct rows rows = {0};
    struct drawing d = {.f = f, .t = t, .rows = &rows};
    struct overlap *const o = overlap_new(t->graph, t->time);
    int err = -1;
    if (!o || rows_init(&rows, t->graph) != 0)
        goto out;
    d.row = calloc((size_t)rows.n + 1, sizeof *d.row);
    if (!d.row)
        goto out;
    choose_window(&d);
    place_rows(&d);
    put_head(&d);
    put_axis(&d);
    put_names(&d);
    for (uint32_t at = 0; at < t->graph->nnodes; at++)
        rows_pieces(&rows, t->graph, t->time, o, at, put_piece, &d);
    for (uint32_t at = 0; at < t->graph->nnodes; at++)
        put_join(&d, at);
    for (size_t i = 0; i < t->graph->nharms; i++)
        put_fault(&d, &t->graph->harms[i]);
    put_legend(&d);
    fputs("</svg>\n", f);
    err = fflush(f) != 0 || ferror(f) ? -1 : 0;
out:
    if (!o || !d.row)
        errno = ENOMEM;
    free(d.row);
    rows_release(&rows);
    overlap_free(o);
    return err;
}
