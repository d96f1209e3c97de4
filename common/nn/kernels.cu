/*
 * kernels.cu: the operations of a training step other than products
 *
 *     kernels                          computes              called by
 *     gelu, gelu_back                  elements, (count)     nn_gelu*()
 *     squares, cross_entropy           dy (rows, cols) and   nn_mean_squares(),
 *                                      row_loss (rows)       nn_mse(),
 *                                                            nn_cross_entropy()
 *     add, shift, scale, narrow,       elements, (count)     nn_add() ..
 *     widen
 *     sgd, adamw                       elements, (count)     nn_sgd() ..
 *
 * A thread takes 16 bytes of each array at a time (lab/vector.cuh), in the
 * losses a row of y. Launch: vector_blocks() of VECTOR_THREADS.
 */
#include <math.h> /* erff */

#include "lab/vector.cuh"
#include "nn/cost.cuh"
#include "nn/ops.h"

/*
 * Start the cost of a launch over `count` elements or rows, each of which reads
 * and writes nbytes. Memory bandwidth limits these kernels, so their arithmetic
 * counts as free.
 */
static void moves_begin(size_t count, int nbytes)
{
    cost_begin(0, (double)count * (double)nbytes);
}

/* `count` floats, or values of 16 bits, that the launch reads or writes. */
static void reads(const void *p, size_t count, int nbytes = sizeof(float))
{
    cost_reads(p, (double)count * nbytes);
}

static void writes(const void *p, size_t count, int nbytes = sizeof(float))
{
    cost_writes(p, (double)count * nbytes);
}

static void updates(const void *p, size_t count)
{
    reads(p, count);
    writes(p, count);
}

enum { PACK = VECTOR_BYTES / sizeof(float), ROW = 1, HALF = sizeof(uint16_t) };

/* ---- gelu ---------------------------------------------------------------- */

static __device__ float phi(float x) /* normal distribution function */
{
    return 0.5f * (1.0f + erff(x * 0.70710678f));
}

__global__ void gelu(size_t count, float *y, const float *x)
{
    vector_each(
        count, [](float &y, float v) { y = v * phi(v); }, vector_out(y),
        vector_in(x));
}

__global__ void gelu_back(size_t count, float *dx, const float *dy,
                          const float *x)
{
    vector_each(
        count,
        [](float &dx, float dy, float v) {
            const float density = 0.39894228f * expf(-0.5f * v * v);
            dx = dy * (phi(v) + v * density);
        },
        vector_out(dx), vector_in(dy), vector_in(x));
}

extern "C" cudaError_t nn_gelu(float *y, const float *x, size_t count,
                               cudaStream_t s)
{
    if (count == 0)
        return cudaSuccess;
    moves_begin(count, 8);
    reads(x, count);
    writes(y, count);
    gelu<<<vector_blocks(count, PACK), VECTOR_THREADS, 0, s>>>(count, y, x);
    return cost_end();
}

extern "C" cudaError_t nn_gelu_back(float *dx, const float *dy, const float *x,
                                    size_t count, cudaStream_t s)
{
    if (count == 0)
        return cudaSuccess;
    moves_begin(count, 12);
    reads(dy, count);
    reads(x, count);
    writes(dx, count);
    gelu_back<<<vector_blocks(count, PACK), VECTOR_THREADS, 0, s>>>(count, dx,
                                                                    dy, x);
    return cost_end();
}

/* ---- losses -------------------------------------------------------------- */

/* A NULL target stands for zeros. */
__global__ void squares(size_t rows, const float *y, const float *target,
                        float *dy, float *row_loss, float scale, int cols)
{
    for (size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += (size_t)gridDim.x * blockDim.x) {
        const size_t at = row * (size_t)cols;
        const float share = 1.0f / ((float)rows * (float)cols);
        float sum = 0;
        for (int c = 0; c < cols; c++) {
            const float t = target ? target[at + c] : 0.0f;
            const float off = y[at + c] - t;
            sum += off * off;
            dy[at + c] = 2.0f * off * share * scale;
        }
        row_loss[row] = sum * share;
    }
}

__global__ void cross_entropy(size_t rows, const float *y,
                              const uint8_t *target, float *dy, float *row_loss,
                              float scale, int cols)
{
    for (size_t row = (size_t)blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += (size_t)gridDim.x * blockDim.x) {
        const float *const in = y + row * (size_t)cols;
        float *const out = dy + row * (size_t)cols;
        const int t = target[row];
        const float share = 1.0f / (float)rows;
        float largest = in[0], sum = 0;
        for (int c = 1; c < cols; c++)
            largest = fmaxf(largest, in[c]);
        for (int c = 0; c < cols; c++)
            sum += expf(in[c] - largest);
        for (int c = 0; c < cols; c++) {
            const float p = expf(in[c] - largest) / sum;
            out[c] = (p - (c == t ? 1.0f : 0.0f)) * share * scale;
        }
        row_loss[row] = (logf(sum) + largest - in[t]) * share;
    }
}

