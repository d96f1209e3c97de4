/*
 * chain.h: each iteration's input depends on the previous output
 *
 * Code that computes the same function twice could cache the answer. So the
 * seed of iteration i depends on the output that this rank recorded for
 * iteration i - 1: the rank computes it during the run, the judge from the
 * evidence.
 *
 *     seed(0) = judge_seed(case seed, 0)
 *     seed(i) = judge_seed(case seed ^ digest of iteration i - 1, i)
 *
 * Iterations below 0 are warm-up: their outputs are not recorded, so their
 * digest is CHAIN_NOTHING.
 */
#ifndef COMMLAB_JUDGE_CHAIN_H
#define COMMLAB_JUDGE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#define CHAIN_NOTHING UINT64_C(0) /* digest of an iteration without output */

/* Extend a digest by nbytes of data. The order of calls matters. */
uint64_t chain_digest(uint64_t digest, const void *data, size_t nbytes);

/* The same digest for outputs whose bytes arrive piece by piece. */
struct chain {
    uint64_t digest, word;
    size_t nbytes; /* length of the whole output */
    size_t at;     /* bytes that have arrived */
};
void chain_begin(struct chain *c, size_t nbytes);

/* Add the next bytes. Those beyond the end of the output are ignored. */
void chain_add(struct chain *c, const void *data, size_t n);

uint64_t chain_seed(uint64_t case_seed, int iteration, uint64_t digest);

#endif
