/*
 * lab5.h: memory that every rank reaches, and what to do with it
 *
 * What you write, part by part, and what each function promises.
 *
 * A *symmetric heap* is device memory of one size on each rank, which all other
 * ranks have mapped. What is allocated in it lies at the same offset everywhere,
 * so where a peer's copy is follows from where one's own is:
 *
 *     rank 0   base[0] |....a....b....|
 *     rank 1   base[1] |....a....b....|     rank 0's a, on rank 1:
 *                           ^               base[1] + (a - base[0])
 *
 * "Symmetric" below is an address in one's own heap that symm_alloc() gave. With
 * it a rank reads and writes a peer's memory without the peer's help: *one-sided*.
 * What the peer can't know is when; that is what signals are for.
 *
 * A *signal* is a word (unsigned int) of the heap that grows: 1, 2, 3, ... Who
 * waits for n goes on when it is n or more, so none is lost that came early, and
 * none has to be taken back. Words are 0 when the heap is opened.
 *
 * Host functions that take a stream only enqueue work, and return. Functions are
 * to be called by all ranks in the same order unless they say otherwise.
 */
#ifndef LAB5_H
#define LAB5_H

#include <cublas_v2.h>
#include <cuda.h>         /* cuStreamWriteValue32, CUdeviceptr */
#include <cuda_runtime.h> /* cudaStream_t, cudaEvent_t */
#include <mpi.h>          /* MPI_Comm */
#include <nccl.h>         /* ncclResult_t */
#include <stddef.h>

#include "nn/mlp.h"       /* struct nn, nn_forward, nn_backward */
#include "nn/optimizer.h" /* struct nn_optimizer */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- part 1: the heap (heap.c) ------------------------------------------------ */

enum { SYMM_MAX_RANKS = 16, SYMM_ALIGN = 256 };

enum symm_reach { /* how this rank's device reaches another rank's memory */
                  SYMM_NOT,   /* another node, or devices without peer access */
                  SYMM_PEER,  /* peer access between two devices */
                  SYMM_SHARED /* it is the same device */
};

struct symm_probe {
    enum symm_reach reach[SYMM_MAX_RANKS]; /* of each rank */
    int sharing; /* ranks on this rank's device, itself included */
};

/*
 * What can this machine do? Ranks tell each other the PCI bus id of their current
 * device, and ask the runtime about each. Enqueues nothing, maps nothing.
 */
ncclResult_t symm_probe(MPI_Comm comm, struct symm_probe *out);

struct symm_view { /* the heap as kernels see it: passed by value */
    char *base
        [SYMM_MAX_RANKS]; /* rank r's heap, mapped here; [rank]: one's own */
    int rank, nranks;
};

struct symm {
    struct symm_view view;
    MPI_Comm comm;
    size_t nbytes, used; /* of the heap; allocated so far, from its beginning */
    unsigned *arrived;   /* symmetric, nranks words: symm_barrier()'s */
    unsigned barriers;   /* how many symm_barrier() has enqueued */
};

/*
 * Open a heap of nbytes on each rank's current device: allocate it, zero it, and
 * map those of all other ranks. When it returns all heaps are zero and mapped. If
 * any rank fails, all return an error, and none is left with anything open:
 * ncclInvalidUsage where some rank can't reach another, ncclSystemError else.
 */
ncclResult_t symm_open(struct symm *s, MPI_Comm comm, size_t nbytes);

/* Unmap and free. The caller's device is idle. No rank frees its heap before all
 * others have unmapped it. A heap that isn't open is left as it is. */
void symm_close(struct symm *s);

/*
 * Allocate nbytes on each rank, at the same offset, a multiple of SYMM_ALIGN;
 * *out is the own address. When not all ranks ask for the same, or the heap is
 * full, all return ncclInvalidArgument, and nothing is allocated. There is no
 * free: closing the heap frees all.
 */
ncclResult_t symm_alloc(struct symm *s, size_t nbytes, void **out);

/* Where rank `rank` has what lies at `own` in this rank's heap. */
void *symm_at(const struct symm_view *v, const void *own, int rank);

/* ---- part 2: one-sided operations ------------------------------------------------ */

/* On a stream, from the host (onesided.c). Not collective, but symm_barrier(). */

