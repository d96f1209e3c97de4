#include "plot.h"

#include <errno.h>  /* errno */
#include <math.h>   /* log10 */
#include <stdio.h>  /* fopen */
#include <string.h> /* strerror */

#include "base/must.h"

/* Narrow enough for a phone: the key is below, in two columns. */
enum {
    LEFT = 50,
    TOP = 40,
    WIDTH = 380,
    HEIGHT = 240,
    KEY_TOP = TOP + HEIGHT + 60,
    KEY_HEIGHT = 20,
    KEY_WIDTH = 200
};

static const char *const colours[PLOT_CURVES] = {
    "#084594", "#b30000", "#238b45", "#6a51a3",
    "#d94801", "#525252", "#c994c7", "#000000"};

struct axis {
    int is_log;
    double from, to; /* logarithms if is_log */
};

static double place(const struct axis *a, double value)
{
    return ((a->is_log ? log10(value) : value) - a->from) / (a->to - a->from);
}

static double x_of(const struct axis *a, double value)
{
    return LEFT + WIDTH * place(a, value);
}

static double y_of(const struct axis *a, double value)
{
    return TOP + HEIGHT * (1 - place(a, value));
}

void plot_add(struct plot_curve *c, double x, double y)
{
    if (c->n < PLOT_POINTS) {
        c->x[c->n] = x;
        c->y[c->n++] = y;
    }
}

/* An axis that spans all values of the curves. */
static struct axis axis_of(const struct plot *p, int is_log, int is_y)
{
    struct axis a = {is_log, INFINITY, -INFINITY};
    for (int k = 0; k < p->ncurves; k++)
        for (int i = 0; i < p->curve[k].n; i++) {
            const double value = is_y ? p->curve[k].y[i] : p->curve[k].x[i];
            const double at = is_log ? log10(value) : value;
            if (!isfinite(at))
                continue;
            a.from = fmin(a.from, at);
            a.to = fmax(a.to, at);
        }
    const double room = a.to > a.from ? (a.to - a.from) / 30 : 1;
    a.from -= is_log || is_y ? room : 0;
    a.to += room;
    return a;
}

/* "20", "500 K", "1 M". */
static const char *short_text(double value, char out[24])
{
    const int k = value >= 1e9 ? 3 : value >= 1e6 ? 2 : value >= 1e3 ? 1 : 0;
    static const char *const unit[] = {"", " K", " M", " G"};
    snprintf(out, 24, "%.6g%s", value / pow(1000, k), unit[k]);
    return out;
}

/* A line across the plot and its number. */
static void put_tick(FILE *f, const struct axis *a, double value, int is_y)
{
    char text[24];
    if (!(place(a, value) >= 0 && place(a, value) <= 1))
        return;
    if (is_y)
        fprintf(f,
                "<path d=\"M%d %.1f H%d\" stroke=\"#ddd\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                LEFT, y_of(a, value), LEFT + WIDTH, LEFT - 6,
                y_of(a, value) + 4, short_text(value, text));
    else
        fprintf(f,
                "<path d=\"M%.1f %d V%d\" stroke=\"#ddd\"/>"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                x_of(a, value), TOP, TOP + HEIGHT, x_of(a, value),
                TOP + HEIGHT + 16, short_text(value, text));
}

/* Ticks at powers of ten, and at 2 and 5 times these where they fit; or at
 * about six round numbers. */
static void put_ticks(FILE *f, const struct axis *a, int is_y)
{
    if (a->is_log) {
        for (int e = (int)floor(a->from); e <= (int)ceil(a->to); e++) {
            put_tick(f, a, pow(10, e), is_y);
            if (a->to - a->from < 2.5) {
                put_tick(f, a, 2 * pow(10, e), is_y);
                put_tick(f, a, 5 * pow(10, e), is_y);
            }
        }
        return;
    }
    const double ten = pow(10, floor(log10((a->to - a->from) / 6)));
    const double exact = (a->to - a->from) / 6 / ten;
    const double step = (exact < 2 ? 2 : exact < 5 ? 5 : 10) * ten;
    for (double at = ceil(a->from / step); at * step <= a->to; at++)
        put_tick(f, a, at * step, is_y);
}

static void put_curve(FILE *f, const struct plot *p, int k,
                      const struct axis *x, const struct axis *y)
{
    const struct plot_curve *const c = &p->curve[k];
    char pen = 'M';
    fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" d=\"",
            colours[k]);
    for (int i = 0; i < c->n; i++) {
        const int is_there =
            isfinite(place(x, c->x[i])) && isfinite(place(y, c->y[i]));
        if (is_there)
            fprintf(f, "%c%.0f %.0f ", pen, x_of(x, c->x[i]), y_of(y, c->y[i]));
        pen = is_there ? 'L' : 'M';
    }
    const int key_x = LEFT + k % 2 * KEY_WIDTH;
    const int key_y = KEY_TOP + k / 2 * KEY_HEIGHT;
    fprintf(f,
            "\"/>\n<path d=\"M%d %d h24\" stroke=\"%s\" stroke-width=\"3\"/>"
            "<text x=\"%d\" y=\"%d\">%s</text>\n",
            key_x, key_y - 4, colours[k], key_x + 30, key_y, c->name);
}

static int write_file(const struct plot *p, const char *path)
{
    const struct axis x = axis_of(p, p->log_x, 0), y = axis_of(p, p->log_y, 1);
    FILE *const f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\" "
            "fill=\"#222\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"18\" font-size=\"14\">%s</text>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n"
            "<text x=\"%d\" y=\"%d\">%s</text>\n",
            LEFT + WIDTH + 30, KEY_TOP + (p->ncurves - 1) / 2 * KEY_HEIGHT + 14,
            LEFT, p->title, LEFT + WIDTH / 2, TOP + HEIGHT + 36, p->x,
            LEFT - 40, TOP - 6, p->y);
    put_ticks(f, &x, 0);
    put_ticks(f, &y, 1);
    for (int k = 0; k < p->ncurves; k++)
        put_curve(f, p, k, &x, &y);
    fputs("</svg>\n", f);
    const int failed = ferror(f);
    if (fclose(f) == 0 && !failed)
        return 0;
    fprintf(stderr, "%s: cannot be written\n", path);
    return -1;
}

int plot_write(const struct plot *p, const struct lab_run *r, const char *path)
{
    int err = r->rank == 0 ? write_file(p, path) : 0;
    MPI_MUST(MPI_Bcast(&err, 1, MPI_INT, 0, r->mpi_comm));
    return err;
}
