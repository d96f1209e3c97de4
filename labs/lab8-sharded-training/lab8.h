/*
 * lab8.h: sharded training, in which each rank keeps 1/n of everything
 *
 * In data parallel training every rank has all parameters, gradients and
 * optimizer state: with AdamW in fp32, 16 bytes for each parameter, n times
 * over. Here a rank owns 1/n of each, its *shares*, and holds the rest of a
 * layer only while the layer is being computed:
 *
 *                    values   gradients   AdamW's m, v   sent per step
 *     data parallel    all       all          all         2 (n-1)/n P
 *     ZeRO-2           all       1/n          1/n         2 (n-1)/n P
 *     ZeRO-3, FSDP     1/n       1/n          1/n         3 (n-1)/n P
 *
 * Functions that communicate are *collective*: every rank calls them, in the
 * same order. All functions only enqueue work, except where their contract says
 * that they block. Memory is judged: a rank's peak, from shard_init() on.
 */
#ifndef LAB8_H
#define LAB8_H

#include <cuda_runtime.h> /* cudaStream_t, cudaEvent_t */
#include <nccl.h>         /* ncclComm_t */
#include <stddef.h>       /* size_t */
#include <stdint.h>       /* uint16_t */

#include "nn/mlp.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A unit: consecutive layers whose matrices form one vector, in layer order,
 * row by row. Zeros at its end make its length a multiple of the number of
 * ranks, so that all ranks' shares have the same size:
 *
 *     | W0       | W1   | W2         |0|        nlayers 3
 *     | rank 0  | rank 1  | rank 2     |        nranks 3
 *      <------->
 *        share
 */
struct shard_unit {
    int first, nlayers;
    size_t count; /* floats in its matrices */
    size_t share; /* floats per rank */
    size_t begin; /* place of its share among all shares of a rank */
};

struct shard_plan { /* the same on all ranks */
    int nranks, nunits;
    struct shard_unit unit[NN_MAX_DEPTH];
    size_t total;  /* floats in all shares of a rank */
    size_t widest; /* floats in the longest unit, with its zeros */
};

/* Memory for a whole unit, and the unit that it holds. */
struct shard_slot {
    int unit;             /* the one whose values are here; -1: none */
    float *value, *grad;  /* device, plan.widest floats each */
    cudaEvent_t gathered; /* part 4: value is complete */
    cudaEvent_t reduced;  /* part 4: grad may be overwritten */
};

struct shard {    /* a network, on one rank */
    struct nn *m; /* its parameters have no memory of their own: flat_views() */
    ncclComm_t comm;
    int rank;
    struct shard_plan plan;
    float *value, *grad, *adam_m, *adam_v; /* device: this rank's shares,
                                              plan.total floats each */
    struct nn_hyper hyper;
    int step;            /* updates so far */
    float max_norm;      /* limit of the gradient's norm (part 5); 0: none */
    float *squares;      /* device, 1: for part 5 */
    float *whole;        /* ZeRO-2: all values, device; else NULL */
    uint16_t *narrow;    /* part 7: a unit's values in bf16, device,
                            plan.widest; else NULL */
    ncclComm_t replicas; /* part 8: ranks with the same shares; else NULL */
    float *tied_value, *tied_grad; /* part 9: E and its gradient as the last
                                      layer uses them, device; else NULL */
    int nslots;                    /* 0 until shard_slots() */
    struct shard_slot slot[NN_MAX_DEPTH];
    cudaStream_t compute;     /* m->stream */
    cudaStream_t comm_stream; /* part 4: a second one, for communication */
};

/* ---- given: common/staff/lab8-sharded-training --------------------------- */

/*
 * Initialise s: this rank's shares hold the network's values, gradients of zero
 * and no optimizer state. per_unit: layers of a unit. Frees m's own memory for
 * parameters; if m has none, the values are zeros. Blocks.
 */
ncclResult_t shard_init(struct shard *s, struct nn *m, ncclComm_t comm,
                        int rank, int nranks, int per_unit,
                        const struct nn_hyper *hyper);
void shard_release(struct shard *s); /* synchronises with the device */

