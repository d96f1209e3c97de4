#define _GNU_SOURCE
#include "grammar.h"

#include <check.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* abort */
#include <string.h> /* strchr */

#include "base/mix.h"
#include "golden.h"
#include "lots.h"
#include "whole.h"

enum { MAX_RULES = 120, MAX_ALTERNATIVES = 100, DEEP = 9 };

struct rule {
    const char *name, *alternative[MAX_ALTERNATIVES];
    unsigned n;
};

struct grammar {
    char *text; /* of the file, lines ended by NULs */
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

/* ---- digests ------------------------------------------------------------- */

static char *digests(int n, char *(*get)(int))
{
    char *all;
    size_t nbytes;
    FILE *const out = open_memstream(&all, &nbytes);
    if (!out)
        abort();
    for (int i = 0; i < n; i++) {
        char *const text = get(i);
        fprintf(out, "%08x%c", (unsigned)mix_text(0, text),
                i % 8 == 7 || i == n - 1 ? '\n' : ' ');
        free(text);
    }
    fclose(out);
    return all;
}

void grammar_expect(const char *path, const char *part, int n,
                    char *(*get)(int))
{
    char *const is = digests(n, get), *const was = golden_part(path, part);
    size_t at = 0;
    while (is[at] && is[at] == was[at])
        at++;
    if (!getenv("UPDATE_GOLDEN") && is[at]) {
        const int number = (int)(at / strlen("01234567 "));
        char *const text = get(number);
        printf("%s\n", text); // which is too long for a message of Check's
        fflush(stdout);
        ck_abort_msg("%s %s: text %d differs from what it was, it is above; "
                     "UPDATE_GOLDEN=1 writes the digests anew",
                     path, part, number);
    }
    golden_expect_part(path, part, is);
    free(is);
    free(was);
}
