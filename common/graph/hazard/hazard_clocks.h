/*
 * hazard_clocks.h: a pool of vector clocks of equal length (hazard_order.h)
 *
 * A clock is a number from 1; 0 is none, which counts as a clock of zeros.
 */
#ifndef COMMLAB_GRAPH_HAZARD_CLOCKS_H
#define COMMLAB_GRAPH_HAZARD_CLOCKS_H

#include <stdint.h>

struct hazard_clocks {
    uint32_t nchains; /* numbers of a clock; fixed once there is one */
    uint32_t *word;   /* each clock in whole blocks */
    uint32_t n, room;
    uint32_t *unused, nunused;
};

/* A clock of zeros; 0: no memory. */
uint32_t clocks_new(struct hazard_clocks *c);

/* The clock is of no use any longer; *clock becomes 0. */
void clocks_free(struct hazard_clocks *c, uint32_t *clock);

/* The larger of both for each chain, in *to, which is made if it is 0. -1: no
 * memory. */
int clocks_join(struct hazard_clocks *c, uint32_t *to, uint32_t from);

/* Its nchains numbers, until the next clock is made. */
uint32_t *clocks_at(const struct hazard_clocks *c, uint32_t clock);

void clocks_release(struct hazard_clocks *c);

#endif
