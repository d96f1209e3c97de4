/*
 * lab9.h: long contexts, one sequence over many ranks
 *
 * A sequence is too long for one GPU, so each rank has `rows` of its rows. Most
 * of a transformer works on rows alone. Two things do not:
 *
 *     products with split matrices   need all rows on all ranks (part 1)
 *     attention                      a row needs the keys and values of all
 *                                    rows before it (parts 2 to 6)
 *
 * A *block* is a rank's part of the queries, keys, values or outputs: (rows,
 * heads, width) in fp32. Rows are in the order of their positions in the
 * sequence, which seq_places() gives for each rank.
 *
 * Functions that communicate are *collective*: every rank calls them, in the
 * same order. They only enqueue work, and end with the result ordered on
 * s->compute (part 1: s->stream); the host never waits. Memory is judged: what
 * you allocate besides the buffers of struct seq is at most SEQ_EXTRA blocks.
 */
#ifndef LAB9_H
#define LAB9_H

#include <cublas_v2.h>    /* cublasHandle_t */
#include <cuda_runtime.h> /* cudaStream_t, cudaEvent_t */
#include <nccl.h>         /* ncclComm_t */
#include <stddef.h>       /* size_t */

#include "nn/attend.h" /* attention of a block of queries to one of keys */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- part 1: norms between tensor parallel layers (norms.c) -------------- */

/*
 * A layer x += gelu(norm(x) @ up) @ down, whose matrices are split over ranks:
 * each has hidden / n columns of up and the matching rows of down, so it
 * computes a part of the sum for every row. The norm and the addition need no
 * matrix: a rank computes them for its own rows alone, and keeps only these.
 */
struct sp_layer {
    float *gain, *dgain; /* device, (width): the same on all ranks */
    float *up, *dup;     /* device, (width, hidden / n): this rank's columns */
    float *down, *ddown; /* device, (hidden / n, width): this rank's rows */
    float *x, *inv;      /* device, (rows, width) and (rows): yours to keep */
    float *z, *a;        /* given: of sp_products() */
};

struct sp {
    ncclComm_t comm;
    int rank, nranks;
    int rows; /* per rank; rank r's come after rank r - 1's */
    int width, hidden;
    float *own;      /* device scratch, (rows, width) */
    float *whole[3]; /* device scratch, (n rows, width); all layers use the
                        same */
    cublasHandle_t blas;
    cudaStream_t stream;
};

/* Given. part = this rank's part of gelu(in @ up) @ down; in and part are
 * (n rows, width) and differ. */
ncclResult_t sp_products(struct sp *s, struct sp_layer *l, const float *in,
                         float *part);

/* Given. Backward: sets din to this rank's part of the derivative with respect
 * to in, and adds to dup and ddown. in as it was in the forward pass; dout is
 * the derivative with respect to the sum of all parts. All three differ. */
ncclResult_t sp_products_back(struct sp *s, struct sp_layer *l, const float *in,
                              const float *dout, float *din);

/* Run x, this rank's rows, through the layer. lm_norm() and nn_add() are in
 * nn/lm_ops.h and nn/ops.h. */
ncclResult_t sp_forward(struct sp *s, struct sp_layer *l, float *x);

/* On entry, dx is the derivative with respect to this rank's rows after the
 * layer; on return, with respect to those before it. Sets dgain (the same on
 * all ranks; it is 0 before), dup and ddown. */
ncclResult_t sp_backward(struct sp *s, struct sp_layer *l, float *dx);

/* ---- a sequence ---------------------------------------------------------- */

enum seq_order { SEQ_PLAIN, SEQ_ZIGZAG, SEQ_STRIPED }; /* seq_places() */

enum { SEQ_EXTRA = 2 };

/* A block of keys and one of values, or of their derivatives. */
struct seq_pair {
    float *k, *v;
};

struct seq { /* on one rank */
    ncclComm_t comm;
    int rank, nranks;
    enum seq_order order;
    int rows;           /* per rank; even */
    struct nn_attend a; /* heads, width and scale */
    /* Device scratch. Parts 3 and 5: a pair arrives while the other is used;
     * this rank's part of the derivatives is computed while the last one is
     * sent. Part 2: a block in the order in which it is sent. */
    struct seq_pair arrived[2], partial[2];
    float *packed;            /* the same memory as arrived[0].k */
    cudaStream_t compute;     /* attention; inputs are ready there */
    cudaStream_t comm_stream; /* for messages */
    cudaEvent_t event[2];     /* yours */
};

