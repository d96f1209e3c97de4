/*
 * stage.h: a part of the network on one device: blocks and their activations
 *
 * The network is that of labs 2 and 3 (nn/shape.h), two layers at a time:
 *
 *     z = x @ A     h = gelu(z)     u = h @ B     y = gelu(u)
 *   (rows, hidden)               (rows, out)      y = u in the last block
 *
 * A *block* has the two matrices or, with tensor parallelism, this rank's parts
 * of them. A *stage* is a run of consecutive blocks: all of them, or its part
 * of a pipeline. A stage may also have several such runs, *chunks*: chunk c of
 * stage s of n is run c * n + s of the network. In a *V* each stage has two,
 * run s and run 2n - 1 - s: the last stage has two runs that follow each other.
 *
 * The forward pass of a micro-batch through a chunk leaves z, h, u and each
 * block's x for its backward pass, in a *slot*. If no slot is free, a new one
 * is allocated with cudaMalloc(); after the backward pass it is free again. So
 * device memory tells how many activations were in flight at once.
 *
 * Everything is enqueued on the stage's stream; functions block only where
 * their contract says so. Given: nothing to edit here.
 */
#ifndef LAB4_STAGE_H
#define LAB4_STAGE_H

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include "nn/mlp.h"       /* struct nn_batch */
#include "nn/optimizer.h" /* enum nn_optimizer_kind */
#include "nn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    STAGE_MAX_BLOCKS = NN_MAX_DEPTH / 2,
    STAGE_MAX_CHUNKS = 8,
    STAGE_MAX_MICRO = 64,
    STAGE_MAX_SLOTS = STAGE_MAX_MICRO * STAGE_MAX_CHUNKS
};

struct tp { /* a rank's place in a tensor-parallel group */
    ncclComm_t comm;
    int rank, nranks;
    cublasHandle_t blas; /* on stream */
    cudaStream_t stream;
};

struct matrix { /* on the device, row after row; passed by value */
    float *data;
    int rows, cols;
};

struct block {
    struct matrix a, b;   /* (in, hidden/n), (hidden/n, out) of n ranks */
    struct matrix da, db; /* their gradients */
    int last;             /* 1: the network's last block, so y = u */
};

struct saved {       /* one block's results for one micro-batch */
    struct matrix z; /* (rows, hidden/n) */
    struct matrix h; /* likewise */
    struct matrix u; /* (rows, out) */
};

struct slot { /* activations of one micro-batch in one chunk */
    int chunk, micro;
    int in_use;
    struct matrix input;               /* x[0], or the batch's x: only read */
    struct matrix x[STAGE_MAX_BLOCKS]; /* input of each block, (rows, in) */
    struct saved saved[STAGE_MAX_BLOCKS];
};

/* Called when the work that completes a block's gradients for this step has
 * been enqueued: in the last micro-batch's backward pass. */
typedef ncclResult_t stage_hook(void *arg, int block);

/* Called when a pass is about to be enqueued, and when it has been. kind is an
 * enum pipe_kind (lab4.h). */
typedef void stage_trace(void *arg, int kind, int chunk, int micro,
                         int is_over);

struct stage_config {
    struct nn_shape shape; /* the whole network; its depth is even */
    struct tp tp;          /* blas is made by stage_init() */
    int index, nstages;    /* this stage, of nstages in the pipeline */
    int nchunks;           /* more than 1: interleaved, or a V */
    int vee;               /* two chunks in a V */
    int nmicro;            /* micro-batches per step */
    int checkpoint;        /* keep only x[0] and recompute the rest */
};

struct stage {
    struct stage_config c;
    struct tp tp;
    cudaStream_t stream;
    int nblocks, begin[STAGE_MAX_CHUNKS + 1]; /* chunk k has blocks begin[k] ..
                                                 begin[k + 1] - 1 */
    struct block block[STAGE_MAX_BLOCKS];
    float *weights, *grads;       /* all blocks', in order: a, b, a, b, ... */
    size_t count;                 /* floats in each */
    const struct nn_batch *batch; /* this step's nmicro micro-batches */
    int left[STAGE_MAX_CHUNKS];   /* backward passes left in this step */
    struct slot *slot[STAGE_MAX_SLOTS];
    int nslots;
    struct slot work; /* with checkpoint: shared by all slots */
    float *y;         /* output of a forward pass, (rows, hidden) */
    float *dy;        /* input of a backward pass, likewise */
    float *dx;        /* output of a backward pass, likewise */
    float *scratch;   /* (rows, widest) */
    float *row_loss;  /* (rows) */
    stage_hook *hook; /* or NULL */
    void *hook_arg;
    stage_trace *trace; /* or NULL */
    void *trace_arg;
};

