/*
 * cases_train.c: runs the cases of parts 2 to 5
 *
 * A training case makes a stage and the data of a few steps from rank 0's seed,
 * runs the steps without synchronising in between, and records this rank's
 * weights after each. Cases of part 2 use the runner's communicator and no code
 * of part 3.
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */

#include "base/must.h"
#include "cases.h"
#include "judge_model.h"
#include "lab4.h"

enum { MAX_STEPS = 8, MAX_ACTIONS = 2 * STAGE_MAX_MICRO * STAGE_MAX_CHUNKS };
_Static_assert(3 * ZERO_CHUNKS * STAGE_MAX_MICRO <= MAX_ACTIONS, "halves fit");

/* One of each at a time: the next iteration releases what the last one left
 * behind. */
static struct hybrid hybrid;
static struct stage stage;
static struct zero zero;

/* ---- schedules ----------------------------------------------------------- */

static int schedule_of(const struct model *m, int nstages, int index,
                       struct pipe_action *out)
{
    const int nmicro = m->task.micro;
    switch (m->schedule) {
    case MODEL_FILL_DRAIN:
        return schedule_fill_drain(nstages, index, nmicro, out);
    case MODEL_1F1B: return schedule_1f1b(nstages, index, nmicro, out);
    case MODEL_ZERO_H1: return schedule_zero_h1(nstages, index, nmicro, out);
    case MODEL_ZERO_V: return schedule_zero_v(nstages, index, nmicro, out);
    default:
        return schedule_interleaved(nstages, index, nmicro, m->chunks, out);
    }
}

/* Each stage's list, as three ints per action; -1 where nothing was written. */
ncclResult_t case_schedule(struct lab_run *r)
{
    const int nstages = (int)plan_int(r->c, "stages", 4);
    const struct model m = model_of(r->c, nstages);
    const int kinds = model_has_halves(&m) ? 3 : 2;
    const int most = kinds * m.task.micro * m.chunks;
    for (int k = 0; k < nstages; k++) {
        struct pipe_action a[MAX_ACTIONS];
        int shown[3 * MAX_ACTIONS];
        char name[EVIDENCE_NAME];
        for (int i = 0; i < MAX_ACTIONS; i++)
            a[i] = (struct pipe_action){(enum pipe_kind) - 1, -1, -1};
        snprintf(name, sizeof name, "count.%d", k);
        lab_metric(r, name, schedule_of(&m, nstages, k, a));
        for (int i = 0; i < most; i++) {
            shown[3 * i] = (int)a[i].kind;
            shown[3 * i + 1] = a[i].micro;
            shown[3 * i + 2] = a[i].chunk;
        }
        const size_t nbytes = 3 * (size_t)most * sizeof *shown;
        snprintf(name, sizeof name, "stage.%d", k);
        lab_output(r, name, lab_upload(r, shown, nbytes), nbytes);
    }
    return ncclSuccess;
}

/* ---- data ---------------------------------------------------------------- */

struct course { /* the steps of a training case */
    struct model m;
    int replica;
    struct nn_batch batch[MAX_STEPS][STAGE_MAX_MICRO];
    float *shown[MAX_STEPS]; /* weights after each step */
};

/* count values of each micro-batch of a step, one micro-batch after the
 * other. */
static const float *draw_step(struct lab_run *r, const struct course *k,
                              int step, uint64_t what, size_t count)
{
    const size_t n = (size_t)k->m.task.micro * count;
    float *const d = lab_buffer(r, n * sizeof *d);
    for (int j = 0; j < k->m.task.micro; j++) {
        const struct draw_ask of = {
            .what = NN_DRAW_FLOATS,
            .of_root = 1,
            .npath = 4,
            .path = {(uint64_t)k->replica, (uint64_t)step, (uint64_t)j, what},
            .arg = {nn_draw_factor(1)}};
        lab_fill(r, &of, d + (size_t)j * count, count * sizeof *d);
    }
    return d;
}

static const float *inputs(struct lab_run *r, const struct course *k, int step)
{
    const struct nn_shape *const s = &k->m.task.shape;
    return draw_step(r, k, step, NN_PATH_INPUT,
                     (size_t)s->rows * (size_t)s->in);
}

static const float *targets(struct lab_run *r, const struct course *k, int step)
{
    const size_t n = nn_target_count(&k->m.task.shape);
    return n ? draw_step(r, k, step, NN_PATH_TARGET, n) : NULL;
}

/* The data of all steps, and buffers for `count` weights after each. */
static struct course course_of(struct lab_run *r, int replica, size_t count)
{
    struct course k = {.m = model_of(r->c, r->nranks), .replica = replica};
    lab_share_seed(r);
    const struct nn_shape *const s = &k.m.task.shape;
    for (int i = 0; i < k.m.task.steps; i++) {
        const float *const x = inputs(r, &k, i);
        const float *const target = targets(r, &k, i);
        for (int j = 0; j < k.m.task.micro; j++)
            k.batch[i][j] = (struct nn_batch){
                .x = x + (size_t)j * (size_t)s->rows * (size_t)s->in,
                .target =
                    target ? target + (size_t)j * nn_target_count(s) : NULL};
        k.shown[i] = lab_buffer(r, count * sizeof(float));
    }
    return k;
}

