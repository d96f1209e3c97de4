#define _GNU_SOURCE
#include "args.h"

#include <ctype.h>  /* isspace */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* exit */
#include <string.h> /* strdup */

void args_add(struct nvcc_args *a, const char *arg)
{
    if (a->n == MAX_ARGS - 1) {
        fprintf(stderr, "simnvcc: more than %d arguments\n", MAX_ARGS);
        exit(EXIT_USAGE);
    }
    a->v[a->n++] = arg;
}

void args_add2(struct nvcc_args *a, const char *arg, const char *value)
{
    args_add(a, arg);
    args_add(a, value);
}

void args_append(struct nvcc_args *a, const struct nvcc_args *more)
{
    for (int i = 0; i < more->n; i++)
        args_add(a, more->v[i]);
}

int args_have(const struct nvcc_args *a, const char *arg)
{
    for (int i = 0; i < a->n; i++)
        if (strcmp(a->v[i], arg) == 0)
            return 1;
    return 0;
}

char *args_joined(const char *a, const char *b)
{
    char *text;
    if (asprintf(&text, "%s%s", a, b) < 0)
        abort();
    return text;
}

/* A shell removes a backslash before these. */
static int is_escaped(const char *p, int of_arguments)
{
    return p[0] == '\\' && p[1] && strchr(of_arguments ? ",\\\"' " : ",", p[1]);
}

void args_split(struct nvcc_args *to, const char *prefix, const char *list,
                int of_arguments)
{
    char *const copy = strdup(list);
    char *word = copy, *out = copy, quote = 0;
    for (const char *p = list;; p++) {
        if (is_escaped(p, of_arguments)) {
            *out++ = *++p;
        } else if (*p && (quote ? *p == quote
                                : *p == '"' || (of_arguments && *p == '\''))) {
            quote = quote ? 0 : *p;
            if (!of_arguments)
                *out++ = *p;
        } else if (!*p ||
                   (!quote && (*p == ',' || (of_arguments && isspace(*p))))) {
            *out++ = 0;
            if (*word && *prefix)
                args_add(to, prefix);
            if (*word)
                args_add(to, word);
            word = out;
        } else {
            *out++ = *p;
        }
        if (!*p)
            break;
    }
}

void args_add_each(struct nvcc_args *to, const char *letter, const char *list)
{
    struct nvcc_args words = {{0}, 0};
    args_split(&words, "", list, 0);
    for (int i = 0; i < words.n; i++)
        args_add(to, args_joined(letter, words.v[i]));
}
