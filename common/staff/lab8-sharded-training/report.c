/*
 * report.c: prints what a rank holds and sends, next to the formulas. Given:
 * nothing to edit here.
 *
 * It runs one training step with AdamW, in fp32, of a network whose contents
 * are not kept. Memory is the peak of values, gradients and optimizer state;
 * activations are the same in all rows and don't count. Upper bounds in bytes,
 * with P parameters on n ranks:
 *
 *                    holds                               sends
 *     data parallel  16 P                                2 (n-1)/n 4P
 *     ZeRO-2         16 P/n, all values, two units'      2 (n-1)/n 4P
 *                    gradients
 *     ZeRO-3, FSDP   16 P/n, two units' values and       3 (n-1)/n 4P, but one
 *                    gradients                           unit once less
 *     in bf16        a unit's values in bf16 more        2 (n-1)/n 4P, but half
 *                                                        a unit less
 *     hybrid         as FSDP on the g ranks of a node    as FSDP on g ranks,
 *                                                        and 2 (1 - g/n) 4P/g
 */
#include "report.h"

#include <stdio.h> /* printf */

#include "base/must.h"
#include "lab/flags.h"
#include "lab/meter.h"
#include "lab/try.h"
#include "lab8.h"
#include "nn/optimizer.h"
#include "nodes.h"

enum { VALUES = 4, ALL = 16 }; /* bytes of a parameter; with AdamW's state */

struct model { /* with its data, which has no contents */
    struct nn m;
    struct nn_optimizer optimizer;
    struct nn_batch batch;
};

struct way {
    const char *name;
    ncclResult_t (*open)(struct shard *s); /* NULL: data parallel */
    ncclResult_t (*step)(struct shard *s, const struct nn_batch *b, int micro);
    int whole;  /* a rank holds all values all the time */
    int narrow; /* values travel in bf16 */
    int hybrid; /* sharded inside nodes, if there are several */
};

struct setting { /* shared by all ways */
    struct nn_shape shape;
    int nranks, per_unit, per_node;
};

static const struct way ways[] = {
    {.name = "data parallel", .whole = 1},
    {.name = "ZeRO-2", .open = zero2_open, .step = zero2_step, .whole = 1},
    {.name = "ZeRO-3", .open = zero3_open, .step = zero3_step},
    {.name = "FSDP", .open = fsdp_open, .step = fsdp_step},
    {.name = "  in bf16", .open = mixed_open, .step = fsdp_step, .narrow = 1},
    {.name = "  hybrid", .open = fsdp_open, .step = fsdp_step, .hybrid = 1},
};

static const struct nn_hyper hyper = {
    .lr = 0.001F, .beta1 = 0.9F, .beta2 = 0.999F, .eps = 1e-8F};

/* A step without shards: every rank reduces whole gradients, layer by layer, on
 * the compute stream. */
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

struct run {
    struct model *e;
    struct shard *s;
    const struct way *w;
    ncclComm_t comm;
};

static ncclResult_t take_step(void *arg)
{
    const struct run *const k = arg;
    return k->w->step ? k->w->step(k->s, &k->e->batch, 1)
                      : parallel_step(k->e, k->comm);
}

static double greatest(const struct lab_run *r, double mine)
{
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX,
                           r->mpi_comm));
    return mine;
}

struct report_cost report_second_step(struct lab_run *r,
                                      ncclResult_t (*step)(void *arg),
                                      void *arg)
{
    cudaEvent_t begin, end;
    float ms;
    CUDA_MUST(cudaEventCreate(&begin));
    CUDA_MUST(cudaEventCreate(&end));
    NCCL_MUST(step(arg));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    meter = (struct meter){0};
    CUDA_MUST(cudaEventRecord(begin, r->stream));
    NCCL_MUST(step(arg));
    CUDA_MUST(cudaEventRecord(end, r->stream));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaEventElapsedTime(&ms, begin, end));
    CUDA_MUST(cudaEventDestroy(begin));
    CUDA_MUST(cudaEventDestroy(end));
    return (struct report_cost){
        .held = greatest(r, (double)meter_memory().peak),
        .sent = greatest(r, (double)(meter.coll_bytes + meter.sent_bytes)),
        .ms = greatest(r, ms)};
}

/* Make this rank's shares, and what a step needs. */
static void open_shard(struct lab_run *r, const struct setting *k,
                       const struct way *w, struct nodes *n, struct nn *m,
                       struct shard *s)
{
    NCCL_MUST(nodes_open(r, w->hybrid ? k->per_node : 0, n));
    NCCL_MUST(shard_init(s, m, n->own, r->rank % n->per_node, n->per_node,
                         k->per_unit, &hyper));
    s->replicas = n->replicas;
    meter_memory_begin();
    NCCL_MUST(w->open(s));
}

