/*
 * cases.c: runs lab 2's cases. Given: nothing to edit here.
 *
 * A training case makes a network and the data of a few steps from the rank's
 * seed, calls one of your steps several times without synchronising in between,
 * and records the parameters after each. judge.c decides whether they are
 * right. The commands are in compare.c.
 */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "compare.h"    /* the commands */
#include "judge/data.h" /* data_type */
#include "lab2.h"
#include "nn/exercise.h"
#include "nn/train.h" /* train_main */
#include "support.h"

#include "lab/lab.h"

extern const struct judge_lab judge_lab2;
const struct judge_lab *const judge_labs[] = {&judge_lab2, NULL};

static struct sync sync_of(struct lab_run *r, const struct exercise *e)
{
    return (struct sync){
        .comm = r->comm,
        .rank = r->rank,
        .nranks = r->nranks,
        .stream = r->stream,
        .scratch = lab_buffer(r, e->m.count * sizeof(float)),
    };
}

/* ---- part 1: broadcast and gradients alone ------------------------------- */

static ncclResult_t run_broadcast(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const struct sync s = sync_of(r, e);
    lab_begin(r);
    LAB_TRY(sync_broadcast(&e->m, &s));
    exercise_note(e, 0);
    lab_end(r);
    exercise_show(e, r);
    return ncclSuccess;
}

/* Gradients after a backward pass, in order of registration. */
static ncclResult_t run_gradients(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const struct sync s = sync_of(r, e);
    exercise_same(e, r);
    CUDA_MUST(nn_zero_grad(&e->m));
    CUDA_MUST(nn_forward(&e->m, exercise_batch(e, 0, 0)));
    lab_begin(r);
    CUDA_MUST(nn_backward(&e->m, 1, NULL, NULL));
    LAB_TRY(sync_gradients(&e->m, &s));
    lab_end(r);
    for (int i = 0; i < e->m.nparams; i++) {
        const struct nn_param *const p = &e->m.param[i];
        if (!nn_is_trained(&e->m, i))
            continue;
        float *const shown = lab_buffer(r, p->count * sizeof *shown);
        CUDA_MUST(cudaMemcpyAsync(shown, p->grad, p->count * sizeof *shown,
                                  cudaMemcpyDeviceToDevice, r->stream));
        lab_output(r, p->name, shown, p->count * sizeof *shown);
    }
    return ncclSuccess;
}

/* ---- training ------------------------------------------------------------ */

typedef ncclResult_t step_fn(struct exercise *e, int step, struct lab_run *r,
                             const struct sync *s);

static ncclResult_t step_each(struct exercise *e, int step, struct lab_run *r,
                              const struct sync *s)
{
    (void)r;
    return sync_step(&e->m, exercise_batch(e, step, 0), &e->optimizer, s);
}

static ncclResult_t step_accumulate(struct exercise *e, int step,
                                    struct lab_run *r, const struct sync *s)
{
    (void)r;
    return sync_accumulate(&e->m, exercise_batch(e, step, 0), e->task.micro,
                           &e->optimizer, s);
}

static ncclResult_t step_buckets(struct exercise *e, int step,
                                 struct lab_run *r, const struct sync *s)
{
    const size_t cap = (size_t)plan_int(r->c, "cap", 1 << 20);
    const int type = data_type(plan_text(r->c, "type", "float"));
    LAB_TRY_CUDA(nn_zero_grad(&e->m));
    LAB_TRY_CUDA(nn_forward(&e->m, exercise_batch(e, step, 0)));
    LAB_TRY_CUDA(nn_backward(&e->m, 1, NULL, NULL));
    LAB_TRY(bucket_sync(&e->m, cap, (ncclDataType_t)type, s));
    LAB_TRY_CUDA(nn_optimizer_step(&e->optimizer, &e->m));
    return ncclSuccess;
}

static ncclResult_t step_server(struct exercise *e, int step, struct lab_run *r,
                                const struct sync *s)
{
    struct nn_optimizer *const o = r->rank == 0 ? &e->optimizer : NULL;
    return server_step(&e->m, exercise_batch(e, step, 0), o, s);
}

static const struct {
    const char *name;
    step_fn *fn;
} ways[] = {
    {"each", step_each},
    {"accumulate", step_accumulate},
    {"buckets", step_buckets},
    {"server", step_server},
};

static step_fn *way_of(const struct lab_run *r)
{
    const char *const name = plan_text(r->c, "way", "each");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, name) == 0)
            return ways[i].fn;
    must_stop(__FILE__, __LINE__, name, "there is no such way");
}

/* All ranks start with rank 0's parameters; with `broadcast: 1`, your function
 * copies them. */
