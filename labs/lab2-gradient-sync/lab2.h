/*
 * lab2.h: one network on many devices, kept the same
 *
 * What you write, part by part, and what each function promises. The network,
 * its passes and its optimizer are given: nn/mlp.h, nn/optimizer.h. Every rank
 * drives one device and has rows of its own; together they have to do what one
 * device would do that had all the rows.
 *
 * The loss is a mean over rows. So the gradient of all ranks' rows together is
 * the mean of the ranks' gradients, and a sum is n times too long.
 *
 * All functions are collective unless they say otherwise: every rank calls them,
 * in the same order. They only enqueue work and return; the caller synchronises.
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

/* What every rank has beside its network. */
struct sync {
    ncclComm_t comm;
    int rank, nranks;
    cudaStream_t stream; /* the network's stream, too */
    float *scratch;      /* device memory: m->count floats, yours to use */
};

/* ---- part 1: replicas (replicas.c) ------------------------------------------ */

/*
 * Give every rank rank 0's parameters, frozen ones too: each rank began with
 * weights of its own. Parameters that share memory travel once.
 */
ncclResult_t sync_broadcast(struct nn *m, const struct sync *s);

/*
 * Replace each gradient by its mean over all ranks: one all-reduce for each
 * parameter that is trained (nn_is_trained()), in place.
 */
ncclResult_t sync_gradients(struct nn *m, const struct sync *s);

/*
 * One step of training: gradients of this rank's rows, their mean over ranks,
 * the optimizer's update.
 */
ncclResult_t sync_step(struct nn *m, const struct nn_batch *b,
                       struct nn_optimizer *o, const struct sync *s);

/* ---- part 2: accumulation (replicas.c) ---------------------------------------- */

/*
 * One step of `micro` micro-batches b[0] .. b[micro-1], all of the same number
 * of rows: as one batch that had all their rows, with one synchronisation.
 */
ncclResult_t sync_accumulate(struct nn *m, const struct nn_batch *b, int micro,
                             struct nn_optimizer *o, const struct sync *s);

/* ---- part 3: buckets (buckets.c) ------------------------------------------------ */

/*
 * Put parameters into buckets of at most cap_nbytes, in reverse order of
 * registration (the order in which a backward pass completes them): a bucket is
 * filled until the next parameter would not fit. A parameter larger than the cap
 * has a bucket to itself. size_nbytes is of one element as it is sent: 4 or 2.
 *
 * bucket[p] gets the number of parameter p's bucket, from 0, or -1 if p isn't
 * trained. Returns how many buckets there are. Not collective; no GPU needed.
 */
int bucket_assign(const struct nn *m, size_t cap_nbytes, size_t size_nbytes,
                  int *bucket);

/*
 * Copy count elements of a gradient to element `at` of a bucket in s->scratch,
 * as elements of type, or back. Types: ncclFloat, ncclHalf, ncclBfloat16. Given.
 */
ncclResult_t bucket_pack(size_t at, const float *grad, size_t count,
                         ncclDataType_t type, const struct sync *s);
ncclResult_t bucket_unpack(size_t at, float *grad, size_t count,
                           ncclDataType_t type, const struct sync *s);

/*
 * As sync_gradients(), with one all-reduce for each bucket of bucket_assign():
 * gradients are packed into s->scratch, reduced there as elements of type, and
 * unpacked.
 */
ncclResult_t bucket_sync(struct nn *m, size_t cap_nbytes, ncclDataType_t type,
                         const struct sync *s);

/* ---- part 4: one process, all devices (dataparallel.c) ---------------------------- */

/* A network on one of this process's devices. Device r[0] has the originals. */
struct replica {
    int device;
    cudaStream_t stream; /* of that device, non-blocking */
    cudaEvent_t event;   /* dp_after()'s */
    struct nn m;
    float *x;     /* (rows, in): this replica's rows */
    void *target; /* their targets; NULL: the loss has none */
};

/* What is enqueued on `waits` from now on starts after all that is on `on` so
 * far. Not collective, as all of part 4. Given. */
ncclResult_t dp_after(struct replica *waits, struct replica *on);

/* Copy r[0]'s parameters, each once, to the others. */
ncclResult_t dp_replicate(struct replica *r, int n);

/* Copy rows to replicas: x (n * rows, in) and target lie on r[0]'s device, the
 * rows of replica 0 first. */
ncclResult_t dp_scatter(struct replica *r, int n, const float *x,
                        const void *target);

/* r[0]'s gradients become the mean of all replicas'. scratch: r[0].m.count
 * floats on r[0]'s device. */
ncclResult_t dp_reduce(struct replica *r, int n, float *scratch);

/*
 * One step, as torch.nn.DataParallel does it: replicate, scatter, forward and
 * backward on all devices, reduce, and update r[0]. Given.
 */
ncclResult_t dp_step(struct replica *r, int n, const float *x,
                     const void *target, struct nn_optimizer *o,
                     float *scratch);

/* ---- part 5: communicators cost (comms.c) ------------------------------------------ */

/*
 * `steps` times: replace buf (count floats on the device) by its mean over ranks,
 * and wait for that. One makes a communicator of its own for all steps and
 * destroys it in the end; the other makes and destroys one in each step. Neither
 * uses s->comm. mpi_comm has the ranks of s.
 */
ncclResult_t mean_with_one_comm(float *buf, size_t count, int steps,
                                MPI_Comm mpi_comm, const struct sync *s);
ncclResult_t mean_with_new_comms(float *buf, size_t count, int steps,
                                 MPI_Comm mpi_comm, const struct sync *s);

/* ---- part 6: a parameter server (server.c) ------------------------------------------- */

/*
 * One step with rank 0 as the server, from ncclSend and ncclRecv alone. All ranks
 * compute gradients. Workers (all but rank 0) send theirs to the server, which
 * adds them up one worker at a time (s->scratch), takes the mean over all ranks
 * and updates; then it sends every worker the new parameters. Only the server
 * has a use for the optimizer.
 */
ncclResult_t server_step(struct nn *m, const struct nn_batch *b,
                         struct nn_optimizer *o, const struct sync *s);

#ifdef __cplusplus
}
#endif
#endif
