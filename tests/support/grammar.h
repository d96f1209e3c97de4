/*
 * grammar.h: random texts from a grammar
 *
 *     comments, up to the first rule
 *     = rule
 *     an alternative per line: @other inserts a text of that rule
 *     = other
 *     ...
 *
 * @/ starts a new line, @@ is an @, and @. is nothing: it separates a rule's
 * name from letters that follow. An empty line is an alternative, too. If a
 * rule refers back to itself, its last alternative must not: deep in a text
 * only last alternatives are taken.
 */
#ifndef COMMLAB_TESTS_GRAMMAR_H
#define COMMLAB_TESTS_GRAMMAR_H

#include <stdint.h>

struct grammar;

/* Read a grammar. Ends the program if the file has another form. */
struct grammar *grammar_read(const char *path);
void grammar_free(struct grammar *g);

/* The rule's text for a seed. The caller frees it. */
char *grammar_text(const struct grammar *g, const char *rule, uint64_t seed);

/* The same text with one place damaged: some bytes are missing or repeated. */
char *grammar_damaged(const struct grammar *g, const char *rule, uint64_t seed);

/* Check what n texts become. get returns the one with a number, from malloc.
 * The part of a file has their digest (digest.h); texts.gz in the same folder
 * has two of them whole, "PART 0" and "PART 1". At a difference the test fails
 * with the lines, the number of their text, and the command that prints it. */
void grammar_expect(const char *path, const char *part, int n,
                    char *(*get)(int number));

#endif
