/*
 * optimizer.h: SGD and AdamW over all parameters of a network
 */
#ifndef COMMLAB_NN_OPTIMIZER_H
#define COMMLAB_NN_OPTIMIZER_H

#include "nn/mlp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nn_optimizer {
    enum nn_optimizer_kind kind;
    struct nn_hyper hyper;
    int step;     /* updates applied so far */
    float *state; /* AdamW: m, then v, of count floats each; NULL for SGD */
    size_t count; /* elements of all parameters, each counted once */
};

/* Allocate the optimizer's state for m's parameters, zeroed. Blocks. */
cudaError_t nn_optimizer_init(struct nn_optimizer *o, const struct nn *m,
                              enum nn_optimizer_kind kind,
                              const struct nn_hyper *hyper);
void nn_optimizer_release(struct nn_optimizer *o);

/* Update every trained parameter from its gradient, on m's stream. */
cudaError_t nn_optimizer_step(struct nn_optimizer *o, struct nn *m);

#ifdef __cplusplus
}
#endif
#endif
