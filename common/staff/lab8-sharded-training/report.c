/*
 * report.c: what a rank holds and sends, next to the formulas. Given: nothing
 * to edit here.
 *
 * One training step with AdamW, in fp32, of a network whose contents are not
 * kept. Memory is that of values, gradients and the optimizer's state at its
 * peak; activations are the same in all rows, and not counted. At most, in
 * bytes, with P parameters on n ranks:
 *
 *                    holds                               sends
 *     data parallel  16 P                                2 (n-1)/n 4P
 *     ZeRO-2         16 P/n, all values, two units'      2 (n-1)/n 4P
 *                    gradients
 *     ZeRO-3, FSDP   16 P/n, two units' values and       3 (n-1)/n 4P, but one
 *                    gradients                           unit once less
 */
#include "report.h"

#include <stdio.h> /* printf */

#include "base/must.h"
#include "lab/flags.h"
#include "lab/meter.h"
#include "lab/try.h"
#include "lab8.h"
#include "nn/optimizer.h"

enum { VALUES = 4, ALL = 16 }; /* bytes of a parameter; with AdamW's state */

struct model { /* and its data: without contents, so never filled */
    struct nn m;
    struct nn_optimizer optimizer;
    struct nn_batch batch;
};

struct cost { /* the greatest of all ranks */
    double held, sent, ms;
};

struct way {
    const char *name;
    ncclResult_t (*open)(struct shard *s); /* NULL: data parallel */
    ncclResult_t (*step)(struct shard *s, const struct nn_batch *b, int micro);
    int whole; /* all values are there all the time */
};

static const struct way ways[] = {
    {"data parallel", NULL, NULL, 1},
    {"ZeRO-2", zero2_open, zero2_step, 1},
    {"ZeRO-3", zero3_open, zero3_step, 0},
    {"FSDP", fsdp_open, fsdp_step, 0},
};

/* The step that every rank takes without shards: whole gradients are reduced,
 * layer by layer, on the compute stream. */
static ncclResult_t parallel_step(struct model *e, ncclComm_t comm)
{
    struct nn *const m = &e->m;
    LAB_TRY_CUDA(nn_zero_grad(m));
    LAB_TRY_CUDA(nn_forward(m, &e->batch));
    LAB_TRY_CUDA(nn_backward(m, 1, NULL, NULL));
    for (int l = 0; l < m->nparams; l++)
        LAB_TRY(ncclAllReduce(m->param[l].grad, m->param[l].grad,
                              m->param[l].count, ncclFloat, ncclAvg, comm,
                              m->stream));
    LAB_TRY_CUDA(nn_optimizer_step(&e->optimizer, m));
    return ncclSuccess;
}

static ncclResult_t take_step(struct model *e, struct shard *s,
                              const struct way *w, ncclComm_t comm)
{
    return w->step ? w->step(s, &e->batch, 1) : parallel_step(e, comm);
}

static double greatest(const struct lab_run *r, double mine)
{
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX,
                           r->mpi_comm));
    return mine;
}

/* The second step: the first has gathered what there is only once. */
static struct cost second_step(struct lab_run *r, struct model *e,
                               struct shard *s, const struct way *w,
                               double other_bytes)
{
    cudaEvent_t begin, end;
    float ms;
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    NCCL_MUST(take_step(e, s, w, r->comm));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    meter = (struct meter){0};
    CUDA_MUST(cudaEventRecord(begin, r->stream));
    NCCL_MUST(take_step(e, s, w, r->comm));
    CUDA_MUST(cudaEventRecord(end, r->stream));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    return (struct cost){
        .held = greatest(r, (double)meter_memory().peak - other_bytes),
        .sent = greatest(r, (double)(meter.coll_bytes + meter.sent_bytes)),
        .ms = greatest(r, ms)};
}

