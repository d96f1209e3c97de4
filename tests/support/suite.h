/*
 * suite.h: the end of every test program's main(), and slices of a suite
 *
 * SUITE_SLICE=2/4 in the environment keeps every fourth test of the program,
 * starting with the second. Each iteration of a loop test counts as a test. So
 * four processes, 1/4 to 4/4, run all tests in parallel. Programs need no
 * change for this: the linker puts suite.c between them and Check's
 * _tcase_add_test().
 *
 * A test case that sets no timeout gets 60 s.
 */
#ifndef COMMLAB_TESTS_SUITE_H
#define COMMLAB_TESTS_SUITE_H

#include <check.h> /* Suite */

/* The value of COMMLAB_STUDENT in every test: solutions/LAB/answers.txt has
 * this student's answers. */
#define SUITE_STUDENT "ada"

/* Add a loop test that runs once for each entry of an array; _i is the
 * index. */
#define SUITE_LOOP(tcase, test, array)                                         \
    tcase_add_loop_test(tcase, test, 0, (int)(sizeof(array) / sizeof *(array)))

/* Run s, print the failures and the number of tests that passed, and free s.
 * Returns main()'s exit status. */
int suite_run(Suite *s);

#endif
