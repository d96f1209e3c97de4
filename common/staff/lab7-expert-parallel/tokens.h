/*
 * tokens.h: the router's decisions, from a seed: the same for the rank that
 * uses them and for the judge. Given: nothing to edit here.
 */
#ifndef LAB7_TOKENS_H
#define LAB7_TOKENS_H

#include "judge/data.h"

/* Draws (judge/draw.h): an int, a float for each token. arg[0]: skew. */
enum { TOKENS_EXPERTS, TOKENS_GATES };

/*
 * The expert of token t of an input. skew: the percentage of tokens that go to
 * expert 0 regardless of the seed; at 100 the other experts get none.
 */
static inline int tokens_expert(uint64_t seed, int t, int nranks, int skew)
{
    const uint64_t h = judge_seed(seed, (uint64_t)t + (UINT64_C(1) << 40));
    return (int)(h % 100) < skew ? 0 : (int)(h / 100 % (uint64_t)nranks);
}

/*
 * The seed of a rank's routes. Timed cases have `fixed` routes, the same in
 * every run, so that their times are reproducible; the contents of tokens vary.
 */
static inline uint64_t tokens_route_seed(const struct plan_case *c,
                                         uint64_t input_seed, int rank)
{
    return plan_int(c, "fixed", 0) ? judge_seed(1, (uint64_t)rank) : input_seed;
}

/* Its gate: 1/4, 1/2, 3/4 or 1, so that products are exact. */
static inline float tokens_gate(uint64_t seed, int t)
{
    const uint64_t h = judge_seed(seed, (uint64_t)t + (UINT64_C(2) << 40));
    return (float)(1 + h % 4) / 4;
}

/* The seed of expert e's weights, from the seed of the run on any rank. */
static inline uint64_t tokens_weight_seed(int e)
{
    return judge_seed(UINT64_C(0x6d6f65), (uint64_t)e);
}

#endif
