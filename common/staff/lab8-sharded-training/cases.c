/*
 * cases.c: runs lab 8's cases. Given: nothing to edit here.
 *
 * A training case makes a network and the data of a few steps from the rank's
 * seed, gives you its shares, and calls your step several times. It keeps a
 * copy of the shares after each, and puts the copies of all ranks together when
 * all steps are done. judge.c decides whether they are right.
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "disk.h"
#include "judge/data.h"
#include "judge_split.h"
#include "lab/lab.h"
#include "lab/meter.h"
#include "lab8.h"
#include "nn/draws.h"
#include "nn/exercise.h"
#include "nodes.h"
#include "report.h"

extern const struct judge_lab judge_lab8;
const struct judge_lab *const judge_labs[] = {&judge_lab8, NULL};

/* One at a time: the next iteration releases what the last one left behind. */
static struct shard shard;
static struct nodes nodes; /* among whose ranks it is sharded */
static struct {            /* what training goes on with, on fewer ranks */
    struct nn m;
    struct shard shard;
    ncclComm_t comm;
} next;
static struct disk disk;

static void release(void)
{
    shard_release(&shard);
    shard_release(&next.shard);
    if (next.m.param)
        nn_release(&next.m);
    if (next.comm)
        ncclCommDestroy(next.comm);
    next.comm = NULL;
    nodes_close(&nodes);
    disk_clear(&disk);
}

static int per_unit(const struct lab_run *r)
{
    return (int)plan_int(r->c, "per_unit", 1);
}

static int has_nodes(const struct lab_run *r)
{
    return plan_int(r->c, "per_node", 0) > 0;
}

/* Fail if the plan has other sizes than the case's buffers. */
static ncclResult_t check_plan(const struct lab_run *r,
                               const struct shard_plan *p)
{
    static const char *const see =
        "\nThis case can't be run with it. Case \"plan\" judges flat_plan().";
    const struct split want = split_of(r->c, p->nranks);
    if (p->nunits != want.nunits)
        return lab_note_wrong("flat_plan() makes %d units, should be %d%s",
                              p->nunits, want.nunits, see);
    for (int u = 0; u < p->nunits; u++) {
        const struct shard_unit *const k = &p->unit[u];
        const struct split_unit *const w = &want.unit[u];
        if (k->count != w->count || k->share != w->share ||
            k->begin != w->begin)
            return lab_note_wrong(
                "flat_plan() on %d ranks: unit %d has count %zu, share %zu "
                "and begin %zu, should be %zu, %zu and %zu%s",
                p->nranks, u, k->count, k->share, k->begin, w->count, w->share,
                w->begin, see);
    }
    if (p->total != want.total || p->widest != want.widest)
        return lab_note_wrong(
            "flat_plan() on %d ranks: total %zu and widest %zu, should be %zu "
            "and %zu%s",
            p->nranks, p->total, p->widest, want.total, want.widest, see);
    return ncclSuccess;
}

/* Rank 0's network, on every rank, and no shares of it. */
static ncclResult_t same(struct lab_run *r, struct exercise *e)
{
    release();
    exercise_same(e, r);
    nn_optimizer_release(&e->optimizer);
    return nodes_open(r, has_nodes(r) ? split_per_node(r->c, r->nranks) : 0,
                      &nodes);
}

/* This rank's shares of it. */
static ncclResult_t take(struct lab_run *r, struct exercise *e)
{
    LAB_TRY(shard_init(&shard, &e->m, nodes.own, r->rank % nodes.per_node,
                       nodes.per_node, per_unit(r), &e->task.hyper));
    shard.replicas = nodes.replicas;
    shard.max_norm = (float)e->task.clip;
    return check_plan(r, &shard.plan);
}

/* Both. What is given includes the network's own values and gradients, which
 * the shares replace. */
static ncclResult_t begin(struct lab_run *r, struct exercise *e)
{
    LAB_TRY(same(r, e));
    lab_given(r);
    return take(r, e);
}

/* ---- part 1 -------------------------------------------------------------- */

static ncclResult_t run_plan(struct lab_run *r)
{
    static const char *const names[] = {"first", "nlayers", "count", "share",
                                        "begin"};
    const struct nn_task k = nn_task_of(r->c);
    struct shard_plan p;
    flat_plan(&k.shape, (int)plan_int(r->c, "over", r->nranks), per_unit(r),
              &p);
    lab_metric(r, "nranks", p.nranks);
    lab_metric(r, "nunits", p.nunits);
    lab_metric(r, "total", (double)p.total);
    lab_metric(r, "widest", (double)p.widest);
    for (int i = 0; i < p.nunits && i < NN_MAX_DEPTH; i++) {
        const struct shard_unit *const u = &p.unit[i];
        const double value[] = {u->first, u->nlayers, (double)u->count,
                                (double)u->share, (double)u->begin};
        for (int j = 0; j < 5; j++) {
            char name[EVIDENCE_NAME];
            snprintf(name, sizeof name, "%s.%d", names[j], i);
            lab_metric(r, name, value[j]);
        }
    }
    return ncclSuccess;
}

