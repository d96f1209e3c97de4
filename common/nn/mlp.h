/*
 * mlp.h: the network of labs 2 to 4, on one device
 *
 * A step is
 *
 *     nn_zero_grad(m);
 *     nn_forward(m, batch);                     y
 *     nn_backward(m, scale, hook, arg);         the loss; adds to the gradients
 *     ...make them everybody's...
 *     nn_sgd(p->value, p->grad, ...)            each parameter that is trained
 *
 * Everything is enqueued on the network's stream; only nn_read_loss() waits.
 * Parameters are in m->param, in the order of registration: one for each layer,
 * also for a layer that shares another's matrix. p->value and p->grad are device
 * memory of the network; p->grad may be pointed elsewhere (a view of a bucket),
 * of all parameters that share the matrix. A frozen parameter has no gradient.
 *
 * Functions return cudaSuccess, or why they enqueued nothing. The device that
 * was current at nn_init() has to be current at every call.
 */
#ifndef COMMLAB_NN_MLP_H
#define COMMLAB_NN_MLP_H

#include "nn/ops.h"
#include "nn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nn_batch {   /* rows of a micro-batch, on the device */
    const float *x; /* (rows, in) */
    const void
        *target; /* nn_target_count() of them; NULL if the loss has none */
};

struct nn_param {
    char name[24];  /* "layer3.weight" */
    int rows, cols; /* in, out of its layer */
    size_t count;   /* rows * cols */
    float *value;   /* (rows, cols) */
    float *grad;    /* likewise; NULL: frozen */
    int frozen;     /* not trained */
    int tied;       /* the parameter whose memory it shares, or -1 */
};

struct nn {
    struct nn_shape shape;
    cudaStream_t stream;
    cublasHandle_t blas; /* on stream; its math mode is yours to set */
    uint64_t skip;       /* bit l: layer l is skipped, if it may be */
    int nparams;
    struct nn_param *param;
    /* below: mlp.c's */
    float *weights, *grads;     /* memory of all parameters */
    size_t count;               /* floats in each */
    struct nn_batch batch;      /* of the last forward pass */
    float *z[NN_MAX_DEPTH];     /* (rows, out_l): before gelu */
    float *a[NN_MAX_DEPTH + 1]; /* a[l]: input of layer l; a[depth] = y */
    float *dz, *da;  /* (rows, widest), of the layer that goes back */
    float *row_loss; /* (rows) */
};

/*
 * Make the network on the current device. cudaErrorInvalidValue: a shape that
 * can't be (nn_shape_problem() says why).
 */
cudaError_t nn_init(struct nn *m, const struct nn_shape *shape,
                    cudaStream_t stream);
void nn_release(struct nn *m); /* waits for the device */

/* Parameters as they follow from a seed. Waits. */
cudaError_t nn_fill(struct nn *m, uint64_t seed);

/* Is the gradient of this parameter somebody's own, and needed? No for a frozen
 * parameter, and for one that shares another's memory. */
int nn_is_trained(const struct nn *m, int param);

/* Copy all parameters, each once, in order of registration, to out: m->count
 * floats on the device. */
cudaError_t nn_values(const struct nn *m, float *out);

cudaError_t nn_zero_grad(struct nn *m);

/* The batch's memory stays the caller's, and in use until the backward pass is
 * done. */
cudaError_t nn_forward(struct nn *m, const struct nn_batch *b);

/*
 * Called when the work that completes a parameter's gradient has been enqueued:
 * once for each that is trained and used, from the last to the first. A tied
 * one is complete when both of its layers have been passed. Not 0: stop.
 */
typedef int nn_hook(void *arg, int param);

/*
 * Add scale * d(loss)/d(parameter) to the gradients, layer by layer from the
 * last. hook may be NULL. If it stops the pass: cudaErrorUnknown.
 */
cudaError_t nn_backward(struct nn *m, float scale, nn_hook *hook, void *arg);

/* The loss of the last forward and backward pass, not scaled. Waits. */
cudaError_t nn_read_loss(struct nn *m, double *loss);

#ifdef __cplusplus
}
#endif
#endif
