#define _GNU_SOURCE
#include "alignment.h"

#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* realpath */
#include <string.h> /* strcmp */

#include "base/clex.h"
#include "line.h"

enum { PATH = 4096, WORD = 64 };

static int is_among(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return 1;
    return 0;
}

/* True for float4 and the like, which are aligned to more than a float.
 * Types of three elements are not. */
static int is_vector(const char *word)
{
    static const char *const of[] = {
        "char",  "uchar",    "short",     "ushort", "int",    "uint", "long",
        "ulong", "longlong", "ulonglong", "float",  "double", NULL};
    char element[WORD];
    const size_t n = strcspn(word, "0123456789");
    memcpy(element, word, n);
    element[n] = '\0';
    return (word[n] == '2' || word[n] == '4') && is_among(element, of) &&
           is_among(word + n + 1,
                    (const char *const[]){"", "_16a", "_32a", NULL});
}

static int is_aligned_type(const char *word)
{
    static const char *const names[] = {"half2",
                                        "nv_half2",
                                        "__half2",
                                        "__nv_half2",
                                        "nv_bfloat162",
                                        "__nv_bfloat162",
                                        "cuComplex",
                                        "cuFloatComplex",
                                        "cuDoubleComplex",
                                        "cufftComplex",
                                        "aligned",
                                        "__aligned__",
                                        "alignas",
                                        "_Alignas",
                                        "reinterpret_cast",
                                        NULL};
    return is_vector(word) || is_among(word, names);
}

/*
 * The part of a cast of a pointer that has been read: ( or static_cast<, words,
 * one *, perhaps words, and ) or >. What follows tells a cast from a parameter.
 */
struct cast {
    enum { NONE, STATIC, OPEN, NAMED, POINTER, CLOSED, TARGET } state;
    char close;
    int is_wide; /* the type is wider than a byte */
};

/* Read the next token, of a cast's type. */
static void read_type(struct cast *c, const struct ctoken *t, const char *word)
{
    static const char *const narrow[] = {"void",   "char", "bool", "uint8_t",
                                         "int8_t", "byte", NULL};
    const int is_word = t->kind == CTOKEN_WORD;
    if (ctoken_is(t, "(") || (c->state == STATIC && ctoken_is(t, "<"))) {
        *c = (struct cast){OPEN, *t->at == '(' ? ')' : '>', 1};
    } else if (strcmp(word, "static_cast") == 0) {
        c->state = STATIC;
    } else if ((c->state == OPEN || c->state == NAMED) &&
               (is_word || ctoken_is(t, ":"))) {
        c->state = NAMED;
        c->is_wide &= !is_among(word, narrow);
    } else if (c->state == NAMED && ctoken_is(t, "*")) {
        c->state = POINTER;
    } else if (c->state == POINTER && ctoken_is(t, (char[]){c->close, 0})) {
        c->state = CLOSED;
    } else if (c->state != POINTER || !is_word) {
        c->state = NONE;
    }
}

/* Read the next token. True if it shows that a pointer was cast. */
static int cast_read(struct cast *c, const struct ctoken *t, const char *word)
{
    const int was = c->state;
    if (was == CLOSED && t->kind == CTOKEN_WORD) {
        c->state = TARGET;
        return 0;
    }
    read_type(c, t, word);
    return c->is_wide && (was == TARGET ? !ctoken_is(t, "(")
                                        : was == CLOSED && (ctoken_is(t, "(") ||
                                                            ctoken_is(t, "&") ||
                                                            ctoken_is(t, "*")));
}

static int is_in(const char *text, size_t nbytes)
{
    struct clex x;
    struct cast c = {.state = NONE};
    char word[WORD];
    clex_init(&x, text, nbytes, CLEX_CPLUSPLUS);
    for (struct ctoken t; clex_next(&x, &t);) {
        ctoken_text(&t, word, sizeof word);
        if ((t.kind == CTOKEN_WORD && is_aligned_type(word)) ||
            cast_read(&c, &t, word))
            return 1;
    }
    return 0;
}

/* True if the path leads into the folder, by whichever way. */
static int is_under(const char *file, const char *folder)
{
    char *const real = realpath(file, NULL);
    const size_t n = strlen(folder);
    const int under = real && strncmp(real, folder, n) == 0 && real[n] == '/';
    free(real);
    return under;
}

/* True if the line marker begins text of a file of the user's. */
static int is_users(const char *line, const char *folder)
{
    char file[PATH], copy[LINE_NBYTES];
    int n = 0;
    line_copy(line, copy);
    return sscanf(copy, "# %*d \"%4095[^\"]\"%n", file, &n) == 1 && n &&
           !strchr(copy + n, '3') && file[0] != '<' && !is_under(file, folder);
}

/* The next line that begins with # and a space, or the end. */
static const char *next_marker(const char *at)
{
    while (*at && strncmp(at, "# ", 2) != 0) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return at;
}

int alignment_matters(const char *text, const char *folder)
{
    char *const real = realpath(folder, NULL);
    int users = 1, matters = 0;
    for (const char *at = text; *at && !matters;) {
        const char *const marker = next_marker(at);
        matters = users && is_in(at, (size_t)(marker - at));
        users = is_users(marker, real ? real : folder);
        at = marker + strcspn(marker, "\n");
    }
    free(real);
    return matters;
}
