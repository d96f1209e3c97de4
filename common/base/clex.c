#define _GNU_SOURCE
#include "base/clex.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memchr */

/* ---- characters ---------------------------------------------------------- */

enum { WORD = 1, DIGIT = 2, BLANK = 4 };

/* Classes of the C locale, in a table: a preprocessed file has millions of
 * characters, and the program's own locale must not matter. */
static const unsigned char class_of[256] = {
    ['A' ... 'Z'] = WORD,
    ['a' ... 'z'] = WORD,
    ['_'] = WORD,
    ['$'] = WORD,
    [0x80 ... 0xff] = WORD,
    ['0' ... '9'] = WORD | DIGIT,
    ['\t' ... '\r'] = BLANK,
    [' '] = BLANK,
};

static int is(int class, char c)
{
    return class_of[(unsigned char)c] & class;
}

static int begins_number(const char *p)
{
    return is(DIGIT, p[0]) || (p[0] == '.' && is(DIGIT, p[1]));
}

/* A character by its number: \u00e4. */
static int begins_universal(const char *p)
{
    return p[0] == '\\' && (p[1] == 'u' || p[1] == 'U');
}

/* ---- ends ---------------------------------------------------------------- */

static const char *word_end(const char *p)
{
    for (;; p++)
        if (begins_universal(p))
            p++;
        else if (!is(WORD, *p))
            return p;
}

static int is_exponent(char c)
{
    return c == 'e' || c == 'E' || c == 'p' || c == 'P';
}

static const char *number_end(const char *p, unsigned flags)
{
    for (; is(WORD, *p) || *p == '.' ||
           ((flags & CLEX_CPLUSPLUS) && *p == '\'' && is(WORD, p[1]));
         p++)
        if (is_exponent(*p) && (p[1] == '+' || p[1] == '-'))
            p++;
    return p;
}

/* The end of a literal that begins at p, behind its closing quote if it has
 * one. */
static const char *string_end(const char *p, const struct clex *x)
{
    const char quote = *p++;
    while (p < x->end && *p != quote && (*p != '\n' || x->flags & CLEX_OPEN))
        p += *p == '\\' && p + 1 < x->end ? 2 : 1;
    return p + (p < x->end && *p == quote);
}

/* The end of R"tag( ... )tag", whose quote is at p; NULL if the quote does not
 * begin a raw string. */
static const char *raw_end(const char *p, const char *end)
{
    enum { MOST = 16 };
    const char *const tag = p + 1;
    const size_t n = strcspn(tag, "() \\\"\t\v\f\r\n");
    if (n > MOST || tag[n] != '(')
        return NULL;
    for (p = tag + n; (p = memchr(p, ')', (size_t)(end - p))) != NULL; p++)
        if ((size_t)(end - p) > n + 1 && memcmp(p + 1, tag, n) == 0 &&
            p[n + 1] == '"')
            return p + n + 2;
    return end;
}

static int is_raw_prefix(const char *p, size_t n)
{
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strlen(prefixes[i]) == n && memcmp(prefixes[i], p, n) == 0)
            return 1;
    return 0;
}

/* The newline that ends the line, or the end of the text. */
static const char *line_end(const char *p, const char *end)
{
    const char *const begin = p;
    for (; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++) {
        const char *last = p;
        if (last > begin && last[-1] == '\r')
            last--;
        if (last == begin || last[-1] != '\\')
            return p;
    }
    return end;
}

static const char *comment_end(const char *p, const char *end)
{
    if (p[1] == '/')
        return line_end(p, end);
    const char *const close = memmem(p + 2, (size_t)(end - p) - 2, "*/", 2);
    return close ? close + 2 : end;
}

/* ---- tokens -------------------------------------------------------------- */

void clex_init(struct clex *x, const char *text, size_t nbytes, unsigned flags)
{
    *x = (struct clex){.at = text,
                       .end = text + nbytes,
                       .line_begin = text,
                       .flags = flags,
                       .line = 1,
                       .begins = 1};
}

/* Advance to `to`, counting lines. */
static void pass(struct clex *x, const char *to)
{
    for (const char *p = x->at;
         (p = memchr(p, '\n', (size_t)(to - p))) != NULL;) {
        x->line++;
        x->line_begin = ++p;
    }
    x->at = to;
}

static void skip_blanks(struct clex *x)
{
    for (;;)
        if (*x->at == '\n') {
            x->line++;
            x->begins = 1;
            x->line_begin = ++x->at;
        } else if (is(BLANK, *x->at)) {
            x->at++;
        } else if (x->at[0] == '/' && (x->at[1] == '/' || x->at[1] == '*')) {
            pass(x, comment_end(x->at, x->end)); // its lines begin nothing
        } else {
            return;
        }
}

