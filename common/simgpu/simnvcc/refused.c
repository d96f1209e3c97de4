#define _GNU_SOURCE
#include "refused.h"

#include <ctype.h>  /* isdigit */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* strtol */
#include <string.h> /* strlen */

#include "callable.h"

static void say_not_inlined(const struct call_place *at)
{
    fprintf(stderr,
            "%s:%d: error: a kernel calls a function %s\n%s:%d: note: not all "
            "that it writes would be recorded. %s\n",
            at->file, at->line,
            at->by_pointer ? "through a pointer, or a virtual one"
                           : "that is not inlined: does it call itself?",
            at->file, at->line,
            at->by_pointer ? "Call it by its name, or take it as a template's "
                             "parameter"
                           : "Write a loop instead");
}

/* The last name in a C++ symbol: "scale" of _Z5scalePfi. A C symbol is one. */
static void source_name(const char *symbol, const char **name, int *length)
{
    *name = symbol;
    *length = (int)strlen(symbol);
    for (const char *p = symbol; strncmp(symbol, "_Z", 2) == 0 && *p; p++) {
        char *rest;
        const long n = isdigit((unsigned char)*p) ? strtol(p, &rest, 10) : 0;
        if (n <= 0 || (size_t)n > strlen(rest))
            continue;
        *name = rest;
        *length = (int)n;
        p = rest + n - 1;
    }
}

static void say_outside(const struct call_place *at)
{
    const char *name;
    int length;
    source_name(at->callee, &name, &length);
    fprintf(stderr,
            "%s:%d: error: a kernel calls %.*s(), which is not a function of "
            "the GPU's\n%s:%d: note: what it reads and writes would not be "
            "recorded. %s\n",
            at->file, at->line, length, name, at->file, at->line,
            callable_instead(at->callee, strlen(at->callee)));
}

int refused_calls(const struct calls *c, const char *folder, int says)
{
    struct call_place at;
    if (calls_not_inlined(c, folder, &at)) {
        if (says)
            say_not_inlined(&at);
        return 1;
    }
    if (!calls_outside(c, &at))
        return 0;
    if (says)
        say_outside(&at);
    return 1;
}
