/*
 * chain.h: an iteration's input follows from the output before it
 *
 * Whoever computes the same function twice could remember the answer. So the
 * seed of iteration i depends on what this rank showed for iteration i - 1: the
 * rank computes it as it goes, the judge from the evidence.
 *
 *     seed(0) = judge_seed(case seed, 0)
 *     seed(i) = judge_seed(case seed ^ digest of iteration i - 1, i)
 *
 * Iterations below 0 are warm-up: nobody sees their outputs, and their digest
 * is that of nothing.
 */
#ifndef COMMLAB_JUDGE_CHAIN_H
#define COMMLAB_JUDGE_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#define CHAIN_NOTHING UINT64_C(0) /* digest of no output */

/* The digest so far, with nbytes more. Order matters. */
uint64_t chain_digest(uint64_t digest, const void *data, size_t nbytes);

uint64_t chain_seed(uint64_t case_seed, int iteration, uint64_t digest);

#endif
