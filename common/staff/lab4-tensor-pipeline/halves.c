/*
 * halves.c: the passes of a stage whose backward passes come in two halves, and
 * the peers of their messages. Given: nothing to edit here.
 */
#include <string.h> /* memset */

#include "judge_model.h" /* model_run */
#include "lab/try.h"     /* LAB_TRY, LAB_TRY_CUDA */
#include "lab4.h"

/* ---- the parts of a struct zero ------------------------------------------ */

_Static_assert((int)ZERO_BUFFERS == MODEL_BUFFERS, "the judge knows them");

static ncclResult_t make(struct zero *z, int kind, int chunk, ncclComm_t comm)
{
    const struct nn_shape *const s = &z->stage->c.shape;
    const size_t nbytes = (size_t)s->rows * (size_t)s->hidden * sizeof(float);
    const unsigned flags = cudaEventDisableTiming;
    int rank;
    LAB_TRY(ncclCommUserRank(comm, &rank));
    LAB_TRY(ncclCommSplit(comm, 0, rank, &z->comm[kind][chunk], NULL));
    LAB_TRY_CUDA(cudaStreamCreateWithFlags(&z->send[kind][chunk],
                                           cudaStreamNonBlocking));
    for (int i = 0; i < ZERO_BUFFERS; i++) {
        struct zero_out *const o = &z->out[kind][chunk][i];
        LAB_TRY_CUDA(cudaEventCreateWithFlags(&o->ready, flags));
        LAB_TRY_CUDA(cudaEventCreateWithFlags(&o->sent, flags));
        LAB_TRY_CUDA(cudaMalloc((void **)&o->buf, nbytes));
    }
    return ncclSuccess;
}

static void drop(struct zero *z, int kind, int chunk)
{
    for (int i = 0; i < ZERO_BUFFERS; i++) {
        struct zero_out *const o = &z->out[kind][chunk][i];
        if (o->ready)
            cudaEventDestroy(o->ready);
        if (o->sent)
            cudaEventDestroy(o->sent);
        cudaFree(o->buf);
    }
    if (z->send[kind][chunk])
        cudaStreamDestroy(z->send[kind][chunk]);
    if (z->comm[kind][chunk])
        ncclCommDestroy(z->comm[kind][chunk]);
}

ncclResult_t zero_init(struct zero *z, struct stage *stage, ncclComm_t comm)
{
    memset(z, 0, sizeof *z);
    z->stage = stage;
    for (int kind = 0; kind < 2; kind++)
        for (int chunk = 0; chunk < stage->c.nchunks; chunk++)
            LAB_TRY(make(z, kind, chunk, comm));
    return ncclSuccess;
}

void zero_release(struct zero *z)
{
    cudaDeviceSynchronize();
    for (int kind = 0; kind < 2; kind++)
        for (int chunk = 0; chunk < ZERO_CHUNKS; chunk++)
            drop(z, kind, chunk);
    memset(z, 0, sizeof *z);
}

/* ---- messages ------------------------------------------------------------ */

struct place { /* in the network */
    int stage, chunk;
};

/* The place of the run that is `step` runs after a chunk of this stage; stage
 * is -1 if the network has no such run. */
static struct place place_at(const struct stage *s, int chunk, int step)
{
    const int n = s->c.nstages;
    const int run = model_run(n, s->c.vee, s->c.index, chunk) + step;
    if (run < 0 || run >= n * s->c.nchunks)
        return (struct place){-1, 0};
    return s->c.vee && run >= n ? (struct place){2 * n - 1 - run, 1}
                                : (struct place){run % n, run / n};
}

/* The buffer of an action's result, which turn() also reads. */
static const struct zero_out *result(const struct zero *z, int kind, int micro,
                                     int chunk)
{
    return &z->out[kind][chunk][micro % ZERO_BUFFERS];
}

/* The message between an action and the one `step` runs after it. */
static struct zero_message between(const struct zero *z,
                                   const struct pipe_action *a, int step)
{
    const struct stage *const s = z->stage;
    const struct place other = place_at(s, a->chunk, step);
    return (struct zero_message){
        .count = (size_t)s->c.shape.rows * (size_t)s->c.shape.hidden,
        .peer = other.stage == s->c.index ? -1 : other.stage,
        .comm = z->comm[a->kind][a->chunk],
        .send = z->send[a->kind][a->chunk],
    };
}

