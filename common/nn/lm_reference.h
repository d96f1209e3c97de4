/*
 * lm_reference.h: the same transformer in double, by the plainest possible
 * loops
 *
 * For judges, like reference.h: it knows nothing of GPUs. In bf16 it rounds
 * what the model on the device rounds (operands of products with weights, and
 * parameters where passes read them) and nothing else, so what remains between
 * the two are sums in float, and operands that these tip over to the other
 * neighbour.
 */
#ifndef COMMLAB_NN_LM_REFERENCE_H
#define COMMLAB_NN_LM_REFERENCE_H

#include "nn/lm_shape.h"

struct lm_reference {
    struct lm_shape shape;
    size_t count;     /* of all parameters, in order of registration */
    double *w, *grad; /* (count); w is the master */
    double *m, *v;    /* AdamW's state */
    int step;         /* AdamW's steps so far */
};

/* With the weights of a seed. NULL: no memory, or an invalid shape. */
struct lm_reference *lm_reference_new(const struct lm_shape *shape,
                                      uint64_t seed);
void lm_reference_free(struct lm_reference *r);

void lm_reference_zero_grad(struct lm_reference *r);

/* Forward and backward pass of lm_rows() tokens: adds scale * d(loss)/dw to
 * grad, and returns the loss. NAN: no memory. */
double lm_reference_pass(struct lm_reference *r, const uint8_t *token,
                         const uint8_t *target, double scale);

/* Like lm_reference_pass(), with tokens and targets from a seed. */
double lm_reference_pass_seed(struct lm_reference *r, uint64_t seed,
                              double scale);

/* One AdamW step of all parameters (see nn_adamw()). */
void lm_reference_adamw(struct lm_reference *r, double lr, double beta1,
                        double beta2, double eps, double decay);

#endif
