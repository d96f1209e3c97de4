/*
 * curve.h: one training run of a transformer, which programs repeat with the
 * parallel functions of different labs
 *
 * A step has CURVE_SEQUENCES sequences, which ranks divide among them, or
 * process together. Steps alternate between two batches, so the loss falls.
 */
#ifndef LABS_CURVE_H
#define LABS_CURVE_H

#include <stdint.h>

#include "nn/shape.h"

enum { CURVE_STEPS = 12, CURVE_SEQUENCES = 4, CURVE_CONTEXT = 16 };

static const struct lm_shape curve_shape = {.vocabulary = 61,
                                            .width = 32,
                                            .heads = 4,
                                            .hidden = 96,
                                            .layers = 3,
                                            .context = CURVE_CONTEXT,
                                            .sequences = CURVE_SEQUENCES};
static const struct nn_hyper curve_hyper = {
    .lr = 0.01F, .beta1 = 0.9F, .beta2 = 0.99F, .eps = 1e-3F, .decay = 0.01F};
enum { CURVE_SEED = 3 };

/* The seed of a step's tokens and targets. */
static inline uint64_t curve_batch(int step)
{
    return (uint64_t)(11 + step % 2);
}

#endif