static ncclResult_t run_train(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const struct sync s = sync_of(r, e);
    step_fn *const step = way_of(r);
    const int broadcast = (int)plan_int(r->c, "broadcast", 0);
    if (!broadcast)
        exercise_same(e, r);
    lab_begin(r);
    if (broadcast)
        LAB_TRY(sync_broadcast(&e->m, &s));
    for (int i = 0; i < e->task.steps; i++) {
        LAB_TRY(step(e, i, r, &s));
        exercise_note(e, i);
    }
    lab_end(r);
    exercise_show(e, r);
    return ncclSuccess;
}

/* ---- part 3: assign ------------------------------------------------------ */

static ncclResult_t run_assign(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    int bucket[NN_MAX_DEPTH];
    const int n = bucket_assign(
        &e->m, (size_t)plan_int(r->c, "cap", 1 << 20),
        data_size((enum data_type)data_type(plan_text(r->c, "type", "float"))),
        bucket);
    lab_metric(r, "buckets", n);
    for (int i = 0; i < e->m.nparams; i++)
        lab_metric(r, e->m.param[i].name, bucket[i]);
    return ncclSuccess;
}

/* ---- part 4 -------------------------------------------------------------- */

/* Rank 0 drives one device per rank, with all ranks' rows; the other ranks are
 * idle. */
static ncclResult_t run_data_parallel(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    struct replica replicas[SUPPORT_DEVICES];
    struct nn_batch all[EXERCISE_STEPS];
    int most = 0;
    LAB_TRY_CUDA(cudaGetDeviceCount(&most));
    if (most > SUPPORT_DEVICES)
        most = SUPPORT_DEVICES;
    if (r->nranks > most) // on GPUs, whose number judge_needs() doesn't know
        return lab_note_wrong("rank 0 drives one device of its node for each "
                              "rank, so start at most %d ranks",
                              most);
    support_gather(r, e, all);
    float *const scratch = lab_buffer(r, e->m.count * sizeof *scratch);
    if (r->rank == 0)
        support_make_replicas(replicas, r->nranks, e);
    lab_begin(r);
    for (int i = 0; r->rank == 0 && i < e->task.steps; i++) {
        LAB_TRY(dp_step(replicas, r->nranks, all[i].x, all[i].target,
                        &e->optimizer, scratch));
        CUDA_MUST(nn_values(&replicas[0].m, e->shown[i]));
    }
    lab_end(r);
    if (r->rank == 0) {
        support_drop_replicas(replicas, r->nranks);
        exercise_show(e, r);
    }
    return ncclSuccess;
}

/* ---- part 5 -------------------------------------------------------------- */

static ncclResult_t run_comms(struct lab_run *r)
{
    const size_t count = (size_t)plan_int(r->c, "count", 1024);
    const int steps = (int)plan_int(r->c, "steps", 3);
    const struct sync s = {r->comm, r->rank, r->nranks, r->stream, NULL};
    float *const buf = lab_input(r, count, DATA_FLOAT);
    lab_begin(r);
    if (plan_int(r->c, "reuse", 1))
        LAB_TRY(mean_with_one_comm(buf, count, steps, r->mpi_comm, &s));
    else
        LAB_TRY(mean_with_new_comms(buf, count, steps, r->mpi_comm, &s));
    lab_end(r);
    lab_output(r, "mean", buf, count * sizeof *buf);
    return ncclSuccess;
}

/* ---- real data: --train -------------------------------------------------- */

static ncclResult_t train_begin(void *arg, struct nn *m)
{
    return sync_broadcast(m, arg);
}

static ncclResult_t train_step(void *arg, struct nn *m,
                               const struct nn_batch *b, struct nn_optimizer *o)
{
    return sync_step(m, b, o, arg);
}

static int train(struct lab_run *r, int argc, char **argv)
{
    struct sync s = {r->comm, r->rank, r->nranks, r->stream, NULL};
    return train_main(r, &(struct trainer){train_begin, train_step, &s}, argc,
                      argv);
}

static const struct lab_kind kinds[] = {
    {"broadcast", run_broadcast},
    {"gradients", run_gradients},
    {"train", run_train},
    {"assign", run_assign},
    {"data_parallel", run_data_parallel},
    {"comms", run_comms},
    {NULL, NULL},
};

static const struct lab_command commands[] = {
    {"--bucket-sweep",
     "[--mb N --min-kb N --max-mb N --sizes-mb M,M,... --dtype T "
     "--output FILE.csv]: your buckets by size, in fp32, fp16 and bf16",
     compare_sweep},
    {"--compare", "[--tensor-mb N]: the methods of this lab, side by side",
     compare_ways},
    {"--train", "--data FILE [--steps N --batch N]: train on the bytes of FILE",
     train},
    {NULL, NULL, NULL},
};

const struct lab lab = {
    .name = "lab2-gradient-sync",
    .brief = "one network on many devices, kept identical",
    .kinds = kinds,
    .commands = commands,
    .release = exercise_release,
};
