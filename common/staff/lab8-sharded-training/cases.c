/*
 * cases.c: runs lab 8's cases. Given: nothing to edit here.
 *
 * A training case makes a network and the data of a few steps from the rank's
 * seed, gives you its shares, and calls your step several times. It keeps a
 * copy of the shares after each, and puts the copies of all ranks together when
 * all steps are done. judge.c decides whether they are right.
 */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "cases.h"
#include "judge/data.h"
#include "judge_trace.h"
#include "lab/meter.h"
#include "nodes.h"
#include "report.h"

extern const struct judge_lab judge_lab8;
const struct judge_lab *const judge_labs[] = {&judge_lab8, NULL};

/* One at a time: the next iteration releases what the last one left behind. */
struct shard cases_shard;
static struct nodes nodes; /* whose ranks share the network */

static void release(void)
{
    shard_release(&cases_shard);
    checkpoints_release();
    nodes_close(&nodes);
}

/* Release the network, too. */
static void release_all(void)
{
    release();
    exercise_release();
}

int cases_per_unit(const struct lab_run *r)
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

/* Put rank 0's network on every rank, without shares. */
static ncclResult_t same(struct lab_run *r, struct exercise *e)
{
    release();
    exercise_same(e, r);
    nn_optimizer_release(&e->optimizer);
    return nodes_open(r, has_nodes(r) ? split_per_node(r->c, r->nranks) : 0,
                      &nodes);
}

/* Make this rank's shares of the network. */
static ncclResult_t take(struct lab_run *r, struct exercise *e)
{
    LAB_TRY(shard_init(&cases_shard, &e->m, nodes.own, r->rank % nodes.per_node,
                       nodes.per_node, cases_per_unit(r), &e->task.hyper));
    cases_shard.replicas = nodes.replicas;
    cases_shard.max_norm = (float)e->task.clip;
    return check_plan(r, &cases_shard.plan);
}

ncclResult_t cases_begin(struct lab_run *r, struct exercise *e)
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
    flat_plan(&k.shape, (int)plan_int(r->c, "over", r->nranks),
              cases_per_unit(r), &p);
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

/* The offset of a layer's values or gradients from `from`; -1 if there are
 * none. */
static double place(const float *p, const float *from)
{
    return p ? (double)(p - from) : -1;
}

static ncclResult_t run_views(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    LAB_TRY(cases_begin(r, e));
    float *const room = lab_buffer(r, 2 * e->m.count * sizeof *room);
    float *const grads = room + e->m.count;
    for (int u = 0; u < cases_shard.plan.nunits; u++)
        flat_views(&cases_shard, u, room, u % 2 ? NULL : grads);
    for (int l = 0; l < e->m.nparams; l++) {
        char name[EVIDENCE_NAME];
        snprintf(name, sizeof name, "value.%d", l);
        lab_metric(r, name, place(e->m.param[l].value, room));
        snprintf(name, sizeof name, "grad.%d", l);
        lab_metric(r, name, place(e->m.param[l].grad, grads));
    }
    return ncclSuccess;
}

void cases_show(struct lab_run *r, const char *name, const float *shares)
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
    cases_show(r, "share", cases_shard.value);
    return ncclSuccess;
}

/* ---- parts 2 to 5: training ---------------------------------------------- */

typedef ncclResult_t open_fn(struct shard *s);
typedef ncclResult_t step_fn(struct shard *s, const struct nn_batch *b,
                             int micro);

float *cases_kept[EXERCISE_STEPS];

/* How the network is split among a node's ranks. */
static struct split own_split(const struct lab_run *r)
{
    return split_of(r->c, split_per_node(r->c, r->nranks));
}

static void make_copies(struct lab_run *r, const struct exercise *e)
{
    const size_t nbytes = own_split(r).total * sizeof(float);
    for (int i = 0; i < e->task.steps; i++)
        cases_kept[i] = lab_buffer(r, nbytes);
}

