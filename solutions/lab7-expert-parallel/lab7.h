/*
 * lab7.h: expert parallel, a layer whose weights lie on different GPUs
 *
 * In a mixture of experts a router picks an expert for each token, and every
 * rank owns one expert. So tokens travel: to the rank of their expert, and, once
 * it has worked on them, back. How many go where is known only at run time.
 *
 *          route           dispatch          expert         combine
 *     tokens of a rank -> sorted by  -> whatever came -> back, in the
 *     (ntokens, dim)      expert        (nhere, dim)     old order
 *
 * Functions that take a struct moe are *collective*: every rank calls them, in
 * the same order. They enqueue work on the stream and return; the caller
 * synchronises. The exception is moe_exchange_counts, which says so.
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

enum { MOE_MAX_RANKS = 64, MOE_MAX_PIECES = 16 };

/* A layer, on one rank. Its expert is number `rank`. */
struct moe {
    ncclComm_t comm;
    int rank, nranks;
    int dim;             /* floats of a token */
    const float *weight; /* device, (dim, dim): this rank's expert */
    cublasHandle_t blas;
    cudaStream_t stream;
    cudaStream_t comm_stream; /* part 5: a second one, for communication */
    int *counts; /* device, 2 * nranks * MOE_MAX_PIECES, and on the host: */
    int *host_counts; /* for moe_exchange_counts */
};

/* Which of a rank's tokens go where: the result of part 1, on the host. */
struct moe_route {
    int send_count[MOE_MAX_RANKS]; /* tokens for each expert */
    int send_begin[MOE_MAX_RANKS]; /* where they begin, once sorted */
    int recv_count[MOE_MAX_RANKS]; /* tokens that each rank has for us */
    int recv_begin[MOE_MAX_RANKS]; /* where they begin, on arrival */
    int nrecv;                     /* sum of recv_count */
};

/* ---- part 1: route.c ---------------------------------------------------- */

/*
 * Sort a rank's tokens by expert: order[i] is the token that comes i-th, tokens
 * of the same expert in their old order; send_count and send_begin of *route.
 * Host memory. expert[t] is 0 to nranks - 1.
 *
 *     expert      2 0 2 1 0
 *     order       1 4 3 0 2     send_count 2 1 2    send_begin 0 2 3
 */
void moe_sort(const int *expert, int ntokens, int nranks, int *order,
              struct moe_route *route);

/*
 * Tell every rank how many tokens it gets from this one, for nroutes routes at
 * once (at most MOE_MAX_PIECES): recv_count, recv_begin and nrecv of each, blocks
 * in the order of ranks. One collective, however many routes. Waits for the
 * stream, since the host has to know the numbers before it can send tokens.
 */
ncclResult_t moe_exchange_counts(const struct moe *m, struct moe_route *route,
                                 int nroutes);

/* ---- part 2: travel.c ----------------------------------------------------- */

/*
 * Send every token to the rank of its expert. packed: (ntokens, dim), sorted by
 * expert; recvbuf: (nrecv, dim), blocks in the order of ranks. One group, at
 * most one message to each rank; what stays here is copied.
 */
ncclResult_t moe_dispatch(const struct moe *m, const struct moe_route *route,
                          const float *packed, float *recvbuf,
                          cudaStream_t stream);

/* The way back: processed (nrecv, dim) to packed (ntokens, dim). */
ncclResult_t moe_return(const struct moe *m, const struct moe_route *route,
                        const float *processed, float *packed,
                        cudaStream_t stream);

/* ---- part 3: layer.c ------------------------------------------------------- */

/* What the layer works in: device memory, and a host copy of the order. */
struct moe_space {
    float *packed;    /* (ntokens, dim) */
    float *arrived;   /* (nranks * ntokens, dim): as many as could come */
    float *processed; /* likewise */
    int *order;       /* ntokens */
    int *host_order;  /* ntokens, host; stays until the device is done */
};

/*
 * The whole layer: out[t] = gate[t] * expert(in[t]). in, out: (ntokens, dim),
 * device; gate: ntokens, device; expert: ntokens, host.
 */
ncclResult_t moe_layer(const struct moe *m, const float *in, const int *expert,
                       const float *gate, int ntokens, float *out,
                       const struct moe_space *space);

/* ---- part 4: overlap.c ------------------------------------------------------ */

/*
 * The same, with communication behind computation: the tokens in npieces pieces
 * (at most MOE_MAX_PIECES, and ntokens is a multiple of it), so that the expert
 * works on one while the next is under way. dispatch and return on
 * m->comm_stream, the rest on m->stream, ordered by events alone.
 */
ncclResult_t moe_layer_overlapped(const struct moe *m, const float *in,
                                  const int *expert, const float *gate,
                                  int ntokens, int npieces, float *out,
                                  const struct moe_space *space);

/* ---- given: support.cu ------------------------------------------------------ */

/* packed[i] = in[order[i]], n tokens. Device memory, order too. */
ncclResult_t moe_gather(const float *in, const int *order, int n, int dim,
                        float *packed, cudaStream_t stream);

/* out[order[i]] = gate[order[i]] * packed[i], n tokens. */
ncclResult_t moe_scatter(const float *packed, const int *order,
                         const float *gate, int n, int dim, float *out,
                         cudaStream_t stream);

/* y = x @ weight for n tokens: this rank's expert. */
ncclResult_t moe_expert(const struct moe *m, const float *x, int n, float *y);

#ifdef __cplusplus
}
#endif
#endif
