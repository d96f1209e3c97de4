#include "judge_attend.h"

#include <math.h>   /* exp */
#include <stdlib.h> /* calloc */

static const double U = 0x1p-24; /* half a unit in fp32's last place */

enum { EXP_ULPS = 4 }; /* expf() and logf(), with their arguments' rounding */

struct attend *attend_new(int length, int heads, int width, double scale)
{
    const size_t rows = (size_t)length * (size_t)heads;
    const size_t all = rows * (size_t)width;
    struct attend *const a = calloc(1, sizeof *a);
    double *next =
        calloc(12 * all + 3 * rows + 2 * (size_t)length, sizeof *next);
    if (!a || !next) {
        free(a);
        free(next);
        return NULL;
    }
    *a = (struct attend){length, heads, width, scale, .memory = next};
    double **const wide[] = {&a->q,        &a->k,        &a->v,
                             &a->dout,     &a->o.at,     &a->dq.at,
                             &a->dk.at,    &a->dv.at,    &a->o.bound,
                             &a->dq.bound, &a->dk.bound, &a->dv.bound};
    for (int i = 0; i < 12; i++, next += all)
        *wide[i] = next;
    a->lse.at = next;
    a->lse.bound = next + rows;
    a->delta = next + 2 * rows;
    a->score.at = next + 3 * rows;
    a->score.bound = a->score.at + length;
    return a;
}

void attend_free(struct attend *a)
{
    if (a)
        free(a->memory);
    free(a);
}

/* The dot product of two rows, and the sum of its terms' magnitudes. */
static double dot(const double *x, const double *y, int n, double *size)
{
    double sum = 0;
    *size = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
        *size += fabs(x[i] * y[i]);
    }
    return sum;
}

/* Fill in the scores of row t of (length, heads) for the rows of its head, the
 * last of which is t. Returns the largest. */
static double fill_scores(struct attend *a, int t)
{
    double most = -INFINITY, size;
    const double *const q = a->q + (size_t)t * (size_t)a->width;
    for (int i = 0; i <= t / a->heads; i++) {
        const int u = t % a->heads + i * a->heads;
        const double x =
            dot(q, a->k + (size_t)u * (size_t)a->width, a->width, &size);
        a->score.at[i] = a->scale * x;
        a->score.bound[i] = (a->width + 2) * U * a->scale * size;
        most = fmax(most, a->score.at[i]);
    }
    return most;
}

/* A row's lse and its bound: the largest error of a score plus the errors of
 * the sum. */
static void row_lse(struct attend *a, int t, double most)
{
    const int terms = t / a->heads + 1;
    double sum = 0, worst = 0;
    for (int i = 0; i < terms; i++) {
        sum += exp(a->score.at[i] - most);
        worst = fmax(worst, a->score.bound[i]);
    }
    a->lse.at[t] = most + log(sum);
    a->lse.bound[t] = worst + U * ((2 + EXP_ULPS) * terms + EXP_ULPS +
                                   fabs(most) + fabs(a->lse.at[t]));
}

/* The weight of u for t, the row of the scores, and its relative error. */
static double weight_of(const struct attend *a, int t, int u, double *off)
{
    const double score = a->score.at[u / a->heads];
    *off = a->score.bound[u / a->heads] + a->lse.bound[t] + EXP_ULPS * U +
           U * (fabs(score) + fabs(a->lse.at[t]));
    return exp(score - a->lse.at[t]);
}

/* o and lse of row t. */
static void row_forward(struct attend *a, int t)
{
    const int w = a->width;
    const int terms = t / a->heads + 1;
    double *const o = a->o.at + (size_t)t * (size_t)w;
    double *const bound = a->o.bound + (size_t)t * (size_t)w;
    double off;
    row_lse(a, t, fill_scores(a, t));
    for (int u = t % a->heads; u <= t; u += a->heads) {
        const double p = weight_of(a, t, u, &off);
        const double *const v = a->v + (size_t)u * (size_t)w;
        for (int i = 0; i < w; i++) {
            o[i] += p * v[i];
            bound[i] += p * fabs(v[i]) * (off + (2 + EXP_ULPS) * terms * U);
        }
    }
}

/* Head by head: the caches then hold all rows that a row attends to. */
static void each_row(struct attend *a, void (*fn)(struct attend *a, int t))
{
    for (int h = 0; h < a->heads; h++)
        for (int i = 0; i < a->length; i++)
            fn(a, i * a->heads + h);
}

void attend_forward(struct attend *a)
{
    each_row(a, row_forward);
}

/* A pair's part of dq, dk and dv. */
static void pair_back(struct attend *a, int t, int u, double delta,
                      double delta_bound)
{
    const int w = a->width, n = a->length;
    const size_t row = (size_t)t * (size_t)w, col = (size_t)u * (size_t)w;
    double off, size;
    const double p = weight_of(a, t, u, &off);
    const double x = dot(a->dout + row, a->v + col, w, &size) - delta;
    const double ds = a->scale * p * x;
    const double ds_bound = fabs(ds) * (off + 3 * U) +
                            a->scale * p * ((w + 1) * U * size + delta_bound);
    const double sum = (n + 1) * U; /* for a sum over rows or columns */
    for (int i = 0; i < w; i++) {
        const double q = a->q[row + i], k = a->k[col + i];
        const double dout = a->dout[row + i];
        a->dq.at[row + i] += ds * k;
        a->dq.bound[row + i] += (ds_bound + fabs(ds) * sum) * fabs(k);
        a->dk.at[col + i] += ds * q;
        a->dk.bound[col + i] += (ds_bound + fabs(ds) * sum) * fabs(q);
        a->dv.at[col + i] += p * dout;
        a->dv.bound[col + i] += p * (off + sum) * fabs(dout);
    }
}

/* delta and dq of row t, and its part of its head's dk and dv. */
static void row_backward(struct attend *a, int t)
{
    const int w = a->width;
    const size_t row = (size_t)t * (size_t)w;
    double size, bound;
    a->delta[t] = dot(a->dout + row, a->o.at + row, w, &size);
    bound = (w + 1) * U * size;
    for (int i = 0; i < w; i++)
        bound += fabs(a->dout[row + i]) * a->o.bound[row + i];
    fill_scores(a, t);
    for (int u = t % a->heads; u <= t; u += a->heads)
        pair_back(a, t, u, a->delta[t], bound);
}

void attend_backward(struct attend *a)
{
    each_row(a, row_backward);
}