/* The character that a digraph stands for, or NULL. */
static const char *digraph(const char *p)
{
    static const char *const pairs[] = {"<:[", ":>]", "<%{", "%>}", "%:#"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (p[0] == pairs[i][0] && p[1] == pairs[i][1])
            return pairs[i] + 2;
    return NULL;
}

/* The kind of the token at p, and its end. */
static const char *token_end(const struct clex *x, const char *p,
                             enum ctoken_kind *kind)
{
    if (begins_number(p)) {
        *kind = CTOKEN_NUMBER;
        return number_end(p, x->flags);
    }
    if (is(WORD, *p) || begins_universal(p)) {
        const char *const end = word_end(p);
        const char *const raw =
            *end == '"' && is_raw_prefix(p, (size_t)(end - p))
                ? raw_end(end, x->end)
                : NULL;
        *kind = raw ? CTOKEN_RAW : CTOKEN_WORD;
        return raw ? raw : end;
    }
    if (*p == '"' || *p == '\'') {
        *kind = CTOKEN_STRING;
        return string_end(p, x);
    }
    *kind = CTOKEN_MARK;
    return p + 1;
}

int clex_next(struct clex *x, struct ctoken *t)
{
    const char *const behind = x->at;
    skip_blanks(x);
    const char *const p = x->at;
    if (p == x->end)
        return 0;
    *t = (struct ctoken){.at = p,
                         .line = x->line,
                         .begins = x->begins,
                         .spaced = p > behind,
                         .column = (int)(p - x->line_begin)};
    x->begins = 0;
    const char *const end = token_end(x, p, &t->kind);
    t->nbytes = (size_t)(end - p);
    if (t->kind == CTOKEN_STRING || t->kind == CTOKEN_RAW)
        pass(x, end); // there may be newlines in it
    else
        x->at = end;
    const char *const mark = x->flags & CLEX_DIGRAPHS ? digraph(p) : NULL;
    if (mark) {
        t->at = mark;
        x->at++;
    }
    return 1;
}

void clex_widen(struct clex *x, struct ctoken *t, size_t nbytes)
{
    x->at += nbytes - t->nbytes;
    t->nbytes = nbytes;
}

void clex_skip_line(struct clex *x)
{
    pass(x, line_end(x->at, x->end));
}

char *clex_line(struct clex *x)
{
    char *line = NULL;
    size_t nbytes;
    FILE *const f = open_memstream(&line, &nbytes);
    for (int n = 0;; n++) {
        const struct clex before = *x;
        struct ctoken t;
        if (!clex_next(x, &t))
            break;
        if (t.begins) {
            *x = before;
            break;
        }
        fprintf(f, "%s%.*s", n && t.spaced ? " " : "", (int)t.nbytes, t.at);
    }
    fclose(f);
    return line;
}

int ctoken_is(const struct ctoken *t, const char *text)
{
    return t->kind != CTOKEN_STRING && t->nbytes == strlen(text) &&
           memcmp(t->at, text, t->nbytes) == 0;
}

const char *ctoken_text(const struct ctoken *t, char *out, size_t nbytes)
{
    snprintf(out, nbytes, "%.*s", (int)t->nbytes, t->at);
    return out;
}

/* ---- joined lines -------------------------------------------------------- */

/* Bytes of a backslash that joins two lines, or 0. gcc allows blanks behind
 * it. */
static size_t joins(const char *p)
{
    size_t n = 1;
    if (*p != '\\')
        return 0;
    while (p[n] != '\n' && is(BLANK, p[n]))
        n++;
    return p[n] == '\n' ? n + 1 : 0;
}

char *clex_join(const char *text)
{
    static const char MARK[] = "\xEF\xBB\xBF";
    char *const joined = malloc(strlen(text) + 1), *out = joined;
    int pending = 0; /* newlines left out of this line */
    if (!joined)
        abort();
    for (const char *p = text + (strncmp(text, MARK, 3) == 0 ? 3 : 0); *p;) {
        const size_t n = joins(p);
        pending += n > 0;
        if (n)
            p += n;
        else if (p[0] == '\r' && p[1] == '\n')
            p++;
        else if ((*out++ = *p++) == '\n')
            for (; pending > 0; pending--)
                *out++ = '\n';
    }
    *out = 0;
    return joined;
}
