/*
 * siphash.h: a number that follows from a secret, and does not give it away
 *
 * SipHash-2-4 of Jean-Philippe Aumasson and Daniel J. Bernstein, for messages
 * of one word. Computing the result takes the key, which can't be computed from
 * results for other words.
 */
#ifndef COMMLAB_BASE_SIPHASH_H
#define COMMLAB_BASE_SIPHASH_H

#include <stdint.h>

uint64_t siphash(const uint64_t key[2], uint64_t word);

#endif