/* Allocate n slots with their events, none of them in use. */
ncclResult_t shard_slots(struct shard *s, int n);

/* Make later work on `later` wait for the work on `earlier` so far. */
ncclResult_t shard_after(cudaStream_t later, cudaStream_t earlier);

/* Forward or backward pass through a unit's layers, on s->compute, with values
 * and gradients where flat_views() has put them. If s->tied_value is set, the
 * first unit's pass calls tied_keep() before it, or tied_add() after it. */
ncclResult_t shard_forward(struct shard *s, int unit);
ncclResult_t shard_backward(struct shard *s, int unit);

/* One AdamW step of all shares, on s->compute, after shard_clip() if there is a
 * max_norm. */
ncclResult_t shard_update(struct shard *s);

/* *out = the sum of x[i]^2; device memory. */
ncclResult_t shard_squares(const float *x, size_t count, float *out,
                           cudaStream_t stream);

/* x *= min(1, max_norm / sqrt(*squares)); squares is in device memory. */
ncclResult_t shard_shrink(float *x, size_t count, const float *squares,
                          float max_norm, cudaStream_t stream);

/* ---- part 1: flat.c ------------------------------------------------------ */

/* Split a network into units of per_unit layers (the last may have fewer), from
 * the first layer to the last, and each unit among nranks. Units end with as
 * few zeros as possible. Not collective. */
void flat_plan(const struct nn_shape *shape, int nranks, int per_unit,
               struct shard_plan *plan);

/* Point value and grad of a unit's layers into a whole unit's values and
 * gradients; either may be NULL, for layers that do not need them. Not
 * collective. */
void flat_views(struct shard *s, int unit, float *value, float *grad);

/*
 * Copy this rank's share of a unit from the matrices, which are still in
 * p->value of its layers, to its place in s->value, zeros included, on
 * s->compute. A share may begin and end inside a matrix. Not collective.
 */
ncclResult_t flat_take(struct shard *s, int unit);

/* ---- part 2: ZeRO-2 (zero2.c) -------------------------------------------- */

/* whole = the unit's values, from all ranks' shares in s->value. If s->narrow
 * is set, calls mixed_gather() instead. */
ncclResult_t shard_gather(struct shard *s, int unit, float *whole,
                          cudaStream_t stream);

/*
 * Add the mean over all ranks of a unit's gradients to this rank's share in
 * s->grad. Overwrites whole, and needs no other memory. If `first`, s->grad
 * holds nothing yet, and the mean is stored there. If s->replicas is set, calls
 * hybrid_reduce() instead.
 */
ncclResult_t shard_reduce(struct shard *s, int unit, float *whole, int first,
                          cudaStream_t stream);

/*
 * Allocate what zero2_step() needs. s->whole holds all units one after the
 * other (unit u at nranks * its begin); it is filled with all values, and all
 * layers' values point into it. Memory for gradients: at most that of two
 * units.
 */
ncclResult_t zero2_open(struct shard *s);

/*
 * One training step on the micro-batches batch[0] .. batch[micro-1], with the
 * result of one batch with all their rows. A unit's gradients are reduced to
 * their owners before the next unit's are computed in the same memory. Ends
 * with s->whole up to date on all ranks.
 */
ncclResult_t zero2_step(struct shard *s, const struct nn_batch *batch,
                        int micro);

/* ---- part 3: ZeRO-3 (zero3.c) -------------------------------------------- */

/* Allocate what zero3_step() needs besides the shares: at most two slots. */
ncclResult_t zero3_open(struct shard *s);

/* Like zero2_step(), but a rank also holds the values of only one unit at a
 * time: they are gathered before its forward pass, and again before its
 * backward pass unless they are still there. Everything runs on s->compute. */
ncclResult_t zero3_step(struct shard *s, const struct nn_batch *batch,
                        int micro);

/* ---- part 4: FSDP (overlap.c) -------------------------------------------- */

/* Allocate what fsdp_step() needs: at most two slots. */
ncclResult_t fsdp_open(struct shard *s);

