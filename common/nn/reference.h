/*
 * reference.h: the same network in double, by plain loops
 *
 * For judges: it knows nothing of GPUs and is right to 15 digits, so any
 * difference is an error of the other side. Rows of many devices and
 * micro-batches are added up one after the other, as if one device had them
 * all.
 */
#ifndef COMMLAB_NN_REFERENCE_H
#define COMMLAB_NN_REFERENCE_H

#include "nn/shape.h"

struct reference {
    struct nn_shape shape;
    size_t count;     /* of all matrices, each once, in order of registration */
    double *w, *grad; /* (count) */
    double *m, *v;    /* AdamW's state */
    int step;         /* AdamW's steps so far */
};

/* With the weights of a seed. NULL: no memory, or an invalid shape. */
struct reference *reference_new(const struct nn_shape *shape, uint64_t seed);
void reference_free(struct reference *r);

void reference_zero_grad(struct reference *r);

/*
 * Forward and backward pass of shape.rows rows: adds scale * d(loss)/dW to
 * grad, except for frozen layers, and returns the loss. skip: see struct nn.
 */
double reference_pass(struct reference *r, const float *x, const void *target,
                      double scale, uint64_t skip);

/* Like reference_pass(), with input and target from a seed. */
double reference_pass_seed(struct reference *r, uint64_t seed, double scale,
                           uint64_t skip);

/* Shrink the gradient, if its norm is above `most`, to that norm. */
void reference_clip(struct reference *r, double most);

/* Update the parameters, except frozen ones. */
void reference_sgd(struct reference *r, double lr);
void reference_adamw(struct reference *r, double lr, double beta1, double beta2,
                     double eps, double decay);

/* The first element of layer l's matrix in w, grad, m and v. */
size_t reference_at(const struct reference *r, int l);

#endif
