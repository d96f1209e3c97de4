/*
 * reference.h: the same network in double, in plain loops
 *
 * For judges: it uses no GPU code and is right to 15 digits, so any difference
 * is an error of the other side. Rows of several devices and micro-batches are
 * added up one after the other, as if a single device had them all.
 */
#ifndef COMMLAB_NN_REFERENCE_H
#define COMMLAB_NN_REFERENCE_H

#include "nn/shape.h"

struct reference {
    struct nn_shape shape;
    size_t count;     /* elements of all matrices, each counted once, in order
                         of registration */
    double *w, *grad; /* (count) */
    double *m, *v;    /* AdamW's state */
    int step;         /* AdamW's steps so far */
};

/* Make one with the weights of a seed. NULL if memory runs out or the
 * shape is invalid. */
struct reference *reference_new(const struct nn_shape *shape, uint64_t seed);
void reference_free(struct reference *r);

void reference_zero_grad(struct reference *r);

/*
 * Forward and backward pass for shape.rows rows, with input and target from a
 * seed: adds scale * d(loss)/dW to grad, except for frozen layers, and returns
 * the loss. For skip see struct nn.
 */
double reference_pass_seed(struct reference *r, uint64_t seed, double scale,
                           uint64_t skip);

/* Scale the gradient down to norm `most` if its norm is larger. */
void reference_clip(struct reference *r, double most);

/* Update the parameters, except frozen ones. */
void reference_sgd(struct reference *r, double lr);
void reference_adamw(struct reference *r, double lr, double beta1, double beta2,
                     double eps, double decay);

/* The first element of layer l's matrix in w, grad, m and v. */
size_t reference_at(const struct reference *r, int l);

#endif