/* ---- one device (dense.c) ------------------------------------------------ */

/* The number of elements. */
size_t matrix_count(struct matrix m);

/*
 * A linear layer, of matrices with matching shapes: nn_linear(), nn_linear_dw()
 * and nn_linear_dx() (nn/ops.h) on t's stream.
 *
 *     y = x @ w        dw += x^T @ dy        dx = dy @ w^T
 */
cudaError_t dense_linear(const struct tp *t, struct matrix x, struct matrix w,
                         struct matrix y);
cudaError_t dense_linear_dw(const struct tp *t, struct matrix x,
                            struct matrix dy, struct matrix dw);
cudaError_t dense_linear_dx(const struct tp *t, struct matrix dy,
                            struct matrix w, struct matrix dx);

/* Forward pass of a block on one device: from x, (rows, in), to y, (rows, out).
 * Sets z, h and, unless the block is the last, u. In the last block y may be
 * s->u. */
ncclResult_t dense_forward(const struct tp *t, const struct block *block,
                           struct matrix x, const struct saved *s,
                           struct matrix y);

/*
 * Its backward pass: from dy, (rows, out), to dx, (rows, in). Adds to da and
 * db. Overwrites dy and scratch, (rows, hidden).
 */
ncclResult_t dense_backward(const struct tp *t, const struct block *block,
                            struct matrix x, const struct saved *s,
                            struct matrix dy, struct matrix scratch,
                            struct matrix dx);

/* ---- stages (stage.c) ---------------------------------------------------- */

/*
 * Initialise stage c->index, all but the weights. ncclInvalidArgument if a
 * chunk would have no block.
 */
ncclResult_t stage_init(struct stage *s, const struct stage_config *c);
void stage_release(struct stage *s); /* synchronises with the device */

/* Set this rank's parts of the weights that follow from rank 0's seed
 * (lab_share_seed()). Blocks. */
struct lab_run;
ncclResult_t stage_fill(struct stage *s, struct lab_run *r);

/* True if a chunk is the first, or the last, of the whole network. */
int stage_is_first(const struct stage *s, int chunk);
int stage_is_last(const struct stage *s, int chunk);

/* Start a step on micro-batches batch[0] ..: zeroes the gradients. */
ncclResult_t stage_begin(struct stage *s, const struct nn_batch *batch);

/* The slot of a micro-batch in a chunk: the one that it already has, or a free
 * one. Input from another stage goes to its x[0]. NULL if memory runs out. */
struct slot *stage_slot(struct stage *s, int chunk, int micro);

/* Forward pass: from the slot's input to s->y or, in the network's last chunk,
 * to the last block's u. */
ncclResult_t stage_forward(struct stage *s, int chunk, int micro);

/* Backward pass: from s->dy (in the network's last chunk: from the loss, a mean
 * over all micro-batches) to s->dx. Afterwards the slot is free. */
ncclResult_t stage_backward(struct stage *s, int chunk, int micro);

/* ---- their parts --------------------------------------------------------- */

/* Start and end a pass, an enum pipe_kind: a range in timelines, and trace. */
void stage_enter(const struct stage *s, int kind, int chunk, int micro);
void stage_leave(const struct stage *s, int kind, int chunk, int micro);

/* Set s->dy to the derivative of this micro-batch's part of the loss. The slot
 * belongs to the network's last chunk. */
ncclResult_t slot_loss(struct stage *s, const struct slot *k);

/* Allocate a slot's x[0]; allocate everything else in it. */
ncclResult_t slot_make_input(struct stage *s, struct slot *k);
ncclResult_t slot_make_rest(struct stage *s, struct slot *k);

/*
 * Run the blocks of the slot's chunk forward: fills what slot_make_rest()
 * allocated, and writes the last block's output to y (which the network's last
 * chunk does not use).
 */
ncclResult_t slot_forward(struct stage *s, struct slot *k, float *y);

/* Run the blocks of the slot's chunk backward: from s->dy or the loss to
 * s->dx. */
ncclResult_t slot_backward(struct stage *s, struct slot *k);

#ifdef __cplusplus
}
#endif
#endif
