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

/* A layer, on one rank. Its expert is number `rank`. */
struct moe {
    ncclComm_t comm;
    int rank, nranks;
    int dim;             /* floats per token */
    const float *weight; /* device, (dim, dim): this rank's expert */
    cublasHandle_t blas;
    cudaStream_t stream;
    cudaStream_t comm_stream; /* part 4: a second one, for communication */
    int *counts;              /* device, 2 * nranks * MOE_MAX_PIECES */
    int *host_counts; /* pinned, likewise: both for moe_exchange_counts() */
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

#ifdef __cplusplus
}
#endif
#endif
