/* lots.h: random numbers, the same for a seed everywhere */
#ifndef COMMLAB_TESTS_LOTS_H
#define COMMLAB_TESTS_LOTS_H

#include <stdint.h>

#include "base/mix.h"

struct lots {
    uint64_t seed, ndrawn;
};

/* The next number, below n. Make each call a statement of its own: within an
 * initializer, the compiler chooses the order of calls. */
static inline uint64_t lots_draw(struct lots *l, uint64_t n)
{
    return mix_nth(mix_hash(l->seed), ++l->ndrawn) % n;
}

#endif
