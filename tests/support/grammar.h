/*
 * grammar.h: texts drawn by lot from a grammar
 *
 *     comments, up to the first rule
 *     = rule
 *     an alternative per line: @other is a text of that rule
 *     = other
 *     ...
 *
 * @/ begins a new line, @@ is an @, and @. is nothing: it separates a rule's
 * name from the letters behind it. An empty line is an alternative, too. The
 * last alternative of a rule that leads back to itself has to lead out: deep in
 * a text only last ones are taken.
 */
#ifndef COMMLAB_TESTS_GRAMMAR_H
#define COMMLAB_TESTS_GRAMMAR_H

#include <stdint.h>

struct grammar;

/* Ends the program if the file has another form. */
struct grammar *grammar_read(const char *path);
void grammar_free(struct grammar *g);

/* The text of a rule that belongs to the seed. The caller frees it. */
char *grammar_text(const struct grammar *g, const char *rule, uint64_t seed);

/* The same, damaged in one place: some bytes lost, or there twice. */
char *grammar_damaged(const struct grammar *g, const char *rule, uint64_t seed);

/* What texts drawn by lot become, compared by digests, of which the part of a
 * golden file (golden.h) has 8 a line. Fails with all of the first text that
 * differs: get returns the one with that number, from malloc. */
void grammar_expect(const char *path, const char *part, int n,
                    char *(*get)(int number));

#endif
