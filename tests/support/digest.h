/*
 * digest.h: golden texts that would be too long for the tree
 *
 * For each line of a text, or for every few lines of many texts, one character
 * is kept in a part of a file (golden.h). That is enough to find the first
 * place that differs (rarely, the next one), and to print what is there now.
 *
 * Any difference fails the test. The message has the last headline before it,
 * the lines, and the command that prints the whole text (golden_show). Lines
 * that start with "# " are headlines.
 */
#ifndef COMMLAB_TESTS_DIGEST_H
#define COMMLAB_TESTS_DIGEST_H

void digest_expect(const char *path, const char *part, const char *text);

/* The same for several texts, each under a headline with its name. The caller
 * passes each to golden_show() by that name. */
void digest_expect_texts(const char *path, const char *part, const char *texts);

#endif
