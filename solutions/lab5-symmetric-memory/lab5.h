/*
 * lab5.h: memory that every rank can access, and its uses
 *
 * The functions that you write, part by part, and their contracts. What is
 * given is in common/staff/lab5-symmetric-memory.
 *
 * A *symmetric heap* is device memory of the same size on each rank, mapped by
 * all other ranks. Each allocation has the same offset in every rank's heap, so
 * a rank can compute the address of a peer's copy from that of its own:
 *
 *     rank 0   base[0] |....a....b....|
 *     rank 1   base[1] |....a....b....|     rank 0's a, on rank 1:
 *                           ^               base[1] + (a - base[0])
 *
 * Below, a "symmetric" pointer is an address in the caller's own heap, returned
 * by symm_alloc(). With it a rank reads and writes a peer's memory without the
 * peer's help: such an operation is *one-sided*. The peer cannot tell when it
 * happens; a signal tells it.
 *
 * A *signal* is a flag in the heap, an unsigned int that only grows: 1, 2, 3,
 * ... A wait for n ends once the flag is at least n, so a signal that comes
 * early is not lost, and none has to be reset. Flags are 0 when the heap is
 * opened.
 *
 * Host functions that take a stream enqueue work on it and return without
 * blocking. All ranks call them in the same order, unless they say otherwise.
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

/* ---- part 1: the heap (heap.c) ------------------------------------------- */

enum { SYMM_MAX_RANKS = 16, SYMM_ALIGN = 256 };

/* How this rank's device can access another rank's memory. */
enum symm_reach {
    SYMM_NOT,   /* not: on another node, or no peer access */
    SYMM_PEER,  /* by peer access between two devices */
    SYMM_SHARED /* directly: both ranks use the same device */
};

struct symm_probe {
    enum symm_reach reach[SYMM_MAX_RANKS]; /* to each rank */
    int sharing; /* ranks on this rank's device, including itself */
};

/*
 * Find out what this machine can do: ranks exchange the PCI bus ids of their
 * current devices and query the runtime about each. Enqueues and maps nothing.
 */
ncclResult_t symm_probe(MPI_Comm comm, struct symm_probe *out);

struct symm_view { /* the heap as kernels see it: passed by value */
    char
        *base[SYMM_MAX_RANKS]; /* rank r's heap, mapped here; [rank]: its own */
    int rank, nranks;
};

struct symm {
    struct symm_view view;
    MPI_Comm comm;
    size_t nbytes, used; /* size of the heap; end of its last allocation */
    unsigned *arrived;   /* symmetric, nranks flags: symm_barrier()'s */
    unsigned barriers;   /* calls of symm_barrier() so far */
};

/*
 * Open a heap of nbytes on each rank's current device: allocate it, zero it,
 * and map those of all other ranks. On return all heaps are zero and mapped. If
 * any rank fails, all ranks return an error and leave nothing open:
 * ncclInvalidUsage if a rank cannot access another one's memory,
 * ncclSystemError otherwise.
 */
ncclResult_t symm_open(struct symm *s, MPI_Comm comm, size_t nbytes);

/* Unmap and free the heap. The caller's device is idle. No rank frees its heap
 * before all others have unmapped it. Does nothing if the heap isn't open. */
void symm_close(struct symm *s);

/*
 * Allocate nbytes on each rank, at the same offset, a multiple of SYMM_ALIGN.
 * Sets *out to the address in the caller's heap. If ranks ask for different
 * sizes, or the heap is full, all return ncclInvalidArgument and nothing is
 * allocated. There is no free: closing the heap frees everything.
 */
ncclResult_t symm_alloc(struct symm *s, size_t nbytes, void **out);

/* The address, on this rank, of rank's copy of what is at `own` in this rank's
 * heap. */
void *symm_at(const struct symm_view *v, const void *own, int rank);

/* ---- part 2: one-sided operations ---------------------------------------- */

/* On a stream, from the host (onesided.c). Not collective, except
 * symm_barrier(). */

/* Copy nbytes from src, memory of this rank, to rank's copy of dst
 * (symmetric). */
ncclResult_t symm_put(const struct symm *s, void *dst, const void *src,
                      size_t nbytes, int rank, cudaStream_t stream);

/* Copy nbytes from rank's copy of src (symmetric) to dst, memory of this
 * rank. */
ncclResult_t symm_get(const struct symm *s, void *dst, const void *src,
                      size_t nbytes, int rank, cudaStream_t stream);

/* Set rank's copy of a signal once all earlier work in the stream is complete.
 * A rank that has seen the value also sees the effects of that work. */
