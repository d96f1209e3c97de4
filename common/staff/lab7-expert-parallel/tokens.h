/*
 * tokens.h: the router's decisions, from a seed: the same for the rank that
 * uses them and for the judge. Given: nothing to edit here.
 */
#ifndef LAB7_TOKENS_H
#define LAB7_TOKENS_H

#include <math.h>   /* ldexp */
#include <stdlib.h> /* malloc */

#include "judge/data.h"

/*
 * Draws (judge/draw.h): for each token an expert and its gate; or from part 5
 * on the probabilities of all experts, or the k chosen ones and their gates. In
 * part 8 the tokens, too.
 */
enum {
    TOKENS_EXPERTS,
    TOKENS_GATES,
    TOKENS_PROBS,
    TOKENS_CHOICES,
    TOKENS_SHARES,
    TOKENS_GROUPS
};

/* The paths from a rank's seed to those of its experts' weights and of the
 * gradients of its results. */
enum { TOKENS_WEIGHTS = 7, TOKENS_GRADIENTS = 8 };

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

/* The probabilities that a router gives to a token's n experts: their sum
 * is 1. skew: the percentage of tokens that prefer expert 0. Some are equal. */
static inline void tokens_probs_of(uint64_t seed, int skew, float *prob, int n)
{
    int sum = 0;
    for (int e = 0; e < n; e++) {
        const uint64_t h = judge_seed(seed, (uint64_t)e);
        const int liked = e == 0 && (int)(h / 32 % 100) < skew;
        const int weight = 1 + (int)(h % 32) + (liked ? 32 : 0);
        prob[e] = (float)weight;
        sum += weight;
    }
    for (int e = 0; e < n; e++)
        prob[e] /= (float)sum;
}

/*
 * Those of a rank's tokens, (ntokens, nexperts). In timed cases (`fixed`) every
 * run has the same rows, in an order of its own.
 */
static inline void tokens_probs(const struct plan_case *c, uint64_t seed,
                                int rank, int nranks, float *prob, int ntokens)
{
    const int n = nranks * (int)plan_int(c, "each", 1);
    const int skew = (int)plan_int(c, "skew", 0);
    const int fixed = (int)plan_int(c, "fixed", 0);
    int *const row = malloc((size_t)ntokens * sizeof *row);
    for (int t = 0; t < ntokens; t++)
        row[t] = t;
    if (fixed)
        tokens_shuffle(row, ntokens, seed);
    for (int t = 0; t < ntokens; t++)
        tokens_probs_of(judge_seed(fixed ? judge_seed(2, (uint64_t)rank) : seed,
                                   (uint64_t)row[t] + (UINT64_C(6) << 40)),
                        skew, prob + (size_t)t * (size_t)n, n);
    free(row);
}

/* The k best of a token's n experts, the best first; of equal ones the first.
 * The position of an expert is the number of those that are better. */
static inline void tokens_best(const float *prob, int n, int k, int *expert)
{
    for (int e = 0; e < n; e++) {
        int better = 0;
        for (int o = 0; o < n; o++)
            better += o < e ? prob[o] >= prob[e] : prob[o] > prob[e];
        if (better < k)
            expert[better] = e;
    }
}

/* The gates of the k experts that a token has. */
static inline void tokens_shares(const float *prob, int k, const int *expert,
                                 float *gate)
{
    float sum = 0;
    for (int j = 0; j < k; j++)
        sum += prob[expert[j]];
    for (int j = 0; j < k; j++)
        gate[j] = prob[expert[j]] / sum;
}

/* A token's gate: 1/4, 1/2, 3/4 or 1, so that products are exact. */
static inline float tokens_gate(uint64_t seed, int t)
{
    const uint64_t h = judge_seed(seed, (uint64_t)t + (UINT64_C(2) << 40));
    return (float)(1 + h % 4) / 4;
}

/* ---- part 8 -------------------------------------------------------------- */

enum {
    TOKENS_GROUP = 128,  /* elements that share a scale */
    TOKENS_POISON = 0xA5 /* each byte of a row where no token has arrived */
};

/* The bytes of a packet with a token of dim elements. */
static inline size_t tokens_packet(size_t dim)
{
    const size_t nbytes = dim + dim / TOKENS_GROUP * sizeof(float);
    return (nbytes + 15) / 16 * 16;
}

enum tokens_form {
    TOKENS_ZEROS,
    TOKENS_NEGATIVE, /* all elements */
    TOKENS_HUGE,     /* one element, so that the others are small */
    TOKENS_WIDE,     /* down to 2^-20: subnormals of e4m3, and zeros */
    TOKENS_PLAIN,    /* -1 to 1 */
    TOKENS_FORMS
};

/* Element i of a rank's tokens; all forms of groups take turns. A group's size
 * is a power of two of its own, from 2^-12 to 2^12. */
static inline float tokens_element(uint64_t seed, size_t i)
{
    const size_t g = i / TOKENS_GROUP;
    const uint64_t group = judge_seed(seed, g + (UINT64_C(4) << 40));
    const uint64_t h = judge_seed(seed, i + (UINT64_C(5) << 40));
    const double unit = (double)(int64_t)h / 9223372036854775808.0;
    double x = unit;
    switch ((enum tokens_form)((g + seed % TOKENS_FORMS) % TOKENS_FORMS)) {
    case TOKENS_ZEROS: return 0;
    case TOKENS_NEGATIVE: x = -fabs(unit); break;
    case TOKENS_HUGE:
        x = i % TOKENS_GROUP == group % TOKENS_GROUP ? copysign(3e3, unit)
                                                     : unit;
        break;
    case TOKENS_WIDE: x = ldexp(unit, -(int)(h % 21)); break;
    case TOKENS_PLAIN:
    case TOKENS_FORMS: break;
    }
    return (float)ldexp(x, (int)(group / TOKENS_GROUP % 25) - 12);
}

#endif
