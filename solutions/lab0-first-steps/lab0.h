/*
 * lab0.h: first steps with MPI, CUDA and NCCL
 *
 * Ten small functions, in the order in which the handout explains them. Each
 * needs a few lines. Two of them are there, with a mistake for you to mend:
 * first_ring() hangs, and first_order() has a race.
 *
 *     mpi.c     processes that send one another messages      parts 1 to 3
 *     cuda.cu   a GPU: memory, kernels, streams, events       parts 4 to 7
 *     nccl.c    GPUs that send one another messages           parts 8 to 10
 *
 * The program runs once for each rank: `mpirun -n 4` starts four processes
 * with ranks 0 to 3, and every one of them calls these functions.
 */
#ifndef LAB0_H
#define LAB0_H

#include <cuda_runtime.h> /* cudaStream_t */
#include <mpi.h>          /* MPI_Comm */
#include <nccl.h>         /* ncclComm_t */
#include <stddef.h>       /* size_t */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- MPI: mpi.c ----------------------------------------------------------
 *
 * Arrays are ordinary memory. MPI ends the program if one of its calls fails,
 * so their results need no checks.
 */

/*
 * Part 1. Rank `from` sends the `count` ints of its `out` to rank `to`, which
 * receives them in its `in`: one message. Called by all ranks; the others do
 * nothing. from != to.
 */
void first_message(const int *out, int *in, int count, int from, int to,
                   MPI_Comm comm);

/*
 * Part 2. Afterwards, `values` holds on every rank what it held on rank `root`
 * before the call. One collective call.
 */
void first_share(int *values, int count, int root, MPI_Comm comm);

/*
 * Part 3. Every rank has `count` ints. Afterwards `all` has those of all ranks,
 * in the order of the ranks: (nranks, count). Ranks form a ring: every rank
 * sends nranks - 1 messages to the right, and receives as many from the left.
 * No collective call. It must work for messages of any size.
 */
void first_ring(const int *mine, int *all, int count, MPI_Comm comm);

/* ---- CUDA: cuda.cu -------------------------------------------------------
 *
 * These functions return an error if one of their calls fails: write
 * LAB_TRY_CUDA(call) around each, and return ncclSuccess at the end. An error
 * ends the case, so what the function has allocated by then may leak here; from
 * lab 1 on, functions free it (lab/try.h shows how).
 */

/*
 * Part 4. out = 2 in, computed by given_double() on the GPU. in, out: `count`
 * floats each, ordinary memory. Frees the device memory that it allocates.
 * Returns when `out` is complete.
 */
ncclResult_t first_trip(const float *in, float *out, size_t count);

/*
 * Part 5. y[i] = a * x[i] + y[i] for count > 0 floats in device memory. Your
 * kernel has one thread for each element. Enqueues the work on the stream, and
 * does not wait for it.
 */
ncclResult_t first_axpy(float a, const float *x, float *y, size_t count,
                        cudaStream_t stream);

/*
 * Part 6. x = 2 x + 1: given_double() on stream `one`, then given_increment()
 * on stream `two`. x: device memory. Enqueues the work and does not wait for
 * it: the host never blocks.
 */
ncclResult_t first_order(float *x, size_t count, cudaStream_t one,
                         cudaStream_t two);

/* Part 7: a vector in pinned host memory, and what it takes to double it. */
struct first_work {
    const float *in; /* count floats, pinned host memory */
    float *out;      /* likewise */
    float *device;   /* count floats, device memory */
    size_t count;
    int npieces;       /* divides count */
    cudaStream_t up;   /* for the copies to the device */
    cudaStream_t down; /* for the kernels, and the copies back */
};

/*
 * Part 7. out = 2 in as in part 4, but piece by piece: each piece is copied
 * to its place in w->device, doubled there and copied to w->out. One piece
 * travels down while the next one travels up. Enqueues the work and does not
 * wait for it: only events order the two streams.
 */
ncclResult_t first_overlap(const struct first_work *w);

/* ---- NCCL: nccl.c --------------------------------------------------------
 *
 * Buffers are device memory. Write LAB_TRY(call) around NCCL's calls. All
 * ranks call these functions, in the same order.
 */

/* Part 8. Set *comm to a communicator of all ranks of mpi_comm, in which every
 * rank keeps its number. This process's GPU is already the current device. */
ncclResult_t first_comm(MPI_Comm mpi_comm, ncclComm_t *comm);

/*
 * Part 9. Two ranks exchange `count` floats: each sends its sendbuf to its
 * partner and receives the partner's in its recvbuf. A rank may be its own
 * partner. Enqueues the work on the stream, and does not wait for it.
 */
ncclResult_t first_swap(const float *sendbuf, float *recvbuf, size_t count,
                        int partner, ncclComm_t comm, cudaStream_t stream);

/* Part 10: where the results of four collectives go. Device memory. */
struct first_tour {
    float *broadcast;      /* (count): the vector of rank `root` */
    float *all_gather;     /* (nranks, count): every rank's, in rank order */
    float *reduce_scatter; /* (count / nranks): this rank's part of the sum */
    float *all_reduce;     /* (count): the sum of all ranks' vectors */
};

/*
 * Part 10. Fill the four results from every rank's `count` floats in sendbuf,
 * with one collective for each. nranks divides count.
 */
ncclResult_t first_collectives(const float *sendbuf,
                               const struct first_tour *out, size_t count,
                               int root, ncclComm_t comm, cudaStream_t stream);

/* ---- given: common/staff/lab0-first-steps -------------------------------- */

/* x = 2 x, and x = x + 1: count floats in device memory. They launch a kernel
 * on the stream and return before it is done. */
ncclResult_t given_double(float *x, size_t count, cudaStream_t stream);
ncclResult_t given_increment(float *x, size_t count, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
