#include "grader/vet/skipped.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtoull */
#include <string.h> /* strcmp */

#include "base/clex.h"
#include "grader/vet/allow.h"

enum value { NEVER = -1, UNKNOWN, ALWAYS };

int skipped_is_foreign(const char *name)
{
    static const char *const names[] = {"_WIN32",
                                        "_WIN64",
                                        "_MSC_VER",
                                        "__MINGW*__",
                                        "__APPLE__",
                                        "__MACH__",
                                        "__CYGWIN__",
                                        "__FreeBSD__",
                                        "__sun",
                                        "__HIPCC__",
                                        "__HIP_PLATFORM_*",
                                        "__INTEL_COMPILER",
                                        "__ICC",
                                        "__PGI",
                                        NULL};
    return allow_matches(name, names);
}

/* ---- conditions ---------------------------------------------------------- */

struct condition {
    struct clex x;
    struct ctoken t;
    int more, unclear; /* further tokens; something that is not understood */
};

static void next(struct condition *c)
{
    c->more = clex_next(&c->x, &c->t);
}

static int accept(struct condition *c, const char *mark)
{
    const int found = c->more && ctoken_is(&c->t, mark);
    if (found)
        next(c);
    return found;
}

/* Accept "&&", which is two tokens to the lexer. */
static int accept_twice(struct condition *c, const char *mark)
{
    if (!accept(c, mark))
        return 0;
    c->unclear |= !accept(c, mark);
    return 1;
}

static enum value number(struct condition *c)
{
    char text[32], *end;
    ctoken_text(&c->t, text, sizeof text);
    const unsigned long long n = strtoull(text, &end, 0);
    c->unclear |= end == text || end[strspn(end, "uUlL")] != 0;
    next(c);
    return n ? ALWAYS : NEVER;
}

static enum value defined(struct condition *c)
{
    char name[128];
    const int open = accept(c, "(");
    ctoken_text(&c->t, name, sizeof name);
    c->unclear |= !c->more || c->t.kind != CTOKEN_WORD;
    next(c);
    c->unclear |= open && !accept(c, ")");
    return skipped_is_foreign(name) ? NEVER : UNKNOWN;
}

static enum value either(struct condition *c, int depth);

static enum value primary(struct condition *c, int depth)
{
    if (depth > SKIPPED_MOST || !c->more) {
        c->unclear = 1;
    } else if (accept(c, "!")) {
        return (enum value) - (int)primary(c, depth + 1);
    } else if (accept(c, "(")) {
        const enum value v = either(c, depth + 1);
        c->unclear |= !accept(c, ")");
        return v;
    } else if (accept(c, "defined")) {
        return defined(c);
    } else if (c->t.kind == CTOKEN_NUMBER) {
        return number(c);
    } else {
        next(c); // the name of a macro
    }
    return UNKNOWN;
}

static enum value both(struct condition *c, int depth)
{
    enum value v = primary(c, depth);
    while (!c->unclear && accept_twice(c, "&")) {
        const enum value w = primary(c, depth);
        v = v < w ? v : w;
    }
    return v;
}

static enum value either(struct condition *c, int depth)
{
    enum value v = both(c, depth);
    while (!c->unclear && accept_twice(c, "|")) {
        const enum value w = both(c, depth);
        v = v > w ? v : w;
    }
    return v;
}

static enum value value_of(const char *text)
{
    struct condition c = {.unclear = 0};
    clex_init(&c.x, text, strlen(text), CLEX_DIGRAPHS);
    next(&c);
    const enum value v = either(&c, 0);
    return !c.unclear && !c.more ? v : UNKNOWN;
}

/* The value that is assumed for a branch that starts with this directive. */
static enum value branch(const char *name, const char *rest)
{
    char text[1024];
    const char *const before =
        strcmp(name, "ifdef") == 0 || strcmp(name, "elifdef") == 0 ? "defined"
        : strcmp(name, "ifndef") == 0 || strcmp(name, "elifndef") == 0
            ? "!defined"
            : "";
    const int n = snprintf(text, sizeof text, "%s %s", before, rest);
    return n < (int)sizeof text ? value_of(text) : UNKNOWN;
}

/* ---- groups -------------------------------------------------------------- */

static void take(struct skipped *s, enum value v)
{
    if (s->depth > SKIPPED_MOST)
        return;
    s->group[s->depth - 1].here =
        s->group[s->depth - 1].done ? NEVER : (signed char)v;
    s->group[s->depth - 1].done |= v == ALWAYS;
}

void skipped_follow(struct skipped *s, const char *name, const char *rest)
{
    if (strncmp(name, "if", 2) == 0) {
        if (s->depth++ < SKIPPED_MOST)
            s->group[s->depth - 1].done = 0;
        take(s, branch(name, rest));
    } else if (s->depth == 0) {
        return;
    } else if (strcmp(name, "else") == 0) {
        take(s, UNKNOWN);
    } else if (strncmp(name, "elif", 4) == 0) {
        take(s, branch(name, rest));
    } else if (strcmp(name, "endif") == 0) {
        s->depth--;
    }
}

int skipped_here(const struct skipped *s)
{
    for (int i = 0; i < s->depth && i < SKIPPED_MOST; i++)
        if (s->group[i].here == NEVER)
            return 1;
    return 0;
}