/* Set the weights to any values. */
static ncclResult_t clear(const struct stage *s)
{
    LAB_TRY_CUDA(
        cudaMemsetAsync(s->weights, 0, s->count * sizeof(float), s->stream));
    return ncclSuccess;
}

static ncclResult_t note(const struct course *k, const struct stage *s,
                         int step)
{
    LAB_TRY_CUDA(cudaMemcpyAsync(k->shown[step], s->weights,
                                 s->count * sizeof(float),
                                 cudaMemcpyDeviceToDevice, s->stream));
    return ncclSuccess;
}

static void show(struct lab_run *r, const struct course *k, size_t count)
{
    char name[NN_OUTPUT_NAME];
    for (int i = 0; i < k->m.task.steps; i++)
        lab_output(r, nn_task_output(i, name), k->shown[i],
                   count * sizeof(float));
}

/* ---- parts 2, 4 and 5: a pipeline alone ---------------------------------- */

/* Free what the last case has left: memory that its passes took would count as
 * the student's in this one. */
static void release(void)
{
    zero_release(&zero);
    stage_release(&stage);
    hybrid_release(&hybrid);
}

/* All ranks are stages. */
static ncclResult_t make_stage(struct lab_run *r, const struct model *m)
{
    release();
    const struct stage_config c = {.shape = m->task.shape,
                                   .tp = {NULL, 0, 1, NULL, r->stream},
                                   .index = r->rank,
                                   .nstages = r->nranks,
                                   .nchunks = m->chunks,
                                   .vee = m->schedule == MODEL_ZERO_V,
                                   .nmicro = m->task.micro,
                                   .checkpoint = m->checkpoint};
    LAB_TRY(stage_init(&stage, &c));
    return model_has_halves(m) ? zero_init(&zero, &stage, r->comm)
                               : ncclSuccess;
}

static ncclResult_t pipe_step(struct lab_run *r, const struct model *m,
                              const struct nn_batch *batch)
{
    struct pipe_action a[MAX_ACTIONS];
    const struct pipe pipe = {r->comm, &stage};
    const int n = schedule_of(m, r->nranks, r->rank, a);
    LAB_TRY(stage_begin(&stage, batch));
    if (model_has_halves(m))
        return zero_run(&zero, a, n);
    return m->chunks == 1 ? pipe_run(&pipe, a, n)
                          : pipe_run_interleaved(&pipe, a, n);
}

ncclResult_t case_pipe(struct lab_run *r)
{
    const struct model m = model_of(r->c, r->nranks);
    LAB_TRY(make_stage(r, &m));
    const struct course k = course_of(r, 0, stage.count);
    LAB_TRY(stage_fill(&stage, r));
    lab_given(r);
    lab_begin(r);
    for (int i = 0; i < m.task.steps; i++) {
        LAB_TRY(pipe_step(r, &m, k.batch[i]));
        LAB_TRY_CUDA(nn_sgd(stage.weights, stage.grads, &m.task.hyper,
                            stage.count, r->stream));
        LAB_TRY(note(&k, &stage, i));
    }
    lab_end(r);
    show(r, &k, stage.count);
    return ncclSuccess;
}

/* ---- steps without contents ---------------------------------------------- */

/* A step's micro-batches. */
static void empty_batch(struct lab_run *r, const struct model *m,
                        struct nn_batch *batch)
{
    const struct nn_shape *const s = &m->task.shape;
    const size_t each = (size_t)s->rows * (size_t)s->in;
    const float *const x =
        lab_buffer(r, (size_t)m->task.micro * each * sizeof *x);
    for (int j = 0; j < m->task.micro; j++)
        batch[j] = (struct nn_batch){.x = x + (size_t)j * each};
}

/* Mark a step's inputs: judge/graph/trace.h. */
static void mark_inputs(struct lab_run *r, const struct model *m,
                        const struct stage *s, const struct nn_batch *batch)
{
    char name[EVIDENCE_NAME];
    const struct nn_shape *const shape = &m->task.shape;
    for (int b = 0; b < s->nblocks; b++) {
        const struct block *const k = &s->block[b]; // b follows a
        snprintf(name, sizeof name, "block.%d", b);
        lab_source(r, name, k->a.data,
                   (matrix_count(k->a) + matrix_count(k->b)) * sizeof(float));
    }
    for (int j = 0; j < m->task.micro; j++) {
        snprintf(name, sizeof name, "x.%d", j);
        lab_source(r, name, (float *)batch[j].x,
                   (size_t)shape->rows * (size_t)shape->in * sizeof(float));
    }
}

