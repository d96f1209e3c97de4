#include "lexer.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* strlen */

/* ---- joining lines, dropping comments ------------------------------------ */

/* Bytes of a backslash that joins two lines, or 0. gcc allows blanks behind
 * it. */
static size_t joins(const char *p)
{
    size_t n = 1;
    if (*p != '\\')
        return 0;
    while (p[n] == ' ' || p[n] == '\t' || p[n] == '\r' || p[n] == '\f' ||
           p[n] == '\v')
        n++;
    return p[n] == '\n' ? n + 1 : 0;
}

/* Join lines. The newlines that were left out follow at the end of the joined
 * line, so that lines keep their numbers. */
static void join(char *out, const char *p)
{
    int pending = 0;
    while (*p) {
        const size_t n = joins(p);
        if (n) {
            pending++;
            p += n;
        } else if (*p == '\r' && p[1] == '\n') {
            p++;
        } else if (*p == '\n') {
            for (*out++ = *p++; pending > 0; pending--)
                *out++ = '\n';
        } else {
            *out++ = *p++;
        }
    }
    *out = 0;
}

/* The end of a string or character constant that begins at p: behind its
 * quote, or at the end of the line. */
static char *string_end(char *p)
{
    const char quote = *p++;
    while (*p && *p != '\n' && *p != quote)
        p += *p == '\\' && p[1] && p[1] != '\n' ? 2 : 1;
    return p + (*p == quote);
}

/* Can a word contain it, in the C locale, whatever the program's own is? From a
 * table, since a preprocessed file asks a million times. */
static int is_word(char c)
{
    static const char table[256] = {
        ['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1,
        ['_'] = 1,         ['$'] = 1,         [0x80 ... 0xff] = 1,
    };
    return table[(unsigned char)c];
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A raw string begins at this quote: R"( or LR"( ... */
static int is_raw(const char *text, const char *quote)
{
    const char *p = quote;
    while (p > text && is_word(p[-1]))
        p--;
    const size_t n = (size_t)(quote - p);
    return n > 0 && n <= 3 && p[n - 1] == 'R' && strchr("RLuU", p[0]) != NULL;
}

static int begins_number(const char *p)
{
    return is_digit(p[0]) || (p[0] == '.' && is_digit(p[1]));
}

/* In C++ a quote between digits separates them: 1'000'000. */
static const char *number_end(const struct lexer *x, const char *p)
{
    for (; is_word(*p) || *p == '.' ||
           (x->is_cplusplus && *p == '\'' && is_word(p[1]));
         p++)
        if (strchr("eEpP", *p) && (p[1] == '+' || p[1] == '-'))
            p++;
    return p;
}

static const char *word_end(const char *p)
{
    for (;; p++) {
        if (p[0] == '\\' && (p[1] == 'u' || p[1] == 'U'))
            p++; // a character by its number
        else if (!is_word(*p))
            return p;
    }
}

static char *drop_comment(char *p)
{
    if (p[1] == '/') {
        while (*p && *p != '\n')
            *p++ = ' ';
        return p;
    }
    char *const close = strstr(p + 2, "*/");
    char *const end = close ? close + 2 : p + strlen(p);
    for (; p < end; p++)
        *p = *p == '\n' ? '\n' : ' ';
    return p;
}

/* Overwrite comments with blanks; newlines in them stay. Numbers and words are
 * passed over whole, as the compiler does: a quote in them begins nothing. */
static void drop_comments(const struct lexer *x)
{
    for (char *p = x->text; *p;) {
        if (*p == '"' && is_raw(x->text, p))
            return; // nothing behind it is read
        if (*p == '"' || *p == '\'')
            p = string_end(p);
        else if (p[0] == '/' && (p[1] == '/' || p[1] == '*'))
            p = drop_comment(p);
        else if (begins_number(p))
            p += number_end(x, p) - p;
        else
            p += is_word(*p) ? word_end(p) - p : 1;
    }
}

/* ---- tokens -------------------------------------------------------------- */

void lexer_init(struct lexer *x, const char *text, int is_cplusplus)
{
    static const char MARK[] = "\xEF\xBB\xBF"; // of an editor's, for UTF-8
    *x = (struct lexer){.text = malloc(strlen(text) + 1),
                        .is_cplusplus = is_cplusplus,
                        .line = 1,
                        .begins = 1};
    if (!x->text)
        abort();
    join(x->text, text + (strncmp(text, MARK, 3) == 0 ? 3 : 0));
    drop_comments(x);
    x->at = x->line_begin = x->text;
}

void lexer_release(struct lexer *x)
{
    free(x->text);
    x->text = NULL;
}

static void skip_blanks(struct lexer *x)
{
    for (; *x->at == ' ' || (*x->at >= '\t' && *x->at <= '\r'); x->at++)
        if (*x->at == '\n') {
            x->line++;
            x->begins = 1;
            x->line_begin = x->at + 1;
        }
}

/* "<:" is "[" ...: the character that a digraph stands for, or 0. */
static const char *digraph(const char *p)
{
    static const char *const pairs[] = {"<:[", ":>]", "<%{", "%>}", "%:#"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (p[0] == pairs[i][0] && p[1] == pairs[i][1])
            return pairs[i] + 2;
    return NULL;
}

int lexer_next(struct lexer *x, struct token *t)
{
    skip_blanks(x);
    const char *const p = x->at;
    *t = (struct token){.at = p,
                        .line = x->line,
                        .begins = x->begins,
                        .column = (int)(p - x->line_begin)};
    if (!*p)
        return 0;
    x->begins = 0;
    const char *const pair = digraph(p);
    t->kind = TOKEN_MARK;
    t->nbytes = 1;
    x->at = p + 1;
    if (begins_number(p)) {
        t->kind = TOKEN_NUMBER;
        x->at = number_end(x, p);
    } else if (is_word(*p) || (*p == '\\' && (p[1] == 'u' || p[1] == 'U'))) {
        t->kind = TOKEN_WORD;
        x->at = word_end(p);
    } else if (*p == '"' && is_raw(x->text, p)) {
        t->kind = TOKEN_RAW;
        x->at = p + strlen(p);
    } else if (*p == '"' || *p == '\'') {
        t->kind = TOKEN_STRING;
        x->at = string_end((char *)p);
    } else if (pair) {
        t->at = pair;
        x->at = p + 2;
        return 1;
    }
    t->nbytes = (size_t)(x->at - p);
    return 1;
}

const char *lexer_rest(struct lexer *x, size_t *nbytes)
{
    const char *const p = x->at;
    *nbytes = strcspn(p, "\n");
    x->at += *nbytes;
    return p;
}

int token_is(const struct token *t, const char *text)
{
    return t->kind != TOKEN_STRING && t->nbytes == strlen(text) &&
           memcmp(t->at, text, t->nbytes) == 0;
}

const char *token_text(const struct token *t, char *out, size_t nbytes)
{
    snprintf(out, nbytes, "%.*s", (int)t->nbytes, t->at);
    return out;
}