static void touches_loss(const float *y, const void *target,
                         double target_nbytes, const float *dy,
                         const float *row_loss, int rows, int cols)
{
    const size_t n = (size_t)rows * (size_t)cols;
    reads(y, n);
    cost_reads(target, target_nbytes);
    writes(dy, n);
    writes(row_loss, (size_t)rows);
}

extern "C" cudaError_t nn_mean_squares(const float *y, float *dy,
                                       float *row_loss, float scale, int rows,
                                       int cols, cudaStream_t s)
{
    if (rows == 0)
        return cudaSuccess;
    moves_begin(rows, 8 * cols + 4);
    touches_loss(y, NULL, 0, dy, row_loss, rows, cols);
    squares<<<vector_blocks(rows, ROW), VECTOR_THREADS, 0, s>>>(
        rows, y, NULL, dy, row_loss, scale, cols);
    return cost_end();
}

extern "C" cudaError_t nn_mse(const float *y, const float *target, float *dy,
                              float *row_loss, float scale, int rows, int cols,
                              cudaStream_t s)
{
    if (rows == 0)
        return cudaSuccess;
    moves_begin(rows, 12 * cols + 4);
    touches_loss(y, target, 4.0 * rows * cols, dy, row_loss, rows, cols);
    squares<<<vector_blocks(rows, ROW), VECTOR_THREADS, 0, s>>>(
        rows, y, target, dy, row_loss, scale, cols);
    return cost_end();
}

extern "C" cudaError_t nn_cross_entropy(const float *y, const uint8_t *target,
                                        float *dy, float *row_loss, float scale,
                                        int rows, int cols, cudaStream_t s)
{
    if (rows == 0)
        return cudaSuccess;
    moves_begin(rows, 8 * cols + 5);
    touches_loss(y, target, rows, dy, row_loss, rows, cols);
    cross_entropy<<<vector_blocks(rows, ROW), VECTOR_THREADS, 0, s>>>(
        rows, y, target, dy, row_loss, scale, cols);
    return cost_end();
}

/* ---- vectors ------------------------------------------------------------- */

__global__ void add(size_t count, float *y, const float *x)
{
    vector_each(
        count, [](float &y, float x) { y += x; }, vector_inout(y),
        vector_in(x));
}

__global__ void shift(size_t count, float *y, float value)
{
    vector_each(
        count, [=](float &y) { y += value; }, vector_inout(y));
}

__global__ void scale(size_t count, float *y, float factor)
{
    vector_each(
        count, [=](float &y) { y *= factor; }, vector_inout(y));
}

extern "C" cudaError_t nn_add(float *y, const float *x, size_t count,
                              cudaStream_t s)
{
    if (count == 0)
        return cudaSuccess;
    moves_begin(count, 12);
    reads(x, count);
    updates(y, count);
    add<<<vector_blocks(count, PACK), VECTOR_THREADS, 0, s>>>(count, y, x);
    return cost_end();
}

extern "C" cudaError_t nn_shift(float *y, float value, size_t count,
                                cudaStream_t s)
{
    if (count == 0)
        return cudaSuccess;
    moves_begin(count, 8);
    updates(y, count);
    shift<<<vector_blocks(count, PACK), VECTOR_THREADS, 0, s>>>(count, y,
                                                                value);
    return cost_end();
}

extern "C" cudaError_t nn_scale(float *y, float factor, size_t count,
                                cudaStream_t s)
{
    if (count == 0)
        return cudaSuccess;
    moves_begin(count, 8);
    updates(y, count);
    scale<<<vector_blocks(count, PACK), VECTOR_THREADS, 0, s>>>(count, y,
                                                                factor);
    return cost_end();
}

/* ---- 16 bits ------------------------------------------------------------- */