ncclResult_t symm_signal(const struct symm *s, unsigned *signal, unsigned value,
                         int rank, cudaStream_t stream);

/* Block the stream until this rank's copy of a signal is at least value. */
ncclResult_t symm_wait(const struct symm *s, unsigned *signal, unsigned value,
                       cudaStream_t stream);

/* A barrier of the ranks' streams: later work in any of them starts after all
 * earlier work in all of them. Collective. */
ncclResult_t symm_barrier(struct symm *s, cudaStream_t stream);

/* Make later work on `behind` wait for the work on `ahead` so far, both streams
 * of this rank. Given (support.c). */
ncclResult_t symm_after(cudaStream_t behind, cudaStream_t ahead);

/* From kernels: device.cuh has the operations and their contracts. */

/*
 * Play `rounds` rounds of ping-pong with rank^1, in one kernel of one block
 * (device.cu). In round i = 1, 2, ... the even rank puts `item` (count float4)
 * into the odd rank's `box` and signals i. The odd rank waits for i, sets out[i
 * - 1] to the first float received, adds its add[i - 1] to each float, and puts
 * the item back the same way. The even rank waits for it, sets its out[i - 1]
 * likewise, and adds its own add[i - 1]: that is its next item. box and signal
 * are symmetric; item, add and out are not. A rank without a partner does
 * nothing. Not collective.
 */
ncclResult_t symm_ping_pong(const struct symm *s, float4 *box, float4 *item,
                            size_t count, unsigned *signal, const float *add,
                            float *out, unsigned rounds, cudaStream_t stream);

/* ---- part 3: all-reduce (allreduce.cu) ----------------------------------- */

enum { SYMM_BLOCKS = 128, SYMM_THREADS = 512 };

enum symm_algo { SYMM_ONE_SHOT, SYMM_TWO_SHOT, SYMM_NCCL, SYMM_ALGOS };

struct symm_reducer { /* what the all-reduces of a heap share */
    struct symm *s;
    ncclComm_t nccl; /* has the same ranks; NULL if there is no NCCL */
    unsigned *flags; /* symmetric: one flag per rank, for symm_meet() */
    unsigned *local; /* two flags on this rank's device, for allreduce.cu */
    unsigned meets;  /* calls of symm_meet() so far: the last value of flags */
    size_t one_shot_most; /* bytes: one-shot up to this size, */
    size_t two_shot_most; /* two-shot up to this one, NCCL beyond */
    void *more;           /* leave at NULL: other work of this rank, which */
    size_t more_nbytes;   /* a case puts behind each all-reduce (support.c) */
};

/* Allocate the flags, and set the limits so that every size is one-shot. Given
 * (support.c). */
ncclResult_t symm_reducer_init(struct symm_reducer *a, struct symm *s,
                               ncclComm_t nccl);

/*
 * Set recvbuf[i] to the sum of all ranks' sendbuf[i], bit for bit the same on
 * all ranks. sendbuf and recvbuf are symmetric and do not overlap. Elements
 * move in fours: up to three after the last are also read and written, for
 * which symm_alloc()'s alignment leaves room. Once the work is complete on a
 * rank's stream, recvbuf is complete there and no rank reads that rank's
 * buffers any more.
 *
 *   one-shot   one kernel: every rank reads all ranks' sendbuf and adds
 *   two-shot   two kernels: every rank sums its n-th, then reads the others'
 */
ncclResult_t symm_one_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream);
ncclResult_t symm_two_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream);

/* Call one of these two, or ncclAllReduce(). Given (support.c). */
ncclResult_t symm_reduce_by(struct symm_reducer *a, enum symm_algo algo,
                            const float *sendbuf, float *recvbuf, size_t count,
                            cudaStream_t stream);

/* ---- part 4: which one for which size (choose.c) ------------------------- */

/*
 * Measure one all-reduce of count floats by this algorithm, in microseconds:
 * warm up, and take the mean of several. All ranks get the same value, the
 * slowest rank's. Blocks.
 */
ncclResult_t symm_reduce_time(struct symm_reducer *a, enum symm_algo algo,
                              const float *sendbuf, float *recvbuf,
                              size_t count, cudaStream_t stream, double *us);

/*
 * Measure the algorithms at 1 KiB, 2 KiB, 4 KiB, ... most_nbytes and set the
 * two limits of a, to the same values on all ranks. one_shot_most is the
 * largest of these sizes up to which one-shot is the fastest; two_shot_most the
 * largest up to which one-shot or two-shot is; 0 if there is none. Without
 * NCCL, two_shot_most is SIZE_MAX. sendbuf and recvbuf: as above, of
 * most_nbytes.
 */
