/*
 * blocks.h: a transformer as a network of layers (nn/shape.h)
 *
 * For mlp.c: each function does what its namesake there promises. The network
 * owns the parameters, one for each layer; a pass points the transformer's own
 * (nn/lm.h) into them, layer by layer, so the caller may move a layer's
 * parameter between passes.
 */
#ifndef COMMLAB_NN_BLOCKS_H
#define COMMLAB_NN_BLOCKS_H

#include "nn/mlp.h"

cudaError_t blocks_init(struct nn *m, const struct lm_how *how);
void blocks_release(struct nn *m); /* nothing for a perceptron */
void blocks_begin(struct nn *m);
cudaError_t blocks_forward(struct nn *m, int l);
cudaError_t blocks_backward(struct nn *m, int l);

#endif
