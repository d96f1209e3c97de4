/*
 * cases_checkpoints.c: runs the cases of part 6, which save and load
 * checkpoints. Given: nothing to edit here.
 */
#include <math.h>   /* NAN */
#include <stdlib.h> /* malloc */

#include "base/must.h"
#include "cases.h"
#include "disk.h"
#include "judge/data.h"
#include "nn/draws.h"

static struct { /* the training resumed on fewer ranks */
    struct nn m;
    struct shard shard;
    ncclComm_t comm;
} next;
static struct disk disk;

void checkpoints_release(void)
{
    shard_release(&next.shard);
    if (next.m.param)
        nn_release(&next.m);
    if (next.comm)
        ncclCommDestroy(next.comm);
    next.comm = NULL;
    disk_clear(&disk);
}

static float *const *arrays(struct shard *s)
{
    static float *all[3];
    all[0] = s->value;
    all[1] = s->adam_m;
    all[2] = s->adam_v;
    return all;
}

/* Save shares that are the rank's input, each with a different factor. */
ncclResult_t run_save(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const size_t total = split_of(r->c, r->nranks).total;
    struct checkpoint c = {.per_unit = cases_per_unit(r), .disk = &disk};
    const float *const in = lab_input(r, 3 * total, DATA_FLOAT);
    LAB_TRY(cases_begin(r, e));
    lab_begin(r);
    for (int i = 0; i < 3; i++)
        CUDA_MUST(cudaMemcpyAsync(arrays(&cases_shard)[i],
                                  in + (size_t)i * total, total * sizeof *in,
                                  cudaMemcpyDeviceToDevice, r->stream));
    cases_shard.step = 5;
    LAB_TRY(checkpoint_save(&cases_shard, &c));
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

/* Make the files of `from` ranks, as if they had saved them. The zeros at the
 * end of their units hold values that must not be used. */
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

ncclResult_t run_load(struct lab_run *r)
{
    static const char *const names[] = {"value", "m", "v"};
    struct exercise *const e = exercise_new(r);
    struct checkpoint c = {.nranks = (int)plan_int(r->c, "from", 3),
                           .per_unit = cases_per_unit(r),
                           .step = 7,
                           .disk = &disk};
    LAB_TRY(cases_begin(r, e));
    make_files(r, &c);
    lab_begin(r);
    LAB_TRY(checkpoint_load(&cases_shard, &c));
    lab_end(r);
    for (int i = 0; i < 3; i++)
        cases_show(r, names[i], arrays(&cases_shard)[i]);
    lab_metric(r, "step", cases_shard.step);
    lab_metric(r, "nread", (double)disk.nread);
    return ncclSuccess;
}

/* A newly initialised network, sharded among ranks 0 .. onto-1. */
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
                       cases_per_unit(r), &k->hyper));
    next.shard.max_norm = (float)k->clip;
    return ncclSuccess;
}

/* Train on all ranks up to step `resume`, save, and resume on fewer. */
static ncclResult_t train_twice(struct lab_run *r, struct exercise *e)
{
    const struct nn_task *const k = &e->task;
    struct checkpoint c = {.per_unit = cases_per_unit(r), .disk = &disk};
    LAB_TRY(zero3_open(&cases_shard));
    for (int i = 0; i < k->resume; i++) {
        LAB_TRY(zero3_step(&cases_shard, exercise_batch(e, i, 0), k->micro));
        LAB_TRY(cases_keep(e, &cases_shard, i));
    }
    LAB_TRY(checkpoint_save(&cases_shard, &c));
    disk_share(&c, r->nranks, r->mpi_comm);
    if (r->rank >= k->onto)
        return ncclSuccess;
    LAB_TRY(checkpoint_load(&next.shard, &c));
    LAB_TRY(zero3_open(&next.shard));
    for (int i = k->resume; i < k->steps; i++) {
        LAB_TRY(zero3_step(&next.shard, exercise_batch(e, i, 0), k->micro));
        LAB_TRY(cases_keep(e, &next.shard, i));
    }
    return ncclSuccess;
}

ncclResult_t run_resume(struct lab_run *r)
{
    struct exercise *const e = exercise_new(r);
    const struct nn_task *const k = &e->task;
    e->task.onto = k->onto < r->nranks ? k->onto : r->nranks;
    const struct split all = split_of(r->c, r->nranks),
                       few = split_of(r->c, k->onto);
    for (int i = 0; i < k->steps; i++)
        cases_kept[i] = lab_buffer(r, few.total * sizeof(float));
    LAB_TRY(cases_begin(r, e));
    LAB_TRY(begin_next(r, k));
    lab_begin(r);
    LAB_TRY(train_twice(r, e));
    lab_end(r);
    for (int i = 0; i < k->steps; i++) {
        if (i < k->resume)
            cases_gather(r, e, &all, r->comm, i);
        else if (r->rank < k->onto)
            cases_gather(r, e, &few, next.comm, i);
        NCCL_MUST(ncclBroadcast(e->shown[i], e->shown[i], e->m.count, ncclFloat,
                                0, r->comm, r->stream));
    }
    exercise_show(e, r);
    return ncclSuccess;
}
