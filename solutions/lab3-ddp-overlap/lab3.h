/*
 * lab3.h: distributed data parallel, with communication behind computation
 *
 * What you write, part by part, and what each function promises. You know from
 * lab 2 what has to come out; here it has to come out while the backward pass
 * goes on. The network is given (nn/mlp.h): its backward pass calls a hook when
 * the work that completes a parameter's gradient has been enqueued.
 *
 *   compute stream  | g4 | g3 | g2 | g1 | g0 |......wait.....| update |
 *                        \         \        \           /
 *   comm stream           [ bucket 0 ][ bucket 1 ][ 2  ]
 *
 * All functions are collective unless they say otherwise: every rank calls them,
 * in the same order. They only enqueue work and return; the caller synchronises.
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
    size_t begin, count; /* floats of ddp.grads: its gradients, side by side */
    int nparams;         /* parameters whose gradients lie there */
    int nready;          /* of them, complete in this pass */
    cudaEvent_t ready;   /* on the compute stream: it may be reduced */
    cudaEvent_t done;    /* on the comm stream: it has been */
};

struct ddp {
    struct nn *m;
    ncclComm_t comm;
    int nranks;
    cudaStream_t compute;        /* the network's */
    cudaStream_t comm_stream;    /* non-blocking, for all-reduces */
    float *grads;                /* device memory of all buckets */
    int bucket_of[NN_MAX_DEPTH]; /* of each parameter; -1: not trained */
    struct ddp_bucket bucket[NN_MAX_DEPTH];
    int nbuckets;
    int launched; /* buckets 0 .. launched-1 are being reduced in this pass */
    int no_sync;  /* gradients stay this rank's own */
};

/* ---- part 1: buckets of views (views.c) ---------------------------------------- */

/*
 * Which parameter goes into which bucket, as PyTorch does it: in reverse order of
 * registration, a bucket is closed as soon as it holds at least its cap. That is
 * first_nbytes for bucket 0, so that something can be sent early, cap_nbytes
 * for the others. bucket_of[p] is -1 where nn_is_trained() is 0. Returns how many
 * buckets there are. Not collective.
 */
int ddp_assign(const struct nn *m, size_t first_nbytes, size_t cap_nbytes,
               int *bucket_of);

/*
 * Make gradients views: d->grads holds bucket after bucket, each with its
 * gradients in reverse order of registration. Sets begin, count and nparams of
 * each bucket and points p->grad of each trained parameter, and of those that
 * share its memory, to its place. d->bucket_of and d->nbuckets are set. Not
 * collective.
 */
void ddp_views(struct ddp *d);

/* Everything else that d needs: streams, events, memory. Given. Waits. */
ncclResult_t ddp_init(struct ddp *d, struct nn *m, ncclComm_t comm, int nranks,
                      size_t first_nbytes, size_t cap_nbytes);
void ddp_release(struct ddp *d);

/* ---- part 2: hooks (hooks.c) ------------------------------------------------------ */

/*
 * Replace bucket b by its mean over all ranks, on the comm stream: after all that
 * the compute stream has been given so far, beside all that it is given later.
 * Records the bucket's `done`.
 */
ncclResult_t ddp_launch(struct ddp *d, int b);

/*
 * The hook of nn_backward(); arg is the struct ddp. Notes that the parameter's
 * gradient is complete, and launches every bucket that is full. Buckets are
 * launched in order, 0 first: ranks may use different parameters, but have to
 * call the same collectives in the same order. Does nothing under no_sync.
 * Returns an ncclResult_t.
 */
int ddp_ready(void *arg, int param);

/*
 * End a pass: launch the buckets that are left (a parameter that was not used in
 * it never becomes ready; its gradient is zero), have the compute stream wait
 * for all buckets, and count from zero again. Does nothing under no_sync.
 */
ncclResult_t ddp_finish(struct ddp *d);

/* One step: gradients from zero, overlapped with their synchronisation, and the
 * optimizer's update. */
ncclResult_t ddp_step(struct ddp *d, const struct nn_batch *b,
                      struct nn_optimizer *o);

/* ---- part 3: accumulation (hooks.c) --------------------------------------------------- */

/* One step of micro-batches b[0] .. b[micro-1] as of one batch with all their
 * rows: all but the last pass under no_sync. */
ncclResult_t ddp_accumulate(struct ddp *d, const struct nn_batch *b, int micro,
                            struct nn_optimizer *o);

/* ---- part 4: how much is hidden, and the cap (overlap.c) ------------------------------- */

struct overlap_times { /* milliseconds, the slowest rank's */
    double compute;    /* forward and backward alone */
    double comm;       /* all buckets alone, one after the other */
    double both;       /* forward, backward and buckets as in ddp_step() */
    double hidden;     /* of comm, behind computation */
    double exposed;    /* of comm, in which the step waits */
};

/* Milliseconds from a to b, both recorded on a stream and over; the largest of
 * all ranks. Given. */
ncclResult_t overlap_between(struct ddp *d, cudaEvent_t a, cudaEvent_t b,
                             double *ms);

/* Measure with events, each way once after once for warm-up, and work out the
 * other two. Waits. */
ncclResult_t overlap_measure(struct ddp *d, const struct nn_batch *b,
                             struct overlap_times *out);

/*
 * The cap for a network of so many bytes of gradients, on links where an
 * all-reduce of M bytes takes a_us + M / bytes_per_us: large buckets pay a_us
 * rarely, and leave much to be sent when the last is full. Not collective.
 */
size_t overlap_cap(size_t nbytes, double a_us, double bytes_per_us);

/* ---- part 5: a sharded optimizer, ZeRO-1 (zero.c) ------------------------------------------ */

struct zero {
    struct nn *m;
    int rank, nranks;
    int owner[NN_MAX_DEPTH]; /* rank that updates a parameter; -1: nobody */
    float *state;            /* device memory: AdamW's m, then v, of this rank's
                                parameters in order of registration; NULL if it
                                has none */
    size_t count;            /* floats of this rank's parameters */
    int step;
    struct nn_hyper hyper;
};

/*
 * Who updates what: each trained parameter, in order of registration, goes to the
 * rank that has the fewest elements so far, the lowest such rank. No rank gets
 * more than an n-th of all plus one parameter. Not collective.
 */
void zero_assign(const struct nn *m, int nranks, int *owner);

/* Sets all of z; state for this rank's parameters only, zeroed, on m's stream. */
ncclResult_t zero_init(struct zero *z, struct nn *m, int rank, int nranks,
                       const struct nn_hyper *hyper);
void zero_release(struct zero *z); /* given */

/*
 * An AdamW step from gradients that are the same on all ranks: each rank updates
 * its own parameters (nn_adamw(), steps count from 1) and gives them to all
 * others.
 */
ncclResult_t zero_step(struct zero *z, ncclComm_t comm);

#ifdef __cplusplus
}
#endif
#endif
