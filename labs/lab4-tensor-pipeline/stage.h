/*
 * stage.h: a part of the network on one device: blocks, and what they keep
 *
 * The network is that of labs 2 and 3 (nn/shape.h), two layers at a time:
 *
 *     z = x @ A     h = gelu(z)     u = h @ B     y = gelu(u)
 *   (rows, hidden)               (rows, out)      y = u in the last block
 *
 * A *block* has the two matrices; with tensor parallelism, this rank's parts
 * of them. A *stage* is a run of blocks: all of them, or, in a pipeline, a
 * stage's. A stage may also have several such runs, *chunks*: chunk c of stage
 * s of n is run c * n + s of the network.
 *
 * The forward pass of a micro-batch through a chunk leaves z, h, u and each
 * block's x behind, for its backward pass. They lie in a *slot*. A slot is made
 * when none is free, with cudaMalloc(), and is free again after the backward
 * pass: so device memory says how many activations were in flight at once.
 *
 * Everything is enqueued on the stage's stream; nothing waits but where it is
 * said. Given: nothing to edit here.
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

struct block {
    int rows;            /* of a micro-batch */
    int in, hidden, out; /* widths, of the whole block */
    int last;            /* of the network: y = u */
    float *a, *b;        /* (in, hidden/n), (hidden/n, out) of n ranks */
    float *da, *db;      /* their gradients */
};

struct saved { /* of one block and one micro-batch */
    float *z;  /* (rows, hidden/n) */
    float *h;  /* likewise */
    float *u;  /* (rows, out) */
};

struct slot { /* activations of one micro-batch in one chunk */
    int chunk, micro;
    int in_use;
    const float *input;         /* x[0], or where that is the batch's x */
    float *x[STAGE_MAX_BLOCKS]; /* input of each block, (rows, in) */
    struct saved saved[STAGE_MAX_BLOCKS];
};

/* Called when the work that completes a block's gradients for this step has
 * been enqueued: in the last micro-batch's backward pass. */
typedef ncclResult_t stage_hook(void *arg, int block);

/* Called when a pass is about to be enqueued, and when it has been. */
typedef void stage_trace(void *arg, int is_forward, int chunk, int micro,
                         int is_over);

struct stage_config {
    struct nn_shape shape; /* of the whole network: an even depth */
    struct tp tp;          /* blas is made by stage_init() */
    int index, nstages;    /* this stage, of so many in the pipeline */
    int nchunks;           /* 1, or more: interleaved */
    int nmicro;            /* micro-batches of a step */
    int checkpoint;        /* keep x[0] alone, compute the rest again */
};

struct stage {
    struct stage_config c;
    struct tp tp;
    cudaStream_t stream;
    int nblocks, begin[STAGE_MAX_CHUNKS + 1]; /* chunk k has blocks begin[k] ..
                                                 begin[k + 1] - 1 */
    struct block block[STAGE_MAX_BLOCKS];
    float *weights, *grads;       /* of all blocks: a, b, a, b, ... */
    size_t count;                 /* floats in each */
    const struct nn_batch *batch; /* of this step: nmicro of them */
    int left[STAGE_MAX_CHUNKS];   /* backward passes to come in this step */
    struct slot *slot[STAGE_MAX_SLOTS];
    int nslots;
    struct slot work; /* with checkpoint: what all slots share */
    float *y;         /* what a forward pass hands on, (rows, hidden) */
    float *dy;        /* what a backward pass begins with, likewise */
    float *dx;        /* what a backward pass hands on, likewise */
    float *scratch;   /* (rows, widest) */
    float *row_loss;  /* (rows) */
    stage_hook *hook; /* or NULL */
    void *hook_arg;
    stage_trace *trace; /* or NULL */
    void *trace_arg;
};

/* ---- one device (dense.c) ------------------------------------------------ */

/* y of a block that lies on one device. Leaves z, h and, unless the block is
 * the last, u; y may be s->u in the last block. */
ncclResult_t dense_forward(const struct tp *t, const struct block *b,
                           const float *x, const struct saved *s, float *y);

/*
 * From dy to dx, both (rows, out) and (rows, in): adds to da and db. dy is
 * overwritten; scratch has room for (rows, hidden) floats.
 */
ncclResult_t dense_backward(const struct tp *t, const struct block *b,
                            const float *x, const struct saved *s, float *dy,
                            float *scratch, float *dx);

/* ---- stages (stage.c) ---------------------------------------------------- */

/*
 * Make stage c->index: with at least one block in each chunk, or
 * ncclInvalidArgument. Weights are not set.
 */
ncclResult_t stage_init(struct stage *s, const struct stage_config *c);
void stage_release(struct stage *s); /* waits for the device */

/* This rank's parts of the weights that follow from a seed. Waits. */
ncclResult_t stage_fill(struct stage *s, uint64_t seed);

/* Is a chunk the first, the last of the whole network? */
int stage_is_first(const struct stage *s, int chunk);
int stage_is_last(const struct stage *s, int chunk);

/* Begin a step: gradients are zero, its micro-batches are batch[0] .. */
ncclResult_t stage_begin(struct stage *s, const struct nn_batch *batch);

/* The slot of a micro-batch in a chunk: the one that it has, or a free one. An
 * input that comes from another stage goes to its x[0]. NULL: no memory. */
struct slot *stage_slot(struct stage *s, int chunk, int micro);

/* Forward: from the slot's input to s->y, or, in the network's last chunk, to
 * the last block's u. */
ncclResult_t stage_forward(struct stage *s, int chunk, int micro);

/* Backward: from s->dy (in the network's last chunk: from the loss, a mean over
 * all micro-batches) to s->dx. Then the slot is free. */
ncclResult_t stage_backward(struct stage *s, int chunk, int micro);

/* ---- pieces of them ------------------------------------------------------ */

/* Device memory for x[0]; for all else that a slot holds. */
ncclResult_t slot_make_input(struct stage *s, struct slot *k);
ncclResult_t slot_make_rest(struct stage *s, struct slot *k);

/*
 * The blocks of the slot's chunk, forward: leaves what slot_make_rest() made
 * room for, and the last block's output in y (in the network's last chunk y is
 * not used).
 */
ncclResult_t slot_forward(struct stage *s, struct slot *k, float *y);

/* The blocks of the slot's chunk, backward: from s->dy or the loss to s->dx. */
ncclResult_t slot_backward(struct stage *s, struct slot *k);

#ifdef __cplusplus
}
#endif
#endif
