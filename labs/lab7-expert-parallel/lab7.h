/*
 * lab7.h: expert parallel, a layer whose weights are on different GPUs
 *
 * In a mixture of experts, a router picks an expert for each token, and every
 * rank owns one expert. A token therefore travels to the rank of its expert
 * and, once processed, back again. The number of tokens for each rank is known
 * only at run time.
 *
 *          route           dispatch          expert         combine
 *     tokens of a rank -> sorted by  -> all that have -> back, in the
 *     (ntokens, dim)      expert        arrived          old order
 *                                       (nrecv, dim)
 *
 * Functions that take a struct moe are *collective*: every rank calls them, in
 * the same order. They enqueue work on the stream and return without blocking;
 * the caller synchronises. Only moe_exchange_counts() blocks.
 */
#ifndef LAB7_H
#define LAB7_H

#include <cublas_v2.h>    /* cublasHandle_t */
#include <cuda_runtime.h> /* cudaStream_t */
#include <nccl.h>         /* ncclComm_t */
#include <stddef.h>       /* size_t */

#ifdef __cplusplus
extern "C" {
#endif

enum { MOE_MAX_RANKS = 1024, MOE_MAX_PIECES = 16 };
enum { MOE_MAX_EXPERTS = 256 }; /* parts 5, 6: of all ranks together */

/*
 * A layer, on one rank. In parts 1 to 4 a rank has one expert, whose number is
 * its own, and a token one expert. From part 5 on expert e is on rank e / each.
 */
struct moe {
    ncclComm_t comm;
    int rank, nranks;
    int each;            /* experts on a rank; nexperts = nranks * each */
    int k;               /* experts for a token */
    int capacity;        /* the most tokens that an expert accepts */
    int dim;             /* floats per token */
    const float *weight; /* device, (each, dim, dim): this rank's experts */
    cublasHandle_t blas;
    cudaStream_t stream;
    cudaStream_t comm_stream; /* part 4: a second one, for communication */
    int *counts;      /* device: 2 * nranks * MOE_MAX_PIECES, and at least
                    (nranks + 2) * nexperts */
    int *host_counts; /* pinned, likewise: both for exchanges of counts */
};

/* The destinations of a rank's tokens: the result of part 1, on the host. */
struct moe_route {
    int send_count[MOE_MAX_RANKS]; /* tokens for each expert */
    int send_begin[MOE_MAX_RANKS]; /* the first of them in packed */
    int recv_count[MOE_MAX_RANKS]; /* tokens from each rank */
    int recv_begin[MOE_MAX_RANKS]; /* the first of them in recvbuf */
    int nrecv;                     /* sum of recv_count */
};

/* ---- part 1: route.c ----------------------------------------------------- */

/*
 * Sort a rank's tokens by expert, tokens of the same expert in their old order:
 * order[i] is the number of the token in place i. Also sets send_count and
 * send_begin of *route. All in host memory. expert[t] is 0 to nranks - 1.
 *
 *     expert      2 0 2 1 0
 *     order       1 4 3 0 2     send_count 2 1 2    send_begin 0 2 3
 */
void moe_sort(const int *expert, int ntokens, int nranks, int *order,
              struct moe_route *route);

/*
 * Tell every rank how many tokens it receives from this one, for nroutes routes
 * at once (at most MOE_MAX_PIECES): sets recv_count, recv_begin and nrecv of
 * each, with blocks in rank order. One collective for any number of routes.
 * Blocks, because the host has to know the counts before it can send tokens.
 */
ncclResult_t moe_exchange_counts(const struct moe *m, struct moe_route *route,
                                 int nroutes);

/* ---- part 2: travel.c ---------------------------------------------------- */

/*
 * Send every token to the rank of its expert. packed: (ntokens, dim), sorted by
 * expert; recvbuf: (nrecv, dim), blocks in rank order. One group, with at most
 * one message to each rank; tokens of this rank's own expert are copied.
 */
ncclResult_t moe_dispatch(const struct moe *m, const struct moe_route *route,
                          const float *packed, float *recvbuf,
                          cudaStream_t stream);

/* The reverse: from processed (nrecv, dim) to packed (ntokens, dim). */
ncclResult_t moe_return(const struct moe *m, const struct moe_route *route,
                        const float *processed, float *packed,
                        cudaStream_t stream);

/* ---- part 3: layer.c ----------------------------------------------------- */

/* The layer's buffers: device memory, and a host copy of the order. */
struct moe_space {
    float *packed;    /* (ntokens, dim) */
    float *arrived;   /* (nranks * ntokens, dim): the most that can arrive */
    float *processed; /* likewise */
    int *order;       /* ntokens */
    int *host_order;  /* ntokens, pinned; unchanged until the device is done */
};

/*
 * The whole layer: out[t] = gate[t] * expert(in[t]). in, out: (ntokens, dim),
 * device; gate: ntokens, device; expert: ntokens, host.
 */
ncclResult_t moe_layer(const struct moe *m, const float *in, const int *expert,
                       const float *gate, int ntokens, float *out,
                       const struct moe_space *space);

/* ---- part 4: overlap.c --------------------------------------------------- */

/* Make later work on `later` wait for the work on `earlier` so far. */
ncclResult_t moe_after(cudaStream_t later, cudaStream_t earlier);

/*
 * The same, with communication overlapped with computation: the tokens are
 * split into npieces pieces (at most MOE_MAX_PIECES; it divides ntokens), so
 * that the expert processes one while the next is being sent. Dispatch and
 * return run on m->comm_stream, the rest on m->stream; only events order them.
 */
ncclResult_t moe_layer_overlapped(const struct moe *m, const float *in,
                                  const int *expert, const float *gate,
                                  int ntokens, int npieces, float *out,
                                  const struct moe_space *space);

/* ---- part 5: topk.c ------------------------------------------------------ */

/*
 * The m->k experts of each token: those that the router finds most probable,
 * the best first; of two that are equally probable, the lower number. A gate is
 * the expert's probability divided by the sum of the k. prob: (ntokens,
 * nexperts); expert, gate: (ntokens, k). All in host memory.
 *
 *     prob        .10 .40 .20 .30      k = 2
 *     expert      1 3                  gate   .40/.70  .30/.70
 *
 * Entry i of expert is called choice i; it is token i / k's.
 */
void moe_choose(const struct moe *m, const float *prob, int ntokens,
                int *expert, float *gate);

/* The choices that are kept. Entry l * nranks + r of recv_...: the tokens of
 * rank r for this rank's expert number l, 0 to each - 1. */
struct moe_kept {
    int send_count[MOE_MAX_EXPERTS]; /* choices for each expert */
    int send_begin[MOE_MAX_EXPERTS]; /* the first of them in packed */
    int nsend;                       /* sum of send_count */
    int recv_count[MOE_MAX_EXPERTS];
    int recv_begin[MOE_MAX_EXPERTS]; /* the first of them in arrived */
    int nrecv;                       /* sum of recv_count */
};

/*
 * Find out which choices are kept. An expert accepts m->capacity tokens: those
 * of rank 0 in the order of their numbers, then those of rank 1, and so on. The
 * rest are dropped. In packed, kept choices are sorted by expert, those of the
 * same expert by token; in arrived, by expert, then by rank. token[i]: the
 * number of the token in place i of packed; place[i]: the place of choice i, or
 * -1 if it is dropped. Host memory; expert, place: (ntokens, k).
 *
 * Collective; one exchange, which blocks the host.
 */
ncclResult_t moe_keep(const struct moe *m, const int *expert, int ntokens,
                      int *token, int *place, struct moe_kept *kept);

/*
 * Send the kept choices to their experts, or back if `back` is set: packed,
 * (nsend, dim), lies on the side of the tokens; arrived, (nrecv, dim), on that
 * of the experts. One group.
 */
ncclResult_t moe_travel(const struct moe *m, const struct moe_kept *kept,
                        float *packed, float *arrived, int back,
                        cudaStream_t stream);

/*
 * The balance loss: nexperts * sum over experts of f * p. f is the expert's
 * fraction of all ranks' choices, before any is dropped; p the mean of its
 * probability over all ranks' tokens. It is 1 if both are uniform. *loss is the
 * same on all ranks. Collective; one all-reduce, which blocks the host.
 */
ncclResult_t moe_balance(const struct moe *m, const float *prob,
                         const int *expert, int ntokens, float *loss);

/* A value for each choice, (ntokens, k), in host or device memory. */
struct moe_lists {
    int *expert; /* host only */
    int *token, *place;
    float *gate;
};

/* The buffers of a layer with several experts. */
struct moe_topk_space {
    struct moe_lists host, device; /* host: pinned; unchanged until the device
                                      is done */
    float *packed;                 /* (ntokens * k, dim) */
    float *arrived;                /* (each * capacity, dim) */
    float *processed;              /* likewise */
};

/*
 * The layer: out[t] = the sum over t's choices that are kept of gate *
 * expert(in[t]); 0 if none is. in, out: (ntokens, dim), device; prob: (ntokens,
 * nexperts), host. A kept choice crosses the links once each way, a dropped one
 * never.
 */
ncclResult_t moe_layer_topk(const struct moe *m, const float *in,
                            const float *prob, int ntokens, float *out,
                            const struct moe_topk_space *space);

/* ---- part 6: direct.cu --------------------------------------------------- */

enum { DIRECT_THREADS = 128 };

struct direct_nccl; /* what NCCL's device functions need (direct.cu) */

/*
 * A layer's memory on one rank, where kernels of all ranks store tokens. No
 * slot depends on a count: rank s's token number i for expert number l of this
 * rank arrives in row (l * nranks + s) * most + i, and the result of the token
 * that this rank put into slot i of expert e returns to row e * most + i.
 */
struct direct {
    ncclComm_t comm;
    int rank, nranks;
    int each, k, dim; /* as in struct moe; dim is a multiple of 4 */
    int most;         /* tokens of a rank, at most */
    unsigned round;   /* how many dispatches there were */
    /* one window, mapped into all ranks by NCCL */
    float *arrived;  /* (each, nranks, most, dim) */
    float *returned; /* (nexperts, most, dim) */
    int *count;      /* (each, nranks): tokens that have arrived */
    unsigned *flags; /* 2 * nranks: for dispatch, then for combine */
    /* this rank's own */
    float *processed; /* (each, nranks, most, dim) */
    int *place;       /* (most, k): the row in returned of each choice */
    struct direct_nccl *nccl;
};

/*
 * Allocate that memory for layer m and up to `most` tokens of each rank. All
 * ranks call, and meet before the first dispatch. Flags are 0. If the ranks
 * cannot reach each other's memory by loads and stores, all return an error.
 */
ncclResult_t direct_open(struct direct *d, const struct moe *m, int most);

/* Free it, if it is open. All ranks' devices are idle. Given (direct.cu). */
void direct_close(struct direct *d);

/*
 * Send every token to its k experts, by one kernel: it stores the tokens into
 * the experts' slots, in the order of their numbers, and their count behind
 * them. The kernel ends when everything for this rank's experts has arrived. It
 * sets d->place. in: (ntokens, dim), expert: (ntokens, k), both on the device.
 * Nothing is dropped.
 *
 * The host enqueues and never waits. Ranks alternate between dispatch and
 * combine, on one stream; then no kernel stores what another still reads.
 */
ncclResult_t direct_dispatch(struct direct *d, const float *in,
                             const int *expert, int ntokens,
                             cudaStream_t stream);

/*
 * Send d->processed back, by one kernel, and set out[t] to the sum of gate
 * times what has returned over the k experts of token t. gate: (ntokens, k),
 * out: (ntokens, dim), both on the device; ntokens as in the dispatch.
 */
ncclResult_t direct_combine(struct direct *d, const float *gate, int ntokens,
                            float *out, cudaStream_t stream);

/* ---- part 7: backward.c -------------------------------------------------- */

/* What the forward pass of a layer with several experts has left: all but kept
 * in device memory, and only read. */
struct moe_saved {
    struct moe_kept kept;
    const int *place;      /* (ntokens, k) */
    const float *gate;     /* likewise */
    const float *arrived;  /* (nrecv, dim): the experts' tokens */
    const float *returned; /* (nsend, dim): their results, as they came back */
};

/* Gradients on their way. */
struct moe_back_space {
    float *packed;    /* (ntokens * k, dim) */
    float *arrived;   /* (each * capacity, dim) */
    float *processed; /* likewise */
};

struct moe_gradients {
    float *in;     /* (ntokens, dim) */
    float *gate;   /* (ntokens, k); 0 for a dropped choice */
    float *weight; /* (each, dim, dim): of this rank's experts */
};

/*
 * The backward pass of moe_layer_topk(): from the loss's gradient by out,
 * (ntokens, dim), to those by in, gates and weights. Counts are those of the
 * forward pass: a kept choice crosses the links once each way, and nothing
 * else does. The host doesn't wait.
 *
 * Dispatch and return run on m->comm_stream, the rest on m->stream; only events
 * order them. What another rank waits for goes first: the gradients of gates
 * are computed during the dispatch, those of weights during the return.
 */
ncclResult_t moe_layer_backward(const struct moe *m, const struct moe_saved *s,
                                const float *dout, int ntokens,
                                const struct moe_back_space *space,
                                const struct moe_gradients *d);

/* ---- part 8: fp8.cu ------------------------------------------------------ */

enum { FP8_GROUP = 128, FP8_LARGEST = 448, FP8_THREADS = 256 };

/*
 * Part 6's dispatch in one byte for each element. FP8_GROUP elements next to
 * each other share a scale, a float: the largest |x| among them divided by
 * FP8_LARGEST, which is e4m3's largest number; 1 if all are 0. An element
 * travels as element / scale, rounded to the nearest number of e4m3, and the
 * expert's rank multiplies it by the scale again. A token on its way is a
 * *packet*; what is behind the scales doesn't matter:
 *
 *     dim bytes, e4m3 | dim / FP8_GROUP scales | up to a multiple of 16 bytes
 *
 * direct_dispatch() carries packets as it carries tokens: it looks at no
 * element. Results return as floats.
 */
struct fp8 {
    struct direct there;    /* its tokens are packets */
    struct direct back;     /* its tokens are floats; it has no dispatch, and
                               back.arrived is what the experts read */
    int dim;                /* elements of a token: a multiple of FP8_GROUP */
    int nbytes;             /* the size of a packet */
    unsigned char *packets; /* (most, nbytes): this rank's tokens */
};

/* The bytes of a packet. Given (fp8.cu), as are the next two functions. */
int fp8_packet(int dim);

/* As direct_open(), for layer m and up to `most` tokens of each rank. */
ncclResult_t fp8_open(struct fp8 *f, const struct moe *m, int most);

/* Free it, if it is open. All ranks' devices are idle. */
void fp8_close(struct fp8 *f);

/*
 * Quantise ntokens tokens, in, to packets. All on the device. An element moves
 * by at most 1/17 of itself, or, below 2^-6 scales, by 2^-10 scales.
 */
ncclResult_t fp8_quantise(const float *in, int ntokens, int dim,
                          unsigned char *packets, cudaStream_t stream);

/* Dequantise the there.count packets that have arrived in each block, to the
 * same rows of back.arrived. The other rows keep what they have. */
ncclResult_t fp8_dequantise(const struct fp8 *f, cudaStream_t stream);

/* ---- given: common/staff/lab7-expert-parallel ---------------------------- */

/* packed[i] = in[order[i]], for n tokens. All in device memory. */
ncclResult_t moe_gather(const float *in, const int *order, int n, int dim,
                        float *packed, cudaStream_t stream);

/* out[order[i]] = gate[order[i]] * packed[i], for n tokens. */
ncclResult_t moe_scatter(const float *packed, const int *order,
                         const float *gate, int n, int dim, float *out,
                         cudaStream_t stream);

/* y = x @ weight for n tokens: this rank's expert. */
ncclResult_t moe_expert(const struct moe *m, const float *x, int n, float *y);

/* The same by this rank's expert number l, 0 to each - 1. */
ncclResult_t moe_expert_at(const struct moe *m, int l, const float *x, int n,
                           float *y);

/* out[t] = the sum over token t's k choices i of gate[i] * packed[place[i]];
 * those whose place is -1 are left out. gate NULL: 1 for all. */
ncclResult_t moe_combine(const float *packed, const int *place,
                         const float *gate, int ntokens, int k, int dim,
                         float *out, cudaStream_t stream);

/* Part 7. packed[place[i]] = gate[i] * dout[t] for token t's k choices i; those
 * whose place is -1 are left out. */
ncclResult_t moe_spread(const float *dout, const int *place, const float *gate,
                        int ntokens, int k, int dim, float *packed,
                        cudaStream_t stream);

/* Part 7. dgate[i] = dout[t] . returned[place[i]] for token t's k choices i, or
 * 0 if the place is -1. */
ncclResult_t moe_dots(const float *dout, const float *returned,
                      const int *place, int ntokens, int k, int dim,
                      float *dgate, cudaStream_t stream);

/* Part 7. The gradients of moe_expert_at(), from dy, (n, dim), on m->stream:
 * dx = dy @ weight^T, (n, dim); dweight = x^T @ dy, (dim, dim), 0 if n is 0. */
ncclResult_t moe_expert_inputs(const struct moe *m, int l, const float *dy,
                               int n, float *dx);
ncclResult_t moe_expert_weights(const struct moe *m, const float *x,
                                const float *dy, int n, float *dweight);

/*
 * d->processed = expert(d->arrived), for the d->count tokens of each expert and
 * rank. weight: (each, dim, dim), device; if `diagonal` is set (each, dim), the
 * diagonals of such matrices.
 */
ncclResult_t direct_experts(const struct direct *d, const float *weight,
                            int diagonal, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
