/*
 * terms.h: what lab 3's cases and judge agree on. Given: nothing to edit here.
 */
#ifndef LAB3_TERMS_H
#define LAB3_TERMS_H

#include <math.h> /* exp2 */

#include "judge/judge.h"

/* Draws (judge/draw.h) besides those of nn/draws.h: a struct cap_ask. */
enum { DRAW_CAP = 2 };

struct cap_ask { /* the arguments of overlap_cap() */
    double nbytes, a_us, bytes_per_us;
};

/* x times 1/8 to 8, by digits of the seed. */
static inline double cap_vary(double x, uint64_t seed, uint64_t which)
{
    const double digits = (double)(judge_seed(seed, which) % 6000) / 1000;
    return x * exp2(digits - 3);
}

/* The networks of a case are like the one that it names. */
static inline struct cap_ask cap_ask_of(const struct plan_case *c,
                                        uint64_t seed)
{
    return (struct cap_ask){
        cap_vary((double)plan_int(c, "nbytes", 1 << 24), seed, 1),
        cap_vary((double)plan_int(c, "a_us", 15), seed, 2),
        cap_vary((double)plan_int(c, "MBps", 290000), seed, 3)};
}

#endif
