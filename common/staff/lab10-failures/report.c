#include "report.h"

#include <math.h>   /* expm1, log */
#include <stdio.h>  /* fprintf */
#include <string.h> /* strerror */

#include <errno.h>

#include "lab/flags.h"

struct request {
    long save, mtbf, restart, failures;
    const char *svg;
};

enum { ROWS = 13 };
struct row { /* seconds of work between saves; shares of the time that train */
    double work, modelled, simulated;
};

/* The share of the time that trains, with a save every `work` seconds: each
 * segment of work and save is tried until it succeeds. */
static double modelled(const struct request *q, double work)
{
    const double mtbf = (double)q->mtbf;
    return work / ((mtbf + (double)q->restart) *
                   expm1((work + (double)q->save) / mtbf));
}

/* A number between 0 and 1, exclusive, that follows from i. */
static double uniform(uint64_t i)
{
    return ((double)(judge_seed(10, i) >> 11) + 0.5) * 0x1p-53;
}

/* The same share, of a job that fails that many times. */
static double simulated(const struct request *q, double work)
{
    const double segment = work + (double)q->save;
    double trained = 0, all = 0;
    for (long i = 0; i < q->failures; i++) {
        const double lives = -(double)q->mtbf * log(uniform((uint64_t)i));
        trained += floor(lives / segment) * work;
        all += lives + (double)q->restart;
    }
    return trained / all;
}

/* ---- the picture: intervals on a logarithmic axis ------------------------ */

enum { LEFT = 60, TOP = 20, WIDTH = 370, HEIGHT = 260 };

static double x_of(const struct row *row, double work)
{
    return LEFT + WIDTH * log(work / row[0].work) /
                      log(row[ROWS - 1].work / row[0].work);
}

static double y_of(double share)
{
    return TOP + HEIGHT * (1 - share);
}

static void label(FILE *f, double x, double y, const char *anchor,
                  const char *text)
{
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x,
            y, anchor, text);
}

static void axes(FILE *f, const struct row *row)
{
    char text[40];
    for (int percent = 0; percent <= 100; percent += 20) {
        const double y = y_of(percent / 100.0);
        fprintf(f,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" "
                "stroke=\"#ddd\"/>\n",
                LEFT, y, LEFT + WIDTH, y);
        snprintf(text, sizeof text, "%d %%", percent);
        label(f, LEFT - 8, y + 4, "end", text);
    }
    for (int i = 0; i < ROWS; i += 2) {
        snprintf(text, sizeof text, "%.0f s", row[i].work);
        label(f, x_of(row, row[i].work), TOP + HEIGHT + 18, "middle", text);
    }
    label(f, LEFT + WIDTH / 2.0, TOP + HEIGHT + 38, "middle",
          "training between two saves");
}

/* Curve of the formula, circles of the simulated job, a line at Young's. */
static int draw(const struct request *q, const struct row *row, double young)
{
    FILE *const f = fopen(q->svg, "we");
    if (!f) {
        fprintf(stderr, "lab10: can't write %s: %s\n", q->svg, strerror(errno));
        return -1;
    }
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            LEFT + WIDTH + 30, TOP + HEIGHT + 50);
    axes(f, row);
    fprintf(f, "<polyline fill=\"none\" stroke=\"#1f77b4\" "
               "stroke-width=\"2\" points=\"");
    for (int i = 0; i <= 100; i++) {
        const double work =
            row[0].work * pow(row[ROWS - 1].work / row[0].work, i / 100.0);
        fprintf(f, "%.1f,%.1f ", x_of(row, work), y_of(modelled(q, work)));
    }
    fprintf(f, "\"/>\n");
    for (int i = 0; i < ROWS; i++)
        fprintf(f,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#d62728\"/>\n",
                x_of(row, row[i].work), y_of(row[i].simulated));
    fprintf(f,
            "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" "
            "stroke=\"#888\" stroke-dasharray=\"4\"/>\n",
            x_of(row, young), TOP, x_of(row, young), TOP + HEIGHT);
    label(f, x_of(row, young) + 6, TOP + HEIGHT - 8, "start", "Young");
    fprintf(f, "</svg>\n");
    return fclose(f);
}

int report_goodput(struct lab_run *r, int argc, char **argv)
{
    static struct request q = {
        .save = 60, .mtbf = 10800, .restart = 120, .failures = 100000};
    const struct flag flags[] = {
        {"--save", FLAG_NUMBER, &q.save, 1, 100000},
        {"--mtbf", FLAG_NUMBER, &q.mtbf, 1, 100000000},
        {"--restart", FLAG_NUMBER, &q.restart, 0, 100000},
        {"--failures", FLAG_NUMBER, &q.failures, 1, 100000000},
        {"-o", FLAG_TEXT, &q.svg, 0, 0},
        {NULL, 0, NULL, 0, 0}};
    struct row row[ROWS];
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    if (r->rank != 0)
        return 0;
    const double young = sqrt(2 * (double)q.save * (double)q.mtbf);
    printf("A save takes %ld s, a restart %ld s, and failures come every %ld s "
           "on average.\nYoung's interval is %.0f s.\n\n"
           "interval (s)   modelled  simulated\n",
           q.save, q.restart, q.mtbf, young);
    for (int i = 0; i < ROWS; i++) {
        const double work = round(young * pow(2, (i - ROWS / 2) / 2.0));
        row[i] = (struct row){work, modelled(&q, work), simulated(&q, work)};
        printf("%12.0f %8.1f %% %8.1f %%\n", work, 100 * row[i].modelled,
               100 * row[i].simulated);
    }
    return q.svg && draw(&q, row, young) != 0;
}
