/*
 * tokens.h: the router's decisions, from a seed: the same for the rank that
 * uses them and for the judge. Given: nothing to edit here.
 */
#ifndef LAB7_TOKENS_H
#define LAB7_TOKENS_H

#include "judge/data.h"

/* Draws (judge/draw.h): an int, a float for each token. */
enum { TOKENS_EXPERTS, TOKENS_GATES };

/* The path from a rank's seed to that of its expert's weights. */
enum { TOKENS_WEIGHTS = 7 };

/* The expert of a token. skew: the percentage of tokens that go to expert 0
 * regardless of the seed; at 100 the other experts get none. */
static inline int tokens_expert(uint64_t seed, int t, int nranks, int skew)
{
    const uint64_t h = judge_seed(seed, (uint64_t)t + (UINT64_C(1) << 40));
    return (int)(h % 100) < skew ? 0 : (int)(h / 100 % (uint64_t)nranks);
}

/* Put n experts into an order that follows from the seed. */
static inline void tokens_shuffle(int *expert, int n, uint64_t seed)
{
    for (int t = n - 1; t > 0; t--) {
        const uint64_t h = judge_seed(seed, (uint64_t)t + (UINT64_C(3) << 40));
        const int other = (int)(h % (uint64_t)(t + 1)), last = expert[t];
        expert[t] = expert[other];
        expert[other] = last;
    }
}

/*
 * The experts of a rank's n tokens, from its input's seed. In timed cases every
 * run sends as many tokens from each rank to each other one, in each piece
 * (`fixed`), so that times are reproducible; which tokens these are varies.
 */
static inline void tokens_experts(const struct plan_case *c, uint64_t seed,
                                  int rank, int nranks, int *expert, int n)
{
    const int skew = (int)plan_int(c, "skew", 0);
    const int fixed = (int)plan_int(c, "fixed", 0);
    const int npieces = (int)plan_int(c, "pieces", 1), each = n / npieces;
    for (int t = 0; t < n; t++)
        expert[t] = tokens_expert(fixed ? judge_seed(1, (uint64_t)rank) : seed,
                                  t, nranks, skew);
    for (int i = 0; fixed && i < npieces; i++)
        tokens_shuffle(expert + i * each, each, judge_seed(seed, (uint64_t)i));
}

/* A token's gate: 1/4, 1/2, 3/4 or 1, so that products are exact. */
static inline float tokens_gate(uint64_t seed, int t)
{
    const uint64_t h = judge_seed(seed, (uint64_t)t + (UINT64_C(2) << 40));
    return (float)(1 + h % 4) / 4;
}

#endif