ncclResult_t symm_reduce_tune(struct symm_reducer *a, const float *sendbuf,
                              float *recvbuf, size_t most_nbytes,
                              cudaStream_t stream);

/* All-reduce by the algorithm that the limits select for this size; if that is
 * NCCL and there is none, by two-shot. */
ncclResult_t symm_all_reduce(struct symm_reducer *a, const float *sendbuf,
                             float *recvbuf, size_t count, cudaStream_t stream);

/* ---- part 5: uses -------------------------------------------------------- */

/* Gradients of a small model (gradsync.c). */
struct gradsync {
    struct symm_reducer *a;
    float *grads, *sums; /* symmetric: count floats each */
    size_t count;        /* floats of all trained parameters */
};

/* Make the gradients of m's trained parameters (nn_is_trained()) views of
 * g->grads, one after the other in order of registration. Tied parameters share
 * one gradient. */
ncclResult_t gradsync_open(struct gradsync *g, struct symm_reducer *a,
                           struct nn *m);

/* One training step: compute the gradients for this rank's rows, average them
 * over all ranks with one all-reduce, and update with the optimizer. */
ncclResult_t gradsync_step(struct gradsync *g, struct nn *m,
                           const struct nn_batch *batch,
                           struct nn_optimizer *o);

/*
 * Gradients that arrive late (late.c). A step applies the mean of the gradients
 * that all ranks computed `late` steps before, so those of the latest steps
 * travel while the next ones are computed. Each rank keeps the gradients of
 * late + 1 steps, of all ranks:
 *
 *     slots   step 0: rank 0, rank 1, ... | step 1: ... | ... step `late`: ...
 */
struct late {
    struct symm *s;
    int late;          /* 0: in the same step */
    float *grads;      /* the network's, count floats; not symmetric */
    size_t count;      /* floats of all parameters */
    float *slots;      /* symmetric: (late + 1) * nranks * count floats */
    unsigned *sent;    /* symmetric: one flag per rank, its gradients here */
    unsigned *freed;   /* symmetric: one flag per rank, steps it has applied */
    unsigned steps;    /* enqueued so far */
    cudaStream_t puts; /* non-blocking */
};

/* Given (support.c). No parameter of m is frozen. */
ncclResult_t late_open(struct late *l, struct symm *s, const struct nn *m,
                       int late);
void late_close(struct late *l);

/*
 * One training step, number l->steps: compute the gradients for this rank's
 * rows and send them to all ranks; then, from step `late` on, update with the
 * mean of all ranks' gradients of step l->steps - late, the same bits on all
 * ranks. The gradients of the last `late` steps are never applied. The
 * network's stream waits for gradients that it applies and for slots that are
 * still in use, but not for the puts of this step.
 */
ncclResult_t late_step(struct late *l, struct nn *m,
                       const struct nn_batch *batch, struct nn_optimizer *o);

/*
 * Hand-off to the next stage of a pipeline (pipeline.c): a few slots in the
 * memory of the next rank, which releases each one when it is done with it.
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
    unsigned *full, *empty;      /* symmetric, one flag each: messages so far */
    unsigned sent, taken, freed; /* messages, by this rank */
};

ncclResult_t handoff_open(struct handoff *h, struct symm *s,
                          size_t count); /* given (support.c) */

/* Send the message at src to rank + 1 as soon as a slot there is free. */
ncclResult_t handoff_send(struct handoff *h, const float *src,
                          cudaStream_t stream);

/* Wait for the next message from rank - 1: *msg is valid in work enqueued from
 * now on until handoff_done(), which releases messages in order of arrival. */
ncclResult_t handoff_recv(struct handoff *h, float **msg, cudaStream_t stream);
ncclResult_t handoff_done(struct handoff *h, cudaStream_t stream);

/*
 * A tensor-parallel layer (gemm.c), in two forms. Columns: every rank has x,
 * (rows, in), and its own columns of the weights, w (in, cols), and gets all
 * ranks' products:
 *
 *     y   block 0 | block 1 | ...     block r = x @ w of rank r, (rows, cols)
 *
 * Rows: every rank has its columns of x, (rows, in), and its rows of the
 * weights, w (in, cols), and gets the sum of all ranks' products:
 *
 *     y   block 0     rank r adds up block r, of rows / nranks rows, and
 *         block 1     sends it to all others
 *         ...
 */
