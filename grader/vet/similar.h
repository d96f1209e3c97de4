/*
 * similar.h: which lines of two programs are the same apart from names
 *
 * A program is a sequence of tokens: keywords and operators are themselves, all
 * names are one token, all numbers another, all strings a third; comments,
 * layout and preprocessor lines are ignored. Programs share runs of at least
 * SIMILAR_RUN tokens. A run doesn't extend over files: a program's text may be
 * several files, with the character SIMILAR_BREAK between them. Runs of tokens
 * that a *base* (the lab's own code) also has are not counted.
 *
 *     struct similar *s = similar_new();
 *     similar_base(s, text, nbytes);              any number
 *     int ada = similar_add(s, text, nbytes);     any number: 0, 1, 2 ...
 *     similar_shared(s, ada, bob, ...)
 */
#ifndef GRADER_SIMILAR_H
#define GRADER_SIMILAR_H

#include <stddef.h>

enum { SIMILAR_RUN = 16, SIMILAR_BREAK = 0x1C };

struct similar;

struct similar *similar_new(void);
void similar_free(struct similar *s);

/* Add a text to the base; must precede all similar_add(). In all texts,
 * text[nbytes] is a NUL. */
void similar_base(struct similar *s, const char *text, size_t nbytes);

/* Add a program. Returns its number. The text is not kept. */
int similar_add(struct similar *s, const char *text, size_t nbytes);

/* How many of a's tokens are its own, that is, not of the base's runs. */
int similar_own(const struct similar *s, int a);

/* How many of a's own tokens are in runs that b has too. */
int similar_shared(const struct similar *s, int a, int b);

/* For each line of a (from 0) whether tokens of such a run are on it. lines has
 * nlines zeros before. */
void similar_lines(const struct similar *s, int a, int b, unsigned char *lines,
                   int nlines);

#endif
