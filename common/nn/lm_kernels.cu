/*
 * lm_kernels.cu: the operations of a transformer other than products
 *
 * These are the plainest kernels that need no atomics: one thread computes the
 * whole of each value that it writes, so every sum has one order and results
 * are the same in every run.
 *
 *     kernels                a thread has                  called by
 *     embedding              an element of x               lm_embedding()
 *     embedding_back         an element of dE, then dP     lm_embedding_back()
 *     norm                   a row                         lm_norm()
 *     norm_back_rows,        a row of dx                   lm_norm_back()
 *     norm_back_gain         a column of all rows
 *     attention              a query of a head             lm_attention()
 *     attention_back_...     a value, a query and its      lm_attention_back()
 *                            row of prob, a key of a head
 *
 * Shapes are those of nn/lm_ops.h. Launch: blocks() of VECTOR_THREADS.
 */
#include <math.h> /* expf */

#include "lab/vector.cuh" /* vector_blocks */
#include "nn/cost.cuh"
#include "nn/lm_ops.h"
#include "nn/lm_shape.h" /* LM_EPS */

/* Loop over i below n, starting from the thread's own number. */
#define EACH(i, n)                                                             \
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);    \
         i += (size_t)gridDim.x * blockDim.x)

static unsigned blocks(size_t threads)
{
    return vector_blocks(threads, 1);
}

static __device__ float weight_at(struct lm_weights w, size_t i)
{
    return w.h ? __uint_as_float((unsigned)w.h[i] << 16) : w.f[i];
}

/* ---- embedding ----------------------------------------------------------- */

/* One thread: an element of x. */
__global__ void embedding(float *x, const uint8_t *token, struct lm_weights e,
                          struct lm_weights p, size_t rows, size_t context,
                          size_t width)
{
    EACH(i, rows * width)
    {
        const size_t r = i / width, c = i % width;
        x[i] = weight_at(e, token[r] * width + c) +
               weight_at(p, r % context * width + c);
    }
}

/* Each thread computes one element at a time, first of dE, then of dP. */
__global__ void embedding_back(float *de, float *dp, const uint8_t *token,
                               const float *dx, size_t vocabulary, size_t rows,
                               size_t context, size_t width)
{
    EACH(i, vocabulary * width)
    {
        for (size_t r = 0; r < rows; r++)
            if (token[r] == i / width)
                de[i] += dx[r * width + i % width];
    }
    EACH(i, context * width)
    {
        for (size_t r = i / width; r < rows; r += context)
            dp[i] += dx[r * width + i % width];
    }
}

extern "C" cudaError_t lm_embedding(float *x, const uint8_t *token,
                                    struct lm_weights e, struct lm_weights p,
                                    int rows, int context, int width,
                                    cudaStream_t s)
{
    const size_t n = (size_t)rows * (size_t)width;
    cost_begin(0, 12.0 * (double)n);
    embedding<<<blocks(n), VECTOR_THREADS, 0, s>>>(x, token, e, p, rows,
                                                   context, width);
    return cost_end();
}

extern "C" cudaError_t lm_embedding_back(float *de, float *dp,
                                         const uint8_t *token, const float *dx,
                                         int vocabulary, int rows, int context,
                                         int width, cudaStream_t s)
{
    const size_t n =
        (size_t)(vocabulary > context ? vocabulary : context) * (size_t)width;
    const double moved = 2.0 * rows + 2.0 * vocabulary + 2.0 * context;
    cost_begin(0, 4 * moved * width);
    embedding_back<<<blocks(n), VECTOR_THREADS, 0, s>>>(
        de, dp, token, dx, vocabulary, rows, context, width);
    return cost_end();
}

/* ---- RMSNorm ------------------------------------------------------------- */

/* One thread: a row. */
__global__ void norm(float *y, float *inv, const float *x,
                     struct lm_weights gain, size_t rows, size_t width)
{
    EACH(r, rows)
    {
        const float *const in = x + r * width;
        float squares = 0;
        for (size_t c = 0; c < width; c++)
            squares += in[c] * in[c];
        inv[r] = 1.0f / sqrtf(squares / (float)width + (float)LM_EPS);
        for (size_t c = 0; c < width; c++)
            y[r * width + c] = in[c] * inv[r] * weight_at(gain, c);
    }
}

/*
 * One thread: a row of dx. With g = dy * gain:
 *
 *     dx = inv g - x inv^3 mean(g x)
 */
