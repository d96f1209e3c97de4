/*
 * lm_reference.h: the same transformer in double, in the plainest loops
 *
 * For judges, like reference.h: it uses no GPU code. In bf16 it rounds what the
 * model on the device rounds (operands of products with weights, and parameters
 * where passes read them) and nothing else. So the two differ only by sums in
 * float, and by operands for which such a sum changes which neighbour they
 * round to.
 */
#ifndef COMMLAB_NN_LM_REFERENCE_H
#define COMMLAB_NN_LM_REFERENCE_H

#include "nn/lm_shape.h"

struct lm_reference {
    struct lm_shape shape;
    size_t count;     /* elements of all parameters, in order of registration */
    double *w, *grad; /* (count); w is the master */
    double *m, *v;    /* AdamW's state */
    int step;         /* AdamW's steps so far */
};

/* Make one with the weights of a seed. NULL if memory runs out or the
 * shape is invalid. */
struct lm_reference *lm_reference_new(const struct lm_shape *shape,
                                      uint64_t seed);
void lm_reference_free(struct lm_reference *r);

void lm_reference_zero_grad(struct lm_reference *r);

/* Forward and backward pass for lm_rows() tokens: adds scale * d(loss)/dw to
 * grad, and returns the loss. NAN if memory runs out. */
double lm_reference_pass(struct lm_reference *r, const uint8_t *token,
                         const uint8_t *target, double scale);

/* The same with tokens and targets drawn from a seed. */
double lm_reference_pass_seed(struct lm_reference *r, uint64_t seed,
                              double scale);

/* Apply one AdamW step to all parameters (see nn_adamw()). */
void lm_reference_adamw(struct lm_reference *r, double lr, double beta1,
                        double beta2, double eps, double decay);

#endif
