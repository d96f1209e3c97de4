#define _GNU_SOURCE
#include "cases.h"

#include <check.h>
#include <ctype.h>  /* isspace */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* abort */
#include <string.h> /* strstr */

#include "whole.h"

static void must(int ok, const char *path)
{
    if (!ok) {
        fprintf(stderr, "%s cannot be read, or has another form\n", path);
        abort();
    }
}

/* Cut the text at the separator, and return what follows it. */
static char *cut(char *text, const char *separator, const char *path)
{
    char *const at = strstr(text, separator);
    must(at != NULL, path);
    at[1] = 0; // after the newline
    return at + strlen(separator);
}

void cases_add(struct cases *c, const char *path)
{
    char *const text = whole_file(path);
    must(text != NULL, path);
    for (char *p = strstr(text, "\n== "); p; c->n++) {
        must(c->n < (int)(sizeof c->at / sizeof *c->at), path);
        struct test_case *const t = &c->at[c->n];
        t->name = p + strlen("\n== ");
        t->input = strchr(t->name, '\n') + 1;
        t->input[-1] = 0;
        t->expected = cut(t->input, "\n--\n", path);
        p = strstr(t->expected, "\n== ");
        if (p)
            p[0] = 0;
    }
    must(c->n > 0, path);
}

static char *words_of(const char *text)
{
    char *const words = malloc(strlen(text) + 2), *to = words;
    ck_assert(words != NULL);
    for (; *text; text++)
        if (!isspace((unsigned char)*text))
            *to++ = *text;
        else if (to > words && to[-1] != '\n')
            *to++ = '\n';
    to -= to > words && to[-1] == '\n';
    *to = 0;
    return words;
}

void cases_same_words(const struct test_case *c, const char *got)
{
    char *const a = words_of(got), *const b = words_of(c->expected);
    ck_assert_msg(strcmp(a, b) == 0, "%s: not what is expected:\n%s", c->name,
                  got);
    free(a);
    free(b);
}