__global__ void norm_back_rows(float *dx, const float *dy, const float *x,
                               const float *inv, struct lm_weights gain,
                               size_t rows, size_t width)
{
    EACH(r, rows)
    {
        const size_t at = r * width;
        float dot = 0;
        for (size_t c = 0; c < width; c++)
            dot += dy[at + c] * weight_at(gain, c) * x[at + c];
        const float pull = inv[r] * inv[r] * dot / (float)width;
        for (size_t c = 0; c < width; c++)
            dx[at + c] +=
                inv[r] * (dy[at + c] * weight_at(gain, c) - pull * x[at + c]);
    }
}

/* One thread: a column, summed over all rows. */
__global__ void norm_back_gain(float *dgain, const float *dy, const float *x,
                               const float *inv, size_t rows, size_t width)
{
    EACH(c, width)
    {
        float sum = 0;
        for (size_t r = 0; r < rows; r++)
            sum += dy[r * width + c] * x[r * width + c] * inv[r];
        dgain[c] += sum;
    }
}

extern "C" cudaError_t lm_norm(float *y, float *inv, const float *x,
                               struct lm_weights gain, int rows, int width,
                               cudaStream_t s)
{
    cost_begin(0, 8.0 * rows * width);
    norm<<<blocks(rows), VECTOR_THREADS, 0, s>>>(y, inv, x, gain, rows, width);
    return cost_end();
}

extern "C" cudaError_t lm_norm_back(float *dx, float *dgain, const float *dy,
                                    const float *x, const float *inv,
                                    struct lm_weights gain, int rows, int width,
                                    cudaStream_t s)
{
    cost_begin(0, 16.0 * rows * width);
    norm_back_rows<<<blocks(rows), VECTOR_THREADS, 0, s>>>(dx, dy, x, inv, gain,
                                                           rows, width);
    const cudaError_t err = cost_end();
    if (err != cudaSuccess)
        return err;
    cost_begin(0, 8.0 * rows * width);
    norm_back_gain<<<blocks(width), VECTOR_THREADS, 0, s>>>(dgain, dy, x, inv,
                                                            rows, width);
    return cost_end();
}

/* ---- causal attention ---------------------------------------------------- */

/* The token, sequence and head that a thread computes. */
struct place {
    size_t i;    /* position of the token in its sequence */
    size_t base; /* element of qkv: token 0, first column of the head */
    size_t y;    /* element of y: token 0, first column of the head */
    size_t prob; /* element of prob: start of the head's (context, context) */
};

static __device__ struct place place_of(size_t thread, struct lm_heads n)
{
    const size_t context = n.context, heads = n.heads;
    const size_t head = thread / context % heads;
    const size_t first = thread / context / heads * context; /* row */
    const size_t width = heads * n.size;
    return {thread % context, first * 3 * width + head * n.size,
            first * width + head * n.size,
            thread / context * context * context};
}

static __device__ float dot(const float *a, const float *b, int n)
{
    float sum = 0;
    for (int c = 0; c < n; c++)
        sum += a[c] * b[c];
    return sum;
}

/* One thread: a query. */
__global__ void attention(float *y, float *prob, const float *qkv,
                          struct lm_heads n, size_t threads)
{
    const size_t context = n.context, width = (size_t)n.heads * n.size;
    const size_t step = 3 * width;
    const float factor = 1.0f / sqrtf((float)n.size);
    EACH(thread, threads)
    {
        const struct place at = place_of(thread, n);
        const float *const q = qkv + at.base + at.i * step;
        const float *const k = qkv + at.base + width, *const v = k + width;
        float *const p = prob + at.prob + at.i * context;
        float *const out = y + at.y + at.i * width;
        float most = -INFINITY, sum = 0;
        for (size_t j = 0; j <= at.i; j++) {
            p[j] = factor * dot(q, k + j * step, n.size);
            most = fmaxf(most, p[j]);
        }
        for (size_t j = 0; j <= at.i; j++)
            sum += p[j] = expf(p[j] - most);
        for (size_t j = 0; j < context; j++)
            p[j] = j <= at.i ? p[j] / sum : 0.0f;
        for (int c = 0; c < n.size; c++)
            out[c] = 0;
        for (size_t j = 0; j <= at.i; j++)
            for (int c = 0; c < n.size; c++)
                out[c] += p[j] * v[j * step + c];
    }
}

