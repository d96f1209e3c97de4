#include "draw.h"

#include <errno.h>  /* errno */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* calloc */
#include <string.h> /* strerror */

#include "base/must.h"

enum { MAX_PASSES = 2 * STAGE_MAX_MICRO * STAGE_MAX_CHUNKS };

struct pass {
    int kind, chunk, micro; /* kind: enum pipe_kind */
    float begin_ms, end_ms;
};

struct tracer { /* this rank's passes */
    cudaStream_t stream;
    int n;
    struct pass pass[MAX_PASSES];
    cudaEvent_t event[MAX_PASSES][2];
};

/* ---- tracing ------------------------------------------------------------- */

static void note(void *arg, int kind, int chunk, int micro, int is_over)
{
    struct tracer *const t = arg;
    cudaEvent_t *const event = &t->event[t->n][is_over];
    CUDA_MUST(cudaEventCreate(event));
    CUDA_MUST(cudaEventRecord(*event, t->stream));
    t->pass[t->n] = (struct pass){.kind = kind, .chunk = chunk, .micro = micro};
    t->n += is_over;
}

static void read_times(struct tracer *t, cudaEvent_t origin)
{
    for (int i = 0; i < t->n; i++) {
        CUDA_MUST(
            cudaEventElapsedTime(&t->pass[i].begin_ms, origin, t->event[i][0]));
        CUDA_MUST(
            cudaEventElapsedTime(&t->pass[i].end_ms, origin, t->event[i][1]));
        CUDA_MUST(cudaEventDestroy(t->event[i][0]));
        CUDA_MUST(cudaEventDestroy(t->event[i][1]));
    }
}

/* A step whose passes are recorded in t, after one to warm up. */
static void trace_step(struct lab_run *r, const struct pipeline_drawing *d,
                       struct tracer *t)
{
    cudaEvent_t origin;
    NCCL_MUST(d->step(d->arg));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    CUDA_MUST(cudaEventCreate(&origin));
    CUDA_MUST(cudaEventRecord(origin, r->stream));
    d->stage->trace = note;
    d->stage->trace_arg = t;
    NCCL_MUST(d->step(d->arg));
    d->stage->trace = NULL;
    CUDA_MUST(cudaDeviceSynchronize());
    read_times(t, origin);
    CUDA_MUST(cudaEventDestroy(origin));
}

/* ---- drawing ------------------------------------------------------------- */

enum { LEFT = 70, WIDTH = 900, TOP = 34, ROW = 30, BAR = 24, FOOT = 34 };

/* Kinds of passes differ in lightness, so that they also differ in print; later
 * chunks have their numbers underlined. */
static const struct {
    const char *fill, *text, *name;
} looks[] = {[PIPE_FORWARD] = {"#a6cee3", "#000000", "forward"},
             [PIPE_BACKWARD] = {"#1f5d8a", "#ffffff", "backward"},
             [PIPE_WEIGHTS] = {"#e0a458", "#000000", "weights"}};

static void put_pass(FILE *f, const struct pass *p, int row, float whole_ms)
{
    const float x = LEFT + WIDTH * p->begin_ms / whole_ms;
    const float width = WIDTH * (p->end_ms - p->begin_ms) / whole_ms;
    const int y = TOP + ROW * row;
    fprintf(f,
            "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
            "fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.6\"/>"
            "<text x=\"%.1f\" y=\"%d\" fill=\"%s\" text-anchor=\"middle\"%s>%d"
            "</text>\n",
            x, y, width, BAR, looks[p->kind].fill, x + width / 2, y + 16,
            looks[p->kind].text,
            p->chunk ? " text-decoration=\"underline\"" : "", p->micro);
}

/* Draw which colours stand for the first nkinds kinds of passes. */
static void put_legend(FILE *f, int nkinds, int y)
{
    for (int k = 0; k < nkinds; k++)
        fprintf(f,
                "<rect x=\"%d\" y=\"%d\" width=\"30\" height=\"14\" "
                "fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s%s</text>\n",
                LEFT + 120 * k, y, looks[k].fill, LEFT + 120 * k + 36, y + 11,
                looks[k].name,
                k == nkinds - 1
                    ? "; a number is the micro-batch's, underlined in a later "
                      "chunk"
                    : "");
}

static void put_frame(FILE *f, const char *title, int nrows, int nkinds,
                      float whole_ms)
{
    const int height = TOP + ROW * nrows + FOOT, width = LEFT + WIDTH + 20;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n"
            "<text x=\"8\" y=\"20\" font-size=\"14\">%s: %.1f ms</text>\n",
            width, height, width, height, width, height, title,
            (double)whole_ms);
    put_legend(f, nkinds, height - FOOT + 8);
    for (int i = 0; i < nrows; i++)
        fprintf(f,
                "<text x=\"8\" y=\"%d\">stage %d</text>"
                "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
                "fill=\"#eeeeee\"/>\n",
                TOP + ROW * i + 16, i, LEFT, TOP + ROW * i, WIDTH, BAR);
}

/* all: n passes of each of nrows stages. */
static int write_picture(const char *path, const char *title,
                         const struct pass *all, int nrows, int stride, int n)
{
    FILE *const f = fopen(path, "w");
    float whole_ms = 0;
    int nkinds = 2;
    if (!f)
        return -1;
    for (int i = 0; i < nrows * n; i++) {
        const struct pass *const p = &all[i / n * stride * n + i % n];
        whole_ms = p->end_ms > whole_ms ? p->end_ms : whole_ms;
        nkinds = p->kind >= nkinds ? p->kind + 1 : nkinds;
    }
    put_frame(f, title, nrows, nkinds, whole_ms);
    for (int row = 0; row < nrows; row++)
        for (int i = 0; i < n; i++)
            put_pass(f, &all[(row * stride) * n + i], row, whole_ms);
    fputs("</svg>\n", f);
    return fclose(f) == 0 ? 0 : -1;
}

int draw_step(struct lab_run *r, const struct pipeline_drawing *d,
              const char *path)
{
    struct tracer *const t = calloc(1, sizeof *t);
    if (!t)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    t->stream = r->stream;
    trace_step(r, d, t);
    const int nbytes = t->n * (int)sizeof *t->pass;
    struct pass *const all = calloc((size_t)r->nranks, (size_t)nbytes + 1);
    if (!all)
        must_stop(__FILE__, __LINE__, "calloc", "out of memory");
    MPI_MUST(MPI_Gather(t->pass, nbytes, MPI_BYTE, all, nbytes, MPI_BYTE, 0,
                        r->mpi_comm));
    int err = r->rank == 0 ? write_picture(path, d->title, all, d->nstages,
                                           r->nranks / d->nstages, t->n)
                           : 0;
    if (err)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    MPI_MUST(MPI_Bcast(&err, 1, MPI_INT, 0, r->mpi_comm));
    free(all);
    free(t);
    return err ? 1 : 0;
}
