/*
 * lm.h: a small transformer on one device; lm_shape.h has its formulas
 *
 * A step is
 *
 *     lm_narrow(m);                             bf16: parameters for the passes
 *     lm_zero_grad(m);
 *     lm_forward(m, batch);
 *     lm_backward(m, scale, hook, arg);         the loss; adds to the gradients
 *     ...synchronise the gradients over ranks...
 *     nn_adamw(p->value, p->grad, ...)          each parameter
 *
 * or the passes in pieces, for a caller that communicates in between:
 *
 *     forward                                   backward
 *     lm_begin(m, batch)                        lm_head_backward(m, scale)
 *     lm_embed(m)                               from the last layer:
 *     each layer l: lm_attend(m, l)                 lm_feed_backward(m, l)
 *                   lm_feed(m, l)                   lm_attend_backward(m, l)
 *     lm_head(m)                                lm_embed_backward(m)
 *
 * A piece reads only its own parameters, from p->value or, in bf16, from
 * p->half, and adds to their p->grad. So a caller may point these elsewhere, as
 * long as they hold the data when the piece runs. lm_embed and lm_head share E.
 * The pieces pass on one matrix, (rows, width): m->x[l] before layer l, m->dx
 * in the backward pass.
 *
 * Functions enqueue all work on the model's stream; they block only where their
 * contract says so. They return cudaSuccess, or the reason why they enqueued
 * nothing. The device that was current at lm_init() has to be current at every
 * call.
 */
#ifndef COMMLAB_NN_LM_H
#define COMMLAB_NN_LM_H

#include "nn/lm_ops.h"
#include "nn/lm_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lm_batch {          /* on the device, lm_rows() elements each */
    const uint8_t *token;  /* tokens of sequence 0, then of sequence 1, ... */
    const uint8_t *target; /* the token that follows each token */
};

struct lm_param {
    char name[24]; /* "layer3.qkv" */
    int rows, cols;
    size_t count;   /* rows * cols */
    float *value;   /* (rows, cols); in bf16 the master, which passes
                       don't read */
    uint16_t *half; /* bf16: the copy that passes read; else NULL */
    float *grad;    /* (rows, cols) */
};

/*
 * Attention in place of lm_attention() and lm_attention_back(), for a caller
 * whose sequences extend over several devices: y (rows, C) from qkv (rows, 3 C)
 * of layer l, and dqkv from dy. Both enqueue their work on the model's stream.
 */
struct lm_attention {
    cudaError_t (*forward)(void *arg, int l, float *y, const float *qkv);
    cudaError_t (*backward)(void *arg, int l, float *dqkv, const float *qkv,
                            const float *dy);
    void *arg;
};

struct lm_how {                           /* all zero: as lm_init() */
    const struct lm_attention *attention; /* NULL: inside the device's rows */
    cublasComputeType_t compute; /* the products'; 0: CUBLAS_COMPUTE_32F */
    int recompute; /* layers share what they keep: the caller repeats a layer's
                      forward pass right before its backward pass */
    int bare; /* parameters have no memory: the caller points each p->value and
                 p->grad to its own before a piece runs; fp32 only */
};

struct lm_kept {      /* what a layer's forward pass keeps for its
                         backward pass */
    float *n1, *inv1; /* norm(x), (rows, C), and its factors, (rows) */
    float *qkv;       /* (rows, 3 C) */
    float *prob;      /* (B, heads, T, T); NULL with other attention */
    float *y;         /* (rows, C): output of all heads */
    float *h;         /* (rows, C) */
    float *n2, *inv2; /* norm(h) and its factors */
    float *z, *a;     /* (rows, hidden): before and after gelu */
};

struct lm {
    struct lm_shape shape;
    cudaStream_t stream;
    cublasHandle_t blas; /* uses `stream`; you may set its math mode */
    int nparams;
    struct lm_param *param;
    /* private to lm.c: */
    struct lm_how how;
    size_t count;          /* elements of all parameters */
    struct lm_batch batch; /* batch of the last forward pass */
    float *memory;         /* holds all floats below, and values and
                              gradients */
    uint16_t *halves;      /* bf16: all parameters, then operands */
    uint16_t *operand[2];  /* bf16: (rows, widest) each, operands of a
                              product */
    struct lm_kept kept[LM_MAX_LAYERS];
    float *x[LM_MAX_LAYERS + 1]; /* (rows, C): x[l] is the input of layer l,
                                    x[layers] the output of the last layer */
    float *last, *inv;           /* norm(x[layers]) and its factors, (rows) */
    float *logits, *dlogits;     /* (rows, V) */
    float *dx;                   /* (rows, C) */
    float *wide[2];              /* (rows, widest): scratch */
    float *row_loss;             /* (rows) */
};

/* Make the model on the current device. cudaErrorInvalidValue if the shape is
 * invalid (lm_shape_problem() returns the reason). */
cudaError_t lm_init(struct lm *m, const struct lm_shape *shape,
                    cudaStream_t stream);
/* The same in other ways; what `how` points to stays valid. */
cudaError_t lm_init_how(struct lm *m, const struct lm_shape *shape,
                        cudaStream_t stream, const struct lm_how *how);
void lm_release(struct lm *m); /* synchronises with the device */

/* Set the parameters to values drawn from a seed. Blocks. */
cudaError_t lm_fill(struct lm *m, uint64_t seed);

/* bf16: set each p->half to its p->value, rounded to nearest even. Call it
 * whenever values have changed. In fp32 it does nothing. */
cudaError_t lm_narrow(struct lm *m);
cudaError_t lm_zero_grad(struct lm *m);

/* The batch's memory belongs to the caller and must stay unchanged until the
 * backward pass is complete. */
cudaError_t lm_forward(struct lm *m, const struct lm_batch *b);

/*
 * Add scale * d(loss)/d(parameter) to the gradients. hook, unless NULL, is
 * called as soon as the work that completes a parameter's gradient has been
 * enqueued: once for each parameter, the embedding last. It returns 0 to
 * continue; if it stops the pass, lm_backward() returns cudaErrorUnknown.
 */
typedef int lm_hook(void *arg, int param);
cudaError_t lm_backward(struct lm *m, float scale, lm_hook *hook, void *arg);

/* The pieces. A forward pass may be repeated; a backward piece overwrites what
 * its forward piece kept. */
void lm_begin(struct lm *m, const struct lm_batch *b);
cudaError_t lm_embed(struct lm *m);
cudaError_t lm_attend(struct lm *m, int l);
cudaError_t lm_feed(struct lm *m, int l);
cudaError_t lm_head(struct lm *m);
cudaError_t lm_head_backward(struct lm *m, float scale);
cudaError_t lm_feed_backward(struct lm *m, int l);
cudaError_t lm_attend_backward(struct lm *m, int l);
cudaError_t lm_embed_backward(struct lm *m);

/* The loss of the last forward and backward pass, not scaled. Blocks. */
cudaError_t lm_read_loss(struct lm *m, double *loss);

#ifdef __cplusplus
}
#endif
#endif
