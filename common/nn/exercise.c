#include "nn/exercise.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "base/must.h"

static struct exercise the; /* one at a time */

void exercise_release(void)
{
    if (!the.m.param)
        return;
    nn_optimizer_release(&the.optimizer);
    nn_release(&the.m);
    memset(&the, 0, sizeof the);
}

static struct nn_batch make_batch(struct lab_run *r, const struct nn_shape *s,
                                  uint64_t seed)
{
    const size_t nx = (size_t)s->rows * (size_t)s->in, nt = nn_target_count(s);
    const size_t target_nbytes = nt * nn_target_size(s);
    float *const x = malloc(nx * sizeof *x + target_nbytes + 1);
    if (!x)
        must_stop(__FILE__, __LINE__, "malloc", "out of memory");
    float *const target = x + nx;
    for (size_t i = 0; i < nx; i++)
        x[i] = nn_input(seed, i);
    for (size_t i = 0; i < nt; i++)
        if (s->loss == NN_CROSS_ENTROPY)
            ((uint8_t *)target)[i] = nn_target_byte(s, seed, i);
        else
            target[i] = nn_target(seed, i);
    const struct nn_batch b = {
        .x = lab_upload(r, x, nx * sizeof *x),
        .target = nt ? lab_upload(r, target, target_nbytes) : NULL};
    free(x);
    return b;
}

struct exercise *exercise_of(struct lab_run *r, const struct nn_task *k)
{
    exercise_release();
    if (k->steps > EXERCISE_STEPS || k->micro > EXERCISE_MICRO)
        must_stop(__FILE__, __LINE__, "exercise_of",
                  "more steps or micro-batches than EXERCISE_STEPS, "
                  "EXERCISE_MICRO");
    CUDA_MUST(nn_init(&the.m, &k->shape, r->stream));
    CUDA_MUST(nn_fill(&the.m, r->seed));
    CUDA_MUST(
        nn_optimizer_init(&the.optimizer, &the.m, k->optimizer, &k->hyper));
    the.task = *k;
    for (int step = 0; step < k->steps; step++) {
        for (int j = 0; j < k->micro; j++)
            the.batch[step][j] =
                make_batch(r, &k->shape, nn_data_seed(r->seed, step, j));
        the.shown[step] = lab_buffer(r, the.m.count * sizeof(float));
    }
    return &the;
}

struct exercise *exercise_new(struct lab_run *r)
{
    const struct nn_task k = nn_task_of(r->c);
    return exercise_of(r, &k);
}

void exercise_same(struct exercise *e, struct lab_run *r)
{
    NCCL_MUST(ncclBroadcast(e->m.weights, e->m.weights, e->m.count, ncclFloat,
                            0, r->comm, r->stream));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
}

const struct nn_batch *exercise_batch(const struct exercise *e, int step,
                                      int micro)
{
    return &e->batch[step % e->task.steps][micro % e->task.micro];
}

void exercise_note(struct exercise *e, int step)
{
    CUDA_MUST(nn_values(&e->m, e->shown[step]));
}

void exercise_show(struct exercise *e, struct lab_run *r)
{
    char name[NN_OUTPUT_NAME];
    for (int step = 0; step < e->task.steps; step++)
        lab_output(r, nn_task_output(step, name), e->shown[step],
                   e->m.count * sizeof(float));
}
