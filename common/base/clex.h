/*
 * clex.h: the tokens of C and C++ source
 *
 * Reads a text as it stands and says where each token is: what lies between
 * two tokens is white space, comments, or a line that the caller skipped. Two
 * readers of the same text therefore agree on what is code, whether they audit
 * it, rewrite it or compare it.
 *
 * clex_join() first makes one line of those that backslashes join, as a
 * compiler does. Without it a word that such a break divides is two tokens.
 *
 *     struct clex x;
 *     clex_init(&x, text, nbytes, CLEX_CPLUSPLUS);
 *     for (struct ctoken t; clex_next(&x, &t);)
 *         if (t.begins && ctoken_is(&t, "#"))
 *             clex_skip_line(&x);
 *         else
 *             ...
 */
#ifndef COMMLAB_BASE_CLEX_H
#define COMMLAB_BASE_CLEX_H

#include <stddef.h>

enum {
    CLEX_CPLUSPLUS = 1, /* a quote may separate digits: 1'000'000 */
    CLEX_DIGRAPHS = 2,  /* <: reads as [, and so on */
    CLEX_OPEN = 4,      /* a string without its quote continues in the next
                           line; else it ends with its line */
};

enum ctoken_kind {
    CTOKEN_WORD,   /* an identifier or a keyword */
    CTOKEN_NUMBER, /* a preprocessing number */
    CTOKEN_STRING, /* a string or a character constant, with its quotes; the
                      prefix of L"a" is a word before it */
    CTOKEN_RAW,    /* a raw string, with its prefix */
    CTOKEN_MARK,   /* any other character, one at a time */
};

struct ctoken {
    enum ctoken_kind kind;
    const char *at; /* in the text; of a digraph, what it stands for */
    size_t nbytes;
    int line;   /* in the text, from 1 */
    int begins; /* nothing but comments is before it in its line */
    int spaced; /* white space or a comment is before it */
    int column; /* bytes before it in its line */
};

struct clex {
    const char *at, *end; /* what is left of the text */
    const char *line_begin;
    unsigned flags;
    int line, begins;
};

/* Read from the beginning of a text, which the caller keeps. text[nbytes] is a
 * NUL; others may be among its characters. */
void clex_init(struct clex *x, const char *text, size_t nbytes, unsigned flags);

/* The next token; 0 at the end. */
int clex_next(struct clex *x, struct ctoken *t);

/* Make the mark that was read last nbytes long: "<" becomes "<<". */
void clex_widen(struct clex *x, struct ctoken *t, size_t nbytes);

/* Skip what is left of the line, and of those that backslashes join to it. */
void clex_skip_line(struct clex *x);

/* The tokens that are left of the line, with one blank where white space or
 * comments are between two. The caller frees the text. */
char *clex_line(struct clex *x);

/*
 * A copy of a text, to be freed, in which a line that a backslash continues is
 * one line. The newlines that this takes out follow at the end of the joined
 * line, so that all others keep their numbers. An editor's byte order mark and
 * carriage returns at ends of lines are left out.
 */
char *clex_join(const char *text);

/* True if the token is this word or mark. */
int ctoken_is(const struct ctoken *t, const char *text);

/* The token as a string of less than nbytes, cut off if it is longer. */
const char *ctoken_text(const struct ctoken *t, char *out, size_t nbytes);

#endif
