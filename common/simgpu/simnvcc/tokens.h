/*
 * tokens.h: preprocessed C++ as tokens, and where each came from
 *
 * Tokens are [begin, end) offsets into the text; white space, comments and line
 * markers belong to none. <<<, >>> and :: are single tokens, >> is two.
 */
#ifndef SIMNVCC_TOKENS_H
#define SIMNVCC_TOKENS_H

#include <stddef.h>

struct token {
    size_t begin, end;
};

struct marker {   /* # line "file": what follows behind it */
    size_t begin; /* of the next line of text */
    int line;
    size_t file, file_end; /* of the name, quotes excluded */
};

struct tokens {
    const char *text; /* the caller's */
    struct token *at;
    size_t n, cap;
    struct marker *marker;
    size_t nmarkers, cap_markers;
};

void tokens_init(struct tokens *t, const char *text);
void tokens_release(struct tokens *t);

/* True if token i is the word, or any of the words (up to NULL). Each token is
 * compared with dozens, and most differ in their first letter: no call then. */
int token_reads(const struct tokens *t, size_t i, const char *word);
static inline int token_is(const struct tokens *t, size_t i, const char *word)
{
    return i < t->n && t->text[t->at[i].begin] == *word &&
           token_reads(t, i, word);
}
int token_is_any(const struct tokens *t, size_t i, const char *const *words);
int token_is_word(const struct tokens *t, size_t i);

/* The token that closes the ( [ { at i; t->n if none does. backwards: the one
 * that opens the ) ] } at i; 0 if none does. */
size_t token_close(const struct tokens *t, size_t i);
size_t token_open(const struct tokens *t, size_t i);

/* The same for template arguments: < at i, or the last > (>>>) at i. */
size_t token_close_angle(const struct tokens *t, size_t i);
size_t token_open_angle(const struct tokens *t, size_t i);

/* The text of tokens [first, behind), on one line. The caller frees it. */
char *tokens_text(const struct tokens *t, size_t first, size_t behind);

/* "# line "file"" and a line that begins as many blanks in as the offset is, so
 * that what follows has its own line and column. */
char *tokens_place(const struct tokens *t, size_t offset);

/* "file:line" of an offset. The caller frees it. */
char *tokens_origin(const struct tokens *t, size_t offset);

/* True if the offset is in a file that the source includes. */
int tokens_is_included(const struct tokens *t, size_t offset);

#endif
