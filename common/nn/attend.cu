/*
 * attend.cu: blockwise causal attention
 *
 * One thread computes one row of one head (for dk and dv: one column) and keeps
 * its own sums. No two threads add to the same number, so results are the same
 * in every run.
 *
 *     kernels                computes                        called by
 *     attend_begin, _end     o, most and sum of each row     nn_attend_*()
 *     attend_block           these, from one block of keys   nn_attend()
 *     attend_delta           delta, (rows, heads)            nn_attend_delta()
 *     attend_dq, _dkv        dq; dk and dv, from one block   nn_attend_back()
 *
 * Shapes are those of nn/attend.h. Launch: vector_blocks() of VECTOR_THREADS.
 */
#include <math.h> /* INFINITY */

#include "lab/vector.cuh"
#include "nn/attend.h"
#include "nn/cost.cuh"

enum { EACH = 1, FLOAT = sizeof(float) };

/* ---- positions ----------------------------------------------------------- */

static __device__ int place_of(const struct nn_places &p, int i)
{
    int r = 0;
    while (i >= p.run[r].count)
        i -= p.run[r++].count;
    return p.run[r].first + i * p.run[r].stride;
}

/* The number of positions. */
static int count_places(const struct nn_places *p)
{
    int n = 0;
    for (int r = 0; r < p->nruns; r++)
        n += p->run[r].count;
    return n;
}

/* The number of the run's positions that are at most `place`. */
static int run_below(const struct nn_run *run, int place)
{
    if (place < run->first)
        return 0;
    const int n = (place - run->first) / run->stride + 1;
    return n < run->count ? n : run->count;
}

extern "C" size_t nn_attend_pairs(const struct nn_places *rows,
                                  const struct nn_places *cols)
{
    size_t n = 0;
    for (int r = 0; r < rows->nruns; r++)
        for (int i = 0; i < rows->run[r].count; i++)
            for (int c = 0; c < cols->nruns; c++)
                n += (size_t)run_below(&cols->run[c],
                                       rows->run[r].first +
                                           i * rows->run[r].stride);
    return n;
}

static bool valid(const struct nn_attend *a)
{
    return a->heads > 0 && a->width > 0 && a->width <= NN_ATTEND_WIDTH;
}

static bool valid_places(const struct nn_places *p)
{
    if (p->nruns < 0 || p->nruns > NN_ATTEND_RUNS)
        return false;
    for (int r = 0; r < p->nruns; r++)
        if (p->run[r].stride <= 0 || p->run[r].count < 0)
            return false;
    return true;
}

/* ---- launches ------------------------------------------------------------ */

/* Begin a launch with this cost; cost_end() ends it. */
static void attend_cost(double flops, double floats)
{
    cost_begin(flops, floats * FLOAT);
}

/* Floats that the launch reads, or writes. */
static void reads(const float *p, double floats)
{
    cost_reads(p, floats * FLOAT);
}

static void writes(const float *p, double floats)
{
    cost_writes(p, floats * FLOAT);
}

static void updates(const float *p, double floats)
{
    reads(p, floats);
    writes(p, floats);
}

/* t from the thread's own number on, below n */
#define EACH_THREAD(t, n)                                                      \
    for (size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x; t < (n);    \
         t += (size_t)gridDim.x * blockDim.x)