/* Given. Floats in a block. */
size_t seq_block(const struct seq *s);

/* Given. Make later work on `later` wait for the work on `earlier` so far, by
 * recording e. */
ncclResult_t seq_after(cudaStream_t later, cudaStream_t earlier, cudaEvent_t e);

/* ---- part 2: all-to-all over heads (heads.c) ----------------------------- */

/* This rank's heads of all rows: heads / n of them, so that a block of heads,
 * (n rows, heads / n, width), is as large as a block of rows. */
struct seq_heads {
    struct nn_attend a;        /* heads / n heads */
    struct nn_attend_state st; /* for n * rows rows; st.o is a block of heads */
    float *q, *k, *v;          /* blocks of heads, device */
    float *dout, *dq, *dk, *dv;
    float *delta; /* (n rows, heads / n) */
};

/* Turn a block of rows into a block of heads: rank r gets heads r * (heads / n)
 * and following, for all rows, rank after rank. in and out differ. May use
 * s->packed. On `stream`. */
ncclResult_t seq_to_heads(struct seq *s, const float *in, float *out,
                          cudaStream_t stream);

/* The reverse. */
ncclResult_t seq_to_rows(struct seq *s, const float *in, float *out,
                         cudaStream_t stream);

/* o = attention of this rank's rows to all rows, which are in plain order.
 * Leaves in h what the backward pass needs. */
ncclResult_t heads_forward(struct seq *s, struct seq_heads *h, const float *q,
                           const float *k, const float *v, float *o);

/* dq, dk, dv from dout, after heads_forward() with the same h. */
ncclResult_t heads_backward(struct seq *s, struct seq_heads *h,
                            const float *dout, float *dq, float *dk, float *dv);

/* ---- part 3: ring attention (ring.c) ------------------------------------- */

/*
 * Attention of this rank's queries to all rows, in any order that seq_places()
 * knows. The result is in st, as nn_attend_end() leaves it. Each message
 * overlaps with the attention to the previous block. Does not change q, k and
 * v.
 */
ncclResult_t ring_forward(struct seq *s, const float *q, const float *k,
                          const float *v, const struct nn_attend_state *st);

/* ---- part 4: balance (balance.c) ----------------------------------------- */

/*
 * The positions of a rank's rows in a sequence of nranks * rows, in memory
 * order:
 *
 *     SEQ_PLAIN    rank r has the r-th n-th of the sequence
 *     SEQ_ZIGZAG   of 2n equal pieces, r and 2n - 1 - r, the earlier one first
 *     SEQ_STRIPED  r, r + n, r + 2n, ...
 *
 * Neither collective nor on the device.
 */
void seq_places(const struct seq *s, int rank, struct nn_places *places);

/* ---- part 5: the ring, backward (ring_back.c) ---------------------------- */

/* dq, dk, dv from dout; st as ring_forward() left it, delta from
 * nn_attend_delta(). Messages overlap with attention. */
ncclResult_t ring_backward(struct seq *s, const float *q, const float *k,
                           const float *v, const struct nn_attend_state *st,
                           const float *delta, const float *dout, float *dq,
                           float *dk, float *dv);

/* ---- part 6: both, over nodes (mix.c) ------------------------------------ */

/*
 * The ranks of a node exchange heads. The nodes form a ring, in which a rank
 * talks to the ranks with its own number in other nodes. seq_places() for a
 * rank of `between` gives the positions of a whole node's rows: the node's
 * ranks have them one after the other, `rows` each.
 */
struct seq_mix {
    struct seq inside;  /* the node's ranks */
    struct seq between; /* one rank of each node; rows: a whole node's */
};

/* Split s, whose ranks 0 to per_node - 1 are node 0 and so on. Both parts use
 * the buffers, streams and events of s, and its order; their communicators are
 * new, and released by the runner. Blocks. */
ncclResult_t mix_open(struct seq *s, int per_node, struct seq_mix *m);

/* As ring_forward(), with the output in o and m->inside's heads in h. */
ncclResult_t mix_forward(struct seq_mix *m, struct seq_heads *h, const float *q,
                         const float *k, const float *v, float *o);

#ifdef __cplusplus
}
#endif
#endif