/* Copy nbytes from src, memory of this rank, to rank's copy of dst (symmetric). */
ncclResult_t symm_put(const struct symm *s, void *dst, const void *src,
                      size_t nbytes, int rank, cudaStream_t stream);

/* Copy nbytes from rank's copy of src (symmetric) to dst, memory of this rank. */
ncclResult_t symm_get(const struct symm *s, void *dst, const void *src,
                      size_t nbytes, int rank, cudaStream_t stream);

/* Set rank's copy of a signal, when all that is before it in the stream is done:
 * who has seen the value sees that, too. */
ncclResult_t symm_signal(const struct symm *s, unsigned *signal, unsigned value,
                         int rank, cudaStream_t stream);

/* What follows in the stream waits until one's own signal is at least value. */
ncclResult_t symm_wait(const struct symm *s, unsigned *signal, unsigned value,
                       cudaStream_t stream);

/* What follows in the stream on any rank comes after what is before it in the
 * streams of all ranks. Collective. */
ncclResult_t symm_barrier(struct symm *s, cudaStream_t stream);

/* From kernels: device.cuh has the operations, and their contracts. */

/*
 * Play `rounds` rounds of ping-pong with rank^1, in one kernel of one block
 * (device.cu). In round i = 1, 2, ... the even rank puts `item` (count float4)
 * into the odd one's `box`, and signals i; that one waits for i, sets out[i - 1]
 * to the first float of what came, adds 1 to each float of it, and puts it back
 * the same way; the even rank waits, notes out[i - 1], and goes on with what came
 * as its item. box and signal are symmetric; item and out are not. A rank without
 * a partner does nothing. Not collective.
 */
ncclResult_t symm_ping_pong(const struct symm *s, float4 *box, float4 *item,
                            size_t count, unsigned *signal, float *out,
                            unsigned rounds, cudaStream_t stream);

/* ---- part 3: all-reduce (allreduce.cu, choose.c) --------------------------------- */

enum { SYMM_BLOCKS = 128, SYMM_THREADS = 512 };

enum symm_algo { SYMM_ONE_SHOT, SYMM_TWO_SHOT, SYMM_NCCL, SYMM_ALGOS };

struct symm_reducer { /* what the all-reduces of a heap share */
    struct symm *s;
    ncclComm_t nccl; /* of the same ranks; NULL: there is no NCCL here */
    unsigned *flags; /* symmetric: a word for each rank, symm_meet()'s */
    unsigned *local; /* two words of this rank's device: allreduce.cu's */
    unsigned meets;  /* how often the ranks have met: the last value of flags */
    size_t one_shot_most; /* bytes; up to here one-shot, */
    size_t two_shot_most; /* up to here two-shot, beyond it NCCL */
};

/* Allocate the flags. By its limits everything is one-shot. Given (support.c). */
ncclResult_t symm_reducer_init(struct symm_reducer *a, struct symm *s,
                               ncclComm_t nccl);

/*
 * recvbuf[i] = the sum of sendbuf[i] of all ranks: the same bits on all ranks. sendbuf and recvbuf are symmetric and do not overlap. Elements are
 * moved by four: up to three behind the last are read and written, too, which
 * symm_alloc()'s alignment leaves room for. When it is done on a rank's stream,
 * recvbuf is complete there, and nobody reads that rank's buffers any more.
 *
 *   one-shot   every rank reads everybody's sendbuf, and adds: one kernel
 *   two-shot   every rank adds up its n-th; then reads those of all others: two
 */
ncclResult_t symm_one_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream);
ncclResult_t symm_two_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream);

/* By name: one of these two, or ncclAllReduce(). Given (support.c). */
ncclResult_t symm_reduce_by(struct symm_reducer *a, enum symm_algo algo,
                            const float *sendbuf, float *recvbuf, size_t count,
                            cudaStream_t stream);

/*
 * Time of one all-reduce of count floats by this algorithm, in microseconds: of
 * the slowest rank, the same number on all ranks. Warm up, and take the mean of
 * several. Waits.
 */
ncclResult_t symm_reduce_time(struct symm_reducer *a, enum symm_algo algo,
                              const float *sendbuf, float *recvbuf,
                              size_t count, cudaStream_t stream, double *us);

/*
 * Measure all algorithms at 1 KiB, 2 KiB, 4 KiB, ... most_nbytes, and set the two
 * limits of a: each to the largest of these sizes up to which it is right to use
 * one-shot (one-shot or two-shot), 0 if at none. Without NCCL, two_shot_most is
 * SIZE_MAX. The same on all ranks. sendbuf and recvbuf: as above, of most_nbytes.
 */
