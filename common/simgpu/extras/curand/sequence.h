/*
 * sequence.h: the order in which a host generator returns its numbers
 *
 * On a GPU many threads take turns, each with its own subsequence, a lane:
 *
 *    XORWOW   4,096 lanes, one result (or a pair of normal ones) per turn
 *    Philox   65,536 lanes, four numbers per turn
 *
 * Number i of Philox is therefore number i % 4 of the output for the counter
 * that i / 4 determines. Results depend on how many numbers each takes: a
 * double takes two, both from its lane. cuRAND documents XORWOW's lanes;
 * everything else matches cuRAND's own generators on the host
 * (tests/extras/curand_host.txt).
 */
#ifndef SIMGPU_CURAND_SEQUENCE_H
#define SIMGPU_CURAND_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

enum { XORWOW_LANES = 4096, XORWOW_WORDS = 5, PHILOX_LANES = 65536 };

struct lane { /* a lane of XORWOW */
    uint32_t d, v[XORWOW_WORDS];
};

struct sequence {
    int is_philox;
    uint64_t seed;
    uint64_t start, at; /* Philox: the first and the next result */
    uint32_t next;      /* XORWOW: the lane whose turn it is */
    uint64_t turns;     /* XORWOW: number of turns since the start */
    struct lane *lanes; /* array of XORWOW_LANES */
};

/* Start at number `offset`. For XORWOW, s->lanes must point
 * to XORWOW_LANES lanes. */
void sequence_start(struct sequence *s, uint64_t offset);

/* XORWOW: get the next `n` numbers of the lane whose turn it is, then advance
 * to the next lane. */
void sequence_turn(struct sequence *s, uint32_t *out, int n);

/* The number of turns since the start, as cuRAND counts them: after a new seed,
 * the sequence starts at the offset plus this number. */
uint64_t sequence_turns(const struct sequence *s);

/* Philox: number i. */
uint32_t sequence_number(const struct sequence *s, uint64_t i);

#endif
