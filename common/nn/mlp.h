/*
 * mlp.h: the network of labs 2 to 4 and 8, on one device
 *
 * A step is
 *
 *     nn_zero_grad(m);
 *     nn_forward(m, batch);                     y
 *     nn_backward(m, scale, hook, arg);         the loss; adds to the gradients
 *     ...synchronise the gradients over ranks...
 *     nn_sgd(p->value, p->grad, ...)            each parameter that is trained
 *
 * Functions enqueue all work on the network's stream; they block only where
 * their contract says so. m->param holds the parameters in order of
 * registration: one for each layer, even for a layer that shares another's
 * matrix. p->value and p->grad are device memory of the network. The caller may
 * point p->grad elsewhere (into a bucket), for all parameters that share the
 * matrix. A frozen parameter has no gradient.
 *
 * A transformer (shape.heads) is trained by the same functions. Its last layer
 * reads the embedding's matrix E, too, and adds to its gradient: those of layer
 * 0, or those in head_value and head_grad, if the caller sets them.
 *
 * Functions return cudaSuccess, or the reason why they enqueued nothing. The
 * device that was current at nn_init() has to be current at every call.
 */
#ifndef COMMLAB_NN_MLP_H
#define COMMLAB_NN_MLP_H

#include "nn/ops.h"
#include "nn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nn_batch {   /* a micro-batch, on the device */
    const float *x; /* (rows, in) */
    const void
        *target; /* nn_target_count() targets; NULL if the loss has none */
    const uint8_t *token; /* a transformer's input, in place of x: (rows) */
};

struct nn_param {
    char name[24];  /* "layer3.weight" */
    int rows, cols; /* inputs and outputs of its layer */
    size_t count;   /* rows * cols */
    float *value;   /* (rows, cols) */
    float *grad;    /* (rows, cols); NULL: frozen */
    int frozen;     /* not trained */
    int tied;       /* parameter whose memory it shares, or -1 */
};

struct nn {
    struct nn_shape shape;
    cudaStream_t stream;
    cublasHandle_t blas; /* uses `stream`; you may set its math mode */
    uint64_t skip;       /* bit l: skip layer l if it may be skipped */
    int nparams;
    struct nn_param *param;
    float *head_value, *head_grad; /* a transformer's E, (out, hidden), as the
                                      last layer uses it; NULL: layer 0's */
    /* private to mlp.c and blocks.c: */
    struct lm *lm;              /* a transformer's activations; else NULL */
    float scale;                /* a transformer's: of the backward pass */
    float *weights, *grads;     /* hold all values, all gradients */
    size_t count;               /* floats in each */
    struct nn_batch batch;      /* batch of the last forward pass */
    float *z[NN_MAX_DEPTH];     /* (rows, out_l): before gelu */
    float *a[NN_MAX_DEPTH + 1]; /* a[l]: input of layer l; a[depth] = y */
    float *dz, *da;  /* (rows, widest): backward, of the current layer */
    float *row_loss; /* (rows) */
};

/*
 * Set up the network on the current device. cudaErrorInvalidValue if the shape
 * is invalid (nn_shape_problem() gives the reason).
 */
cudaError_t nn_init(struct nn *m, const struct nn_shape *shape,
                    cudaStream_t stream);
/* The same for a transformer in other ways (struct lm_how in nn/lm.h): with
 * recompute, a layer's backward step repeats its forward step; if bare, the
 * network is as nn_drop_params() leaves it. */
struct lm_how;
cudaError_t nn_init_how(struct nn *m, const struct nn_shape *shape,
                        cudaStream_t stream, const struct lm_how *how);
void nn_release(struct nn *m); /* synchronises with the device */

/* Set the parameters to values drawn from a seed. Blocks. */
cudaError_t nn_fill(struct nn *m, uint64_t seed);

/* True if this parameter is trained and has its own gradient: false for a
 * frozen parameter, and for one that shares another's memory. */
int nn_is_trained(const struct nn *m, int param);

/* Copy all parameters to out, m->count floats on the device: each once, in
 * order of registration. */
cudaError_t nn_values(const struct nn *m, float *out);

cudaError_t nn_zero_grad(struct nn *m);

/* The batch's memory belongs to the caller and must stay unchanged until the
 * backward pass is complete. */
cudaError_t nn_forward(struct nn *m, const struct nn_batch *b);

/*
 * Called as soon as the work that completes a parameter's gradient has been
 * enqueued: once for each parameter that is trained and used, from the last to
 * the first. A shared one is complete after both of its layers. Returns 0 to
 * continue.
 */
typedef int nn_hook(void *arg, int param);

/*
 * Add scale * d(loss)/d(parameter) to the gradients, layer by layer from the
 * last. hook may be NULL; if it stops the pass, the result is cudaErrorUnknown.
 */
cudaError_t nn_backward(struct nn *m, float scale, nn_hook *hook, void *arg);

/*
 * The same passes layer by layer, for a caller that brings in and removes
 * parameters as it goes: nn_forward() is nn_begin(), then nn_layer_forward()
 * from the first layer to the last; nn_backward() is nn_loss_backward(), then
 * nn_layer_backward() from the last to the first. A layer uses its p->value,
 * and adds to its p->grad, only in its own calls. A skipped layer does nothing.
 */
void nn_begin(struct nn *m, const struct nn_batch *b);
cudaError_t nn_layer_forward(struct nn *m, int l);
cudaError_t nn_loss_backward(struct nn *m, float scale);
cudaError_t nn_layer_backward(struct nn *m, int l);

/*
 * Free the memory of all parameters. From then on the caller points each
 * p->value and p->grad to its own memory before it calls the layer's functions.
 * Only passes, layer by layer, may follow. Synchronises with the device.
 */
void nn_drop_params(struct nn *m);

/* The loss of the last forward and backward pass, not scaled. Blocks. */
cudaError_t nn_read_loss(struct nn *m, double *loss);

#ifdef __cplusplus
}
#endif
#endif