struct zero_message zero_input(const struct zero *z,
                               const struct pipe_action *a)
{
    if (a->kind == PIPE_WEIGHTS)
        return (struct zero_message){.peer = -1};
    const int forward = a->kind == PIPE_FORWARD;
    struct zero_message m = between(z, a, forward ? -1 : 1);
    struct slot *const k =
        forward ? stage_slot(z->stage, a->chunk, a->micro) : NULL;
    m.buf = k ? k->x[0].data : forward ? NULL : z->stage->dy;
    return m;
}

struct zero_message zero_output(const struct zero *z,
                                const struct pipe_action *a)
{
    if (a->kind == PIPE_WEIGHTS)
        return (struct zero_message){.peer = -1};
    struct zero_message m = between(z, a, a->kind == PIPE_FORWARD ? 1 : -1);
    const struct zero_out *const o = result(z, a->kind, a->micro, a->chunk);
    m.buf = o->buf;
    m.ready = o->ready;
    m.sent = o->sent;
    return m;
}

/* ---- passes -------------------------------------------------------------- */

/* If the run that is `step` runs after this one is also on this stage, copy its
 * result to `in`. */
static ncclResult_t turn(const struct zero *z, const struct pipe_action *a,
                         int step, float *in)
{
    const struct stage *const s = z->stage;
    const struct place from = place_at(s, a->chunk, step);
    if (from.stage != s->c.index)
        return ncclSuccess;
    LAB_TRY_CUDA(cudaMemcpyAsync(
        in, result(z, a->kind, a->micro, from.chunk)->buf,
        (size_t)s->c.shape.rows * (size_t)s->c.shape.hidden * sizeof *in,
        cudaMemcpyDeviceToDevice, s->stream));
    return ncclSuccess;
}

static ncclResult_t forward(const struct zero *z, const struct pipe_action *a,
                            struct slot *k)
{
    LAB_TRY(turn(z, a, -1, k->x[0].data));
    return slot_forward(z->stage, k,
                        result(z, a->kind, a->micro, a->chunk)->buf);
}

/* From s->dy, or the loss, to out. */
static ncclResult_t inputs(const struct zero *z, const struct pipe_action *a,
                           struct slot *k)
{
    struct stage *const s = z->stage;
    const int first = s->begin[k->chunk], n = s->begin[k->chunk + 1] - first;
    float *dy = s->dy;
    LAB_TRY(turn(z, a, 1, s->dy));
    if (stage_is_last(s, k->chunk))
        LAB_TRY(slot_loss(s, k));
    for (int i = n - 1; i >= 0; i--) {
        const struct block *const b = &s->block[first + i];
        const int rows = k->input.rows;
        float *const dx = i == 0 ? result(z, a->kind, a->micro, a->chunk)->buf
                          : dy == s->dy ? s->dx
                                        : s->dy;
        LAB_TRY(zero_inputs(&s->tp, b, &k->saved[i],
                            (struct matrix){dy, rows, b->b.cols},
                            (struct matrix){s->scratch, rows, b->a.cols},
                            (struct matrix){dx, rows, b->a.rows}));
        dy = dx;
    }
    return ncclSuccess;
}

static ncclResult_t weights(const struct zero *z, struct slot *k)
{
    const struct stage *const s = z->stage;
    const int first = s->begin[k->chunk], n = s->begin[k->chunk + 1] - first;
    for (int i = n - 1; i >= 0; i--)
        LAB_TRY(zero_weights(&s->tp, &s->block[first + i],
                             i == 0 ? k->input : k->x[i], &k->saved[i]));
    k->in_use = 0;
    return ncclSuccess;
}

ncclResult_t zero_pass(const struct zero *z, const struct pipe_action *a)
{
    struct slot *const k = stage_slot(z->stage, a->chunk, a->micro);
    if (!k)
        return ncclSystemError;
    stage_enter(z->stage, (int)a->kind, a->chunk, a->micro);
    const ncclResult_t err = a->kind == PIPE_FORWARD    ? forward(z, a, k)
                             : a->kind == PIPE_BACKWARD ? inputs(z, a, k)
                                                        : weights(z, k);
    stage_leave(z->stage, (int)a->kind, a->chunk, a->micro);
    return err;
}
