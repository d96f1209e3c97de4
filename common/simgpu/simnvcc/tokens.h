/*
 * tokens.h: preprocessed C++ as tokens, with the origin of each
 *
 * Tokens are ranges [begin, end) of offsets in the text. White space, comments
 * and line markers are not part of any token. <<<, >>> and :: are single
 * tokens, >> is two.
 */
#ifndef SIMNVCC_TOKENS_H
#define SIMNVCC_TOKENS_H

#include <stddef.h>
#include <stdint.h> /* uint32_t */

#include "base/clex.h"

struct token { /* there are millions: 12 bytes, for texts below 4 GiB */
    uint32_t begin, end;
    enum ctoken_kind kind;
};

struct marker {   /* # line "file" describes the text that follows */
    size_t begin; /* start of the next line of text */
    int line;
    size_t file, file_end; /* the file's name, without quotes */
};

struct tokens {
    const char *text; /* belongs to the caller */
    struct token *at;
    size_t n, cap;
    struct marker *marker;
    size_t nmarkers, cap_markers;
};

void tokens_init(struct tokens *t, const char *text);
void tokens_release(struct tokens *t);

/* True if token i is this word, or any of these words (up to NULL). Each token
 * is compared with dozens of words, and most differ in their first letter, so
 * that letter is compared inline. */
int token_reads(const struct tokens *t, size_t i, const char *word);
static inline int token_is(const struct tokens *t, size_t i, const char *word)
{
    return i < t->n && t->text[t->at[i].begin] == *word &&
           token_reads(t, i, word);
}
int token_is_any(const struct tokens *t, size_t i, const char *const *words);
int token_is_word(const struct tokens *t, size_t i);

/* The token that closes the ( [ { at i, or t->n. token_open() returns the token
 * that opens the ) ] } at i, or 0. */
size_t token_close(const struct tokens *t, size_t i);
size_t token_open(const struct tokens *t, size_t i);

/* The same for template arguments, with a < at i, or the
 * last > (or >>>) at i. */
size_t token_close_angle(const struct tokens *t, size_t i);
size_t token_open_angle(const struct tokens *t, size_t i);

/* The text of tokens [first, behind) on one line. The caller frees it. */
char *tokens_text(const struct tokens *t, size_t first, size_t behind);

/* "# line "file"" followed by a line that is indented up to the offset's
 * column, so that the text that follows keeps its line and column. */
char *tokens_place(const struct tokens *t, size_t offset);

/* "file:line" of an offset. The caller frees it. */
char *tokens_origin(const struct tokens *t, size_t offset);

/* True if the offset is in a file that the source includes. */
int tokens_is_included(const struct tokens *t, size_t offset);

#endif