struct tpgemm {
    struct symm *s;
    cublasHandle_t blas;        /* on compute */
    cudaStream_t compute, puts; /* non-blocking */
    unsigned *ready;   /* symmetric: one flag per rank, its block is here */
    unsigned *added;   /* symmetric: one flag per rank, its term is here */
    unsigned products; /* enqueued so far, in either form */
};

ncclResult_t tpgemm_open(struct tpgemm *g, struct symm *s,
                         cudaStream_t compute); /* given (support.c) */
void tpgemm_close(struct tpgemm *g);

/*
 * Columns: set y (symmetric, nranks blocks) to the products of all ranks. A
 * rank computes its own block in `pieces` (a divisor of rows) of rows / pieces
 * rows each; while one piece is being computed, the previous one is being sent.
 * Later work on the compute stream finds y complete. A barrier at the start of
 * the call keeps ranks from writing a y that is still in use.
 */
ncclResult_t tpgemm_run(struct tpgemm *g, const float *x, const float *w,
                        float *y, int rows, int in, int cols, int pieces);

/*
 * Rows: set y (symmetric, (rows, cols)) to the sum of all ranks' products, bit
 * for bit the same on all ranks; nranks divides rows. A rank computes one block
 * after the other and sends each, as a term, to the rank that adds it up, while
 * it computes the next. terms: symmetric, nranks blocks. Later work on the
 * compute stream finds y complete.
 */
ncclResult_t tpgemm_sum(struct tpgemm *g, const float *x, const float *w,
                        float *terms, float *y, int rows, int in, int cols);

/*
 * A ring buffer between two kernels (ring.cu): rank r produces for rank r + 1,
 * the last rank for rank 0. Every rank runs a producer and a consumer, kernels
 * of one block on two streams. The buffer of RING_SLOTS items is in the
 * consumer's memory.
 */
enum { RING_SLOTS = 8 };
struct ring {
    struct symm *s;
    size_t count;   /* float4 per item */
    float4 *slots;  /* symmetric: RING_SLOTS * count */
    unsigned *head; /* symmetric: items put in, in the consumer's memory */
    unsigned *tail; /* symmetric: items taken out, in the producer's memory */
};

ncclResult_t ring_open(struct ring *r, struct symm *s,
                       size_t count); /* given (support.c) */

/* Produce nitems from src, one after the other; consume nitems into dst. The
 * ring has not been used before. Not collective. */
ncclResult_t ring_produce(const struct ring *r, const float4 *src,
                          unsigned nitems, cudaStream_t stream);
ncclResult_t ring_consume(const struct ring *r, float4 *dst, unsigned nitems,
                          cudaStream_t stream);

/* A one-dimensional tensor distributed over ranks (dtensor.c): rank r has
 * elements r * per to (r + 1) * per - 1, as far as they exist. */
struct dtensor {
    struct symm *s;
    float *local; /* symmetric: per floats */
    size_t count, per;
};

ncclResult_t dtensor_open(struct dtensor *t, struct symm *s, size_t count);

/* Read or write elements begin to begin + count - 1, wherever they are, with
 * one copy for each rank that has some of them. Not collective.
 * ncclInvalidArgument if these elements don't exist. */
ncclResult_t dtensor_get(const struct dtensor *t, size_t begin, size_t count,
                         float *out, cudaStream_t stream);
ncclResult_t dtensor_put(const struct dtensor *t, size_t begin, size_t count,
                         const float *in, cudaStream_t stream);

/*
 * A cache of parameters (pcache.c): adapter `id` (count floats) lives on rank
 * id % nranks, in home[id / nranks]. Each rank keeps a few adapters in its own
 * memory and replaces the least recently used one when it fetches another.
 */
enum { PCACHE_SLOTS = 4 };
struct pcache {
    struct symm *s;
    size_t count;
    float *home;          /* symmetric: the adapters that live on this rank */
    float *slots;         /* PCACHE_SLOTS * count floats, not symmetric */
    int id[PCACHE_SLOTS]; /* adapter in each slot; -1: none */
    unsigned used[PCACHE_SLOTS];    /* value of `uses` when it was last used */
    unsigned uses, fetches;         /* so far */
    cudaEvent_t here[PCACHE_SLOTS]; /* the slot's adapter has arrived */
    cudaEvent_t idle[PCACHE_SLOTS]; /* no work uses the slot any more */
    cudaStream_t fetch;             /* non-blocking, for fetches */
};

