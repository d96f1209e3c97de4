/*
 * lab3.h: distributed data parallel, communication overlapped with computation
 *
 * The functions that you write, part by part, and their contracts. The results
 * are those of lab 2; here the gradients are reduced while the backward pass is
 * still running. The network is given (nn/mlp.h): its backward pass calls a
 * hook when the work that completes a parameter's gradient has been enqueued.
 *
 *   compute stream  | g4 | g3 | g2 | g1 | g0 |......wait.....| update |
 *                        \         \        \           /
 *   comm stream           [ bucket 0 ][ bucket 1 ][ 2  ]
 *
 * All functions are collective unless they say otherwise: every rank calls
 * them, in the same order. They enqueue work and return without blocking; the
 * caller synchronises.
 */
#ifndef LAB3_H
#define LAB3_H

#include <cuda_runtime.h> /* cudaStream_t, cudaEvent_t */
#include <nccl.h>         /* ncclComm_t */

#include "nn/mlp.h"       /* struct nn, nn_backward */
#include "nn/optimizer.h" /* struct nn_optimizer */

#ifdef __cplusplus
extern "C" {
#endif

struct ddp_bucket {
    size_t begin, count; /* its floats in ddp.grads, gradient after gradient */
    int nparams;         /* parameters in this bucket */
    int nready;          /* how many of them are complete in this pass */
    cudaEvent_t ready;   /* on the compute stream: it may be reduced */
    cudaEvent_t done;    /* on the comm stream: it has been reduced */
};

struct ddp {
    struct nn *m;
    ncclComm_t comm;
    int nranks;
    cudaStream_t compute;        /* the network's stream */
    cudaStream_t comm_stream;    /* non-blocking, for all-reduces */
    float *grads;                /* device memory of all buckets */
    int bucket_of[NN_MAX_DEPTH]; /* each parameter's bucket; -1: not trained */
    struct ddp_bucket bucket[NN_MAX_DEPTH];
    int nbuckets;
    int launched;   /* buckets 0 .. launched-1 are being reduced in this pass */
    int no_sync;    /* do not reduce gradients: they stay local */
    float *scratch; /* one float of device memory, for overlap_between() */
};

/* ---- part 1: buckets of views (views.c) ---------------------------------- */

/*
 * Assign parameters to buckets as PyTorch does: in reverse order of
 * registration, closing a bucket as soon as it holds at least its cap. The cap
 * is first_nbytes for bucket 0, so that communication starts early, and
 * cap_nbytes for the others. Sets bucket_of[p], to -1 where nn_is_trained() is
 * 0. Returns the number of buckets. Not collective.
 */
int ddp_assign(const struct nn *m, size_t first_nbytes, size_t cap_nbytes,
               int *bucket_of);

/*
 * Turn gradients into views: d->grads holds bucket after bucket, each with its
 * gradients in reverse order of registration. Sets begin, count and nparams of
 * each bucket, and makes p->grad of each trained parameter, and of those that
 * share its memory, point into d->grads. Expects d->bucket_of and d->nbuckets.
 * Not collective.
 */
void ddp_views(struct ddp *d);

/* ---- part 2: hooks (hooks.c) --------------------------------------------- */

/*
 * Replace a bucket by its mean over all ranks, on the comm stream: after the
 * work enqueued on the compute stream so far, concurrently with what is
 * enqueued there later. Records the bucket's `done`.
 */
ncclResult_t ddp_launch(struct ddp *d, int bucket);

/*
 * The hook of nn_backward(); arg is the struct ddp. Records that the
 * parameter's gradient is complete and launches every bucket that this
 * completes. Buckets are launched in order, 0 first: ranks may use different
 * parameters but have to call the same collectives in the same order. Does
 * nothing under no_sync. Returns an ncclResult_t.
 */
int ddp_ready(void *arg, int param);

/*
 * End a pass: launch the remaining buckets (a parameter that the pass did not
 * use never becomes ready; its gradient is zero), make the compute stream wait
 * for all buckets, and reset the counters. Does nothing under no_sync.
 */
ncclResult_t ddp_finish(struct ddp *d);

/* One training step: zero the gradients, compute them while buckets are being
 * reduced, and update with the optimizer. */
ncclResult_t ddp_step(struct ddp *d, const struct nn_batch *batch,
                      struct nn_optimizer *o);

/* ---- part 3: accumulation (hooks.c) -------------------------------------- */

/* One training step on the micro-batches batch[0] .. batch[micro-1], with the
 * result of one batch with all their rows: all passes but the last run under
 * no_sync. */
ncclResult_t ddp_accumulate(struct ddp *d, const struct nn_batch *batch,
                            int micro, struct nn_optimizer *o);

/* ---- part 5: hidden communication, measured (overlap.c) ------------------ */

struct overlap_times { /* milliseconds, of the slowest rank */
    double compute;    /* forward and backward alone */
    double comm;       /* all buckets alone, one after the other */
    double both;       /* forward, backward and buckets as in ddp_step() */
    double hidden;     /* part of comm that overlaps computation */
    double exposed;    /* part of comm that the step waits for */
};

/* Measure compute, comm and both with events, each once after one warm-up run,
 * and derive hidden and exposed. Blocks. */
ncclResult_t overlap_measure(struct ddp *d, const struct nn_batch *batch,
                             struct overlap_times *out);

/* ---- part 6: the cap (overlap.c) ----------------------------------------- */

/*
 * The best cap for a network with nbytes of gradients, if an all-reduce of M
 * bytes takes a_us + M / bytes_per_us: large buckets pay a_us rarely, but leave
 * a lot to send once the last one is full. Not collective.
 */
size_t overlap_cap(size_t nbytes, double a_us, double bytes_per_us);

/* ---- part 7: a sharded optimizer, ZeRO-1 (zero.c) ------------------------ */

struct zero {
    struct nn *m;
    int rank, nranks;
    int owner[NN_MAX_DEPTH]; /* rank that updates a parameter; -1: none does */
    float *state;            /* device memory: AdamW's m, then v, of this rank's
                                parameters in order of registration; NULL if it
                                owns none */
    size_t count;            /* floats in this rank's parameters */
    int step;
    struct nn_hyper hyper;
};

/*
 * Assign an owner to each parameter: each trained parameter, in order of
 * registration, goes to the rank that owns the fewest elements so far (on a
 * tie, the lowest rank). No rank owns more than 1/n of all plus one parameter.
 * nranks is at most LAB_MAX_RANKS (lab/try.h). Not collective.
 */
void zero_assign(const struct nn *m, int nranks, int *owner);

/* Initialise z. Allocates state for this rank's parameters only, and zeroes it
 * on m's stream. */
ncclResult_t zero_init(struct zero *z, struct nn *m, int rank, int nranks,
                       const struct nn_hyper *hyper);

/*
 * One AdamW step, from gradients that are the same on all ranks: each rank
 * updates its own parameters (nn_adamw(), steps count from 1) and sends them to
 * all others.
 */
ncclResult_t zero_step(struct zero *z, ncclComm_t comm);

/* ---- given: common/staff/lab3-ddp-overlap/given.c ------------------------ */

/* Initialise d: assign buckets, make the views, create streams, events and
 * memory. On an error nothing stays allocated. Blocks. */
ncclResult_t ddp_init(struct ddp *d, struct nn *m, ncclComm_t comm, int nranks,
                      size_t first_nbytes, size_t cap_nbytes);
void ddp_release(struct ddp *d);

/* Run the part of a step that is to be measured: both passes, or all buckets'
 * all-reduces, or one behind the other. */
enum overlap_part { OVERLAP_COMPUTE, OVERLAP_COMM, OVERLAP_BOTH };
ncclResult_t overlap_run(struct ddp *d, const struct nn_batch *batch,
                         enum overlap_part part);

/* Set *ms to the milliseconds from event a to event b, which have both
 * completed: the largest of all ranks. */
ncclResult_t overlap_between(struct ddp *d, cudaEvent_t a, cudaEvent_t b,
                             double *ms);

void zero_release(struct zero *z);

#ifdef __cplusplus
}
#endif
#endif
