/*
 * attend.h: causal attention of a block of queries to a block of keys
 *
 * A row sees the columns whose position in the sequence is at most its own.
 * Blocks of keys may come in any order: every row keeps its largest score so
 * far, the sum of its exponentials relative to that score, and its output so
 * far, so the softmax extends over all blocks. For all blocks of keys:
 *
 *     nn_attend_begin(a, st, s)
 *     nn_attend(a, st, q, rows, k, v, cols, s)       once for each block
 *     nn_attend_end(a, st, s)                        o, and lse in `most`
 *
 * The backward pass recomputes the weights from the log of the sum of each
 * row's exponentials (lse). Again blocks may come in any order:
 *
 *     nn_attend_delta(a, delta, dout, o, rows, s)
 *     nn_attend_back(a, ..., dq, dk, dv, s)          adds, for each block
 *
 * Matrices are (rows or columns, heads, width) in fp32, a row's scalars (rows,
 * heads). Functions enqueue all work on a stream and don't block. For a block
 * without a visible pair they enqueue nothing. Results do not depend on the
 * schedule.
 */
#ifndef COMMLAB_NN_ATTEND_H
#define COMMLAB_NN_ATTEND_H

#include <cuda_runtime.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NN_ATTEND_WIDTH = 128, NN_ATTEND_RUNS = 4 };

struct nn_attend {
    int heads, width; /* width: at most NN_ATTEND_WIDTH */
    float scale;      /* factor of scores, usually 1 / sqrt(width) */
};

struct nn_run {               /* positions first, first + stride, ... */
    int first, stride, count; /* stride > 0 */
};

/* Positions in the sequence of a block's rows or columns, run after run, in the
 * order in which memory holds them. */
struct nn_places {
    int nruns;
    struct nn_run run[NN_ATTEND_RUNS];
};

/* The number of pairs of a row and a column that the row sees. The cost of a
 * block's products is proportional to it. */
size_t nn_attend_pairs(const struct nn_places *rows,
                       const struct nn_places *cols);

struct nn_attend_state { /* a block of queries, on the device */
    int rows;
    float *o;    /* (rows, heads, width) */
    float *most; /* (rows, heads): largest score; lse after nn_attend_end() */
    float *sum;  /* (rows, heads) */
};

/*
 * This and the following functions return cudaErrorInvalidValue if heads, width
 * or a number of runs is out of range, or if st->rows is not the number of
 * positions.
 */
cudaError_t nn_attend_begin(const struct nn_attend *a,
                            const struct nn_attend_state *st, cudaStream_t s);
cudaError_t nn_attend(const struct nn_attend *a,
                      const struct nn_attend_state *st, const float *q,
                      const struct nn_places *rows, const float *k,
                      const float *v, const struct nn_places *cols,
                      cudaStream_t s);
/* A row that saw no column gets o = 0 and an lse of minus infinity. */
cudaError_t nn_attend_end(const struct nn_attend *a,
                          const struct nn_attend_state *st, cudaStream_t s);

/* delta (rows, heads) = dout . o for each row and head */
cudaError_t nn_attend_delta(const struct nn_attend *a, float *delta,
                            const float *dout, const float *o, int rows,
                            cudaStream_t s);

struct nn_attend_row {        /* what the backward pass reads for its queries */
    const float *q, *dout;    /* (rows, heads, width) */
    const float *lse, *delta; /* (rows, heads) */
};

/* Add the block's contribution to dq (rows), dk and dv (columns). */
cudaError_t nn_attend_back(const struct nn_attend *a,
                           const struct nn_attend_row *r,
                           const struct nn_places *rows, const float *k,
                           const float *v, const struct nn_places *cols,
                           float *dq, float *dk, float *dv, cudaStream_t s);

#ifdef __cplusplus
}
#endif
#endif
