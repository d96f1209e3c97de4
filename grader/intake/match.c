#define _GNU_SOURCE
#include "grader/intake/match.h"

#include <ctype.h>   /* isalnum */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* strtol */
#include <string.h>  /* strlen */
#include <strings.h> /* strncasecmp */

#include "grader/base/decompose.h"

static const struct {
    const char *name;
    size_t at;
} columns[] = {{"{student}", offsetof(struct student, key)},
               {"{id}", offsetof(struct student, id)},
               {"{sis_id}", offsetof(struct student, sis_id)},
               {"{github}", offsetof(struct student, github)},
               {"{email}", offsetof(struct student, email)},
               {"{group}", offsetof(struct student, group)}};
enum { NCOLUMNS = sizeof columns / sizeof *columns };
static const char *const others[] = {"{name}", "{attempt}", "{any}", "{file}"};

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

const char *match_wrong(const char *pattern)
{
    for (const char *p = pattern; (p = strchr(p, '{')) != NULL; p++) {
        int known = 0;
        for (int i = 0; i < NCOLUMNS; i++)
            known |= begins(p, columns[i].name);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            known |= begins(p, others[i]);
        if (!known)
            return p;
    }
    return NULL;
}

/* ---- people's names ------------------------------------------------------ */

/* True for a letter of a name, which includes all bytes of UTF-8 sequences. */
static int is_letter(char c)
{
    return (unsigned char)c >= 0x80 || isalnum((unsigned char)c);
}

/* Reduce a name to lower-case letters: those of the words from `first` on, then
 * those of the words before. */
static void plain(const char *name, int first, char *out, size_t nbytes)
{
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        int word = 0;
        for (const char *p = name; *p; p++) {
            if (p > name && is_letter(*p) && (p[-1] == ' ' || p[-1] == ','))
                word++;
            if (is_letter(*p) && (word >= first) == !pass && n + 1 < nbytes)
                out[n++] = (char)tolower((unsigned char)*p);
        }
    }
    out[n] = 0;
}

/* The number of bytes at the start of text that are the name, in either order,
 * without a dot behind it; 0 if it isn't there. Both are decomposed. */
static size_t name_at(const char *text, const char *name, int whole)
{
    enum { WORDS = 5 };
    for (int first = 0; first < WORDS; first++) {
        char want[512];
        size_t i = 0, k = 0;
        plain(name, first, want, sizeof want);
        while (want[k] && text[i]) {
            if (is_letter(text[i])) {
                if (tolower((unsigned char)text[i]) != (unsigned char)want[k] &&
                    text[i] != want[k])
                    break;
                k++;
            } else if (!strchr(" ,.'-", text[i])) {
                break;
            }
            i++;
        }
        if (want[0] && !want[k] && (!whole || !text[i + strspn(text + i, ".")]))
            return i;
    }
    return 0;
}

int match_same_name(const char *a, const char *b)
{
    char *const one = decompose(a), *const other = decompose(b);
    const int same = name_at(one, other, 1) > 0;
    free(one);
    free(other);
    return same;
}

/* ---- patterns ------------------------------------------------------------ */

static int match(const char *p, const char *t, const struct student *s,
                 struct match *m);

/* Match `{x}` and the rest of the pattern, where {x} is any text without
 * letters of `stop`. */
static int match_any(const char *rest, const char *t, const char *stop,
                     const struct student *s, struct match *m)
{
    for (;; t++) {
        if (match(rest, t, s, m))
            return 1;
        if (!*t || strchr(stop, *t))
            return 0;
    }
}

/* The number of bytes of t that a student's name or other column takes; 0 if
 * it isn't there. */
static size_t value_at(const char *p, const char *t, const struct student *s)
{
    const int is_name = begins(p, "{name}");
    const char *value = is_name ? s->name : NULL;
    for (int i = 0; i < NCOLUMNS; i++)
        if (begins(p, columns[i].name))
            value = *(char *const *)((const char *)s + columns[i].at);
    if (!value || !*value)
        return 0;
    char *const plain = decompose(value);
    size_t n = strlen(plain);
    if (is_name)
        n = name_at(t, plain, 0);
    else if (strncasecmp(t, plain, n) != 0)
        n = 0;
    free(plain);
    return n;
}

static int match_placeholder(const char *p, const char *t,
                             const struct student *s, struct match *m)
{
    const char *const rest = strchr(p, '}') + 1;
    if (begins(p, "{any}"))
        return match_any(rest, t, "_", s, m);
    if (begins(p, "{file}")) {
        m->file = t;
        return *t != 0;
    }
    if (begins(p, "{attempt}")) {
        char *end;
        const long n = isdigit((unsigned char)*t) ? strtol(t, &end, 10) : 0;
        if (n < 1 || n > 9999 || !match(rest, end, s, m))
            return 0;
        m->attempt = (int)n;
        return 1;
    }
    const size_t n = value_at(p, t, s);
    // a name may end in a dot: "King Jr."
    const size_t most = begins(p, "{name}") ? strspn(t + n, ".") : 0;
    for (size_t k = 0; n && k <= most; k++)
        if (match(rest, t + n + k, s, m)) {
            m->nbytes += n;
            return 1;
        }
    return 0;
}

static int match(const char *p, const char *t, const struct student *s,
                 struct match *m)
{
    for (; *p; p++, t++) {
        if (*p == '*')
            return match_any(p + 1, t, "", s, m);
        if (*p == '{')
            return match_placeholder(p, t, s, m);
        if (tolower((unsigned char)*p) != tolower((unsigned char)*t))
            return 0;
    }
    return !*t;
}

/* The part of a name whose decomposed form is `rest`. */
static const char *end_of(const char *name, const char *rest)
{
    for (;; name++) {
        char *const plain = decompose(name);
        const int is = strcmp(plain, rest) == 0;
        free(plain);
        if (is || !*name)
            return name;
    }
}

int match_name(const char *pattern, const char *name, const struct student *s,
               struct match *m)
{
    char *const want = decompose(pattern), *const got = decompose(name);
    *m = (struct match){.attempt = 1};
    const int is = match(want, got, s, m);
    if (m->file)
        m->file = end_of(name, m->file);
    free(want);
    free(got);
    return is;
}
