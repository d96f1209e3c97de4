/*
 * mutant.h: a lab's solution with one mistake, and the cases that catch it
 *
 * tests/mutants/LAB.patch has them one after the other (tests/section.sh). Each
 * begins with
 *
 *     == NAME
 *     lacks: part 2        the parts whose idea (plan.h) it lacks although its
 *                          results are right
 *     breaks: part 2       the parts whose idea it lacks, with wrong results
 *     never right: REASON  why no program that lacks the idea is right
 *     fails: A, B          the cases that it fails, of all
 *     of: A, B, C          or of these, which are then the only ones that run:
 *                          those that call a function that the patch changes
 *
 * then a line that describes the mistake, and the patch. `make mutant-lists`
 * runs all cases and rewrites both lists (a case that fails is added to the
 * second); `make mutant-table` prints what each mutant loses, `make idea-table`
 * what those lose that lack an idea (MUTANT_IDEAS=1 in the environment: only
 * they are graded). Each must lose at least 3 points of 100, and at least half
 * of a part whose idea it lacks. One that lacks an idea, and breaks none, may
 * fail no case by a wrong result: the judge has to object to its method or its
 * time. `make lint-labs` wants such a program for each part.
 *
 * The *twins* in tests/twins/LAB.patch are the solution written differently.
 * They use freedoms that the contracts leave, so each must get all points of
 * the cases that it names ("of: A, B") under every schedule.
 */
#ifndef COMMLAB_TESTS_MUTANT_H
#define COMMLAB_TESTS_MUTANT_H

enum { MUTANT_MAX = 1024 };

/* Find the patches of tests/KIND/LAB.patch, in the file's order; LAB "*" stands
 * for all labs. Each becomes "FILE NAME", the arguments of tests/section.sh.
 * Returns their number. */
int mutant_find(const char *kind, const char *lab,
                const char *patch[MUTANT_MAX]);

/* The lab of a patch, "lab1-collectives". The caller frees it. */
char *mutant_lab(const char *patch);

/*
 * Grade the mutant. The test fails, and shows both lists, unless exactly the
 * cases that the patch names fail; it also fails if the mutant loses too few
 * points. With MUTANT_LISTS=1 in the environment, the patch's lists are
 * rewritten instead; the test then fails if the patch doesn't apply or compile,
 * or if no case catches it.
 */
void mutant_check(const char *lab, const char *patch);

/* Grade the twin under a schedule. It must get all points. */
void twin_check(const char *lab, const char *patch, const char *schedule);

#endif
