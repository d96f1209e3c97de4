/*
 * suite.h: the end of every test program's main(), and slices of a suite
 *
 * SUITE_SLICE=2/4 in the environment leaves every fourth test of the program
 * in, starting with the second; each iteration of a loop test counts as a test.
 * So four processes, 1/4 to 4/4, run all of them in parallel. Programs need not
 * know: the linker puts suite.c between them and Check's _tcase_add_test().
 *
 * A test case that sets no timeout has one of 60 s.
 */
#ifndef COMMLAB_TESTS_SUITE_H
#define COMMLAB_TESTS_SUITE_H

#include <check.h> /* Suite */

/* COMMLAB_STUDENT in every test: solutions/LAB/answers.txt has the answers of
 * this student. */
#define SUITE_STUDENT "ada"

/* A loop test, once for each entry of an array; _i is the entry's index. */
#define SUITE_LOOP(tcase, test, array)                                         \
    tcase_add_loop_test(tcase, test, 0, (int)(sizeof(array) / sizeof *(array)))

/* Run s, print what failed and how many passed, and free it. Returns main()'s
 * exit status. */
int suite_run(Suite *s);

#endif
