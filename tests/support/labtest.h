/*
 * labtest.h: tests that every lab has to pass
 *
 *   - the solution earns all visible points, on any number of ranks, under
 *     eager, late and random schedules; the skeleton earns none, and ends
 *   - the solution's answers are right for the student they were made for, and
 *     wrong for a neighbour (answertest.h)
 *   - each patch of tests/mutants/LAB.patch is the solution with one mistake,
 *     and the grader fails exactly the cases that the patch names (mutant.h)
 *
 * `make test` runs one test each of solution, skeleton and mutants: those have
 * the tag "quick". `make test-all` runs all.
 *
 * A lab's suite configures these shared tests and adds its own:
 *
 *     static const struct labtest lab1 = {.lab = "lab1-collectives",
 *                                         .nmutants = 6};
 *     int main(void) { return labtest_main(&lab1, own_tests); }
 */
#ifndef COMMLAB_TESTS_LABTEST_H
#define COMMLAB_TESTS_LABTEST_H

#include <check.h>

struct labtest {
    const char *lab;  /* "lab1-collectives" */
    const int *ranks; /* rank counts to run its program with, ended by 0; NULL:
                         1, 2, 3, 4, 5, 8 */
    int nmutants;     /* minimum number of patches */
};

/* Run the shared tests, and those that `add` (may be NULL) adds to the case.
 * Returns main's exit status. */
int labtest_main(const struct labtest *lab, void (*add)(TCase *t));

/* The source tree of the build folder. */
const char *labtest_root(void);

/* The lab's plan, including its hidden part. The caller frees it. */
struct plan *labtest_plan(const char *lab);

/*
 * Run a program of the build folder ("solutions/lab1 --case ring") under mpirun
 * and a schedule. Its last line must be "total N of M points" with M above 0,
 * and N = M (full) or N = 0 (nothing).
 */
void labtest_expect_full(const char *program, int nranks, const char *schedule);
void labtest_expect_nothing(const char *program, int nranks,
                            const char *schedule);

#endif
