/*
 * mutant.h: a lab's solution with one mistake, and the cases that catch it
 *
 * tests/mutants/LAB/NAME.patch begins with
 *
 *     fails: A, B          the cases that it fails, of all
 *     of: A, B, C          or of these, which are then the only ones that run:
 *                          enough for a mistake in a function only they call
 *
 * then says in a line what the mistake is, and ends with the patch. `make
 * mutant-lists` rewrites the first line.
 */
#ifndef COMMLAB_TESTS_MUTANT_H
#define COMMLAB_TESTS_MUTANT_H

enum { MUTANT_MAX = 256 };

/* The patches of a lab ("lab1-collectives"), as paths in alphabetical order.
 * Returns their number; the test program ends with a message if there are none
 * to be found. */
int mutant_find(const char *lab, const char *patch[MUTANT_MAX]);

/*
 * Grade the mutant. The test fails, with both lists, unless the cases that fail
 * are those that the patch names. With MUTANT_LISTS=1 in the environment the
 * patch is given the cases that fail instead; still a failure is a patch that
 * doesn't apply, doesn't compile, or that no case catches.
 */
void mutant_check(const char *lab, const char *patch);

#endif
