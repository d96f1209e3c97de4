/*
 * sequence.h: the order in which a generator of host code gives its numbers
 *
 * On a GPU many threads take turns, each with a subsequence of its own, a lane:
 *
 *    XORWOW   4,096 lanes, one result (or a pair of normal ones) at a turn
 *    Philox   65,536 lanes, four numbers at a turn
 *
 * So number i of Philox is number i % 4 of a counter that i / 4 gives. Results
 * depend on how many numbers each takes: a double takes two, both from its
 * lane. cuRAND documents the lanes of XORWOW; all is as its own generators on
 * the host do it (tests/curand/host.txt).
 */
#ifndef SIMGPU_CURAND_SEQUENCE_H
#define SIMGPU_CURAND_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

enum { XORWOW_LANES = 4096, XORWOW_WORDS = 5, PHILOX_LANES = 65536 };

struct lane { /* of XORWOW */
    uint32_t d, v[XORWOW_WORDS];
};

struct sequence {
    int is_philox;
    uint64_t seed;
    uint64_t start, at; /* Philox: the first result, the next one */
    uint32_t next;      /* XORWOW: the lane whose turn it is */
    uint64_t turns;     /* XORWOW: since the start */
    struct lane *lanes; /* XORWOW_LANES of them */
};

/* Start at number `offset`. lanes: room for them, with XORWOW. */
void sequence_start(struct sequence *s, uint64_t offset);

/* XORWOW: the next `n` numbers of the lane whose turn it is, and on to the
 * lane after it. */
void sequence_turn(struct sequence *s, uint32_t *out, int n);

/* How many turns a generator has taken since its start, in cuRAND's count: a
 * sequence with a new seed starts at this many more than the offset. */
uint64_t sequence_turns(const struct sequence *s);

/* Philox: number i. */
uint32_t sequence_number(const struct sequence *s, uint64_t i);

#endif
