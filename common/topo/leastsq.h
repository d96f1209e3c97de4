/*
 * leastsq.h: least squares that a few wrong measurements can't move
 *
 * Levenberg's and Marquardt's method with numeric derivatives. A residual r
 * counts log(1 + (r/c)^2), Cauchy's loss, so that the rows of a sick link don't
 * move what the others agree on. Deterministic: the same input gives the same
 * digits.
 */
#ifndef COMMLAB_TOPO_LEASTSQ_H
#define COMMLAB_TOPO_LEASTSQ_H

enum { LEASTSQ_UNKNOWNS = 24 };

struct leastsq {
    int n, m;              /* unknowns, residuals */
    const double *lo, *hi; /* of each unknown */
    double scale;          /* c: a residual of this size is a large one */
    double anchor;         /* weight that holds unknowns to their start */
    int (*residuals)(void *user, const double *x, double *r); /* 0, or -1 */
    void *user;
};

/* Minimise, from x to x. Returns 0, or -1 if memory runs out, n is too large,
 * or residuals() fails at the start. */
int leastsq_solve(const struct leastsq *p, double *x);

#endif
