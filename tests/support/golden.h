/*
 * golden.h: compares output with a file of the tree that a person has checked
 *
 * UPDATE_GOLDEN=1 in the environment rewrites the file: review its diff. A file
 * whose name ends in .gz is packed. `zcat` shows it; after `git config
 * diff.gz.textconv zcat`, so does `git diff`.
 */
#ifndef COMMLAB_TESTS_GOLDEN_H
#define COMMLAB_TESTS_GOLDEN_H

#include <stdio.h>

/* Fail the test at any difference, with the lines that differ. */
void golden_expect(const char *path, const char *text);

/* The same for what a test prints between the two calls. */
FILE *golden_begin(void);
void golden_end(FILE *out, const char *path);

/* The same for a part of a file: the text after the line "==== PART". Only one
 * test may use a part. An empty part has no such line. Tests share a file as
 * "FILE#GROUP": its parts are called "GROUP: PART", or GROUP where a function
 * has no PART. */
void golden_expect_part(const char *path, const char *part, const char *text);

/* Fail the test unless the file contains the text, and print it then. It is not
 * rewritten. */
void golden_expect_within(const char *path, const char *text);

/* The text of such a part. The caller frees it. */
char *golden_part(const char *path, const char *part);

/* Print a text of which the tree keeps only a digest, if TEXT_OF=NAME is in the
 * environment. */
void golden_show(const char *name, const char *text);

/* The command that makes this program print it, in a static buffer. */
const char *golden_command(const char *name);

#endif
