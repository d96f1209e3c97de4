/*
 * cases.c: runs lab 3's cases. Given: nothing to edit here.
 *
 * A training case makes a network and the data of a few steps from the rank's
 * seed, calls your step several times without synchronising in between, and
 * records the parameters after each. judge.c decides whether they are right.
 * The commands are in report.c.
 */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "lab3.h"
#include "nn/exercise.h"
#include "nn/train.h" /* train_main */
#include "report.h"   /* the commands */
#include "terms.h"

#include "lab/lab.h"

extern const struct judge_lab judge_lab3;
const struct judge_lab *const judge_labs[] = {&judge_lab3, NULL};

/* One at a time: the next iteration releases what the last one left behind. */
static struct ddp ddp;
static struct zero zero;

static void release(void)
{
    ddp_release(&ddp);
    zero_release(&zero);
    exercise_release();
}

static ncclResult_t ddp_of(struct lab_run *r, struct exercise *e)
{
    ddp_release(&ddp);
    return ddp_init(&ddp, &e->m, r->comm, r->nranks,
                    (size_t)plan_int(r->c, "first", 1 << 20),
                    (size_t)plan_int(r->c, "cap", 25 << 20));
}

/* ---- part 1 -------------------------------------------------------------- */

static ncclResult_t run_assign(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    int bucket[NN_MAX_DEPTH];
    const int n = ddp_assign(&e->m, (size_t)plan_int(r->c, "first", 1 << 20),
                             (size_t)plan_int(r->c, "cap", 25 << 20), bucket);
    lab_metric(r, "buckets", n);
    for (int i = 0; i < e->m.nparams; i++)
        lab_metric(r, e->m.param[i].name, bucket[i]);
    return ncclSuccess;
}

/* The positions of gradients in ddp.grads; -1: elsewhere. */
static ncclResult_t run_views(struct lab_run *r)
{
    char name[EVIDENCE_NAME];
    struct exercise *const e = exercise_new(r);
    LAB_TRY(ddp_of(r, e));
    for (int i = 0; i < e->m.nparams; i++) {
        const float *const g = e->m.param[i].grad;
        const int inside = g >= ddp.grads && g < ddp.grads + e->m.count;
        lab_metric(r, e->m.param[i].name,
                   inside ? (double)(g - ddp.grads) : -1);
    }
    for (int b = 0; b < ddp.nbuckets; b++) {
        snprintf(name, sizeof name, "begin.%d", b);
        lab_metric(r, name, (double)ddp.bucket[b].begin);
        snprintf(name, sizeof name, "count.%d", b);
        lab_metric(r, name, (double)ddp.bucket[b].count);
        snprintf(name, sizeof name, "nparams.%d", b);
        lab_metric(r, name, ddp.bucket[b].nparams);
    }
    return ncclSuccess;
}

/* ---- parts 2 and 3 ------------------------------------------------------- */

static ncclResult_t run_train(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const int accumulate = e->task.micro > 1;
    exercise_same(e, r);
    LAB_TRY(ddp_of(r, e));
    lab_begin(r);
    for (int i = 0; i < e->task.steps; i++) {
        const struct nn_batch *const b = exercise_batch(e, i, 0);
        e->m.skip = nn_task_skip(&e->task, r->rank, i);
        LAB_TRY(accumulate
                    ? ddp_accumulate(&ddp, b, e->task.micro, &e->optimizer)
                    : ddp_step(&ddp, b, &e->optimizer));
        exercise_note(e, i);
    }
    lab_end(r);
    exercise_show(e, r);
    return ncclSuccess;
}

/* ---- parts 4 to 6 -------------------------------------------------------- */

/* One step, whose overlap the judge finds in the graph; with `choose: 1`, your
 * function chooses the cap. */
static ncclResult_t run_overlap(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const size_t nbytes = e->m.count * sizeof(float);
    const size_t cap =
        plan_int(r->c, "choose", 0)
            ? overlap_cap(nbytes, (double)plan_int(r->c, "a_us", 15),
                          (double)plan_int(r->c, "MBps", 290000))
            : (size_t)plan_int(r->c, "cap", 25 << 20);
    const size_t first = (size_t)plan_int(r->c, "first", (int64_t)cap);
    exercise_same(e, r);
    ddp_release(&ddp);
    LAB_TRY(ddp_init(&ddp, &e->m, r->comm, r->nranks, first, cap));
    lab_begin(r);
    LAB_TRY(ddp_step(&ddp, exercise_batch(e, 0, 0), &e->optimizer));
    lab_end(r);
    exercise_note(e, 0);
    exercise_show(e, r);
    return ncclSuccess;
}

static ncclResult_t run_measure(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    struct overlap_times t = {0};
    exercise_same(e, r);
    LAB_TRY(ddp_of(r, e));
    lab_begin(r);
    LAB_TRY(overlap_measure(&ddp, exercise_batch(e, 0, 0), &t));
    lab_end(r);
    lab_metric(r, "compute", t.compute);
    lab_metric(r, "comm", t.comm);
    lab_metric(r, "both", t.both);
    lab_metric(r, "hidden", t.hidden);
    lab_metric(r, "exposed", t.exposed);
    return ncclSuccess;
}