/* Where a layer's values or gradients are in memory that begins at `from`; -1:
 * nowhere. */
static double place(const float *p, const float *from)
{
    return p ? (double)(p - from) : -1;
}

static ncclResult_t run_views(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    LAB_TRY(begin(r, e));
    float *const room = lab_buffer(r, 2 * e->m.count * sizeof *room);
    float *const grads = room + e->m.count;
    for (int u = 0; u < shard.plan.nunits; u++)
        flat_views(&shard, u, room, u % 2 ? NULL : grads);
    for (int l = 0; l < e->m.nparams; l++) {
        char name[EVIDENCE_NAME];
        snprintf(name, sizeof name, "value.%d", l);
        lab_metric(r, name, place(e->m.param[l].value, room));
        snprintf(name, sizeof name, "grad.%d", l);
        lab_metric(r, name, place(e->m.param[l].grad, grads));
    }
    return ncclSuccess;
}

/* Record `total` floats of a rank's shares. */
static void show(struct lab_run *r, const char *name, const float *shares)
{
    const size_t nbytes = split_of(r->c, r->nranks).total * sizeof *shares;
    float *const copy = lab_buffer(r, nbytes);
    CUDA_MUST(cudaMemcpyAsync(copy, shares, nbytes, cudaMemcpyDeviceToDevice,
                              r->stream));
    lab_output(r, name, copy, nbytes);
}

static ncclResult_t run_take(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    lab_begin(r);
    LAB_TRY(same(r, e));
    LAB_TRY(take(r, e));
    lab_end(r);
    show(r, "share", shard.value);
    return ncclSuccess;
}

/* ---- parts 2 to 5: training ---------------------------------------------- */

typedef ncclResult_t open_fn(struct shard *s);
typedef ncclResult_t step_fn(struct shard *s, const struct nn_batch *b,
                             int micro);

/* Copies of this rank's shares after each step. */
static float *kept[EXERCISE_STEPS];

/* How the network is split among a node's ranks. */
static struct split own_split(const struct lab_run *r)
{
    return split_of(r->c, split_per_node(r->c, r->nranks));
}

static void make_copies(struct lab_run *r, const struct exercise *e)
{
    const size_t nbytes = own_split(r).total * sizeof(float);
    for (int i = 0; i < e->task.steps; i++)
        kept[i] = lab_buffer(r, nbytes);
}

/* What the rank has after step i: with ZeRO-2 all values, else its shares. */
static ncclResult_t keep(struct exercise *e, const struct shard *s, int i)
{
    size_t at = 0;
    if (!s->whole)
        LAB_TRY_CUDA(cudaMemcpyAsync(kept[i], s->value,
                                     s->plan.total * sizeof(float),
                                     cudaMemcpyDeviceToDevice, s->compute));
    for (int u = 0; s->whole && u < s->plan.nunits; u++) {
        const struct shard_unit *const k = &s->plan.unit[u];
        LAB_TRY_CUDA(cudaMemcpyAsync(
            e->shown[i] + at, s->whole + (size_t)s->plan.nranks * k->begin,
            k->count * sizeof(float), cudaMemcpyDeviceToDevice, s->compute));
        at += k->count;
    }
    return ncclSuccess;
}

/* Put all ranks' shares after step i together. */
static void gather(struct lab_run *r, struct exercise *e, const struct split *p,
                   ncclComm_t comm, int i)
{
    float *const room = lab_buffer(r, p->widest * sizeof *room);
    size_t at = 0;
    for (int u = 0; u < p->nunits; u++) {
        const struct split_unit *const k = &p->unit[u];
        NCCL_MUST(ncclAllGather(kept[i] + k->begin, room, k->share, ncclFloat,
                                comm, r->stream));
        CUDA_MUST(cudaMemcpyAsync(e->shown[i] + at, room,
                                  k->count * sizeof *room,
                                  cudaMemcpyDeviceToDevice, r->stream));
        at += k->count;
    }
}

/* All steps, measured; *out: the exercise, whose steps' values are kept. */
static ncclResult_t measure(struct lab_run *r, open_fn *open, step_fn *step,
                            struct exercise **out)
{
    struct exercise *const e = *out = exercise_new(r);
    make_copies(r, e);
    LAB_TRY(begin(r, e));
    lab_begin(r);
    LAB_TRY(open(&shard));
    for (int i = 0; i < e->task.steps; i++) {
        LAB_TRY(step(&shard, exercise_batch(e, i, 0), e->task.micro));
        LAB_TRY(keep(e, &shard, i));
    }
    lab_end(r);
    return ncclSuccess;
}

