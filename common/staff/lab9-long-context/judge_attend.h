/*
 * judge_attend.h: causal attention of a whole sequence in double, by the
 * plainest possible loops, and how far fp32 may be from it
 *
 * The bounds follow from the arithmetic. A sum of n products in fp32 is within
 * (n + 1) u of the sum of their magnitudes, u = 2^-24, in any order; a weight p
 * = exp(score - lse) is off by the errors of both exponents, its own rounding,
 * and that of rescaling once for each key. All errors are carried along with
 * the values that they belong to.
 */
#ifndef LAB9_JUDGE_ATTEND_H
#define LAB9_JUDGE_ATTEND_H

#include <stddef.h>

/* A value for each element, and its bound. */
struct attend_array {
    double *at, *bound;
};

struct attend {
    int length, heads, width;
    double scale;
    double *q, *k, *v, *dout; /* (length, heads, width): fill them in */
    struct attend_array o, dq, dk, dv; /* likewise */
    struct attend_array lse;           /* (length, heads) */
    struct attend_array score;         /* (length): of the row in hand */
    double *delta;                     /* (length, heads) */
    double *memory;
};

/* Returns NULL if memory runs out. */
struct attend *attend_new(int length, int heads, int width, double scale);
void attend_free(struct attend *a); /* NULL is allowed */

void attend_forward(struct attend *a);  /* o, lse */
void attend_backward(struct attend *a); /* after it: delta, dq, dk, dv */

#endif
