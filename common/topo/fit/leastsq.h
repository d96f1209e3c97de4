/*
 * leastsq.h: least squares that a few wrong measurements don't distort
 *
 * This is Levenberg's and Marquardt's method with numeric derivatives. A
 * residual r counts as log(1 + (r/c)^2), Cauchy's loss, so the rows of a bad
 * link don't change what the other rows agree on. Deterministic: the same input
 * gives the same digits.
 */
#ifndef COMMLAB_TOPO_FIT_LEASTSQ_H
#define COMMLAB_TOPO_FIT_LEASTSQ_H

enum { LEASTSQ_UNKNOWNS = 24 };

struct leastsq {
    int n, m;              /* number of unknowns, of residuals */
    const double *lo, *hi; /* bounds of each unknown */
    double scale;          /* c: a residual of this size counts as large */
    double anchor;         /* weight that holds unknowns near their start */
    int (*residuals)(void *user, const double *x, double *r); /* returns 0 or
                                                                 -1 */
    void *user;
};

/* Minimise, starting from x and updating it. Returns 0, or -1 if memory runs
 * out, n is too large, or residuals() fails at the start. */
int leastsq_solve(const struct leastsq *p, double *x);

#endif
