/*
 * kept.h: texts that stay what they are
 *
 * A test prints what it looks at, figures to the last digit, and compares that
 * with a file in its folder. Where a change is meant, the test leaves the new
 * file in the build folder, to be looked at and copied.
 */
#ifndef COMMLAB_TESTS_KEPT_H
#define COMMLAB_TESTS_KEPT_H

#include <stdio.h>

/* `test` is the __FILE__ of the test, `name` the file in its folder. */
void kept_check(const char *test, const char *name, const char *now);

/* The same of what a test prints in between. */
FILE *kept_begin(void);
void kept_end(FILE *out, const char *test, const char *name);

#endif
