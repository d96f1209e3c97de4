/*
 * terms.h: what lab 1's cases and judge agree on. Given: nothing to edit here.
 */
#ifndef LAB1_TERMS_H
#define LAB1_TERMS_H

/* Draws (judge/draw.h). */
enum { FIT_POINTS }; /* times of fit_bytes(0), fit_bytes(1), ... in us */

static inline double fit_bytes(int i)
{
    return (double)(1024 << i);
}

#endif
