/*
 * advice.h: what a wrong result says about its cause
 *
 * Wrong numbers are evidence. A constant factor points to a division that is
 * missing or done twice. Zeros, or the bytes that the buffer held before the
 * case, point to a result that was read before it was complete.
 */
#ifndef COMMLAB_JUDGE_ADVICE_H
#define COMMLAB_JUDGE_ADVICE_H

#include <stddef.h>

enum { ADVICE_POISON = 0xCB }; /* fills buffers before a case writes to them */

struct advice { /* zero it, then call advice_see() for each wrong element */
    size_t n, nzero, nkept; /* wrong elements: all, zeros, still poisoned */
    size_t nhuge;           /* wrong elements far larger than the right ones */
    size_t nnan;            /* wrong elements that are not numbers */
    double is2, is_should, should2; /* sums of products, to find a factor */
};

/* Record a wrong element: its value, the right value, and its bytes. */
void advice_see(struct advice *a, double is, double should, const void *bytes,
                size_t nbytes);

/* Write a sentence that starts with a newline, or "" if nothing is
 * certain. Returns out. */
const char *advice_text(const struct advice *a, char *out, size_t nbytes);

#endif
