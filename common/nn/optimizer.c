#include "nn/optimizer.h"

#include <string.h> /* memset */

cudaError_t nn_optimizer_init(struct nn_optimizer *o, const struct nn *m,
                              enum nn_optimizer_kind kind,
                              const struct nn_hyper *hyper)
{
    memset(o, 0, sizeof *o);
    o->kind = kind;
    o->hyper = *hyper;
    o->count = m->count;
    if (kind == NN_SGD)
        return cudaSuccess;
    const size_t nbytes = 2 * m->count * sizeof *o->state;
    cudaError_t err = cudaMalloc((void **)&o->state, nbytes);
    if (err == cudaSuccess)
        err = cudaMemsetAsync(o->state, 0, nbytes, m->stream);
    return err == cudaSuccess ? cudaStreamSynchronize(m->stream) : err;
}

void nn_optimizer_release(struct nn_optimizer *o)
{
    cudaFree(o->state);
    memset(o, 0, sizeof *o);
}

cudaError_t nn_optimizer_step(struct nn_optimizer *o, struct nn *m)
{
    size_t at = 0;
    o->step++;
    for (int i = 0; i < m->nparams; i++) {
        const struct nn_param *const p = &m->param[i];
        cudaError_t err = cudaSuccess;
        if (p->tied >= 0)
            continue;
        if (!p->frozen && o->kind == NN_SGD)
            err = nn_sgd(p->value, p->grad, &o->hyper, p->count, m->stream);
        else if (!p->frozen)
            err = nn_adamw(p->value, p->grad, o->state + at,
                           o->state + o->count + at, o->step, &o->hyper,
                           p->count, m->stream);
        if (err != cudaSuccess)
            return err;
        at += p->count;
    }
    return cudaSuccess;
}
