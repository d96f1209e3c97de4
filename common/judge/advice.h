/*
 * advice.h: what a wrong result tells about its cause
 *
 * Wrong numbers are evidence: a constant factor is a division that is missing
 * or done twice; zeros, or the bytes that a buffer had before the case, are a
 * result that was read before it was there.
 */
#ifndef COMMLAB_JUDGE_ADVICE_H
#define COMMLAB_JUDGE_ADVICE_H

#include <stddef.h>

enum { ADVICE_POISON = 0xCB }; /* in buffers that a case has not written */

struct advice { /* zeroed; then advice_see() for each wrong element */
    size_t n, nzero, nkept; /* wrong elements; that are 0; still poisoned */
    size_t nhuge;           /* that are far from any right one */
    double is2, is_should, should2; /* sums of products, for a factor */
};

/* A wrong element: its value, the right one, and its bytes. */
void advice_see(struct advice *a, double is, double should, const void *bytes,
                size_t nbytes);

/* A sentence that begins with a line end, or "" if nothing is certain. Returns
 * out. */
const char *advice_text(const struct advice *a, char *out, size_t nbytes);

#endif
