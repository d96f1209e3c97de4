/*
 * mutant.h: a lab's solution with one mistake, and the cases that catch it
 *
 * tests/mutants/LAB/NAME.patch begins with
 *
 *     lacks: part 2        the parts whose idea (plan.h) it lacks, if any
 *     fails: A, B          the cases that it fails, of all
 *     of: A, B, C          or of these, which are then the only ones that run:
 *                          those that call a function that the patch changes
 *
 * then says in a line what the mistake is, and ends with the patch. `make
 * mutant-lists` runs all cases and rewrites both lists (a case that fails is
 * added to the second), `make mutant-table` prints
 * what each mutant loses. Each loses at least 3 points of 100, and at least
 * half of a part whose idea it lacks.
 *
 * A *twin*, tests/twins/LAB/NAME.patch, is the solution written differently: it
 * uses freedoms that the contracts leave, so it gets all points of the cases
 * that it names ("of: A, B") under every schedule.
 */
#ifndef COMMLAB_TESTS_MUTANT_H
#define COMMLAB_TESTS_MUTANT_H

enum { MUTANT_MAX = 256 };

/* The patches in tests/KIND/LAB, as paths in alphabetical order. Returns their
 * number. */
int mutant_find(const char *kind, const char *lab,
                const char *patch[MUTANT_MAX]);

/*
 * Grade the mutant. The test fails, with both lists, unless the cases that fail
 * are those that the patch names, and if it loses too few points. With
 * MUTANT_LISTS=1 in the environment the patch is given the cases that fail
 * instead; still a failure is a patch that doesn't apply, doesn't compile, or
 * that no case catches.
 */
void mutant_check(const char *lab, const char *patch);

/* Grade the twin under a schedule: it has to get all points. */
void twin_check(const char *lab, const char *patch, const char *schedule);

#endif