/*
 * Like zero3_step(), but communication runs on s->comm_stream and overlaps with
 * the passes on s->compute: while a unit is being computed, the next one is
 * being gathered and the gradients of the previous one are being reduced. Only
 * events order the streams.
 */
ncclResult_t fsdp_step(struct shard *s, const struct nn_batch *batch,
                       int micro);

/* ---- part 5: the global norm (clip.c) ------------------------------------ */

/* If the gradient's norm, over all units on all ranks, exceeds max_norm, scale
 * the gradient down to max_norm. s->grad is complete. On s->compute; the host
 * does not wait. */
ncclResult_t shard_clip(struct shard *s);

/* ---- part 6: a sharded checkpoint (checkpoint.c) ------------------------- */

/* The state from which training resumes: a file for each rank, with its shares
 * of values, m and v, one after the other. */
struct checkpoint {
    int nranks;   /* the number of ranks that saved it, one file each */
    int per_unit; /* as in the plan it was saved with */
    int step;
    void *disk; /* for checkpoint_write() and checkpoint_read() */
};

/* Given. Write or read `count` floats of the file of a rank, from float `at`
 * on. data is in host memory. Both block. */
void checkpoint_write(struct checkpoint *c, int file, size_t at,
                      const float *data, size_t count);
void checkpoint_read(const struct checkpoint *c, int file, size_t at,
                     float *data, size_t count);

/* Write this rank's file. Sets nranks and step. Blocks. */
ncclResult_t checkpoint_save(struct shard *s, struct checkpoint *c);

/* Set value, adam_m, adam_v and step of s from a checkpoint that any number of
 * ranks saved. Reads only what this rank owns. Blocks. Not collective. */
ncclResult_t checkpoint_load(struct shard *s, const struct checkpoint *c);

/* ---- part 7: mixed precision (mixed.c) ----------------------------------- */

/*
 * Layers compute with values rounded to bf16 (to nearest, ties to even), the
 * same on all ranks; shares, gradients and the update stay in fp32. fsdp_step()
 * does this if s->narrow is set: mixed_open() allocates it, and what
 * fsdp_step() needs.
 */
ncclResult_t mixed_open(struct shard *s);

/* whole = the unit's values rounded to bf16, in fp32. Each value travels in 2
 * bytes, through s->narrow. */
ncclResult_t mixed_gather(struct shard *s, int unit, float *whole,
                          cudaStream_t stream);

/* ---- part 8: hybrid sharding (hybrid.c) ---------------------------------- */

/*
 * Split `world` twice. *node has the per_node consecutive ranks of a node, rank
 * r as number r % per_node; everything will be sharded among them. *replicas
 * has the ranks with the same r % per_node, rank r as number r / per_node; they
 * will have the same shares. nranks is a multiple of per_node. Blocks.
 */
ncclResult_t hybrid_split(ncclComm_t world, int rank, int per_node,
                          ncclComm_t *node, ncclComm_t *replicas);

/* Like shard_reduce(), with the mean over the ranks of all nodes. Nothing but
 * shares leaves a node. */
ncclResult_t hybrid_reduce(struct shard *s, int unit, float *whole, int first,
                           cudaStream_t stream);

/* ---- part 9: tied embeddings (tied.c) ------------------------------------ */

/*
 * For a transformer (nn/shape.h): its first layer is the embedding, whose
 * parameter begins with the matrix E, (shape.out, shape.hidden). Its last layer
 * uses E, too: the value in m->head_value; it adds to the gradient in
 * m->head_grad. When the last unit runs, the first one has left its slot.
 *
 * tied_open(): allocate what fsdp_step() needs, and at most E and its gradient
 * more, for the last layer to use.
 */
ncclResult_t tied_open(struct shard *s);

/* The first unit's values are in its layers' views. Keep what the last layer
 * will need. On s->compute; not collective. */
ncclResult_t tied_keep(struct shard *s);

/* The first unit's backward pass is complete, and its gradients are in its
 * layers' views: make E's the sum over both layers. On s->compute; not
 * collective. */
ncclResult_t tied_add(struct shard *s);

#ifdef __cplusplus
}
#endif
#endif
