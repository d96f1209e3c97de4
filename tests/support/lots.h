/* lots.h: numbers drawn by lot, the same ones from the same seed everywhere */
#ifndef COMMLAB_TESTS_LOTS_H
#define COMMLAB_TESTS_LOTS_H

#include <stdint.h>

#include "base/mix.h"

struct lots {
    uint64_t seed, ndrawn;
};

/* The next number, below n. A statement of its own for each: the order of calls
 * within an initializer is the compiler's. */
static inline uint64_t lots_draw(struct lots *l, uint64_t n)
{
    return mix_nth(mix_hash(l->seed), ++l->ndrawn) % n;
}

#endif