static __device__ float dot(const float *x, const float *y, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* ---- forward ------------------------------------------------------------- */

__global__ void attend_begin(struct nn_attend a, struct nn_attend_state st)
{
    EACH_THREAD(t, (size_t)st.rows * a.heads)
    {
        st.most[t] = -INFINITY;
        st.sum[t] = 0;
        for (int i = 0; i < a.width; i++)
            st.o[t * a.width + i] = 0;
    }
}

__global__ void attend_block(struct nn_attend a, struct nn_attend_state st,
                             const float *q, struct nn_places rows,
                             const float *k, const float *v,
                             struct nn_places cols, int ncols)
{
    EACH_THREAD(t, (size_t)st.rows * a.heads)
    {
        const int place = place_of(rows, (int)(t / a.heads));
        const size_t head = t % a.heads;
        float *const out = st.o + t * a.width;
        float o[NN_ATTEND_WIDTH], most = st.most[t], sum = st.sum[t];
        for (int i = 0; i < a.width; i++)
            o[i] = out[i];
        for (int c = 0; c < ncols; c++) {
            if (place_of(cols, c) > place)
                continue;
            const size_t at = ((size_t)c * a.heads + head) * a.width;
            const float score = a.scale * dot(q + t * a.width, k + at, a.width);
            const float larger = fmaxf(most, score);
            const float shrink = expf(most - larger), p = expf(score - larger);
            sum = sum * shrink + p;
            for (int i = 0; i < a.width; i++)
                o[i] = o[i] * shrink + p * v[at + i];
            most = larger;
        }
        for (int i = 0; i < a.width; i++)
            out[i] = o[i];
        st.most[t] = most;
        st.sum[t] = sum;
    }
}

__global__ void attend_end(struct nn_attend a, struct nn_attend_state st)
{
    EACH_THREAD(t, (size_t)st.rows * a.heads)
    {
        const float sum = st.sum[t];
        if (sum == 0)
            continue;
        for (int i = 0; i < a.width; i++)
            st.o[t * a.width + i] /= sum;
        st.most[t] += logf(sum);
    }
}

extern "C" cudaError_t nn_attend_begin(const struct nn_attend *a,
                                       const struct nn_attend_state *st,
                                       cudaStream_t s)
{
    const size_t n = (size_t)st->rows * a->heads;
    if (!valid(a) || st->rows < 0)
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    attend_cost(0, (double)n * (a->width + 2));
    writes(st->o, (double)n * a->width);
    writes(st->most, (double)n);
    writes(st->sum, (double)n);
    attend_begin<<<vector_blocks(n, EACH), VECTOR_THREADS, 0, s>>>(*a, *st);
    return cost_end();
}

extern "C" cudaError_t nn_attend(const struct nn_attend *a,
                                 const struct nn_attend_state *st,
                                 const float *q, const struct nn_places *rows,
                                 const float *k, const float *v,
                                 const struct nn_places *cols, cudaStream_t s)
{
    if (!valid(a) || !valid_places(rows) || !valid_places(cols) ||
        st->rows != count_places(rows))
        return cudaErrorInvalidValue;
    const size_t pairs = nn_attend_pairs(rows, cols);
    const size_t n = (size_t)st->rows * a->heads;
    const int ncols = count_places(cols);
    if (pairs == 0)
        return cudaSuccess;
    attend_cost(4.0 * (double)pairs * a->heads * a->width,
                (double)n * (3 * a->width + 4) +
                    2.0 * ncols * a->heads * a->width);
    reads(q, (double)n * a->width);
    reads(k, (double)ncols * a->heads * a->width);
    reads(v, (double)ncols * a->heads * a->width);
    updates(st->o, (double)n * a->width);
    updates(st->most, (double)n);
    updates(st->sum, (double)n);
    attend_block<<<vector_blocks(n, EACH), VECTOR_THREADS, 0, s>>>(
        *a, *st, q, *rows, k, v, *cols, ncols);
    return cost_end();
}

extern "C" cudaError_t nn_attend_end(const struct nn_attend *a,
                                     const struct nn_attend_state *st,
                                     cudaStream_t s)
{
    const size_t n = (size_t)st->rows * a->heads;
    if (!valid(a) || st->rows < 0)
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    attend_cost(0, (double)n * (2 * a->width + 3));
    reads(st->sum, (double)n);
    updates(st->o, (double)n * a->width);
    updates(st->most, (double)n);
    attend_end<<<vector_blocks(n, EACH), VECTOR_THREADS, 0, s>>>(*a, *st);
    return cost_end();
}

/* ---- backward ------------------------------------------------------------ */

__global__ void attend_delta(struct nn_attend a, float *delta,
                             const float *dout, const float *o, int rows)
{
    EACH_THREAD(t, (size_t)rows * a.heads)
    {
        const size_t at = t * a.width;
        delta[t] = dot(dout + at, o + at, a.width);
    }
}

/* Recompute the weight p of row t's pair with the column at k and v; *ds gets
 * the loss's derivative with respect to the product q . k. */
static __device__ float weight(const struct nn_attend &a,
                               const struct nn_attend_row &r, size_t t,
                               const float *k, const float *v, float *ds)
{
    const float score = a.scale * dot(r.q + t * a.width, k, a.width);
    const float p = expf(score - r.lse[t]);
    *ds = a.scale * p * (dot(r.dout + t * a.width, v, a.width) - r.delta[t]);
    return p;
}

__global__ void attend_dq(struct nn_attend a, struct nn_attend_row r,
                          struct nn_places rows, int nrows, const float *k,
                          const float *v, struct nn_places cols, int ncols,
                          float *dq)
{
    EACH_THREAD(t, (size_t)nrows * a.heads)
    {
        const int place = place_of(rows, (int)(t / a.heads));
        const size_t head = t % a.heads;
        float sum[NN_ATTEND_WIDTH];
        for (int i = 0; i < a.width; i++)
            sum[i] = dq[t * a.width + i];
        for (int c = 0; c < ncols; c++) {
            const size_t at = ((size_t)c * a.heads + head) * a.width;
            float ds;
            if (place_of(cols, c) > place)
                continue;
            weight(a, r, t, k + at, v + at, &ds);
            for (int i = 0; i < a.width; i++)
                sum[i] += ds * k[at + i];
        }
        for (int i = 0; i < a.width; i++)
            dq[t * a.width + i] = sum[i];
    }
}

__global__ void attend_dkv(struct nn_attend a, struct nn_attend_row r,
                           struct nn_places rows, int nrows, const float *k,
                           const float *v, struct nn_places cols, int ncols,
                           float *dk, float *dv)
{
    EACH_THREAD(c, (size_t)ncols * a.heads)
    {
        const int place = place_of(cols, (int)(c / a.heads));
        const size_t head = c % a.heads;
        const size_t at = c * a.width;
        float sum_k[NN_ATTEND_WIDTH], sum_v[NN_ATTEND_WIDTH];
        for (int i = 0; i < a.width; i++) {
            sum_k[i] = dk[at + i];
            sum_v[i] = dv[at + i];
        }
        for (int row = 0; row < nrows; row++) {
            const size_t t = (size_t)row * a.heads + head;
            float ds;
            if (place_of(rows, row) < place)
                continue;
            const float p = weight(a, r, t, k + at, v + at, &ds);
            for (int i = 0; i < a.width; i++) {
                sum_k[i] += ds * r.q[t * a.width + i];
                sum_v[i] += p * r.dout[t * a.width + i];
            }
        }
        for (int i = 0; i < a.width; i++) {
            dk[at + i] = sum_k[i];
            dv[at + i] = sum_v[i];
        }
    }
}

extern "C" cudaError_t nn_attend_delta(const struct nn_attend *a, float *delta,
                                       const float *dout, const float *o,
                                       int rows, cudaStream_t s)
{
    const size_t n = (size_t)rows * a->heads;
    if (!valid(a) || rows < 0)
        return cudaErrorInvalidValue;
    if (n == 0)
        return cudaSuccess;
    attend_cost(2.0 * (double)n * a->width, (double)n * (2 * a->width + 1));
    reads(dout, (double)n * a->width);
    reads(o, (double)n * a->width);
    writes(delta, (double)n);
    attend_delta<<<vector_blocks(n, EACH), VECTOR_THREADS, 0, s>>>(
        *a, delta, dout, o, rows);
    return cost_end();
}

static void reads_row(const struct nn_attend_row *r, size_t n, int width)
{
    reads(r->q, (double)n * width);
    reads(r->dout, (double)n * width);
    reads(r->lse, (double)n);
    reads(r->delta, (double)n);
}

/*
 * A pair takes five products. dq's kernel is charged with one and a half of
 * them, and that of dk and dv with three and a half: a single pass, which
 * computes the two shared products once, would take five.
 */
extern "C" cudaError_t nn_attend_back(const struct nn_attend *a,
                                      const struct nn_attend_row *r,
                                      const struct nn_places *rows,
                                      const float *k, const float *v,
                                      const struct nn_places *cols, float *dq,
                                      float *dk, float *dv, cudaStream_t s)
{
    if (!valid(a) || !valid_places(rows) || !valid_places(cols))
        return cudaErrorInvalidValue;
    const double pairs = (double)nn_attend_pairs(rows, cols) * a->heads;
    const int nrows = count_places(rows), ncols = count_places(cols);
    const size_t nq = (size_t)nrows * a->heads, nk = (size_t)ncols * a->heads;
    const double q = (double)nq * a->width, kv = (double)nk * a->width;
    if (pairs == 0)
        return cudaSuccess;
    attend_cost(3 * pairs * a->width, 3 * q + kv + (double)nq);
    reads_row(r, nq, a->width);
    reads(k, kv);
    reads(v, kv);
    updates(dq, q);
    attend_dq<<<vector_blocks(nq, EACH), VECTOR_THREADS, 0, s>>>(
        *a, *r, *rows, nrows, k, v, *cols, ncols, dq);
    const cudaError_t failed = cost_end();
    if (failed)
        return failed;
    attend_cost(7 * pairs * a->width, q + 5 * kv + (double)nq);
    reads_row(r, nq, a->width);
    reads(k, kv);
    reads(v, kv);
    updates(dk, kv);
    updates(dv, kv);
    attend_dkv<<<vector_blocks(nk, EACH), VECTOR_THREADS, 0, s>>>(
        *a, *r, *rows, nrows, k, v, *cols, ncols, dk, dv);
    return cost_end();
}
