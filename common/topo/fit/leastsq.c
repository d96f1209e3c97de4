#include "topo/fit/leastsq.h"

#include <math.h>   /* log1p */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

enum { ROUNDS = 60, U = LEASTSQ_UNKNOWNS };
static const double STEP = 1e-4, ENOUGH = 1e-10;

struct work {
    double start[U], *r, *moved, *slope; /* slope: (m, n) */
    double normal[U][U + 1];             /* equations for a step */
};

static double cost(const struct leastsq *p, const struct work *w,
                   const double *x, const double *r)
{
    double sum = 0;
    for (int i = 0; i < p->m; i++)
        sum += log1p(r[i] * r[i] / (p->scale * p->scale));
    for (int k = 0; k < p->n; k++)
        sum += p->anchor * (x[k] - w->start[k]) * (x[k] - w->start[k]);
    return sum;
}

static double clamp(const struct leastsq *p, int k, double x)
{
    return fmin(fmax(x, p->lo[k]), p->hi[k]);
}

static void slopes(const struct leastsq *p, struct work *w, const double *x)
{
    double near[U];
    for (int k = 0; k < p->n; k++) {
        memcpy(near, x, sizeof *x * (size_t)p->n);
        near[k] = clamp(p, k, x[k] + STEP);
        if (near[k] == x[k])
            near[k] = x[k] - STEP;
        const int failed = p->residuals(p->user, near, w->moved) != 0;
        for (int i = 0; i < p->m; i++)
            w->slope[i * p->n + k] =
                failed ? 0 : (w->moved[i] - w->r[i]) / (near[k] - x[k]);
    }
}

/* Set up the weighted normal equations at x. */
static void make_equations(const struct leastsq *p, struct work *w,
                           const double *x)
{
    memset(w->normal, 0, sizeof w->normal);
    for (int i = 0; i < p->m; i++) {
        const double *const s = &w->slope[i * p->n];
        const double weight = 1 / (p->scale * p->scale + w->r[i] * w->r[i]);
        for (int a = 0; a < p->n; a++) {
            for (int b = 0; b < p->n; b++)
                w->normal[a][b] += weight * s[a] * s[b];
            w->normal[a][p->n] -= weight * s[a] * w->r[i];
        }
    }
    for (int a = 0; a < p->n; a++) {
        w->normal[a][a] += p->anchor;
        w->normal[a][p->n] -= p->anchor * (x[a] - w->start[a]);
    }
}

/* Solve the equations, with the diagonal raised by `damping`, for step. */
static void solve(const struct leastsq *p, const struct work *w, double damping,
                  double step[U])
{
    double m[U][U + 1];
    const int n = p->n;
    memcpy(m, w->normal, sizeof m);
    for (int i = 0; i < n; i++)
        m[i][i] = m[i][i] * (1 + damping) + 1e-12;
    // the matrix is positive definite, so no pivots are needed
    for (int i = 0; i < n; i++)
        for (int r = 0; r < n; r++) {
            const double factor = r == i ? 0 : m[r][i] / m[i][i];
            for (int c = i; c <= n && factor != 0; c++)
                m[r][c] -= factor * m[i][c];
        }
    for (int i = 0; i < n; i++)
        step[i] = m[i][n] / m[i][i];
}

/* Find one better x, if there is one. Returns by how much the cost fell. */
static double improve(const struct leastsq *p, struct work *w, double *x,
                      double *damping)
{
    double step[U], next[U];
    const double before = cost(p, w, x, w->r);
    slopes(p, w, x);
    make_equations(p, w, x);
    for (int tries = 0; tries < 12; tries++, *damping *= 4) {
        solve(p, w, *damping, step);
        for (int k = 0; k < p->n; k++)
            next[k] = clamp(p, k, x[k] + fmin(fmax(step[k], -1), 1));
        if (p->residuals(p->user, next, w->moved) != 0)
            continue;
        const double after = cost(p, w, next, w->moved);
        if (!(after < before))
            continue;
        memcpy(x, next, sizeof *x * (size_t)p->n);
        memcpy(w->r, w->moved, sizeof *w->r * (size_t)p->m);
        *damping /= 8;
        return before - after;
    }
    return 0;
}

int leastsq_solve(const struct leastsq *p, double *x)
{
    struct work *const w = calloc(1, sizeof *w);
    const size_t m = (size_t)p->m + 1;
    int result = -1;
    if (!w || p->n > U)
        goto out;
    w->r = calloc(m, sizeof *w->r);
    w->moved = calloc(m, sizeof *w->moved);
    w->slope = calloc(m * U, sizeof *w->slope);
    if (!w->r || !w->moved || !w->slope)
        goto out;
    for (int k = 0; k < p->n; k++)
        w->start[k] = x[k] = clamp(p, k, x[k]);
    if (p->residuals(p->user, x, w->r) != 0)
        goto out;
    result = 0;
    double damping = 1e-2;
    for (int i = 0; i < ROUNDS && p->n > 0; i++)
        if (improve(p, w, x, &damping) < ENOUGH)
            break;
out:
    if (w) {
        free(w->r);
        free(w->moved);
        free(w->slope);
    }
    free(w);
    return result;
}