ncclResult_t symm_reduce_tune(struct symm_reducer *a, const float *sendbuf,
                              float *recvbuf, size_t most_nbytes,
                              cudaStream_t stream);

/* All-reduce by the algorithm that the limits name for this size; where there is
 * no NCCL, by two-shot in its place. */
ncclResult_t symm_all_reduce(struct symm_reducer *a, const float *sendbuf,
                             float *recvbuf, size_t count, cudaStream_t stream);

/* ---- part 4: uses ------------------------------------------------------------------ */

/* Gradients of a small model (gradsync.c). */
struct gradsync {
    struct symm_reducer *a;
    float *grads, *sums; /* symmetric: count floats each */
    size_t count;        /* of all gradients that are trained */
};

/* Make m's gradients (nn_is_trained()) views of g->grads, one behind the other, in
 * order of registration; gradients of tied parameters share theirs. */
ncclResult_t gradsync_open(struct gradsync *g, struct symm_reducer *a,
                           struct nn *m);

/* One step of training: gradients of this rank's rows, their mean over all ranks
 * by one all-reduce, the optimizer's update. */
ncclResult_t gradsync_step(struct gradsync *g, struct nn *m,
                           const struct nn_batch *b, struct nn_optimizer *o);

/*
 * Hand-off to the next stage of a pipeline (pipeline.c): a few slots in the
 * memory of the rank behind, which it gives back when it is done with them.
 *
 *     rank r                             rank r + 1
 *     handoff_send: wait empty, put, -- full --> handoff_recv: wait full
 *                                    <- empty -- handoff_done
 */
enum { HANDOFF_SLOTS = 2 };
struct handoff {
    struct symm *s;
    size_t count;                /* floats of a message */
    float *slots;                /* symmetric: HANDOFF_SLOTS * count floats */
    unsigned *full, *empty;      /* symmetric, a word each: messages so far */
    unsigned sent, taken, freed; /* by this rank */
};

ncclResult_t handoff_open(struct handoff *h, struct symm *s,
                          size_t count); /* given (support.c) */

/* Send the message at src to rank + 1, as soon as a slot there is free. */
ncclResult_t handoff_send(struct handoff *h, const float *src,
                          cudaStream_t stream);

/* Wait for the next message of rank - 1; *msg is where it lies, until it is given
 * back. Messages are given back in the order in which they came. */
ncclResult_t handoff_recv(struct handoff *h, float **msg, cudaStream_t stream);
ncclResult_t handoff_done(struct handoff *h, cudaStream_t stream);

/*
 * A product whose columns are spread over ranks (gemm.c): every rank has x
 * (rows, in) and its own w (in, cols), and wants the products of all:
 *
 *     y   block 0 | block 1 | ...     block r = x @ w of rank r, (rows, cols)
 */
struct tpgemm {
    struct symm *s;
    cublasHandle_t blas;        /* on compute */
    cudaStream_t compute, puts; /* non-blocking */
    unsigned *ready;   /* symmetric: a word for each rank whose block is here */
    unsigned products; /* how many have been enqueued */
};

ncclResult_t tpgemm_open(struct tpgemm *g, struct symm *s,
                         cudaStream_t compute); /* given (support.c) */
void tpgemm_close(struct tpgemm *g);

/*
 * y (symmetric, nranks blocks) gets the products of all ranks. The own block is
 * computed in `pieces` of rows / pieces rows each, a divisor; while one is
 * computed, the one before it is under way. What follows on the compute stream
 * finds all of y. Nobody writes y before the ranks have met at the call's begin.
 */
ncclResult_t tpgemm_run(struct tpgemm *g, const float *x, const float *w,
                        float *y, int rows, int in, int cols, int pieces);

/*
 * A ring buffer between two kernels (ring.cu): rank r produces for rank r + 1,
 * the last for rank 0. Every rank runs a producer and a consumer, kernels of one
 * block on two streams. The buffer is the consumer's, RING_SLOTS items long.
 */
enum { RING_SLOTS = 8 };
struct ring {
    struct symm *s;
    size_t count;   /* float4 of an item */
    float4 *slots;  /* symmetric: RING_SLOTS * count */
    unsigned *head; /* symmetric: items that came, in the consumer's memory */
    unsigned *tail; /* symmetric: items taken out, in the producer's memory */
};