static ncclResult_t run_cap(struct lab_run *r)
{
    struct cap_ask ask;
    lab_draw(r, &(struct draw_ask){.what = DRAW_CAP}, &ask, sizeof ask);
    lab_metric(
        r, "cap",
        (double)overlap_cap((size_t)ask.nbytes, ask.a_us, ask.bytes_per_us));
    return ncclSuccess;
}

/* ---- part 7 -------------------------------------------------------------- */

/* A step as in ddp_step(), but with your sharded optimizer. The unsharded one
 * updates a second copy of the weights with the same gradients. */
static ncclResult_t zero_train_step(struct exercise *e, struct lab_run *r,
                                    int i, float *whole)
{
    struct nn *const m = &e->m;
    if (i == 0) // the state is allocated
        lab_held_begin(r);
    const cudaError_t cleared = nn_zero_grad(m);
    if (i == 0)
        lab_held_end();
    LAB_TRY_CUDA(cleared);
    LAB_TRY_CUDA(nn_forward(m, exercise_batch(e, i, 0)));
    LAB_TRY_CUDA(nn_backward(m, 1, NULL, NULL));
    NCCL_MUST(ncclAllReduce(m->grads, m->grads, m->count, ncclFloat, ncclAvg,
                            r->comm, r->stream));
    LAB_TRY(zero_step(&zero, r->comm));
    float *const own = m->weights;
    for (int p = 0; p < m->nparams; p++)
        m->param[p].value = whole + (m->param[p].value - own);
    const cudaError_t err = nn_optimizer_step(&e->optimizer, m);
    for (int p = 0; p < m->nparams; p++)
        m->param[p].value = own + (m->param[p].value - whole);
    LAB_TRY_CUDA(err);
    return ncclSuccess;
}

static ncclResult_t run_zero(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const size_t nbytes = e->m.count * sizeof(float);
    const struct nn_hyper hyper = e->optimizer.hyper; // not near its state
    zero_release(&zero);
    exercise_same(e, r);
    float *const whole = lab_buffer(r, nbytes);
    CUDA_MUST(nn_values(&e->m, whole));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    lab_begin(r);
    LAB_TRY(zero_init(&zero, &e->m, r->rank, r->nranks, &hyper));
    for (int i = 0; i < e->task.steps; i++) {
        LAB_TRY(zero_train_step(e, r, i, whole));
        exercise_note(e, i);
    }
    lab_end(r);
    exercise_show(e, r);
    lab_output(r, "unsharded", whole, nbytes);
    return ncclSuccess;
}

static ncclResult_t run_owners(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    int owner[NN_MAX_DEPTH];
    zero_assign(&e->m, (int)plan_int(r->c, "over", r->nranks), owner);
    for (int i = 0; i < e->m.nparams; i++)
        lab_metric(r, e->m.param[i].name, owner[i]);
    return ncclSuccess;
}

/* ---- real data: --train -------------------------------------------------- */

static ncclResult_t train_begin(void *arg, struct nn *m)
{
    struct lab_run *const r = arg;
    NCCL_MUST(ncclBroadcast(m->weights, m->weights, m->count, ncclFloat, 0,
                            r->comm, r->stream));
    return ddp_init(&ddp, m, r->comm, r->nranks, 16 << 10, 64 << 10);
}

static ncclResult_t train_step(void *arg, struct nn *m,
                               const struct nn_batch *b, struct nn_optimizer *o)
{
    (void)arg, (void)m;
    return ddp_step(&ddp, b, o);
}

static int train(struct lab_run *r, int argc, char **argv)
{
    return train_main(r, &(struct trainer){train_begin, train_step, r}, argc,
                      argv);
}

static const struct lab_kind kinds[] = {
    {"assign", run_assign},   {"views", run_views},     {"train", run_train},
    {"overlap", run_overlap}, {"measure", run_measure}, {"cap", run_cap},
    {"owners", run_owners},   {"zero", run_zero},       {NULL, NULL},
};

/* The report needs only times, and kernels declare their costs. */
static const char *dataless_for(int argc, char **argv)
{
    (void)argc;
    return strcmp(argv[0], "--overlap-report") == 0 ? "64K" : NULL;
}

static const struct lab_command commands[] = {
    {"--overlap-report",
     "[--bucket-cap-mb N --layers N --width N --rows N --iterations N --warmup "
     "N]: your overlap, "
     "measured",
     report_overlap},
    {"--zero-report", "[--layers N --width N]: optimizer memory per rank",
     report_zero},
    {"--train", "--data FILE [--steps N --batch N]: train on the bytes of FILE",
     train},
    {NULL, NULL, NULL},
};

const struct lab lab = {
    .name = "lab3-ddp-overlap",
    .brief = "distributed data parallel, communication behind computation",
    .kinds = kinds,
    .commands = commands,
    .dataless_for = dataless_for,
    .release = release,
};
