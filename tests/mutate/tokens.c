#define _GNU_SOURCE
#include "tokens.h"

#include <ctype.h>  /* isalnum */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* realloc */
#include <string.h> /* strncmp */

/* ---- one token ----------------------------------------------------------- */

static int is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The position behind a literal that opens at p with this quote. */
static size_t after_quoted(const char *text, size_t p)
{
    const char quote = text[p++];
    while (text[p] && text[p] != quote)
        p += text[p] == '\\' && text[p + 1] ? 2 : 1;
    return text[p] ? p + 1 : p;
}

/* The position behind a preprocessor line, with its continuations. */
static size_t after_directive(const char *text, size_t p)
{
    while (text[p] && text[p] != '\n')
        p += text[p] == '\\' && text[p + 1] ? 2 : 1;
    return p;
}

static size_t after_punctuator(const char *text, size_t p)
{
    static const char *const longer[] = {
        "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
        "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (strncmp(text + p, longer[i], strlen(longer[i])) == 0)
            return p + strlen(longer[i]);
    return p + 1;
}

/* The position behind the token at p, and its kind. */
static size_t after_token(const char *text, size_t p, enum token_kind *kind)
{
    if (text[p] == '"' || text[p] == '\'') {
        *kind = text[p] == '"' ? TOKEN_STRING : TOKEN_CHAR;
        return after_quoted(text, p);
    }
    if (isdigit((unsigned char)text[p])) {
        *kind = TOKEN_NUMBER;
        while (
            is_name(text[p]) || text[p] == '.' ||
            ((text[p] == '+' || text[p] == '-') && strchr("eEpP", text[p - 1])))
            p++;
        return p;
    }
    if (is_name(text[p])) {
        *kind = TOKEN_NAME;
        while (is_name(text[p]))
            p++;
        return p;
    }
    *kind = TOKEN_PUNCTUATOR;
    return after_punctuator(text, p);
}

/* The position of the next token at or behind p. */
static size_t skip_blank(const char *text, size_t p)
{
    for (;;) {
        const int bol = p == 0 || text[p - 1] == '\n';
        const char *end;
        if (bol && text[p + strspn(text + p, " \t")] == '#')
            p = after_directive(text, p);
        else if (isspace((unsigned char)text[p]))
            p++;
        else if (strncmp(text + p, "//", 2) == 0)
            p += strcspn(text + p, "\n");
        else if (strncmp(text + p, "/*", 2) == 0 &&
                 (end = strstr(text + p + 2, "*/")))
            p = (size_t)(end + 2 - text);
        else
            return p;
    }
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

static int split(struct tokens *t)
{
    const char *const text = t->text;
    unsigned line = 1;
    size_t counted = 0;
    for (size_t p = skip_blank(text, 0); text[p]; p = skip_blank(text, p)) {
        for (; counted < p; counted++)
            line += text[counted] == '\n';
        struct token one = {.begin = p, .line = line};
        p = one.end = after_token(text, p, &one.kind);
        one.spaced = one.begin && isspace((unsigned char)text[one.begin - 1]) &&
                     isspace((unsigned char)text[one.end]);
        if (push(t, one) != 0)
            return -1;
    }
    return 0;
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
