/*
 * attend.h: causal attention of a block of queries to a block of keys
 *
 * A row sees the columns whose position in the sequence is at most its own. One
 * softmax over many blocks is made of blocks in any order: every row keeps its
 * largest score so far, the sum of its exponentials relative to it, and the
 * output that these weights add up to. For all blocks of keys:
 *
 *     nn_attend_begin(a, st, s)
 *     nn_attend(a, st, q, rows, k, v, cols, s)       once for each block
 *     nn_attend_end(a, st, s)                        o, and lse in `most`
 *
 * Backward, the weights are computed again from the log of the sum of a row's
 * exponentials (lse), and again blocks may come in any order:
 *
 *     nn_attend_delta(a, delta, dout, o, rows, s)
 *     nn_attend_back(a, ..., dq, dk, dv, s)          adds, for each block
 *
 * Matrices are (rows or columns, heads, width) in fp32, numbers of a row are
 * (rows, heads). All is enqueued on a stream; nothing blocks. A block without a
 * visible pair enqueues nothing. Results do not depend on the schedule.
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
    int heads, width; /* width at most NN_ATTEND_WIDTH */
    float scale;      /* of scores, usually 1 / sqrt(width) */
};

struct nn_run {               /* first, first + stride, ... */
    int first, stride, count; /* stride > 0 */
};

/* Positions in the sequence of a block's rows or columns, in the order in which
 * memory holds them: run after run. */
struct nn_places {
    int nruns;
    struct nn_run run[NN_ATTEND_RUNS];
};

/* The number of positions, and the number of pairs of a row and a column that
 * it sees: what a block's products are proportional to. */
int nn_places_count(const struct nn_places *p);
size_t nn_attend_pairs(const struct nn_places *rows,
                       const struct nn_places *cols);

struct nn_attend_state { /* of a block of queries, on the device */
    int rows;
    float *o;    /* (rows, heads, width) */
    float *most; /* (rows, heads); the lse after nn_attend_end() */
    float *sum;  /* (rows, heads) */
};

/* cudaErrorInvalidValue, from all that follow, if heads, width or a number of
 * runs is out of range, or if st->rows is not the number of positions. */
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

/* delta (rows, heads) = a row's dout . o, by heads */
cudaError_t nn_attend_delta(const struct nn_attend *a, float *delta,
                            const float *dout, const float *o, int rows,
                            cudaStream_t s);

struct nn_attend_row {        /* what the backward pass reads of its queries */
    const float *q, *dout;    /* (rows, heads, width) */
    const float *lse, *delta; /* (rows, heads) */
};

/* Add the block's part to dq (rows), dk and dv (columns). */
cudaError_t nn_attend_back(const struct nn_attend *a,
                           const struct nn_attend_row *r,
                           const struct nn_places *rows, const float *k,
                           const float *v, const struct nn_places *cols,
                           float *dq, float *dk, float *dv, cudaStream_t s);

#ifdef __cplusplus
}
#endif
#endif