ncclResult_t ring_open(struct ring *r, struct symm *s,
                       size_t count); /* given (support.c) */

/* Produce nitems from src, one behind the other, and consume nitems into dst: of
 * a ring that nothing has passed yet. Not collective. */
ncclResult_t ring_produce(const struct ring *r, const float4 *src,
                          unsigned nitems, cudaStream_t stream);
ncclResult_t ring_consume(const struct ring *r, float4 *dst, unsigned nitems,
                          cudaStream_t stream);

/* A tensor of one dimension, spread over ranks (dtensor.c): rank r has elements
 * r * per to (r + 1) * per - 1, as far as there are so many. */
struct dtensor {
    struct symm *s;
    float *local; /* symmetric: per floats */
    size_t count, per;
};

ncclResult_t dtensor_open(struct dtensor *t, struct symm *s, size_t count);

/* Read or write elements begin to begin + count - 1, wherever they lie: with as
 * few copies as there are ranks that have some. Not collective.
 * ncclInvalidArgument: there are no such elements. */
ncclResult_t dtensor_get(const struct dtensor *t, size_t begin, size_t count,
                         float *out, cudaStream_t stream);
ncclResult_t dtensor_put(const struct dtensor *t, size_t begin, size_t count,
                         const float *in, cudaStream_t stream);

/*
 * A cache of parameters (pcache.c): adapter `id` (count floats) has its home on
 * rank id % nranks, in home[id / nranks]. A rank that works with adapters keeps
 * a few in memory of its own, and fetches others in place of the one that was
 * not used for longest.
 */
enum { PCACHE_SLOTS = 4 };
struct pcache {
    struct symm *s;
    size_t count;
    float *home;          /* symmetric: the adapters whose home is here */
    float *slots;         /* PCACHE_SLOTS * count floats, not symmetric */
    int id[PCACHE_SLOTS]; /* what is in a slot; -1: nothing */
    unsigned used[PCACHE_SLOTS]; /* when it was used last: the value of uses */
    unsigned uses, fetches;      /* so far */
    cudaEvent_t here[PCACHE_SLOTS]; /* the slot's adapter has come */
    cudaEvent_t idle[PCACHE_SLOTS]; /* nobody computes with the slot any more */
    cudaStream_t fetch;             /* non-blocking: fetches come on it */
};

ncclResult_t pcache_open(struct pcache *c, struct symm *s, float *home,
                         size_t count); /* given (support.c) */
void pcache_close(struct pcache *c);

/*
 * Have adapter id in a slot, fetched if it isn't there (fetches grows by 1), and
 * say which. It counts as used. What the fetch overwrites may still be computed
 * with: the fetch waits, the host and the other streams don't. Not collective.
 */
ncclResult_t pcache_fetch(struct pcache *c, int id, int *slot);

/* What follows in the stream finds the adapter of this slot; and: what is in the
 * stream by now is all that works with it. */
ncclResult_t pcache_begin(struct pcache *c, int slot, cudaStream_t stream);
ncclResult_t pcache_end(struct pcache *c, int slot, cudaStream_t stream);

/*
 * A hash map over ranks (hashmap.cu): keys (not 0) to sums. Key k belongs to rank
 * hash_owner(), where it is looked for from slot hash_slot() on, and then in the
 * next ones, round the end.
 */
struct hashmap {
    struct symm *s;
    unsigned *keys;  /* symmetric: nslots words; 0: the slot is free */
    unsigned *sums;  /* symmetric: nslots words */
    unsigned nslots; /* of each rank; never all in use */
};

ncclResult_t hashmap_open(struct hashmap *h, struct symm *s,
                          unsigned nslots); /* given (support.c) */

/* For each of n keys: add values[i] to the sum of keys[i], which is 0 before. Any
 * ranks may do so at the same time. Not collective. */
ncclResult_t hashmap_add(const struct hashmap *h, const unsigned *keys,
                         const unsigned *values, size_t n, cudaStream_t stream);

/* For each of n keys: out[i] gets its sum, 0 if it has none. Nobody adds at the
 * same time. Not collective. */
ncclResult_t hashmap_find(const struct hashmap *h, const unsigned *keys,
                          unsigned *out, size_t n, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
