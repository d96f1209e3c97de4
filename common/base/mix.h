/*
 * mix.h: pseudo-random numbers and hashes, by splitmix64
 *
 * Sebastiano Vigna's splitmix64 adds MIX_STEP to its state for each number and
 * returns the finaliser of the state. Here the caller asks for a number by its
 * position in the sequence: there is no state, and every process gets the same
 * bits.
 */
#ifndef COMMLAB_BASE_MIX_H
#define COMMLAB_BASE_MIX_H

#include <stdint.h>

/* 2^64 divided by the golden ratio, made odd. */
#define MIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/* The finaliser: a bijection in which every bit of x affects every bit. */
static inline uint64_t mix_finish(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Number n (from 0) of the sequence with this seed. */
static inline uint64_t mix_nth(uint64_t seed, uint64_t n)
{
    return mix_finish(seed + MIX_STEP * (n + 1));
}

/* A hash of x. */
static inline uint64_t mix_hash(uint64_t x)
{
    return mix_nth(x, 0);
}

/* A hash of a text, which differs from seed to seed. */
static inline uint64_t mix_text(uint64_t seed, const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037); // FNV-1a
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return mix_nth(seed, hash);
}

#endif