static ncclResult_t train(struct lab_run *r, open_fn *open, step_fn *step)
{
    const struct split split = own_split(r);
    struct exercise *e;
    LAB_TRY(measure(r, open, step, &e));
    for (int i = 0; i < e->task.steps && !shard.whole; i++)
        gather(r, e, &split, nodes.own, i);
    exercise_show(e, r);
    return ncclSuccess;
}

static ncclResult_t run_zero2(struct lab_run *r)
{
    return train(r, zero2_open, zero2_step);
}

static ncclResult_t run_zero3(struct lab_run *r)
{
    return train(r, zero3_open, zero3_step);
}

static ncclResult_t run_fsdp(struct lab_run *r)
{
    return train(r, fsdp_open, fsdp_step);
}

static ncclResult_t run_mixed(struct lab_run *r)
{
    return train(r, mixed_open, fsdp_step);
}

/* A network too large to keep its contents. */
static ncclResult_t run_overlap(struct lab_run *r)
{
    struct exercise *e;
    return measure(r, fsdp_open, fsdp_step, &e);
}

static ncclResult_t run_mixed_overlap(struct lab_run *r)
{
    struct exercise *e;
    return measure(r, mixed_open, fsdp_step, &e);
}

/* Clip a gradient that is the rank's input. */
static ncclResult_t run_clip(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const size_t total = split_of(r->c, r->nranks).total;
    const float *const in = lab_input(r, total, DATA_FLOAT);
    LAB_TRY(begin(r, e));
    CUDA_MUST(cudaMemcpyAsync(shard.grad, in, total * sizeof *in,
                              cudaMemcpyDeviceToDevice, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    lab_begin(r);
    LAB_TRY(shard_clip(&shard));
    lab_end(r);
    show(r, "grad", shard.grad);
    return ncclSuccess;
}

/* ---- part 6 -------------------------------------------------------------- */

static float *const *arrays(struct shard *s)
{
    static float *all[3];
    all[0] = s->value;
    all[1] = s->adam_m;
    all[2] = s->adam_v;
    return all;
}

static const char *const array_names[] = {"value", "m", "v"};

/* Save shares that are the rank's input, each with another factor. */
static ncclResult_t run_save(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const size_t total = split_of(r->c, r->nranks).total;
    struct checkpoint c = {.per_unit = per_unit(r), .disk = &disk};
    const float *const in = lab_input(r, 3 * total, DATA_FLOAT);
    LAB_TRY(begin(r, e));
    lab_begin(r);
    for (int i = 0; i < 3; i++)
        CUDA_MUST(cudaMemcpyAsync(arrays(&shard)[i], in + (size_t)i * total,
                                  total * sizeof *in, cudaMemcpyDeviceToDevice,
                                  r->stream));
    shard.step = 5;
    LAB_TRY(checkpoint_save(&shard, &c));
    lab_end(r);
    lab_metric(r, "nranks", c.nranks);
    lab_metric(r, "step", c.step);
    lab_metric(r, "nwritten", (double)disk.nwritten);
    lab_metric(r, "length", (double)disk.count[r->rank]);
    const size_t nbytes = 3 * total * sizeof *in;
    if (disk.count[r->rank] == 3 * total)
        lab_output(r, "file", lab_upload(r, disk.file[r->rank], nbytes),
                   nbytes);
    return ncclSuccess;
}

/* The files of `from` ranks, as if they had saved them; what is in their zeros
 * must not be used. */
static void make_files(struct lab_run *r, struct checkpoint *c)
{
    const struct split s = split_of(r->c, c->nranks);
    const struct draw_ask d = {.what = NN_DRAW_FLOATS,
                               .npath = 1,
                               .path = {NN_PATH_INPUT},
                               .arg = {nn_draw_factor(1)}};
    const size_t nvalues = 3 * (size_t)c->nranks * s.total;
    float *const saved = malloc(nvalues * sizeof *saved);
    if (!saved)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    lab_draw(r, &d, saved, nvalues * sizeof *saved);
    for (int f = 0; f < c->nranks; f++)
        for (int i = 0; i < 3; i++)
            for (size_t at = 0; at < s.total; at++) {
                const long own = split_place(&s, f, at);
                const float x = own < 0 ? NAN : saved[3 * own + i];
                checkpoint_write(c, f, (size_t)i * s.total + at, &x, 1);
            }
    free(saved);
}

static ncclResult_t run_load(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    struct checkpoint c = {.nranks = (int)plan_int(r->c, "from", 3),
                           .per_unit = per_unit(r),
                           .step = 7,
                           .disk = &disk};
    LAB_TRY(begin(r, e));
    make_files(r, &c);
    lab_begin(r);
    LAB_TRY(checkpoint_load(&shard, &c));
    lab_end(r);
    for (int i = 0; i < 3; i++)
        show(r, array_names[i], arrays(&shard)[i]);
    lab_metric(r, "step", shard.step);
    lab_metric(r, "nread", (double)disk.nread);
    return ncclSuccess;
}

/* A network without a past, sharded among ranks 0 .. onto-1. */
static ncclResult_t begin_next(struct lab_run *r, const struct nn_task *k)
{
    const int in = r->rank < k->onto;
    NCCL_MUST(ncclCommSplit(r->comm, in ? 0 : NCCL_SPLIT_NOCOLOR, r->rank,
                            &next.comm, NULL));
    if (!in)
        return ncclSuccess;
    CUDA_MUST(nn_init(&next.m, &k->shape, r->stream));
    CUDA_MUST(cudaMemsetAsync(next.m.weights, 0, next.m.count * sizeof(float),
                              r->stream));
    LAB_TRY(shard_init(&next.shard, &next.m, next.comm, r->rank, k->onto,
                       per_unit(r), &k->hyper));
    next.shard.max_norm = (float)k->clip;
    return ncclSuccess;
}

/* Train on all ranks up to step `resume`, save, and go on with fewer. */
static ncclResult_t train_twice(struct lab_run *r, struct exercise *e)
{
    const struct nn_task *const k = &e->task;
    struct checkpoint c = {.per_unit = per_unit(r), .disk = &disk};
    LAB_TRY(zero3_open(&shard));
    for (int i = 0; i < k->resume; i++) {
        LAB_TRY(zero3_step(&shard, exercise_batch(e, i, 0), k->micro));
        LAB_TRY(keep(e, &shard, i));
    }
    LAB_TRY(checkpoint_save(&shard, &c));
    disk_share(&c, r->nranks, r->mpi_comm);
    if (r->rank >= k->onto)
        return ncclSuccess;
    LAB_TRY(checkpoint_load(&next.shard, &c));
    LAB_TRY(zero3_open(&next.shard));
    for (int i = k->resume; i < k->steps; i++) {
        LAB_TRY(zero3_step(&next.shard, exercise_batch(e, i, 0), k->micro));
        LAB_TRY(keep(e, &next.shard, i));
    }
    return ncclSuccess;
}

static ncclResult_t run_resume(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const struct nn_task *const k = &e->task;
    e->task.onto = k->onto < r->nranks ? k->onto : r->nranks;
    const struct split all = split_of(r->c, r->nranks),
                       few = split_of(r->c, k->onto);
    for (int i = 0; i < k->steps; i++)
        kept[i] = lab_buffer(r, few.total * sizeof(float));
    LAB_TRY(begin(r, e));
    LAB_TRY(begin_next(r, k));
    lab_begin(r);
    LAB_TRY(train_twice(r, e));
    lab_end(r);
    for (int i = 0; i < k->steps; i++) {
        if (i < k->resume)
            gather(r, e, &all, r->comm, i);
        else if (r->rank < k->onto)
            gather(r, e, &few, next.comm, i);
        NCCL_MUST(ncclBroadcast(e->shown[i], e->shown[i], e->m.count, ncclFloat,
                                0, r->comm, r->stream));
    }
    exercise_show(e, r);
    return ncclSuccess;
}

static const struct lab_kind kinds[] = {
    {"plan", run_plan},
    {"views", run_views},
    {"take", run_take},
    {"zero2", run_zero2},
    {"zero3", run_zero3},
    {"fsdp", run_fsdp},
    {"overlap", run_overlap},
    {"clip", run_clip},
    {"save", run_save},
    {"load", run_load},
    {"resume", run_resume},
    {"mixed", run_mixed},
    {"mixed_overlap", run_mixed_overlap},
    {"split", run_split},
    {"hybrid", run_fsdp},
    {"hybrid_overlap", run_overlap},
    {NULL, NULL},
};

static const struct lab_command commands[] = {
    {"--costs",
     "[--depth N --width N --rows N --per-unit N --per-node N]: what a rank "
     "holds and sends in a step, and its time, for each way to train",
     report_costs},
    {NULL, NULL, NULL},
};

/* The command needs no contents; a loss and a norm are smaller. */
static const char *dataless_for(int argc, char **argv)
{
    (void)argc;
    return strcmp(argv[0], "--costs") == 0 ? "64" : NULL;
}

const struct lab lab = {
    .name = "lab8-sharded-training",
    .brief = "parameters, gradients and optimizer state sharded",
    .kinds = kinds,
    .commands = commands,
    .dataless = "1M", // buffers that large occur only where time is judged
    .dataless_for = dataless_for,
};
