/*
 * tokens.h: a C source file as tokens
 *
 * Comments, white space and preprocessor lines are not tokens. A file that does
 * not compile may give any tokens, but never a read outside its text.
 */
#ifndef COMMLAB_TESTS_TOKENS_H
#define COMMLAB_TESTS_TOKENS_H

#include <stddef.h> /* size_t */

enum token_kind {
    TOKEN_NAME, /* keywords too */
    TOKEN_NUMBER,
    TOKEN_CHAR,
    TOKEN_STRING,
    TOKEN_PUNCTUATOR
};

struct token {
    enum token_kind kind;
    size_t begin, end; /* in the text: [begin, end) */
    unsigned line;     /* from 1 */
    int spaced;     /* white space on both sides, as around binary operators */
    size_t partner; /* of ( [ {: the token that closes it; else itself */
};

struct tokens {
    char *text; /* NUL-terminated */
    size_t nbytes;
    struct token *token;
    size_t n;
};

/* Read a file. Returns 0, or -1 with errno set. */
int tokens_read(struct tokens *t, const char *path);
void tokens_release(struct tokens *t);

/* True if token i exists and is spelled so. */
int token_is(const struct tokens *t, size_t i, const char *text);

/* Tokens a to b with the white space between them, as a string that the caller
 * frees; NULL: no memory. */
char *tokens_text(const struct tokens *t, size_t a, size_t b);

#endif
