#define _GNU_SOURCE
#include "rewrite.h"

#include <ctype.h>  /* isalnum */
#include <stdlib.h> /* realloc */
#include <string.h> /* strncmp */

/*
 * The text as tokens: [begin, end) offsets. White space and comments belong to
 * no token and are copied as they are.
 */
struct token {
    size_t begin, end;
};

struct source {
    const char *text;
    struct token *token;
    size_t n, cap;
};

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

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

static size_t skip_blank(const char *s, size_t i)
{
    for (;;) {
        if (isspace((unsigned char)s[i])) {
            i++;
        } else if (s[i] == '#') { // a line marker or pragma
            i += strcspn(s + i, "\n");
        } else if (strncmp(s + i, "//", 2) == 0) {
            i += strcspn(s + i, "\n");
        } else if (strncmp(s + i, "/*", 2) == 0) {
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
    if (strncmp(s + i, "<<<", 3) == 0 || strncmp(s + i, ">>>", 3) == 0)
        return i + 3;
    if (strncmp(s + i, "::", 2) == 0)
        return i + 2;
    return end;
}

static void tokenize(struct source *src)
{
    for (size_t i = skip_blank(src->text, 0); src->text[i];) {
        if (src->n == src->cap) {
            src->cap = src->cap ? 2 * src->cap : 4096;
            src->token = realloc(src->token, src->cap * sizeof *src->token);
            if (!src->token)
                abort();
        }
        const size_t end = token_end(src->text, i);
        src->token[src->n++] = (struct token){i, end};
        i = skip_blank(src->text, end);
    }
}

static int is(const struct source *s, size_t i, const char *what)
{
    if (i >= s->n)
        return 0;
    const struct token t = s->token[i];
    return t.end - t.begin == strlen(what) &&
           memcmp(s->text + t.begin, what, t.end - t.begin) == 0;
}

/* The token that closes what token i opens; s->n if none does. */
static size_t match(const struct source *s, size_t i, const char *open,
                    const char *close)
{
    int depth = 0;
    for (; i < s->n; i++) {
        depth += is(s, i, open);
        depth -= is(s, i, close);
        if (depth == 0)
            break;
    }
    return i;
}

/* First token of the kernel's name that ends before token i: words and ::,
 * and template arguments. */
static size_t name_begin(const struct source *s, size_t i)
{
    size_t at = i - 1;
    if (is(s, at, ">")) {
        int depth = 0;
        for (;; at--) {
            depth += is(s, at, ">");
            depth -= is(s, at, "<");
            if (depth == 0 || at == 0)
                break;
        }
        if (at > 0)
            at--;
    }
    while (at > 1 && is(s, at - 1, "::")) {
        at--;
        if (at > 0 && is_word(s->text[s->token[at - 1].begin]))
            at--;
    }
    return at;
}

/* True if token i begins a launch; stores its end, the >>>. */
static int is_launch(const struct source *s, size_t i, size_t *close)
{
    if (!is(s, i, "<<<") || i == 0 || is(s, i - 1, "operator"))
        return 0;
    const char before = s->text[s->token[i - 1].begin];
    if (!is_word(before) && before != '>')
        return 0;
    int depth = 0;
    for (size_t k = i + 1; k < s->n; k++) {
        depth += is(s, k, "(") || is(s, k, "{") || is(s, k, "[");
        depth -= is(s, k, ")") || is(s, k, "}") || is(s, k, "]");
        if (depth < 0 || is(s, k, ";"))
            return 0;
        if (depth == 0 && is(s, k, ">>>") && is(s, k + 1, "(")) {
            *close = k;
            return 1;
        }
    }
    return 0;
}

/* An edit: [begin, end) of the text becomes `with`. In order of begin. */
struct edit {
    size_t begin, end;
    char *with;
};

struct edits {
    struct edit *edit;
    size_t n, cap;
};

static void replace(struct edits *e, size_t begin, size_t end, char *with)
{
    if (e->n == e->cap) {
        e->cap = e->cap ? 2 * e->cap : 64;
        e->edit = realloc(e->edit, e->cap * sizeof *e->edit);
        if (!e->edit)
            abort();
    }
    e->edit[e->n++] = (struct edit){begin, end, with};
}

static char *text_of(const struct source *s, size_t first, size_t behind)
{
    const size_t begin = s->token[first].begin;
    return strndup(s->text + begin, s->token[behind - 1].end - begin);
}

/* The name in a string literal: quotes can't occur in it. */
static void edit_launch(const struct source *s, size_t i, size_t close,
                        struct edits *e)
{
    const size_t first = name_begin(s, i);
    char *const name = text_of(s, first, i);
    char *with;
    if (asprintf(&with, "::simgpu::launch(\"%s\", %s, ", name, name) < 0)
        abort();
    // a multi-line name would end the string; the lines follow behind it
    for (char *p = with; *p; p++)
        if (*p == '\n')
            *p = ' ';
    replace(e, s->token[first].begin, s->token[i].end, with);
    replace(e, s->token[close].begin, s->token[close].end, strdup(")"));
    free(name);
}

/* extern SIMGPU_SHARED T name [ ] ; at tokens i .. */
static const char *edit_shared(const struct source *s, size_t i,
                               struct edits *e)
{
    size_t end = i;
    while (end < s->n && !is(s, end, ";"))
        end++;
    if (end == s->n || end < i + 6 || !is(s, end - 1, "]") ||
        !is(s, end - 2, "["))
        return "extern __shared__ is followed by a type and name[]";
    char *const type = text_of(s, i + 2, end - 3);
    char *const name = text_of(s, end - 3, end - 2);
    char *with;
    if (asprintf(&with, "%s *const %s = (%s *)simgpu_dynamic_shared()", type,
                 name, type) < 0)
        abort();
    replace(e, s->token[i].begin, s->token[end - 1].end, with);
    free(type);
    free(name);
    return NULL;
}

/* SIMGPU_GLOBAL void name(...) { ... }: register it behind the brace. */
static void edit_global(const struct source *s, size_t i, struct edits *e)
{
    int is_template = 0; // template <...> before it, in the same declaration
    for (size_t k = i;
         k-- > 0 && !is(s, k, ";") && !is(s, k, "}") && !is(s, k, "{");)
        is_template |= is(s, k, "template");
    size_t open = i;
    while (open < s->n && !is(s, open, "("))
        open++;
    if (is(s, open - 1, "__launch_bounds__"))
        for (open = match(s, open, "(", ")"); open < s->n && !is(s, open, "(");)
            open++;
    const size_t close = match(s, open, "(", ")");
    if (is_template || !is(s, close + 1, "{"))
        return;
    const size_t end = match(s, close + 1, "{", "}");
    if (end >= s->n)
        return;
    char *const name = text_of(s, open - 1, open);
    char *with;
    if (asprintf(&with, "} SIMGPU_REGISTER(%s)", name) < 0)
        abort();
    replace(e, s->token[end].begin, s->token[end].end, with);
    free(name);
}

static int by_begin(const void *a, const void *b)
{
    const struct edit *const x = a, *const y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void write_edited(const struct source *s, struct edits *e, FILE *out)
{
    size_t at = 0;
    qsort(e->edit, e->n, sizeof *e->edit, by_begin);
    for (size_t i = 0; i < e->n; i++) {
        fwrite(s->text + at, 1, e->edit[i].begin - at, out);
        fputs(e->edit[i].with, out);
        // keep the number of lines
        for (size_t k = e->edit[i].begin; k < e->edit[i].end; k++)
            if (s->text[k] == '\n')
                fputc('\n', out);
        at = e->edit[i].end;
        free(e->edit[i].with);
    }
    fputs(s->text + at, out);
    free(e->edit);
}

static int line_of(const char *text, size_t offset)
{
    int line = 1;
    for (size_t i = 0; i < offset; i++)
        line += text[i] == '\n';
    return line;
}

int rewrite(const char *text, FILE *out, const char **wrong)
{
    struct source s = {.text = text};
    struct edits e = {0};
    size_t close;
    int line = 0;
    tokenize(&s);
    for (size_t i = 0; i < s.n && !line; i++) {
        if (is_launch(&s, i, &close)) {
            edit_launch(&s, i, close, &e);
        } else if (is(&s, i, "extern") && is(&s, i + 1, "SIMGPU_SHARED")) {
            *wrong = edit_shared(&s, i, &e);
            if (*wrong)
                line = line_of(text, s.token[i].begin);
        } else if (is(&s, i, "SIMGPU_GLOBAL")) {
            edit_global(&s, i, &e);
        }
    }
    write_edited(&s, &e, out);
    free(s.token);
    return line;
}