static struct cost cost_of(struct lab_run *r, const struct nn_shape *shape,
                           int per_unit, const struct way *w)
{
    static const struct nn_hyper hyper = {
        .lr = 0.001F, .beta1 = 0.9F, .beta2 = 0.999F, .eps = 1e-8F};
    struct shard s = {.nslots = 0};
    struct model e = {
        .batch.x = lab_buffer(r, (size_t)shape->rows * (size_t)shape->in * 4)};
    CUDA_MUST(nn_init(&e.m, shape, r->stream));
    const double other =
        (double)meter_memory().live - 2 * sizeof(float) * (double)e.m.count;
    if (w->open) {
        NCCL_MUST(shard_init(&s, &e.m, r->comm, r->rank, r->nranks, per_unit,
                             &hyper));
        meter_memory_begin();
        NCCL_MUST(w->open(&s));
    } else {
        CUDA_MUST(nn_optimizer_init(&e.optimizer, &e.m, NN_ADAMW, &hyper));
        meter_memory_begin();
    }
    const struct cost c = second_step(r, &e, &s, w, other);
    if (w->open)
        shard_release(&s);
    else
        nn_optimizer_release(&e.optimizer);
    nn_release(&e.m);
    lab_free_buffers();
    return c;
}

/* What it takes at most, with the zeros at the ends of units. */
static struct cost bound(const struct nn_shape *shape, int n, int per_unit,
                         const struct way *w)
{
    struct shard_plan p;
    flat_plan(shape, n, per_unit, &p);
    const double all = (double)nn_param_count(shape);
    const double shares = ALL * (double)p.total;
    const double two = 2.0 * VALUES * (double)p.widest;
    const double once = VALUES * (n - 1.0) * (double)p.total;
    const double last = VALUES * (n - 1.0) * (double)p.unit[p.nunits - 1].share;
    if (!w->open)
        return (struct cost){.held = ALL * all,
                             .sent = 2 * VALUES * (n - 1.0) / n * all};
    if (w->whole)
        return (struct cost){.held =
                                 shares + VALUES * n * (double)p.total + two,
                             .sent = 2 * once};
    return (struct cost){.held = shares + 2 * two, .sent = 3 * once - last};
}

static void print_row(const char *name, struct cost c, struct cost most)
{
    const double mib = 1 << 20;
    printf("%-14s %9.2f %9.2f  %9.2f %9.2f  %9.3f\n", name, c.held / mib,
           most.held / mib, c.sent / mib, most.sent / mib, c.ms);
}

int report_costs(struct lab_run *r, int argc, char **argv)
{
    long depth = 12, width = 1024, rows = 1024, per_unit = 1;
    const struct flag flags[] = {
        {"--depth", FLAG_NUMBER, &depth, 2, NN_MAX_DEPTH},
        {"--width", FLAG_NUMBER, &width, 1, 1 << 14},
        {"--rows", FLAG_NUMBER, &rows, 1, 1 << 20},
        {"--per-unit", FLAG_NUMBER, &per_unit, 1, NN_MAX_DEPTH},
        {NULL, 0, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    const struct nn_shape shape = {.depth = (int)depth,
                                   .in = (int)width,
                                   .hidden = (int)width,
                                   .out = (int)width,
                                   .rows = (int)rows,
                                   .loss = NN_MEAN_SQUARES};
    if (r->rank == 0)
        printf("%d rank%s, %.1f MiB of values in %ld layers, %ld a unit\n\n"
               "%-14s %9s %9s  %9s %9s  %9s\n",
               r->nranks, r->nranks == 1 ? "" : "s",
               VALUES * (double)nn_param_count(&shape) / (1 << 20), depth,
               per_unit, "MiB", "holds", "at most", "sends", "at most",
               "ms/step");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct cost c = cost_of(r, &shape, (int)per_unit, &ways[i]);
        const struct cost most =
            bound(&shape, r->nranks, (int)per_unit, &ways[i]);
        if (r->rank == 0)
            print_row(ways[i].name, c, most);
    }
    return 0;
}
