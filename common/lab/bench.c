#include "lab/bench.h"

#include <errno.h>  /* errno */
#include <string.h> /* strerror */

static const struct {
    int blocked, reduces, root;
    int factor; /* multiplies (n-1)/n; 0: the factor is 1 */
} shapes[BENCH_SHAPES] = {
    // nccl-tests' doc/PERFORMANCE.md derives the factors
    [BENCH_ALL_REDUCE] = {0, 1, 0, 2},     [BENCH_REDUCE] = {0, 1, 1, 0},
    [BENCH_BROADCAST] = {0, 0, 1, 0},      [BENCH_ALL_GATHER] = {1, 0, 0, 1},
    [BENCH_REDUCE_SCATTER] = {1, 1, 0, 1}, [BENCH_ALL_TO_ALL] = {1, 0, 0, 1},
    [BENCH_GATHER] = {1, 0, 1, 1},         [BENCH_SCATTER] = {1, 0, 1, 1},
    [BENCH_SEND_RECV] = {0, 0, 0, 0},
};

/* busbw / algbw for n ranks: 2(n-1)/n, (n-1)/n or 1. */
static double bus_factor(enum bench_shape shape, int n)
{
    return shapes[shape].factor ? shapes[shape].factor * (n - 1.0) / n : 1;
}

int bench_is_blocked(enum bench_shape shape)
{
    return shapes[shape].blocked;
}

int bench_reduces(enum bench_shape shape)
{
    return shapes[shape].reduces;
}

int bench_has_root(enum bench_shape shape)
{
    return shapes[shape].root;
}

/* ---- printing ------------------------------------------------------------ */

int bench_output(struct bench *b, const char *path)
{
    if (!path)
        return 0;
    b->csv = fopen(path, "w");
    if (!b->csv) {
        fprintf(stderr, "--output %s: %s\n", path, strerror(errno));
        return -1;
    }
    fprintf(b->csv, "operation,size,count,type,redop,root,in_place,time_us,"
                    "algbw,busbw,wrong\n");
    return 0;
}

void bench_close(struct bench *b)
{
    if (b->csv && fclose(b->csv) != 0)
        fprintf(stderr, "--output: %s\n", strerror(errno));
    b->csv = NULL;
}

void bench_head(struct bench *b, FILE *out, const char *title)
{
    *b = (struct bench){.out = out, .title = title, .csv = b->csv};
    fprintf(out, "#\n# %s\n", title);
    fprintf(out,
            "# %10s  %12s  %8s  %6s  %6s           out-of-place         "
            "              in-place          \n",
            "", "", "", "", "");
    fprintf(out, "# %10s  %12s  %8s  %6s  %6s", "size", "count", "type",
            "redop", "root");
    for (int i = 0; i < 2; i++)
        fprintf(out, "  %7s  %6s  %6s %6s", "time", "algbw", "busbw", "#wrong");
    fprintf(out, "\n# %10s  %12s  %8s  %6s  %6s", "(B)", "(elements)", "", "",
            "");
    for (int i = 0; i < 2; i++)
        fprintf(out, "  %7s  %6s  %6s %6s", "(us)", "(GB/s)", "(GB/s)", "");
    fputc('\n', out);
}

static void print_time(struct bench *b, const struct bench_row *row,
                       const struct bench_time *t)
{
    char wrong[24] = "N/A";
    if (!t->shown) {
        fprintf(b->out, "  %7s  %6s  %6s  %5s", "N/A", "N/A", "N/A", "N/A");
        return;
    }
    const double algbw = t->us > 0 ? (double)row->nbytes / t->us * 1e-3 : 0;
    const double busbw = algbw * bus_factor(row->shape, row->nranks);
    if (t->wrong >= 0)
        snprintf(wrong, sizeof wrong, "%ld", t->wrong);
    fprintf(b->out, "  %7.*f  %6.2f  %6.2f  %5s",
            t->us >= 1e4   ? 0
            : t->us >= 100 ? 1
                           : 2,
            t->us, algbw, busbw, wrong);
    if (b->csv)
        fprintf(b->csv, "%s,%zu,%zu,%s,%s,%d,%d,%.3f,%.4f,%.4f,%s\n", b->title,
                row->nbytes, row->count, row->type,
                row->redop ? row->redop : "none", row->root,
                t == &row->in_place, t->us, algbw, busbw,
                t->wrong >= 0 ? wrong : "");
    b->sum_busbw += busbw;
    b->nbusbw++;
    b->wrong += t->wrong > 0 ? t->wrong : 0;
}

void bench_row(struct bench *b, const struct bench_row *row)
{
    fprintf(b->out, "%12zu  %12zu  %8s  %6s  %6d", row->nbytes, row->count,
            row->type, row->redop ? row->redop : "none", row->root);
    print_time(b, row, &row->out_of_place);
    print_time(b, row, &row->in_place);
    fputc('\n', b->out);
    fflush(b->out);
}

void bench_foot(const struct bench *b)
{
    fprintf(b->out, "# Out of bounds values : %ld %s\n", b->wrong,
            b->wrong ? "FAILED" : "OK");
    fprintf(b->out, "# Avg bus bandwidth    : %g\n#\n",
            b->nbusbw ? b->sum_busbw / b->nbusbw : 0);
}
