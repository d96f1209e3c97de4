/*
 * fit_svg.c: measured and fitted time by size, on logarithmic axes
 */
#include <math.h>   /* log */
#include <string.h> /* strrchr */

#include "fit_report.h"
#include "graph/draw/escape.h"

enum { WIDTH = 760, HEIGHT = 460, LEFT = 70, TOP = 40, BOTTOM = 46, KEY = 18 };

static const char *const colours[] = {"#084594", "#b30000", "#238b45",
                                      "#6a51a3", "#d94801", "#525252"};
enum { NCOLOURS = sizeof colours / sizeof *colours };

struct frame {
    FILE *f;
    const struct fit *fit;
    double x0, x1, y0, y1; /* logarithms at the edges */
};

static double x_of(const struct frame *r, double nbytes)
{
    return LEFT + (log(nbytes) - r->x0) / (r->x1 - r->x0) * (WIDTH - LEFT - 20);
}

static double y_of(const struct frame *r, double us)
{
    return TOP + (r->y1 - log(us)) / (r->y1 - r->y0) * (HEIGHT - TOP - BOTTOM);
}

static void find_edges(struct frame *r)
{
    r->x0 = r->y0 = INFINITY;
    r->x1 = r->y1 = -INFINITY;
    for (int i = 0; i < r->fit->nrows; i++) {
        const struct fit_row *const row = &r->fit->row[i];
        r->x0 = fmin(r->x0, log((double)row->nbytes));
        r->x1 = fmax(r->x1, log((double)row->nbytes));
        r->y0 = fmin(r->y0, log(fmin(row->us, row->fitted)));
        r->y1 = fmax(r->y1, log(fmax(row->us, row->fitted)));
    }
    r->x0 -= .1;
    r->x1 += .1;
    r->y0 -= .2;
    r->y1 += .2;
}

static void put_axes(const struct frame *r)
{
    char size[24];
    for (int e = 0; e < 50; e += 4) {
        const double nbytes = ldexp(1, e);
        if (log(nbytes) < r->x0 || log(nbytes) > r->x1)
            continue;
        fprintf(r->f,
                "<path d=\"M%.1f %d V%d\" stroke=\"#ddd\"/>\n"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                x_of(r, nbytes), TOP, HEIGHT - BOTTOM, x_of(r, nbytes),
                HEIGHT - BOTTOM + 16, fit_size((uint64_t)nbytes, size));
    }
    for (double us = 1e-3; us < 1e10; us *= 10) {
        if (log(us) < r->y0 || log(us) > r->y1)
            continue;
        fprintf(r->f,
                "<path d=\"M%d %.1f H%d\" stroke=\"#ddd\"/>\n"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g us</text>\n",
                LEFT, y_of(r, us), WIDTH - 20, LEFT - 6, y_of(r, us) + 4, us);
    }
}

static void put_table(const struct frame *r, int table)
{
    const char *const colour = colours[table % NCOLOURS];
    char pen = 'M';
    fprintf(r->f, "<path fill=\"none\" stroke=\"%s\" d=\"", colour);
    for (int i = 0; i < r->fit->nrows; i++)
        if (r->fit->row[i].table == table) {
            fprintf(r->f, "%c%.1f %.1f ", pen,
                    x_of(r, (double)r->fit->row[i].nbytes),
                    y_of(r, r->fit->row[i].fitted));
            pen = 'L';
        }
    fprintf(r->f, "\"/>\n");
    for (int i = 0; i < r->fit->nrows; i++) {
        const struct fit_row *const row = &r->fit->row[i];
        if (row->table == table)
            fprintf(r->f,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\" "
                    "stroke=\"%s\"/>\n",
                    x_of(r, (double)row->nbytes), y_of(r, row->us),
                    fit_is_odd(r->fit, i) ? "5" : "3",
                    row->wrong || fit_is_odd(r->fit, i) ? "#fff" : colour,
                    colour);
    }
}

static void put_key(const struct frame *r, int table)
{
    const struct fit_table *const t = &r->fit->table[table];
    const char *const slash = strrchr(t->file, '/');
    const int y = HEIGHT + KEY * table;
    fprintf(r->f,
            "<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"%s\"/>\n"
            "<text x=\"%d\" y=\"%d\">",
            LEFT, y - 4, colours[table % NCOLOURS], LEFT + 10, y);
    escape_xml(r->f, slash ? slash + 1 : t->file);
    fprintf(r->f, ": %s, %d ranks, %d node%s</text>\n",
            nccltests_op_name(t->op), t->n, t->nnodes,
            t->nnodes > 1 ? "s" : "");
}

int fit_svg(const struct fit *fit, FILE *f)
{
    struct frame r = {.f = f, .fit = fit};
    find_edges(&r);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\" "
            "fill=\"#222\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"22\" font-size=\"14\">",
            WIDTH, HEIGHT + KEY * fit->ntables, LEFT);
    escape_xml(f, fit->machine);
    fprintf(f, ": measured (dots; open ones don't fit) and fitted (lines)"
               "</text>\n");
    put_axes(&r);
    for (int i = 0; i < fit->ntables; i++)
        put_table(&r, i);
    for (int i = 0; i < fit->ntables; i++)
        put_key(&r, i);
    fprintf(f, "</svg>\n");
    return ferror(f) ? -1 : 0;
}