/* One thread: a value; dv[j] = sum over i >= j of prob[i][j] dy[i]. */
__global__ void attention_back_values(float *dqkv, const float *prob,
                                      const float *dy, struct lm_heads n,
                                      size_t threads)
{
    const size_t context = n.context, width = (size_t)n.heads * n.size;
    EACH(thread, threads)
    {
        const struct place at = place_of(thread, n);
        const float *const p = prob + at.prob + at.i;
        float *const dv = dqkv + at.base + at.i * 3 * width + 2 * width;
        for (int c = 0; c < n.size; c++)
            dv[c] = 0;
        for (size_t i = at.i; i < context; i++)
            for (int c = 0; c < n.size; c++)
                dv[c] += p[i * context] * dy[at.y + i * width + c];
    }
}

/*
 * One thread: a query. It replaces its row of prob by
 *
 *     ds[j] = prob[j] (dp[j] - sum of prob dp) / sqrt(size)
 *     with dp[j] = dy . v[j], and computes dq = sum over j of ds[j] k[j]
 */
__global__ void attention_back_queries(float *dqkv, float *prob,
                                       const float *qkv, const float *dy,
                                       struct lm_heads n, size_t threads)
{
    const size_t context = n.context, width = (size_t)n.heads * n.size;
    const size_t step = 3 * width;
    const float factor = 1.0f / sqrtf((float)n.size);
    EACH(thread, threads)
    {
        const struct place at = place_of(thread, n);
        const float *const k = qkv + at.base + width, *const v = k + width;
        const float *const g = dy + at.y + at.i * width;
        float *const p = prob + at.prob + at.i * context;
        float *const dq = dqkv + at.base + at.i * step;
        float sum = 0;
        for (size_t j = 0; j <= at.i; j++)
            sum += p[j] * dot(g, v + j * step, n.size);
        for (int c = 0; c < n.size; c++)
            dq[c] = 0;
        for (size_t j = 0; j <= at.i; j++) {
            p[j] *= (dot(g, v + j * step, n.size) - sum) * factor;
            for (int c = 0; c < n.size; c++)
                dq[c] += p[j] * k[j * step + c];
        }
    }
}

/* One thread: a key; dk[j] = sum over i >= j of ds[i][j] q[i]. */
__global__ void attention_back_keys(float *dqkv, const float *ds,
                                    const float *qkv, struct lm_heads n,
                                    size_t threads)
{
    const size_t context = n.context, width = (size_t)n.heads * n.size;
    const size_t step = 3 * width;
    EACH(thread, threads)
    {
        const struct place at = place_of(thread, n);
        const float *const p = ds + at.prob + at.i;
        float *const dk = dqkv + at.base + at.i * step + width;
        for (int c = 0; c < n.size; c++)
            dk[c] = 0;
        for (size_t i = at.i; i < context; i++)
            for (int c = 0; c < n.size; c++)
                dk[c] += p[i * context] * qkv[at.base + i * step + c];
    }
}

/* The cost of `products` products of the causal half of a (context, context)
 * matrix with a (context, size) one; each matrix is moved once. */
static void causal_cost(const struct lm_heads *n, int products, int vectors)
{
    const double of_all = (double)n->sequences * n->heads * n->context;
    cost_begin(products * of_all * n->context * n->size,
               4 * of_all * (n->context + (double)vectors * n->size));
}

static size_t threads_of(const struct lm_heads *n)
{
    return (size_t)n->sequences * n->heads * n->context;
}

extern "C" cudaError_t lm_attention(float *y, float *prob, const float *qkv,
                                    const struct lm_heads *n, cudaStream_t s)
{
    const size_t threads = threads_of(n);
    causal_cost(n, 2, 4);
    attention<<<blocks(threads), VECTOR_THREADS, 0, s>>>(y, prob, qkv, *n,
                                                         threads);
    return cost_end();
}

extern "C" cudaError_t lm_attention_back(float *dqkv, float *prob,
                                         const float *qkv, const float *dy,
                                         const struct lm_heads *n,
                                         cudaStream_t s)
{
    const size_t threads = threads_of(n);
    const unsigned nblocks = blocks(threads);
    causal_cost(n, 1, 2);
    attention_back_values<<<nblocks, VECTOR_THREADS, 0, s>>>(dqkv, prob, dy, *n,
                                                             threads);
    cudaError_t err = cost_end();
    if (err != cudaSuccess)
        return err;
    causal_cost(n, 2, 4);
    attention_back_queries<<<nblocks, VECTOR_THREADS, 0, s>>>(dqkv, prob, qkv,
                                                              dy, *n, threads);
    err = cost_end();
    if (err != cudaSuccess)
        return err;
    causal_cost(n, 1, 2);
    attention_back_keys<<<nblocks, VECTOR_THREADS, 0, s>>>(dqkv, prob, qkv, *n,
                                                           threads);
    return cost_end();
}