ncclResult_t cases_keep(struct exercise *e, const struct shard *s, int i)
{
    size_t at = 0;
    if (!s->whole)
        LAB_TRY_CUDA(cudaMemcpyAsync(cases_kept[i], s->value,
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

void cases_gather(struct lab_run *r, struct exercise *e, const struct split *p,
                  ncclComm_t comm, int i)
{
    float *const room = lab_buffer(r, p->widest * sizeof *room);
    size_t at = 0;
    for (int u = 0; u < p->nunits; u++) {
        const struct split_unit *const k = &p->unit[u];
        NCCL_MUST(ncclAllGather(cases_kept[i] + k->begin, room, k->share,
                                ncclFloat, comm, r->stream));
        CUDA_MUST(cudaMemcpyAsync(e->shown[i] + at, room,
                                  k->count * sizeof *room,
                                  cudaMemcpyDeviceToDevice, r->stream));
        at += k->count;
    }
}

/* Run and measure all steps. The values after each step are kept. */
static ncclResult_t measure(struct lab_run *r, open_fn *open, step_fn *step,
                            struct exercise *e)
{
    lab_begin(r);
    LAB_TRY(open(&cases_shard));
    for (int i = 0; i < e->task.steps; i++) {
        LAB_TRY(step(&cases_shard, exercise_batch(e, i, 0), e->task.micro));
        LAB_TRY(cases_keep(e, &cases_shard, i));
    }
    lab_end(r);
    return ncclSuccess;
}

static ncclResult_t train(struct lab_run *r, open_fn *open, step_fn *step)
{
    const struct split split = own_split(r);
    struct exercise *const e = exercise_new(r);
    make_copies(r, e);
    LAB_TRY(cases_begin(r, e));
    LAB_TRY(measure(r, open, step, e));
    for (int i = 0; i < e->task.steps && !cases_shard.whole; i++)
        cases_gather(r, e, &split, nodes.own, i);
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

static ncclResult_t run_tied(struct lab_run *r)
{
    return train(r, tied_open, fsdp_step);
}

/* Train a network that is too large for its contents to be kept, for one step
 * of one micro-batch. */
static ncclResult_t trace(struct lab_run *r, open_fn *open)
{
    const struct split split = own_split(r);
    struct exercise *const e = exercise_new(r);
    struct shard *const s = &cases_shard;
    const struct nn_shape *const shape = &e->task.shape;
    char name[TRACE_NAME];
    make_copies(r, e);
    LAB_TRY(cases_begin(r, e));
    lab_source(r, "x", (float *)exercise_batch(e, 0, 0)->x,
               (size_t)shape->rows * (size_t)shape->in * sizeof(float));
    for (int u = 0; u < split.nunits; u++)
        lab_source(r, trace_value(u, name), s->value + split.unit[u].begin,
                   trace_nbytes(&split, u, r->rank));
    LAB_TRY(measure(r, open, fsdp_step, e));
    for (int u = 0; u < split.nunits; u++)
        lab_result(r, trace_grad(u, name), s->grad + split.unit[u].begin,
                   trace_nbytes(&split, u, r->rank));
    lab_result(r, "kept", cases_kept[0], split.total * sizeof(float));
    return ncclSuccess;
}

static ncclResult_t run_overlap(struct lab_run *r)
{
    return trace(r, fsdp_open);
}

static ncclResult_t run_mixed_overlap(struct lab_run *r)
{
    return trace(r, mixed_open);
}

/* Clip a gradient that is the rank's input. */
static ncclResult_t run_clip(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const size_t total = split_of(r->c, r->nranks).total;
    const float *const in = lab_input(r, total, DATA_FLOAT);
    LAB_TRY(cases_begin(r, e));
    CUDA_MUST(cudaMemcpyAsync(cases_shard.grad, in, total * sizeof *in,
                              cudaMemcpyDeviceToDevice, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    lab_begin(r);
    LAB_TRY(shard_clip(&cases_shard));
    lab_end(r);
    cases_show(r, "grad", cases_shard.grad);
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
    {"tied", run_tied},
    {NULL, NULL},
};

static const struct lab_command commands[] = {
    {"--costs",
     "[--depth N --width N --rows N --per-unit N --per-node N]: what a rank "
     "holds and sends in a step, and its time, for each way to train",
     report_costs},
    {"--scaling",
     "[--layers N --width N --feed N --context N --sequences N --recompute 1 "
     "--tokens-per-s N]: a transformer's step of FSDP in bf16 on 8, 32 .. "
     "ranks",
     report_scaling},
    {NULL, NULL, NULL},
};

/* The commands need no contents, except for a loss and a norm, which are
 * smaller than this. */
static const char *dataless_for(int argc, char **argv)
{
    (void)argc;
    const int is_report =
        strcmp(argv[0], "--costs") == 0 || strcmp(argv[0], "--scaling") == 0;
    return is_report ? "64" : NULL;
}

const struct lab lab = {
    .name = "lab8-sharded-training",
    .brief = "parameters, gradients and optimizer state sharded",
    .kinds = kinds,
    .commands = commands,
    .dataless = "1M", // buffers that large occur only where time is judged
    .dataless_for = dataless_for,
    .release = release_all,
};
