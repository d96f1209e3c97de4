/*
 * lab2.h: one network on many devices, kept identical
 *
 * The functions that you write, part by part, and their contracts. The network,
 * its passes and its optimizer are given: nn/mlp.h, nn/optimizer.h. Every rank
 * drives one device and has its own rows; together, the ranks have to compute
 * what one device with all the rows would compute.
 *
 * The loss is a mean over rows. So the gradient for all ranks' rows is the mean
 * of the ranks' gradients; their sum is n times too large.
 *
 * All functions are collective unless they say otherwise: every rank calls
 * them, in the same order. They enqueue work and return without blocking; the
 * caller synchronises.
 */
#ifndef LAB2_H
#define LAB2_H

#include <cuda_runtime.h> /* cudaStream_t, cudaEvent_t */
#include <mpi.h>          /* MPI_Comm */
#include <nccl.h>         /* ncclComm_t */

#include "nn/mlp.h"       /* struct nn, nn_forward, nn_backward */
#include "nn/optimizer.h" /* struct nn_optimizer */

#ifdef __cplusplus
extern "C" {
#endif

/* What a rank needs besides its network. */
struct sync {
    ncclComm_t comm;
    int rank, nranks;
    cudaStream_t stream; /* also the network's stream */
    float *scratch;      /* device memory of m->count floats, free to use */
};

/* ---- part 1: replicas (replicas.c) --------------------------------------- */

/*
 * Copy rank 0's parameters to every rank, frozen ones included: each rank
 * starts with weights of its own. Parameters that share memory are sent once.
 */
ncclResult_t sync_broadcast(struct nn *m, const struct sync *s);

/*
 * Replace each gradient by its mean over all ranks, in place: one all-reduce
 * for each trained parameter (nn_is_trained()).
 */
ncclResult_t sync_gradients(struct nn *m, const struct sync *s);

/*
 * One training step: compute the gradients for this rank's rows, average them
 * over ranks, and update with the optimizer.
 */
ncclResult_t sync_step(struct nn *m, const struct nn_batch *batch,
                       struct nn_optimizer *o, const struct sync *s);

/* ---- part 2: accumulation (replicas.c) ----------------------------------- */

/*
 * One training step on the micro-batches batch[0] .. batch[micro-1], which have
 * the same number of rows each. The result is that of one batch with all their
 * rows. Synchronises once.
 */
ncclResult_t sync_accumulate(struct nn *m, const struct nn_batch *batch,
                             int micro, struct nn_optimizer *o,
                             const struct sync *s);

/* ---- part 3: buckets (buckets.c) ----------------------------------------- */

/*
 * Assign parameters to buckets of at most cap_nbytes, in reverse order of
 * registration (the order in which a backward pass completes them): a bucket is
 * filled until the next parameter does not fit. A parameter larger than the cap
 * has a bucket to itself. size_nbytes: bytes of one element as sent, 4 or 2.
 *
 * Sets bucket[p] to the number of parameter p's bucket, from 0, or to -1 if p
 * isn't trained. Returns the number of buckets. Not collective; needs no GPU.
 */
int bucket_assign(const struct nn *m, size_t cap_nbytes, size_t size_nbytes,
                  int *bucket);

/*
 * Like sync_gradients(), but with one all-reduce for each bucket of
 * bucket_assign(): pack the gradients into s->scratch, reduce them there as
 * elements of type (ncclFloat, ncclHalf or ncclBfloat16), and unpack them.
 */
ncclResult_t bucket_sync(struct nn *m, size_t cap_nbytes, ncclDataType_t type,
                         const struct sync *s);

/* ---- part 4: one process, all devices (dataparallel.c) ------------------- */

/* A network on one of this process's devices. Device r[0] has the originals. */
struct replica {
    int device;
    cudaStream_t stream; /* that device's, non-blocking */
    cudaEvent_t event;   /* dp_after()'s */
    struct nn m;
    float *x;     /* (rows, in): this replica's rows */
    void *target; /* their targets; NULL if the loss has none */
};

/*
 * The three steps between which dp_step(), below, computes. Not collective, and
 * the host waits for no device: dp_after() orders them.
 */

/* Copy r[0]'s parameters, each once, to the other replicas. */
ncclResult_t dp_replicate(struct replica *r, int n);

/* Copy its rows to each replica: x (n * rows, in) and target are on r[0]'s
 * device, the rows of replica 0 first. */
ncclResult_t dp_scatter(struct replica *r, int n, const float *x,
                        const void *target);

/* Set r[0]'s gradients to the mean over all replicas. scratch: r[0].m.count
 * floats on r[0]'s device. */
ncclResult_t dp_reduce(struct replica *r, int n, float *scratch);

/* ---- part 5: what communicators cost (comms.c) --------------------------- */

/*
 * `steps` times: replace buf (count floats on the device) by its mean over
 * ranks and synchronise. The first function creates one communicator for all
 * steps and destroys it at the end; the second creates and destroys one in each
 * step. Neither uses s->comm. mpi_comm has the ranks of s.
 */
ncclResult_t mean_with_one_comm(float *buf, size_t count, int steps,
                                MPI_Comm mpi_comm, const struct sync *s);
ncclResult_t mean_with_new_comms(float *buf, size_t count, int steps,
                                 MPI_Comm mpi_comm, const struct sync *s);

/* ---- part 6: a parameter server (server.c) ------------------------------- */

/*
 * One training step with rank 0 as the server, using only ncclSend and
 * ncclRecv. All ranks compute gradients. Workers (all but rank 0) send theirs
 * to the server, which adds them up one worker at a time (in s->scratch), takes
 * the mean over all ranks and updates; then it sends the new parameters to
 * every worker. Only the server has an optimizer: o is NULL on the workers.
 */
ncclResult_t server_step(struct nn *m, const struct nn_batch *batch,
                         struct nn_optimizer *o, const struct sync *s);

/* ---- given: common/staff/lab2-gradient-sync/given.c ---------------------- */

/* Part 3: bytes of one element as sent. */
size_t bucket_size(ncclDataType_t type);

/* Copy count elements of a gradient to s->scratch from its element `at` on,
 * converted to type; or back. */
ncclResult_t bucket_pack(size_t at, const float *grad, size_t count,
                         ncclDataType_t type, const struct sync *s);
ncclResult_t bucket_unpack(size_t at, float *grad, size_t count,
                           ncclDataType_t type, const struct sync *s);

/* Part 4: make later work on `waits` wait for all work enqueued on `on` so far.
 * Afterwards the current device is that of `waits`. */
ncclResult_t dp_after(struct replica *waits, struct replica *on);

/*
 * One training step as torch.nn.DataParallel does it: replicate, scatter, run
 * forward and backward on all devices, reduce, and update r[0]. Each device
 * computes the gradients of its own rows.
 */
ncclResult_t dp_step(struct replica *r, int n, const float *x,
                     const void *target, struct nn_optimizer *o,
                     float *scratch);

/* Part 5: a communicator of all ranks of mpi_comm, as in lab 1. */
ncclResult_t make_comm(MPI_Comm mpi_comm, const struct sync *s,
                       ncclComm_t *comm);

/* Part 6: this rank's own gradients. */
ncclResult_t server_compute(struct nn *m, const struct nn_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
