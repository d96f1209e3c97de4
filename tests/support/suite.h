/*
 * suite.h: the end of every test program's main()
 */
#ifndef COMMLAB_TESTS_SUITE_H
#define COMMLAB_TESTS_SUITE_H

#include <check.h> /* Suite */

/* Run s, print what failed and how many passed, and free it. Returns main()'s
 * exit status. */
int suite_run(Suite *s);

#endif
