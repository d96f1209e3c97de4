/*
 * judge_keys.h: whose keys, values or queries a wrong output was computed from
 *
 * Ranks attend to one block of keys and values at a time. A block that is left
 * out, or that is given another block's places, still gives numbers. The judge
 * can compute these as well, and recognise the mistake by them.
 */
#ifndef LAB9_JUDGE_KEYS_H
#define LAB9_JUDGE_KEYS_H

#include "judge_attend.h"
#include "judge_order.h"

enum keys_output { KEYS_O, KEYS_DQ, KEYS_DK, KEYS_DV, KEYS_NONE };

struct keys_wrong { /* an output that differs from what it should be */
    const struct attend *a;
    const struct judge_order *o;
    enum keys_output which;
    int rank;
    const float *got; /* (rows, heads, width) */
};

/* If one mistake with a rank's block explains all numbers of the output, write
 * which. Returns 1, or 0 if none does. */
int keys_explain(const struct keys_wrong *w, char *text, size_t nbytes);

#endif
