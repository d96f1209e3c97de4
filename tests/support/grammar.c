#define _GNU_SOURCE
#include "grammar.h"

#include <check.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* abort */
#include <string.h> /* strchr */

#include "base/mix.h"
#include "digest.h"
#include "golden.h"
#include "lots.h"
#include "whole.h"

enum { MAX_RULES = 120, MAX_ALTERNATIVES = 100, DEEP = 9 };

struct rule {
    const char *name, *alternative[MAX_ALTERNATIVES];
    unsigned n;
};

struct grammar {
    char *text; /* the file, with each line ended by a NUL */
    struct rule rule[MAX_RULES];
    int n;
};

static void refuse(const char *what, const char *which)
{
    fprintf(stderr, "grammar: %s: %s\n", what, which);
    abort();
}

static struct rule *add_rule(struct grammar *g, const char *name)
{
    if (g->n == MAX_RULES)
        refuse("too many rules", name);
    struct rule *const r = &g->rule[g->n++];
    r->name = name;
    return r;
}

struct grammar *grammar_read(const char *path)
{
    struct grammar *const g = calloc(1, sizeof *g);
    struct rule *r = NULL;
    if (!g || !(g->text = whole_file(path)))
        refuse("not read", path);
    char *rest = g->text;
    for (char *l; (l = strsep(&rest, "\n")) && rest;) {
        if (strncmp(l, "= ", 2) == 0)
            r = add_rule(g, l + 2);
        else if (r && r->n == MAX_ALTERNATIVES)
            refuse("too many alternatives", r->name);
        else if (r)
            r->alternative[r->n++] = l;
    }
    return g;
}

void grammar_free(struct grammar *g)
{
    free(g->text);
    free(g);
}

/* ---- a text -------------------------------------------------------------- */

struct drawing {
    const struct grammar *g;
    struct lots lots;
    FILE *out;
};

static uint64_t draw(struct drawing *d, uint64_t n)
{
    return lots_draw(&d->lots, n);
}

static const struct rule *find_rule(const struct grammar *g, const char *name,
                                    size_t n)
{
    for (int i = 0; i < g->n; i++)
        if (strlen(g->rule[i].name) == n && !memcmp(g->rule[i].name, name, n))
            return &g->rule[i];
    refuse("no such rule", name);
    return NULL;
}

static void expand(struct drawing *d, const struct rule *r, int depth)
{
    const uint64_t drawn = draw(d, r->n);
    const char *p = r->alternative[depth > DEEP ? r->n - 1 : drawn];
    while (*p) {
        if (*p != '@') {
            fputc(*p++, d->out);
            continue;
        }
        const size_t n = strspn(++p, "abcdefghijklmnopqrstuvwxyz_");
        if (n > 0)
            expand(d, find_rule(d->g, p, n), depth + 1);
        else if (*p == '/' || *p == '@')
            fputc(*p == '/' ? '\n' : '@', d->out);
        p += n ? n : 1;
    }
}

static char *text_of(struct drawing *d, const char *rule)
{
    char *text;
    size_t nbytes;
    d->out = open_memstream(&text, &nbytes);
    if (!d->out)
        abort();
    expand(d, find_rule(d->g, rule, strlen(rule)), 0);
    fclose(d->out);
    return text;
}

char *grammar_text(const struct grammar *g, const char *rule, uint64_t seed)
{
    struct drawing d = {.g = g, .lots.seed = seed};
    return text_of(&d, rule);
}

char *grammar_damaged(const struct grammar *g, const char *rule, uint64_t seed)
{
    struct drawing d = {.g = g, .lots.seed = seed};
    char *const text = text_of(&d, rule), *damaged;
    const size_t length = strlen(text), at = draw(&d, length + 1);
    size_t n = 1 + draw(&d, 12);
    n = at + n < length ? n : length - at;
    const int twice = draw(&d, 2) == 0;
    if (asprintf(&damaged, "%.*s%s", (int)(at + (twice ? n : 0)), text,
                 text + at + (twice ? 0 : n)) < 0)
        abort();
    free(text);
    return damaged;
}

/* ---- what texts become --------------------------------------------------- */

enum { KEPT = 2 }; /* texts in texts.gz */

/* A text, indented under a headline. */
static void print_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "# %s\n", name);
    while (*text) {
        const int n = (int)strcspn(text, "\n");
        fprintf(out, "  %.*s\n", n, text);
        text += n + (text[n] == '\n');
    }
}

void grammar_expect(const char *path, const char *part, int n,
                    char *(*get)(int))
{
    char *all, name[64], texts[256];
    size_t nbytes;
    FILE *const out = open_memstream(&all, &nbytes);
    if (!out)
        abort();
    snprintf(texts, sizeof texts, "%.*s/texts.gz",
             (int)(strrchr(path, '/') - path), path);
    for (int i = 0; i < n; i++) {
        char *const text = get(i);
        const long begin = ftell(out);
        snprintf(name, sizeof name, "%s %d", part, i);
        print_text(out, name, text);
        fflush(out);
        golden_show(name, all + begin);
        if (i < KEPT)
            golden_expect_part(texts, name, all + begin);
        free(text);
    }
    fclose(out);
    digest_expect_texts(path, part, all);
    free(all);
}