static struct report_cost cost_of(struct lab_run *r, const struct setting *k,
                                  const struct way *w)
{
    const size_t nx = (size_t)k->shape.rows * (size_t)k->shape.in;
    struct shard s = {.nslots = 0};
    struct nodes nodes = {.per_node = 0};
    struct model e = {.batch.x = lab_buffer(r, nx * sizeof(float))};
    CUDA_MUST(nn_init(&e.m, &k->shape, r->stream));
    const double other =
        (double)meter_memory().live - 2 * sizeof(float) * (double)e.m.count;
    if (w->open) {
        open_shard(r, k, w, &nodes, &e.m, &s);
    } else {
        CUDA_MUST(nn_optimizer_init(&e.optimizer, &e.m, NN_ADAMW, &hyper));
        meter_memory_begin();
    }
    struct report_cost c =
        report_second_step(r, take_step, &(struct run){&e, &s, w, r->comm});
    c.held -= other;
    if (w->open)
        shard_release(&s);
    else
        nn_optimizer_release(&e.optimizer);
    nodes_close(&nodes);
    nn_release(&e.m);
    lab_free_buffers();
    return c;
}

/* The upper bound on its cost, with the zeros at the ends of units. */
static struct report_cost bound(const struct setting *k, const struct way *w)
{
    const double ranks = k->nranks, n = w->hybrid ? k->per_node : ranks;
    struct shard_plan p;
    flat_plan(&k->shape, (int)n, k->per_unit, &p);
    const double all = (double)nn_param_count(&k->shape);
    const double shares = ALL * (double)p.total;
    const double two = 2.0 * VALUES * (double)p.widest;
    const double once = VALUES * (n - 1) * (double)p.total;
    const double last = VALUES * (n - 1) * (double)p.unit[p.nunits - 1].share;
    const double replicas = // all-reduces of the shares; none if n is all ranks
        2 * (1 - n / ranks) * VALUES * (double)p.total;
    if (!w->open)
        return (struct report_cost){.held = ALL * all,
                                    .sent = 2 * VALUES * (n - 1) / n * all};
    if (w->whole)
        return (struct report_cost){.held = shares +
                                            VALUES * n * (double)p.total + two,
                                    .sent = 2 * once};
    if (w->narrow)
        return (struct report_cost){.held = shares + 2 * two + two / 4,
                                    .sent = 2 * once - last / 2};
    return (struct report_cost){.held = shares + 2 * two,
                                .sent = 3 * once - last + replicas};
}

static void print_row(const char *name, struct report_cost c,
                      struct report_cost most)
{
    const double mib = 1 << 20;
    printf("%-14s %9.2f %9.2f  %9.2f %9.2f  %9.3f\n", name, c.held / mib,
           most.held / mib, c.sent / mib, most.sent / mib, c.ms);
}

static int refuse_nodes(const struct lab_run *r, long per_node)
{
    if (r->rank == 0)
        fprintf(stderr,
                "%s: --costs: --per-node %ld: nodes have the same number of "
                "ranks: it has to divide %d\n",
                lab.name, per_node, r->nranks);
    return 2;
}

int report_costs(struct lab_run *r, int argc, char **argv)
{
    long depth = 12, width = 1024, rows = 1024, per_unit = 1, per_node = 0;
    const struct flag flags[] = {
        {"--depth", FLAG_NUMBER, &depth, 2, NN_MAX_DEPTH},
        {"--width", FLAG_NUMBER, &width, 1, 1 << 14},
        {"--rows", FLAG_NUMBER, &rows, 1, 1 << 20},
        {"--per-unit", FLAG_NUMBER, &per_unit, 1, NN_MAX_DEPTH},
        {"--per-node", FLAG_NUMBER, &per_node, 1, r->nranks},
        {NULL, 0, NULL, 0, 0}};
    if (flags_parse(r, argc, argv, flags) != 0)
        return 2;
    if (per_node > 0 && r->nranks % per_node != 0)
        return refuse_nodes(r, per_node);
    const struct setting k = {.shape = {.depth = (int)depth,
                                        .in = (int)width,
                                        .hidden = (int)width,
                                        .out = (int)width,
                                        .rows = (int)rows,
                                        .loss = NN_MEAN_SQUARES},
                              .nranks = r->nranks,
                              .per_unit = (int)per_unit,
                              .per_node = (int)per_node};
    if (r->rank == 0)
        printf("%d rank%s, %.1f MiB of values in %ld layers, %ld a unit\n\n"
               "%-14s %9s %9s  %9s %9s  %9s\n",
               r->nranks, r->nranks == 1 ? "" : "s",
               VALUES * (double)nn_param_count(&k.shape) / (1 << 20), depth,
               per_unit, "MiB", "holds", "at most", "sends", "at most",
               "ms/step");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].hybrid && per_node == 0)
            continue;
        const struct report_cost c = cost_of(r, &k, &ways[i]);
        if (r->rank == 0)
            print_row(ways[i].name, c, bound(&k, &ways[i]));
    }
    return 0;
}
