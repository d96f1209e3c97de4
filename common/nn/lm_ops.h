/*
 * lm_ops.h: operations of a transformer that ops.h lacks
 *
 * As in ops.h, each function enqueues work on a stream and returns without
 * blocking. Buffers are device memory, matrices are stored row by row.
 * Functions return cudaSuccess, or the reason why nothing was enqueued.
 *
 * Weights are struct lm_weights: fp32, or bf16 if the model is trained in it.
 * Everything else is fp32.
 */
#ifndef COMMLAB_NN_LM_OPS_H
#define COMMLAB_NN_LM_OPS_H

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lm_weights { /* a matrix or a gain; the pointer of the other
                       type is NULL */
    const float *f;
    const uint16_t *h; /* bf16 */
};

/* ---- embedding (lm_kernels.cu) ------------------------------------------- */

/* x[r] = E[token[r]] + P[r % context]; E is (V, width), P (context, width) */
cudaError_t lm_embedding(float *x, const uint8_t *token, struct lm_weights e,
                         struct lm_weights p, int rows, int context, int width,
                         cudaStream_t s);
/* dE[v] += the sum of dx[r] over rows with token[r] == v; dP likewise, over the
 * rows of a position. */
cudaError_t lm_embedding_back(float *de, float *dp, const uint8_t *token,
                              const float *dx, int vocabulary, int rows,
                              int context, int width, cudaStream_t s);

/* ---- RMSNorm (lm_kernels.cu) --------------------------------------------- */

/* y = x * inv * gain for each row, where inv[r] = 1 / sqrt(mean of x[r]^2 +
 * eps) is kept for the backward pass. x and y are (rows, width). */
cudaError_t lm_norm(float *y, float *inv, const float *x,
                    struct lm_weights gain, int rows, int width,
                    cudaStream_t s);
/* dx += the derivative with respect to x; dgain += the one with
 * respect to gain. */
cudaError_t lm_norm_back(float *dx, float *dgain, const float *dy,
                         const float *x, const float *inv,
                         struct lm_weights gain, int rows, int width,
                         cudaStream_t s);

/* ---- causal attention (lm_kernels.cu) ------------------------------------ */

/*
 * For each sequence, each head and its queries q, keys k and values v:
 *
 *     prob = softmax(q @ k^T / sqrt(size), over keys not after the query)
 *     y    = prob @ v
 *
 * qkv is (sequences * context, 3 width): a row holds the queries, keys and
 * values of all heads, `size` = width / heads columns per head. y is (sequences
 * * context, width), prob (sequences, heads, context, context), with zeros for
 * keys after the query.
 */
struct lm_heads {
    int sequences, context, heads, size;
};
cudaError_t lm_attention(float *y, float *prob, const float *qkv,
                         const struct lm_heads *n, cudaStream_t s);
/* Compute dqkv from dy. prob serves as scratch memory: it is overwritten with
 * the derivative with respect to the softmax's argument. */
cudaError_t lm_attention_back(float *dqkv, float *prob, const float *qkv,
                              const float *dy, const struct lm_heads *n,
                              cudaStream_t s);

/* ---- products (lm_ops.c) ------------------------------------------------- */

/*
 * y (m, n) = beta y + a @ b, summed in fp32. a and b are both fp32 or both
 * bf16, with m * k and k * n elements. A transposed operand is stored as (k, m)
 * for a, as (n, k) for b. `compute` chooses the units: with
 * CUBLAS_COMPUTE_32F_FAST_16BF, fp32 operands are rounded to bf16 for the
 * matrix units.
 */
struct lm_operand {
    const void *at;
    int is_bf16, transposed;
};
cudaError_t lm_product(cublasHandle_t blas, float *y, struct lm_operand a,
                       struct lm_operand b, float beta, int m, int n, int k,
                       cublasComputeType_t compute);

#ifdef __cplusplus
}
#endif
#endif
