#include "nn/exercise.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* memset */

#include "base/must.h"
#include "nn/draws.h"

static struct exercise the; /* the current exercise; there is one at a time */

void exercise_release(void)
{
    if (!the.m.param)
        return;
    nn_optimizer_release(&the.optimizer);
    nn_release(&the.m);
    memset(&the, 0, sizeof the);
}

/* A transformer's tokens and targets. */
static struct nn_batch make_tokens(struct lab_run *r, const struct nn_shape *s,
                                   int step, int micro)
{
    struct draw_ask d = {
        .what = NN_DRAW_BYTES,
        .npath = 3,
        .path = {(uint64_t)step, (uint64_t)micro, LM_PATH_TOKEN},
        .arg = {s->out}};
    const size_t n = (size_t)s->rows;
    const uint8_t *const token = lab_draw_buffer(r, &d, n);
    d.path[2] = LM_PATH_TARGET;
    return (struct nn_batch){.token = token,
                             .target = lab_draw_buffer(r, &d, n)};
}

static struct nn_batch make_batch(struct lab_run *r, const struct nn_shape *s,
                                  int step, int micro)
{
    const size_t nx = (size_t)s->rows * (size_t)s->in, nt = nn_target_count(s);
    const int bytes = s->loss == NN_CROSS_ENTROPY;
    if (s->heads)
        return make_tokens(r, s, step, micro);
    struct draw_ask x = {
        .what = NN_DRAW_FLOATS,
        .npath = 3,
        .path = {(uint64_t)step, (uint64_t)micro, NN_PATH_INPUT},
        .arg = {nn_draw_factor(1)}};
    struct draw_ask target = x;
    target.path[2] = bytes ? NN_PATH_TARGET_BYTE : NN_PATH_TARGET;
    if (bytes) {
        target.what = NN_DRAW_BYTES;
        target.arg[0] = s->out;
    }
    return (struct nn_batch){
        .x = lab_draw_buffer(r, &x, nx * sizeof(float)),
        .target =
            nt ? lab_draw_buffer(r, &target, nt * nn_target_size(s)) : NULL};
}

/* Fill a layer of a transformer, parameter by parameter. */
static void make_layer(struct lab_run *r, const struct nn *m, int l)
{
    const struct lm_shape s = nn_lm_shape(&m->shape);
    float *to = m->param[l].value;
    for (int p = nn_lm_param(&m->shape, l); p < nn_lm_param(&m->shape, l + 1);
         p++) {
        const struct draw_ask d = {.what = NN_DRAW_FLOATS,
                                   .npath = 2,
                                   .path = {(uint64_t)p, NN_PATH_INPUT},
                                   .arg = {nn_draw_factor(lm_reach(&s, p))}};
        const size_t count = lm_param_count(&s, p);
        lab_fill(r, &d, to, count * sizeof *to);
        if (lm_is_gain(&s, p))
            CUDA_MUST(nn_shift(to, 1, count, m->stream));
        to += count;
    }
}

/* Fill the parameters from the rank's own seed. */
static void make_weights(struct lab_run *r, struct nn *m)
{
    for (int l = 0; l < m->nparams; l++) {
        if (m->lm) {
            make_layer(r, m, l);
            continue;
        }
        const struct draw_ask d = {
            .what = NN_DRAW_FLOATS,
            .npath = 1,
            .path = {(uint64_t)nn_layer_param(&m->shape, l)},
            .arg = {nn_draw_factor(nn_reach(&m->shape, l))}};
        if (m->param[l].tied < 0)
            lab_fill(r, &d, m->param[l].value,
                     m->param[l].count * sizeof(float));
    }
}

struct exercise *exercise_of(struct lab_run *r, const struct nn_task *k)
{
    exercise_release();
    if (k->steps > EXERCISE_STEPS || k->micro > EXERCISE_MICRO)
        must_stop(__FILE__, __LINE__, "exercise_of",
                  "more steps or micro-batches than EXERCISE_STEPS, "
                  "EXERCISE_MICRO");
    CUDA_MUST(nn_init(&the.m, &k->shape, r->stream));
    make_weights(r, &the.m);
    CUDA_MUST(
        nn_optimizer_init(&the.optimizer, &the.m, k->optimizer, &k->hyper));
    the.task = *k;
    for (int step = 0; step < k->steps; step++) {
        for (int j = 0; j < k->micro; j++)
            the.batch[step][j] = make_batch(r, &k->shape, step, j);
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
