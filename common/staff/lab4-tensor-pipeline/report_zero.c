/*
 * report_zero.c: measures schedules without a bubble, next to 1F1B, and draws
 * them
 *
 * All ranks are stages of one pipeline. Their network has no contents.
 */
#include <stdio.h> /* printf */

#include "base/must.h"
#include "draw.h"
#include "lab/flags.h"
#include "lab/meter.h"
#include "lab/try.h"
#include "lab4.h"
#include "measure.h"
#include "report.h"

enum way { WAY_1F1B, WAY_H1, WAY_V, WAYS };

static const char *const ways[] = {"1f1b", "zero-h1", "zero-v", NULL};

struct line { /* a pipeline of one of these ways */
    enum way way;
    struct stage stage;
    struct zero zero;
    struct pipe pipe;
    struct nn_batch batch[STAGE_MAX_MICRO];
    struct pipe_action list[3 * ZERO_CHUNKS * STAGE_MAX_MICRO];
    int n;
};

static int list_of(struct line *k, int nstages, int index, int nmicro)
{
    switch (k->way) {
    case WAY_H1: return schedule_zero_h1(nstages, index, nmicro, k->list);
    case WAY_V: return schedule_zero_v(nstages, index, nmicro, k->list);
    default: return schedule_1f1b(nstages, index, nmicro, k->list);
    }
}

static void line_init(struct line *k, struct lab_run *r, enum way way,
                      const struct nn_shape *shape, int nmicro)
{
    const struct stage_config c = {.shape = *shape,
                                   .tp = {NULL, 0, 1, NULL, r->stream},
                                   .index = r->rank,
                                   .nstages = r->nranks,
                                   .nchunks = way == WAY_V ? 2 : 1,
                                   .vee = way == WAY_V,
                                   .nmicro = nmicro};
    k->way = way;
    NCCL_MUST(stage_init(&k->stage, &c));
    CUDA_MUST(cudaMemsetAsync(k->stage.weights, 0,
                              k->stage.count * sizeof(float), r->stream));
    k->pipe = (struct pipe){r->comm, &k->stage};
    if (way != WAY_1F1B)
        NCCL_MUST(zero_init(&k->zero, &k->stage, r->comm));
    report_batch(r, shape, nmicro, k->batch);
    k->n = list_of(k, r->nranks, r->rank, nmicro);
}

static void line_release(struct line *k)
{
    if (k->way != WAY_1F1B)
        zero_release(&k->zero);
    stage_release(&k->stage);
    lab_free_buffers();
}

static ncclResult_t line_step(void *arg)
{
    struct line *const k = arg;
    LAB_TRY(stage_begin(&k->stage, k->batch));
    return k->way == WAY_1F1B ? pipe_run(&k->pipe, k->list, k->n)
                              : zero_run(&k->zero, k->list, k->n);
}

/* Run all passes of this stage without waiting for any message. */
static ncclResult_t line_passes(void *arg)
{
    struct line *const k = arg;
    LAB_TRY(stage_begin(&k->stage, k->batch));
    for (int m = 0; m < k->stage.c.nmicro; m++) {
        for (int c = 0; c < k->stage.c.nchunks; c++)
            LAB_TRY(stage_forward(&k->stage, c, m));
        for (int c = k->stage.c.nchunks - 1; c >= 0; c--)
            LAB_TRY(stage_backward(&k->stage, c, m));
    }
    return ncclSuccess;
}

/* ---- the table ----------------------------------------------------------- */

/* The least time that each stage waits, in units of a forward and a backward
 * pass. */
static double ramp_of(enum way way, int nstages)
{
    static const double parts[] = {1, 3, 6};
    return (nstages - 1) / parts[way];
}

static void print_row(struct lab_run *r, struct line *k, enum way way,
                      const struct nn_shape *shape, int nmicro)
{
    line_init(k, r, way, shape, nmicro);
    const uint64_t before = meter_memory().live;
    NCCL_MUST(line_step(k));
    const double mib =
        measure_largest((double)(meter_memory().live - before), r->mpi_comm) /
        (1 << 20);
    const double step =
        measure_time("step", line_step, k, r->stream, r->mpi_comm);
    const double compute =
        measure_time("passes", line_passes, k, r->stream, r->mpi_comm);
    const double ramp = ramp_of(way, r->nranks);
    if (r->rank == 0)
        printf("%-10s %8d %9.1f %6.2f %% %8.2f %% %15.0f\n", ways[way], nmicro,
               step, 100 * (1 - compute / step), 100 * ramp / (nmicro + ramp),
               mib);
    line_release(k);
}

/* Four blocks for each stage, with products so wide that messages are short
 * next to them. */
static struct nn_shape shape_of(int nstages, int width, int rows)
{
    return (struct nn_shape){.depth = 8 * nstages,
                             .in = width,
                             .hidden = width,
                             .out = width,
                             .rows = rows};
}

static int draw(struct lab_run *r, struct line *k, enum way way, int nmicro,
                const char *path)
{
    const struct nn_shape shape = shape_of(r->nranks, 8192, 512);
    line_init(k, r, way, &shape, nmicro);
    const struct pipeline_drawing d = {.title = ways[way],
                                       .nstages = r->nranks,
                                       .stage = &k->stage,
                                       .step = line_step,
                                       .arg = k};
    const int status = draw_step(r, &d, path);
    line_release(k);
    return status;
}

int report_zero(struct lab_run *r, int argc, char **argv)
{
    static struct line line;
    const char *path = NULL;
    long micro = 2L * r->nranks;
    struct flag_choice way = {ways, WAY_H1};
    const struct flag flags[] = {
        {"--microbatches", FLAG_NUMBER, &micro, 1, STAGE_MAX_MICRO},
        {"--schedule", FLAG_CHOICE, &way, 0, 0},
        {"--output", FLAG_TEXT, &path, 0, 0},
        {"-o", FLAG_TEXT, &path, 0, 0},
        {NULL, FLAG_NUMBER, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    if (8 * r->nranks > NN_MAX_DEPTH) {
        if (r->rank == 0)
            fprintf(stderr,
                    "--zero works with up to %d ranks: all are stages, "
                    "of four blocks each\n",
                    NN_MAX_DEPTH / 8);
        return 2;
    }
    if (path)
        return draw(r, &line, (enum way)way.chosen, (int)micro, path);
    const struct nn_shape shape = shape_of(r->nranks, 32768, 128);
    if (r->rank == 0)
        printf("%d stages of equal work\n\n"
               "schedule      micro   step ms   idle  at least  activations "
               "MiB\n",
               r->nranks);
    for (int w = 0; w < WAYS; w++)
        print_row(r, &line, (enum way)w, &shape, (int)micro);
    return 0;
}
