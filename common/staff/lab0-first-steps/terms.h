/*
 * terms.h: what lab 0's cases and their judge agree on
 */
#ifndef LAB0_TERMS_H
#define LAB0_TERMS_H

/*
 * Arrays in ordinary memory have no red zones. Instead they end in TERMS_GUARDS
 * elements of value TERMS_GUARD, which also fills every element that has not
 * been written yet. No input has this value.
 */
enum { TERMS_GUARDS = 16, TERMS_GUARD = -77777 };

/*
 * Part 3: a rank's elements in the ring, of those that the plan names. Every
 * rank shows the elements of all, so of many ranks each gets so few that all
 * have TERMS_RING.
 */
enum { TERMS_RING = 1 << 20 };
static inline int terms_ring_count(int count, int nranks)
{
    const int most = TERMS_RING / nranks;
    return count < most ? count : most;
}

/* Part 5: y = TERMS_A x + y. */
enum { TERMS_A = 3 };

/* The number of part 5's second input in the rank's sequence of seeds. */
enum { TERMS_Y = 1 };

#endif
