#define _GNU_SOURCE
#include "tokens.h"

#include <ctype.h>  /* isspace */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* realloc */
#include <string.h> /* strncmp */

#include "base/clex.h"

/* ---- one token ----------------------------------------------------------- */

/* The length of the punctuator at p. */
static size_t punctuator(const char *p)
{
    static const char *const longer[] = {
        "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
        "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (strncmp(p, longer[i], strlen(longer[i])) == 0)
            return strlen(longer[i]);
    return 1;
}

static enum token_kind kind_of(const struct ctoken *c)
{
    static const enum token_kind kinds[] = {[CTOKEN_WORD] = TOKEN_NAME,
                                            [CTOKEN_NUMBER] = TOKEN_NUMBER,
                                            [CTOKEN_STRING] = TOKEN_STRING,
                                            [CTOKEN_RAW] = TOKEN_STRING,
                                            [CTOKEN_MARK] = TOKEN_PUNCTUATOR};
    return *c->at == '\'' ? TOKEN_CHAR : kinds[c->kind];
}

/* ---- a file -------------------------------------------------------------- */

static int push(struct tokens *t, struct token one)
{
    if ((t->n & (t->n - 1)) == 0) {
        struct token *const grown =
            realloc(t->token, (t->n ? 2 * t->n : 1) * sizeof *grown);
        if (!grown)
            return -1;
        t->token = grown;
    }
    one.partner = t->n;
    t->token[t->n++] = one;
    return 0;
}

static int add(struct tokens *t, enum token_kind kind, const char *at,
               size_t nbytes, int line)
{
    const size_t begin = (size_t)(at - t->text);
    struct token one = {.kind = kind,
                        .begin = begin,
                        .end = begin + nbytes,
                        .line = (unsigned)line};
    one.spaced = begin && isspace((unsigned char)at[-1]) &&
                 isspace((unsigned char)at[nbytes]);
    return push(t, one);
}

static int split(struct tokens *t)
{
    struct clex x;
    int err = 0;
    clex_init(&x, t->text, t->nbytes, 0);
    for (struct ctoken c; err == 0 && clex_next(&x, &c);) {
        if (c.begins && *c.at == '#') {
            clex_skip_line(&x);
            continue;
        }
        if (c.kind == CTOKEN_MARK)
            clex_widen(&x, &c, punctuator(c.at));
        const int point = c.kind == CTOKEN_NUMBER && *c.at == '.';
        if (point) // .5 is two tokens, so that 5 can be changed
            err = add(t, TOKEN_PUNCTUATOR, c.at, 1, c.line);
        if (err == 0)
            err = add(t, kind_of(&c), c.at + point, c.nbytes - (size_t)point,
                      c.line);
    }
    return err;
}

/* Brackets by recursion: from an opening one to its partner. */
static size_t match(struct tokens *t, size_t open)
{
    size_t i = open + 1;
    while (i < t->n && !strchr(")]}", t->text[t->token[i].begin]))
        i = (strchr("([{", t->text[t->token[i].begin]) ? match(t, i) : i) + 1;
    return t->token[open].partner = i < t->n ? i : open;
}

int tokens_read(struct tokens *t, const char *path)
{
    *t = (struct tokens){0};
    FILE *const f = fopen(path, "r");
    size_t room = 0;
    const ssize_t n = f ? getdelim(&t->text, &room, 0, f) : -1;
    t->nbytes = n > 0 ? (size_t)n : 0;
    if (f)
        fclose(f);
    if (n < 0 || split(t) != 0) {
        tokens_release(t);
        return -1;
    }
    for (size_t i = 0; i < t->n; i++)
        if (strchr("([{", t->text[t->token[i].begin]))
            i = match(t, i);
    return 0;
}

void tokens_release(struct tokens *t)
{
    free(t->text);
    free(t->token);
    *t = (struct tokens){0};
}

int token_is(const struct tokens *t, size_t i, const char *text)
{
    return i < t->n && t->token[i].end - t->token[i].begin == strlen(text) &&
           strncmp(t->text + t->token[i].begin, text, strlen(text)) == 0;
}

char *tokens_text(const struct tokens *t, size_t a, size_t b)
{
    return strndup(t->text + t->token[a].begin,
                   t->token[b].end - t->token[a].begin);
}
