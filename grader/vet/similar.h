/*
 * similar.h: which lines of two programs are the same, whatever their names
 *
 * A program is a row of tokens: keywords and operators are themselves, all
 * names are one token, all numbers another, all strings a third; comments,
 * layout and preprocessor lines are none. Programs share a run of SIMILAR_RUN
 * tokens or more, of one file: a program's text may be several files, with the
 * character SIMILAR_BREAK between them. What a *base* has (the lab's own code)
 * is nobody's: a run of its tokens is not counted.
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

/* Tokens that are nobody's from now on: before any similar_add(). */
void similar_base(struct similar *s, const char *text, size_t nbytes);

/* A program; its number. The text is not kept. */
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
