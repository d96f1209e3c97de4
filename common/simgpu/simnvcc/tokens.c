#define _GNU_SOURCE
#include "tokens.h"

#include <stdio.h>  /* asprintf */
#include <stdlib.h> /* realloc */
#include <string.h> /* strncmp */

static void *grow(void *array, size_t *cap, size_t size)
{
    *cap = *cap ? 2 * *cap : 4096;
    void *const more = realloc(array, *cap * size);
    if (!more)
        abort();
    return more;
}

/* ---- reading ------------------------------------------------------------- */

/* Behind a #: record # 12 "file.cu" 2. Any other line is a pragma. */
static void read_marker(struct tokens *t, struct clex *x)
{
    char *behind;
    struct clex at = *x;
    struct ctoken name;
    const long line = strtol(x->at, &behind, 10);
    const int is_marker = behind > x->at && clex_next(&at, &name) &&
                          clex_next(&at, &name) && !name.begins &&
                          name.kind == CTOKEN_STRING;
    clex_skip_line(x);
    if (!is_marker)
        return;
    const size_t file = (size_t)(name.at - t->text) + 1,
                 end = (size_t)(x->at - t->text);
    if (t->nmarkers == t->cap_markers)
        t->marker = grow(t->marker, &t->cap_markers, sizeof *t->marker);
    t->marker[t->nmarkers++] = (struct marker){
        end + (*x->at == '\n'), (int)line, file, file + name.nbytes - 2};
}

/* <<<, >>> and :: are single tokens. */
static void widen(struct clex *x, struct ctoken *t)
{
    const char *const p = t->at;
    if ((*p == '<' || *p == '>') && p[1] == *p && p[2] == *p)
        clex_widen(x, t, 3);
    else if (*p == ':' && p[1] == ':')
        clex_widen(x, t, 2);
}

void tokens_init(struct tokens *t, const char *text)
{
    struct clex x;
    const size_t nbytes = strlen(text);
    *t = (struct tokens){.text = text};
    if (nbytes > UINT32_MAX)
        abort();
    clex_init(&x, text, nbytes, CLEX_CPLUSPLUS | CLEX_OPEN);
    for (struct ctoken c; clex_next(&x, &c);) {
        if (*c.at == '#') {
            read_marker(t, &x);
            continue;
        }
        widen(&x, &c);
        if (t->n == t->cap)
            t->at = grow(t->at, &t->cap, sizeof *t->at);
        const uint32_t begin = (uint32_t)(c.at - text);
        t->at[t->n++] =
            (struct token){begin, begin + (uint32_t)c.nbytes, c.kind};
    }
}

void tokens_release(struct tokens *t)
{
    free(t->at);
    free(t->marker);
}

/* ---- querying tokens ----------------------------------------------------- */

int token_reads(const struct tokens *t, size_t i, const char *word)
{
    const size_t n = t->at[i].end - t->at[i].begin;
    return strncmp(t->text + t->at[i].begin, word, n) == 0 && !word[n];
}

int token_is_any(const struct tokens *t, size_t i, const char *const *words)
{
    for (; *words; words++)
        if (token_is(t, i, *words))
            return 1;
    return 0;
}

int token_is_word(const struct tokens *t, size_t i)
{
    return i < t->n && t->at[i].kind == CTOKEN_WORD;
}

static char first(const struct tokens *t, size_t i)
{
    return t->text[t->at[i].begin];
}

size_t token_close(const struct tokens *t, size_t i)
{
    for (int depth = 0; i < t->n; i++) {
        const char c = first(t, i);
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth == 0)
            break;
    }
    return i;
}

size_t token_open(const struct tokens *t, size_t i)
{
    for (int depth = 0;; i--) {
        const char c = first(t, i);
        depth += c == ')' || c == ']' || c == '}';
        depth -= c == '(' || c == '[' || c == '{';
        if (depth == 0 || i == 0)
            return i;
    }
}

static int angles(const struct tokens *t, size_t i, char c)
{
    return first(t, i) == c ? (int)(t->at[i].end - t->at[i].begin) : 0;
}

static int is_arrow(const struct tokens *t, size_t i)
{
    return i > 0 && token_is(t, i, ">") && token_is(t, i - 1, "-") &&
           t->at[i].begin == t->at[i - 1].end;
}

size_t token_close_angle(const struct tokens *t, size_t i)
{
    for (int depth = 0; i < t->n; i++) {
        const char c = first(t, i);
        if (c == '(' || c == '[' || c == '{')
            i = token_close(t, i);
        if (i >= t->n || c == ';' || c == ')' || c == '}')
            return t->n;
        depth += angles(t, i, '<');
        depth -= is_arrow(t, i) ? 0 : angles(t, i, '>');
        if (depth <= 0)
            return i;
    }
    return t->n;
}

size_t token_open_angle(const struct tokens *t, size_t i)
{
    for (int depth = 0;; i--) {
        const char c = first(t, i);
        if (c == ')' || c == ']' || c == '}')
            i = token_open(t, i);
        else if (c == ';' || c == '{' || c == '(')
            return 0;
        depth += is_arrow(t, i) ? 0 : angles(t, i, '>');
        depth -= angles(t, i, '<');
        if (depth <= 0 || i == 0)
            return i;
    }
}

char *tokens_text(const struct tokens *t, size_t first, size_t behind)
{
    const size_t begin = t->at[first].begin;
    const size_t end = behind > first ? t->at[behind - 1].end : begin;
    char *const text = malloc(end - begin + 1);
    if (!text)
        abort();
    char *to = text;
    for (size_t i = begin; i < end; i++) {
        // a marker inside the text
        if (t->text[i] == '\n' && t->text[i + 1] == '#')
            i += strcspn(t->text + i + 1, "\n");
        else
            *to++ = t->text[i] == '\n' ? ' ' : t->text[i];
    }
    *to = 0;
    return text;
}

/* ---- locating tokens ----------------------------------------------------- */

/* The last marker before an offset, or NULL. */
static const struct marker *marker_of(const struct tokens *t, size_t offset)
{
    size_t low = 0, high = t->nmarkers;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (t->marker[mid].begin <= offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? &t->marker[low - 1] : NULL;
}

static int line_of(const struct tokens *t, const struct marker *m,
                   size_t offset)
{
    int line = m ? m->line : 1;
    for (size_t i = m ? m->begin : 0; i < offset; i++)
        line += t->text[i] == '\n';
    return line;
}

char *tokens_place(const struct tokens *t, size_t offset)
{
    const struct marker *const m = marker_of(t, offset);
    size_t line = offset;
    while (line > 0 && t->text[line - 1] != '\n')
        line--;
    char *out;
    if (asprintf(&out, "\n# %d \"%.*s\"\n%*s", line_of(t, m, offset),
                 m ? (int)(m->file_end - m->file) : 0,
                 t->text + (m ? m->file : 0), (int)(offset - line), "") < 0)
        abort();
    return out;
}

char *tokens_origin(const struct tokens *t, size_t offset)
{
    const struct marker *const m = marker_of(t, offset);
    char *out;
    if (asprintf(&out, "%.*s:%d", m ? (int)(m->file_end - m->file) : 0,
                 t->text + (m ? m->file : 0), line_of(t, m, offset)) < 0)
        abort();
    return out;
}

int tokens_is_included(const struct tokens *t, size_t offset)
{
    const struct marker *const m = marker_of(t, offset), *const top = t->marker;
    const size_t n = m ? m->file_end - m->file : 0;
    return m && (n != top->file_end - top->file ||
                 memcmp(t->text + m->file, t->text + top->file, n) != 0);
}
