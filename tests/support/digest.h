/*
 * digest.h: a golden text that would be too long for the tree
 *
 * A character for each line of a text is kept in a part of a file (golden.h):
 * enough to say which line differs first, or rarely the next one, and what it
 * is now.
 */
#ifndef COMMLAB_TESTS_DIGEST_H
#define COMMLAB_TESTS_DIGEST_H

/* Any difference fails the test. Lines that begin with "# " are headlines. */
void digest_expect(const char *path, const char *part, const char *text);

#endif
