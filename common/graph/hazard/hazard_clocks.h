/*
 * hazard_clocks.h: a pool of vector clocks of equal length (hazard_order.h)
 *
 * A clock is named by a number from 1. 0 names no clock, and counts as a clock
 * of zeros.
 */
#ifndef COMMLAB_GRAPH_HAZARD_CLOCKS_H
#define COMMLAB_GRAPH_HAZARD_CLOCKS_H

#include <stdint.h>

struct hazard_clocks {
    uint32_t nchains; /* entries of a clock; fixed once a clock exists */
    uint32_t *word;   /* the clocks, in whole blocks each */
    uint32_t n, room;
    uint32_t *unused, nunused;
};

/* Make a clock of zeros. Returns 0 if memory runs out. */
uint32_t clocks_new(struct hazard_clocks *c);

/* Release a clock that is no longer needed; *clock becomes 0. */
void clocks_free(struct hazard_clocks *c, uint32_t *clock);

/* Set each entry of *to to the larger of both clocks' entries. Makes *to if it
 * is 0. Returns -1 if memory runs out. */
int clocks_join(struct hazard_clocks *c, uint32_t *to, uint32_t from);

/* The nchains entries of a clock, valid until the next clock is made. */
uint32_t *clocks_at(const struct hazard_clocks *c, uint32_t clock);

void clocks_release(struct hazard_clocks *c);

#endif
