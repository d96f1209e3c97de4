#define _GNU_SOURCE
#include "tokens.h"

#include <ctype.h>  /* isalnum */
#include <stdio.h>  /* asprintf */
#include <stdlib.h> /* realloc */
#include <string.h> /* strncmp */

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void *grow(void *array, size_t *cap, size_t size)
{
    *cap = *cap ? 2 * *cap : 4096;
    void *const more = realloc(array, *cap * size);
    if (!more)
        abort();
    return more;
}

/* ---- reading ------------------------------------------------------------- */

/* The end of the string or character literal that begins at i. */
static size_t literal_end(const char *s, size_t i)
{
    const char quote = s[i++];
    while (s[i] && s[i] != quote)
        i += s[i] == '\\' && s[i + 1] ? 2 : 1;
    return s[i] ? i + 1 : i;
}

/* R"tag( ... )tag": i is at the quote. */
static size_t raw_end(const char *s, size_t i)
{
    const char *const open = strchr(s + i, '(');
    if (!open)
        return literal_end(s, i);
    char close[40];
    snprintf(close, sizeof close, ")%.*s\"", (int)(open - (s + i) - 1),
             s + i + 1);
    const char *const end = strstr(open, close);
    return end ? (size_t)(end - s) + strlen(close) : strlen(s);
}

/* # 12 "file.cu" 2 at i: note it. */
static void read_marker(struct tokens *t, size_t i, size_t end)
{
    const char *const s = t->text;
    char *behind;
    const long line = strtol(s + i + 1, &behind, 10);
    const size_t file = (size_t)(behind - s) + 2;
    if (behind == s + i + 1 || behind[0] != ' ' || behind[1] != '"')
        return;
    if (t->nmarkers == t->cap_markers)
        t->marker = grow(t->marker, &t->cap_markers, sizeof *t->marker);
    t->marker[t->nmarkers++] = (struct marker){
        end + (s[end] == '\n'), (int)line, file, literal_end(s, file - 1) - 1};
}

static size_t skip_blank(struct tokens *t, size_t i)
{
    const char *const s = t->text;
    for (;;) {
        if (isspace((unsigned char)s[i])) {
            i++;
        } else if (s[i] == '#') { // a line marker or pragma
            const size_t end = i + strcspn(s + i, "\n");
            read_marker(t, i, end);
            i = end;
        } else if (s[i] == '/' && s[i + 1] == '/') {
            i += strcspn(s + i, "\n");
        } else if (s[i] == '/' && s[i + 1] == '*') {
            const char *const end = strstr(s + i + 2, "*/");
            i = end ? (size_t)(end - s) + 2 : strlen(s);
        } else {
            return i;
        }
    }
}

static size_t token_end(const char *s, size_t i)
{
    size_t end = i + 1;
    if (is_word(s[i])) {
        while (is_word(s[end]))
            end++;
        // 1'000'000 is a number, not a character
        while (isdigit((unsigned char)s[i]) && s[end] == '\'' &&
               is_word(s[end + 1]))
            for (end++; is_word(s[end]); end++)
                ;
        if (s[end] == '"' && s[end - 1] == 'R')
            return raw_end(s, end);
        return end;
    }
    if (s[i] == '"' || s[i] == '\'')
        return literal_end(s, i);
    if ((s[i] == '<' || s[i] == '>') && s[i + 1] == s[i] && s[i + 2] == s[i])
        return i + 3;
    if (s[i] == ':' && s[i + 1] == ':')
        return i + 2;
    return end;
}

void tokens_init(struct tokens *t, const char *text)
{
    *t = (struct tokens){.text = text};
    for (size_t i = skip_blank(t, 0); text[i];) {
        if (t->n == t->cap)
            t->at = grow(t->at, &t->cap, sizeof *t->at);
        const size_t end = token_end(text, i);
        t->at[t->n++] = (struct token){i, end};
        i = skip_blank(t, end);
    }
}

void tokens_release(struct tokens *t)
{
    free(t->at);
    free(t->marker);
}

/* ---- questions ----------------------------------------------------------- */

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
    const char c = i < t->n ? t->text[t->at[i].begin] : 0;
    return is_word(c) && !isdigit((unsigned char)c);
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
        if (t->text[i] == '\n' && t->text[i + 1] == '#') // a marker in it
            i += strcspn(t->text + i + 1, "\n");
        else
            *to++ = t->text[i] == '\n' ? ' ' : t->text[i];
    }
    *to = 0;
    return text;
}

/* ---- places -------------------------------------------------------------- */

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
