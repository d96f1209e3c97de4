/*
 * labtest.h: what every lab has to show
 *
 *   - the solution earns all visible points, on any number of ranks, under
 *     eager, late and random schedules; the skeleton earns none, and ends
 *   - answers to its questions are right for the student whose they are, and
 *     those of a neighbour are not (answertest.h)
 *   - each patch in tests/mutants/LAB is the solution with one mistake, and the
 *     grader fails exactly the cases that the patch names (mutant.h)
 *
 * A lab's suite sets up the tests that all labs share, and adds its own:
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
    const int *ranks; /* rank counts that its program runs on, ended by 0;
                         NULL: 1, 2, 3, 4, 5, 8 */
    int nmutants;     /* at least so many patches */
};

/* Run the shared tests and those that add (may be NULL) adds to the case.
 * Returns main's exit status. */
int labtest_main(const struct labtest *lab, void (*add)(TCase *t));

/* The tree that the build folder belongs to. */
const char *labtest_root(void);

/* The lab's plan with its hidden part; the caller frees it. */
struct plan *labtest_plan(const char *lab);

/*
 * Run a program of the build folder ("solutions/lab1 --case ring") under mpirun
 * and a schedule; its last line has to read "total N of M points" with N = M
 * (full) or N = 0, and M above 0.
 */
void labtest_expect_full(const char *program, int nranks, const char *schedule);
void labtest_expect_nothing(const char *program, int nranks,
                            const char *schedule);

#endif
