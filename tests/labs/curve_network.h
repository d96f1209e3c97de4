/*
 * curve_network.h: curve.h's transformer as a struct nn, of which each rank
 * trains on its own sequences; included once
 */
#ifndef LABS_CURVE_NETWORK_H
#define LABS_CURVE_NETWORK_H

#include "curve_ranks.h"
#include "nn/mlp.h"

static void curve_network(const struct curve *c, struct nn *m)
{
    const struct lm_shape *const s = &curve_shape;
    const struct nn_shape shape = {.depth = s->layers + 2,
                                   .in = 1,
                                   .hidden = s->width,
                                   .out = s->vocabulary,
                                   .rows = CURVE_SEQUENCES / c->nranks *
                                           CURVE_CONTEXT,
                                   .loss = NN_CROSS_ENTROPY,
                                   .heads = s->heads,
                                   .context = s->context,
                                   .feed = s->hidden};
    CUDA_MUST(nn_init(m, &shape, c->stream));
    CUDA_MUST(nn_fill(m, CURVE_SEED));
}

/* Train, a step after the other, by a lab's function. */
static void curve_train(const struct curve *c, struct nn *m,
                        ncclResult_t (*step)(void *arg,
                                             const struct nn_batch *b),
                        void *arg)
{
    const int mine = CURVE_SEQUENCES / c->nranks;
    for (int i = 0; i < CURVE_STEPS; i++) {
        double loss;
        const struct lm_batch b =
            curve_tokens(i, c->rank * mine, mine, 0, CURVE_CONTEXT);
        NCCL_MUST(step(
            arg, &(struct nn_batch){.token = b.token, .target = b.target}));
        CUDA_MUST(nn_read_loss(m, &loss));
        CUDA_MUST(cudaDeviceSynchronize());
        CUDA_MUST(cudaFree((void *)b.token));
        curve_print(c, loss);
    }
}

#endif
