/*
 * lab4.h: one network on many GPUs: tensor, pipeline and data parallel
 *
 * What you write, part by part, and what each function promises. A block, a stage
 * and a slot are given (stage.h), as is a block on one device (dense.c).
 *
 *   tensor parallel     each rank has a part of every matrix
 *   pipeline parallel   each rank has some of the blocks
 *   data parallel       each group of ranks has all of it, and rows of its own
 *
 * All functions are collective over the ranks of the communicator that they work
 * with, unless they say otherwise. They enqueue work on the stream that they are
 * given and return; nobody waits. Matrices lie row by row.
 */
#ifndef LAB4_H
#define LAB4_H

#include "stage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- part 1: tensor parallel (tensor.c) ------------------------------------------ */

/*
 * This rank's columns, or rows, of a whole matrix (in, out): of n ranks, rank r has
 * columns r * out/n ..., or rows r * in/n .... part is (in, out/n) or (in/n, out).
 * out, or in, is a multiple of n. Not collective.
 */
ncclResult_t tp_split_columns(const struct tp *t, const float *whole, int in,
                              int out, float *part);
ncclResult_t tp_split_rows(const struct tp *t, const float *whole, int in,
                           int out, float *part);

/*
 * A linear layer (in, out) of which each rank has columns: w is (in, out/n). x is
 * (rows, in), the same on all ranks; y, this rank's columns, is (rows, out/n).
 * Forward sends nothing.
 */
ncclResult_t tp_column_forward(const struct tp *t, const float *x,
                               const float *w, float *y, int rows, int in,
                               int out);

/* Its way back: dw += x^T dy; dx, (rows, in), is the whole derivative on all
 * ranks. dy is (rows, out/n). One all-reduce. */
ncclResult_t tp_column_backward(const struct tp *t, const float *x,
                                const float *w, const float *dy, float *dw,
                                float *dx, int rows, int in, int out);

/*
 * A linear layer (in, out) of which each rank has rows: w is (in/n, out). x is
 * this rank's columns, (rows, in/n); y, (rows, out), is the whole product on all
 * ranks. One all-reduce.
 */
ncclResult_t tp_row_forward(const struct tp *t, const float *x, const float *w,
                            float *y, int rows, int in, int out);

/* Its way back: dw += x^T dy; dx is this rank's columns, (rows, in/n). dy, (rows,
 * out), is the same on all ranks. Sends nothing. */
ncclResult_t tp_row_backward(const struct tp *t, const float *x, const float *w,
                             const float *dy, float *dw, float *dx, int rows,
                             int in, int out);

/*
 * A block of which each rank has columns of A and the same rows of B. As
 * dense_forward() and dense_backward(), with hidden/n in place of hidden: x, y, dy
 * and dx are whole and the same on all ranks. One all-reduce each.
 */
ncclResult_t tp_block_forward(const struct tp *t, const struct block *b,
                              const float *x, const struct saved *s, float *y);
ncclResult_t tp_block_backward(const struct tp *t, const struct block *b,
                               const float *x, const struct saved *s, float *dy,
                               float *scratch, float *dx);

/*
 * The other form: a column layer whose output everybody gets. y is (rows, out),
 * whole, on all ranks, and so is dy on the way back. space has room for rows * out
 * floats. Forward one all-gather, backward one all-reduce.
 */
ncclResult_t tp_gather_forward(const struct tp *t, const float *x,
                               const float *w, float *y, float *space, int rows,
                               int in, int out);
ncclResult_t tp_gather_backward(const struct tp *t, const float *x,
                                const float *w, const float *dy, float *dw,
                                float *dx, float *space, int rows, int in,
                                int out);

#ifdef __cplusplus
}
#endif
#endif
