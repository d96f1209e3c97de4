/*
 * golden.h: what is written, compared with a file of the tree that was checked
 * by eye
 *
 * UPDATE_GOLDEN=1 in the environment writes the file anew: look at its diff.
 */
#ifndef COMMLAB_TESTS_GOLDEN_H
#define COMMLAB_TESTS_GOLDEN_H

#include <stdio.h>

/* Any difference fails the test, with the first line that differs. */
void golden_expect(const char *path, const char *text);

/* The same of what a test prints in between. */
FILE *golden_begin(void);
void golden_end(FILE *out, const char *path);

/* The same with a part of a file: what follows the line "==== PART", which only
 * one test must use. An empty part has no such line. */
void golden_expect_part(const char *path, const char *part, const char *text);

/* Such a part, which the caller frees. */
char *golden_part(const char *path, const char *part);

#endif
