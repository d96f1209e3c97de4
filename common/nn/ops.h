/*
 * ops.h: operations of forward and backward passes, and optimizers
 *
 * Each function enqueues work on a stream (products: the handle's) and returns
 * without blocking. Buffers are device memory, matrices are stored row by row.
 * Functions return cudaSuccess, or the reason why nothing was enqueued.
 */
#ifndef COMMLAB_NN_OPS_H
#define COMMLAB_NN_OPS_H

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "nn/shape.h" /* struct nn_hyper */

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime's error that corresponds to a cuBLAS status. */
cudaError_t nn_error(cublasStatus_t status);

/* ---- a linear layer, x (rows, in) and W (in, out) (ops.c) ---------------- */

/* y = x @ W; y is (rows, out) */
cudaError_t nn_linear(cublasHandle_t blas, const float *x, const float *w,
                      float *y, int rows, int in, int out);
/* dW += x^T @ dy; dW is (in, out) */
cudaError_t nn_linear_dw(cublasHandle_t blas, const float *x, const float *dy,
                         float *dw, int rows, int in, int out);
/* dx = dy @ W^T; dx is (rows, in) */
cudaError_t nn_linear_dx(cublasHandle_t blas, const float *dy, const float *w,
                         float *dx, int rows, int in, int out);

/* ---- elementwise (kernels.cu) -------------------------------------------- */

/* y = gelu(x) = x Phi(x) */
cudaError_t nn_gelu(float *y, const float *x, size_t count, cudaStream_t s);
/* dx = dy gelu'(x); dx may be dy or x */
cudaError_t nn_gelu_back(float *dx, const float *dy, const float *x,
                         size_t count, cudaStream_t s);

/*
 * Losses. The loss is the sum over rows: row_loss[r] gets row r's part, and dy
 * gets scale times the derivative of the loss with respect to y. y is (rows,
 * cols); for target see enum nn_loss.
 */
cudaError_t nn_mean_squares(const float *y, float *dy, float *row_loss,
                            float scale, int rows, int cols, cudaStream_t s);
cudaError_t nn_mse(const float *y, const float *target, float *dy,
                   float *row_loss, float scale, int rows, int cols,
                   cudaStream_t s);
cudaError_t nn_cross_entropy(const float *y, const uint8_t *target, float *dy,
                             float *row_loss, float scale, int rows, int cols,
                             cudaStream_t s);

/* y += x; y += value; y *= factor */
cudaError_t nn_add(float *y, const float *x, size_t count, cudaStream_t s);
cudaError_t nn_shift(float *y, float value, size_t count, cudaStream_t s);
cudaError_t nn_scale(float *y, float factor, size_t count, cudaStream_t s);

/* Convert fp32 to 16 bits and back, rounding to nearest even. */
enum nn_half { NN_FP16, NN_BF16 };
cudaError_t nn_narrow(uint16_t *out, const float *in, size_t count,
                      enum nn_half type, cudaStream_t s);
cudaError_t nn_widen(float *out, const uint16_t *in, size_t count,
                     enum nn_half type, cudaStream_t s);

/* ---- optimizers (kernels.cu) --------------------------------------------- */

/* w -= lr g */
cudaError_t nn_sgd(float *w, const float *g, const struct nn_hyper *h,
                   size_t count, cudaStream_t s);

/*
 * AdamW as published: m and v (zero before the first step) are the state of
 * these elements; step counts from 1.
 *
 *     m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2
 *     w -= lr (m / (1 - beta1^step) / (sqrt(v / (1 - beta2^step)) + eps)
 *              + decay w)
 */
cudaError_t nn_adamw(float *w, const float *g, float *m, float *v, int step,
                     const struct nn_hyper *h, size_t count, cudaStream_t s);

#ifdef __cplusplus
}
#endif
#endif
