/*
 * lexer.h: the tokens of C and C++ source
 *
 * Reads a source file as it was written, or as the preprocessor left it. Lines
 * that a backslash joins are joined, comments are dropped, digraphs are
 * replaced by what they stand for: nothing can be spelt so that it is not seen.
 *
 *     struct lexer x;
 *     lexer_init(&x, text, is_cplusplus);
 *     for (struct token t; lexer_next(&x, &t);)
 *         ...
 *     lexer_release(&x);
 */
#ifndef GRADER_LEXER_H
#define GRADER_LEXER_H

#include <stddef.h>

enum token_kind {
    TOKEN_WORD,   /* an identifier or a keyword */
    TOKEN_NUMBER, /* a preprocessing number */
    TOKEN_STRING, /* a string or a character constant, with its quotes */
    TOKEN_RAW,    /* what begins a raw string: nothing behind it is read */
    TOKEN_MARK,   /* any other character, one at a time */
};

struct token {
    enum token_kind kind;
    const char *at; /* not ended by a NUL */
    size_t nbytes;
    int line;   /* in the text, from 1 */
    int begins; /* it is the first of its line */
    int column; /* bytes before it in its line, after joining */
};

struct lexer {
    char *text; /* joined, without comments; owned */
    const char *at, *line_begin;
    int is_cplusplus;
    int line, begins;
};

void lexer_init(struct lexer *x, const char *text, int is_cplusplus);
void lexer_release(struct lexer *x);

/* The next token; 0 at the end. */
int lexer_next(struct lexer *x, struct token *t);

/* Skip to the end of the line; what is left of it, without the newline. */
const char *lexer_rest(struct lexer *x, size_t *nbytes);

/* True if the token is this word or mark. */
int token_is(const struct token *t, const char *text);

/* The token as a string of less than nbytes, cut off if it is longer. */
const char *token_text(const struct token *t, char *out, size_t nbytes);

#endif
