/*
 * given.h: what lab 0's cases and their judge agree on
 */
#ifndef LAB0_GIVEN_H
#define LAB0_GIVEN_H

/*
 * Arrays in ordinary memory have no red zones: they end in GIVEN_GUARDS
 * elements of GIVEN_GUARD, which is also in every element that is still to be
 * written. No input has this value.
 */
enum { GIVEN_GUARDS = 16, GIVEN_GUARD = -77777 };

/* Part 5: y = GIVEN_A x + y. */
enum { GIVEN_A = 3 };

/* The second input of part 5: number in the rank's sequence of seeds. */
enum { GIVEN_Y = 1 };

#endif