/* A step's passes on buffers without contents. The first step makes the
 * slots. */
ncclResult_t case_bubble(struct lab_run *r)
{
    const struct model m = model_of(r->c, r->nranks);
    struct nn_batch batch[STAGE_MAX_MICRO];
    LAB_TRY(make_stage(r, &m));
    LAB_TRY(clear(&stage));
    empty_batch(r, &m, batch);
    lab_given(r);
    LAB_TRY(pipe_step(r, &m, batch));
    LAB_TRY_CUDA(cudaStreamSynchronize(r->stream));
    mark_inputs(r, &m, &stage, batch);
    lab_begin(r);
    LAB_TRY(pipe_step(r, &m, batch));
    lab_end(r);
    lab_result(r, "grads", stage.grads, stage.count * sizeof(float));
    release();
    return ncclSuccess;
}

/* ---- part 3: hybrid ------------------------------------------------------ */

static ncclResult_t make_hybrid(struct lab_run *r, const struct model *m)
{
    release();
    const struct hybrid_config c = {.shape = m->task.shape,
                                    .tp = m->tp,
                                    .pp = m->pp,
                                    .nmicro = m->task.micro,
                                    .schedule =
                                        (enum hybrid_schedule)m->schedule,
                                    .nchunks = m->chunks,
                                    .checkpoint = m->checkpoint,
                                    .optimizer = m->task.optimizer,
                                    .hyper = m->task.hyper};
    return hybrid_init(&hybrid, &c, r->rank, r->nranks, r->comm, r->stream);
}

/* A communicator's size and this rank's number in it. */
static ncclResult_t show_comm(struct lab_run *r, const char *edge,
                              ncclComm_t comm)
{
    char name[EVIDENCE_NAME];
    int size = -1, rank = -1;
    LAB_TRY(ncclCommCount(comm, &size));
    LAB_TRY(ncclCommUserRank(comm, &rank));
    snprintf(name, sizeof name, "%s.size", edge);
    lab_metric(r, name, size);
    snprintf(name, sizeof name, "%s.rank", edge);
    lab_metric(r, name, rank);
    return ncclSuccess;
}

ncclResult_t case_grid(struct lab_run *r)
{
    const struct model m = model_of(r->c, r->nranks);
    const struct grid g = grid_of(r->rank, r->nranks, m.tp, m.pp);
    ncclComm_t tp_comm, dp_comm, pp_comm;
    lab_metric(r, "tp_rank", g.tp_rank);
    lab_metric(r, "dp_rank", g.dp_rank);
    lab_metric(r, "pp_rank", g.pp_rank);
    LAB_TRY(grid_split(&g, r->comm, &tp_comm, &dp_comm, &pp_comm));
    LAB_TRY(show_comm(r, "tp", tp_comm));
    LAB_TRY(show_comm(r, "dp", dp_comm));
    LAB_TRY(show_comm(r, "pp", pp_comm));
    LAB_TRY(ncclCommDestroy(tp_comm));
    LAB_TRY(ncclCommDestroy(dp_comm));
    return ncclCommDestroy(pp_comm);
}

ncclResult_t case_hybrid(struct lab_run *r)
{
    const struct model m = model_of(r->c, r->nranks);
    struct hybrid *const h = &hybrid;
    LAB_TRY(make_hybrid(r, &m));
    const struct course k = course_of(r, h->grid.dp_rank, h->stage.count);
    LAB_TRY(stage_fill(&h->stage, r));
    lab_given(r);
    lab_begin(r);
    for (int i = 0; i < m.task.steps; i++) {
        LAB_TRY(hybrid_step(h, k.batch[i]));
        LAB_TRY(note(&k, &h->stage, i));
    }
    lab_end(r);
    show(r, &k, h->stage.count);
    return ncclSuccess;
}

/* Two steps on buffers without contents; the second one is timed. */
ncclResult_t case_speed(struct lab_run *r)
{
    const struct model m = model_of(r->c, r->nranks);
    struct stage *const s = &hybrid.stage;
    struct nn_batch batch[STAGE_MAX_MICRO];
    LAB_TRY(make_hybrid(r, &m));
    LAB_TRY(clear(s));
    empty_batch(r, &m, batch);
    LAB_TRY(hybrid_step(&hybrid, batch));
    LAB_TRY_CUDA(cudaStreamSynchronize(r->stream));
    mark_inputs(r, &m, s, batch);
    lab_begin(r);
    LAB_TRY(hybrid_step(&hybrid, batch));
    lab_end(r);
    lab_result(r, "grads", s->grads, s->count * sizeof(float));
    lab_result(r, "weights", s->weights, s->count * sizeof(float));
    hybrid_release(&hybrid);
    return ncclSuccess;
}