ncclResult_t pcache_open(struct pcache *c, struct symm *s, float *home,
                         size_t count); /* given (support.c) */
void pcache_close(struct pcache *c);

/*
 * Bring adapter id into a slot, fetching it if it isn't in one (fetches grows
 * by 1), and set *slot. Counts as a use. Work may still be using the adapter
 * that the fetch replaces: the fetch waits for it, the host and the other
 * streams do not. Not collective.
 */
ncclResult_t pcache_fetch(struct pcache *c, int id, int *slot);

/* Begin: later work in the stream finds the adapter in this slot. End: no work
 * enqueued after this uses it. */
ncclResult_t pcache_begin(struct pcache *c, int slot, cudaStream_t stream);
ncclResult_t pcache_end(struct pcache *c, int slot, cudaStream_t stream);

/*
 * A hash map distributed over ranks (hashmap.cu), from keys (not 0) to sums.
 * Key k belongs to rank hash_owner(); there it is in slot hash_slot() or in one
 * of those that follow, wrapping round at the end (linear probing).
 */
struct hashmap {
    struct symm *s;
    unsigned *keys;  /* symmetric: nslots keys; 0: the slot is free */
    unsigned *sums;  /* symmetric: nslots sums */
    unsigned nslots; /* per rank; never all in use */
};

ncclResult_t hashmap_open(struct hashmap *h, struct symm *s,
                          unsigned nslots); /* given (support.c) */

/* Add values[i] to the sum of keys[i], which starts at 0, for each of n keys.
 * Several ranks may do so at the same time. Not collective. */
ncclResult_t hashmap_add(const struct hashmap *h, const unsigned *keys,
                         const unsigned *values, size_t n, cudaStream_t stream);

/* Set out[i] to the sum of keys[i], 0 if it has none, for each of n keys. No
 * rank adds at the same time. Not collective. */
ncclResult_t hashmap_find(const struct hashmap *h, const unsigned *keys,
                          unsigned *out, size_t n, cudaStream_t stream);

/* ---- part 6: NCCL's windows (window.cuh, window.cu) ---------------------- */

enum { WINDOW_BLOCKS = 16, WINDOW_THREADS = 512 };

struct window_nccl; /* what NCCL's device functions need (window.cuh) */

/* Two vectors in every rank's memory, mapped into all other ranks by NCCL. */
struct window {
    ncclComm_t comm;
    float *send, *recv; /* this rank's vectors */
    int multimem;       /* the switch can add them and write to them */
    struct window_nccl *nccl;
};

/*
 * Allocate two vectors of count floats on each rank's current device and
 * register them with NCCL. Elements move in fours: each vector has room for up
 * to three more. All ranks call, and the same ranks call window_close(). If the
 * ranks cannot reach each other's memory by loads and stores, or multimem is
 * set and the machine has none, all ranks return an error and leave nothing
 * open.
 */
ncclResult_t window_open(struct window *w, ncclComm_t comm, size_t count,
                         int multimem);

/* Unmap and free the vectors, if the window is open. All ranks' devices are
 * idle. Given (window.cu). */
void window_close(struct window *w);

/*
 * Set recv to the sum of all ranks' send, for the first count elements, by one
 * kernel: every rank loads its n-th from all ranks, adds, and stores the sum to
 * all ranks' recv. Bit for bit the same on all ranks. Once the work is complete
 * on a rank's stream, recv is complete there and no rank uses that rank's
 * vectors any more.
 */
ncclResult_t window_two_shot(const struct window *w, size_t count,
                             cudaStream_t stream);

/* ---- part 7: the switch adds (window.cu) --------------------------------- */

/* The same in a window with multimem: every rank loads the sum of its n-th from
 * the switch, and stores it to all ranks through the switch. */
ncclResult_t window_multimem(const struct window *w, size_t count,
                             cudaStream_t stream);

/* ---- part 8: all-reduce and norm in one kernel (fused.cu) ---------------- */

enum { FUSED_THREADS = 512 };

/*
 * What follows the row-parallel product of a transformer's layer, in one
 * kernel. With x the sum of all ranks' w->send, of (rows, width) elements:
 *
 *     residual = residual + x
 *     out      = residual / sqrt(mean of its row's squares + eps) * gain
 *
 * residual, out: (rows, width), and gain: (width), memory of this rank; width
 * is a multiple of 4. Once the work is complete on a rank's stream, no rank
 * uses that rank's w->send any more.
 */
ncclResult_t fused_norm(const struct window *w, float *residual,
                        const float *gain, float *out, size_t rows,
                        size_t width, float eps, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