static __device__ uint16_t to_bf16(float x)
{
    const unsigned u = __float_as_uint(x);
    if ((u & 0x7fffffffu) > 0x7f800000u) // NaN
        return (uint16_t)(u >> 16 | 0x40);
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

/* Below 2^-14, the spacing of fp16 is 2^-24. From there on, fp16 is a float
 * with 13 fewer mantissa bits and an exponent smaller by 112. */
static __device__ uint16_t to_fp16(float x)
{
    const unsigned u = __float_as_uint(x), sign = u >> 16 & 0x8000u;
    const unsigned size = u & 0x7fffffffu;
    if (size > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u);
    if (size >= 0x477ff000u)
        return (uint16_t)(sign | 0x7c00u);
    if (size < 0x38800000u)
        return (uint16_t)(sign |
                          (unsigned)rintf(__uint_as_float(size) * 16777216.0f));
    return (uint16_t)(sign | (((size + 0xfffu + (size >> 13 & 1)) >> 13) -
                              (112u << 10)));
}

static __device__ float from_fp16(uint16_t v)
{
    const unsigned sign = (unsigned)(v & 0x8000u) << 16, size = v & 0x7fffu;
    if (size >= 0x7c00u)
        return __uint_as_float(sign | 0x7f800000u | (size & 0x3ffu) << 13);
    if (size < 0x400u) {
        const float x = (float)size / 16777216.0f;
        return sign ? -x : x;
    }
    return __uint_as_float(sign | ((size << 13) + (112u << 23)));
}

__global__ void narrow(size_t count, uint16_t *out, const float *in, int bf16)
{
    vector_each(
        count,
        [=](uint16_t &h, float x) { h = bf16 ? to_bf16(x) : to_fp16(x); },
        vector_out(out), vector_in(in));
}

__global__ void widen(size_t count, float *out, const uint16_t *in, int bf16)
{
    vector_each(
        count,
        [=](float &x, uint16_t h) {
            x = bf16 ? __uint_as_float((unsigned)h << 16) : from_fp16(h);
        },
        vector_out(out), vector_in(in));
}

extern "C" cudaError_t nn_narrow(uint16_t *out, const float *in, size_t count,
                                 enum nn_half type, cudaStream_t s)
{
    if (count == 0)
        return cudaSuccess;
    moves_begin(count, 6);
    reads(in, count);
    writes(out, count, HALF);
    narrow<<<vector_blocks(count, PACK), VECTOR_THREADS, 0, s>>>(
        count, out, in, type == NN_BF16);
    return cost_end();
}

extern "C" cudaError_t nn_widen(float *out, const uint16_t *in, size_t count,
                                enum nn_half type, cudaStream_t s)
{
    if (count == 0)
        return cudaSuccess;
    moves_begin(count, 6);
    reads(in, count, HALF);
    writes(out, count);
    widen<<<vector_blocks(count, PACK), VECTOR_THREADS, 0, s>>>(
        count, out, in, type == NN_BF16);
    return cost_end();
}

/* ---- optimizers ---------------------------------------------------------- */

__global__ void sgd(size_t count, float *w, const float *g, float lr)
{
    vector_each(
        count, [=](float &w, float g) { w -= lr * g; }, vector_inout(w),
        vector_in(g));
}

/* correct1 and correct2 are 1 - beta^step. */
__global__ void adamw(size_t count, float *w, const float *g, float *m,
                      float *v, struct nn_hyper h, float correct1,
                      float correct2)
{
    vector_each(
        count,
        [=](float &w, float grad, float &m, float &v) {
            m = h.beta1 * m + (1 - h.beta1) * grad;
            v = h.beta2 * v + (1 - h.beta2) * grad * grad;
            const float step = m / correct1 / (sqrtf(v / correct2) + h.eps);
            w -= h.lr * (step + h.decay * w);
        },
        vector_inout(w), vector_in(g), vector_inout(m), vector_inout(v));
}

extern "C" cudaError_t nn_sgd(float *w, const float *g,
                              const struct nn_hyper *h, size_t count,
                              cudaStream_t s)
{
    if (count == 0)
        return cudaSuccess;
    moves_begin(count, 12);
    reads(g, count);
    updates(w, count);
    sgd<<<vector_blocks(count, PACK), VECTOR_THREADS, 0, s>>>(count, w, g,
                                                              h->lr);
    return cost_end();
}

extern "C" cudaError_t nn_adamw(float *w, const float *g, float *m, float *v,
                                int step, const struct nn_hyper *h,
                                size_t count, cudaStream_t s)
{
    const float correct1 = (float)(1 - pow((double)h->beta1, step));
    const float correct2 = (float)(1 - pow((double)h->beta2, step));
    if (count == 0)
        return cudaSuccess;
    moves_begin(count, 28);
    reads(g, count);
    updates(w, count);
    updates(m, count);
    updates(v, count);
    adamw<<<vector_blocks(count, PACK), VECTOR_THREADS, 0, s>>>(
        count, w, g, m, v, *h, correct1, correct2);
    return cost_end();
}
