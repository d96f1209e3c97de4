#define _GNU_SOURCE
#include "golden.h"

#include <check.h>  /* ck_abort_msg */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* getenv */
#include <string.h> /* strstr */
#include <unistd.h> /* access */

#include "whole.h"

static void write_anew(const char *path, const char *text)
{
    FILE *const f = fopen(path, "w");
    ck_assert_msg(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s: not written",
                  path);
}

static char *golden_text(const char *path)
{
    char *const text = whole_file(path);
    ck_assert_msg(text != NULL, "%s: run from the root of the tree", path);
    return text;
}

/* Fail with the first line that differs. */
static void compare(const char *path, const char *part, const char *golden,
                    const char *text)
{
    const char *is = text, *was = golden;
    unsigned line = 1;
    for (; *is && *is == *was; is++, was++)
        line += *is == '\n';
    if (*is == *was)
        return;
    while (is > text && is[-1] != '\n')
        is--, was--;
    ck_abort_msg("%s %s, line %u: differs, UPDATE_GOLDEN=1 writes it anew\n"
                 "was: %.*s\nis:  %.*s",
                 path, part, line, (int)strcspn(was, "\n"), was,
                 (int)strcspn(is, "\n"), is);
}

void golden_expect(const char *path, const char *text)
{
    if (getenv("UPDATE_GOLDEN"))
        write_anew(path, text);
    char *const golden = golden_text(path);
    compare(path, "", golden, text);
    free(golden);
}

static char *printed;
static size_t nprinted;

FILE *golden_begin(void)
{
    FILE *const out = open_memstream(&printed, &nprinted);
    ck_assert_ptr_nonnull(out);
    return out;
}

void golden_end(FILE *out, const char *path)
{
    fclose(out);
    golden_expect(path, printed);
    free(printed);
}

/* A file of parts, which an update begins if it is not there. */
static char *parts_of(const char *path)
{
    if (getenv("UPDATE_GOLDEN") && access(path, F_OK) != 0)
        write_anew(path, "");
    return golden_text(path);
}

char *golden_part(const char *path, const char *part)
{
    char head[256];
    char *const all = parts_of(path);
    const int nhead = snprintf(head, sizeof head, "==== %s\n", part);
    char *const begin = strstr(all, head);
    char *const end = begin ? strstr(begin + nhead, "==== ") : NULL;
    if (end)
        *end = '\0';
    char *const text = strdup(begin ? begin + nhead : "");
    free(all);
    return text;
}

static void update_part(const char *path, const char *part, const char *text)
{
    char head[256], *all, *anew;
    const int nhead = snprintf(head, sizeof head, "==== %s\n", part);
    all = parts_of(path);
    char *const begin = strstr(all, head);
    char *const end = begin ? strstr(begin + nhead, "==== ") : NULL;
    const int nbefore = (int)(begin ? begin - all : (long)strlen(all));
    ck_assert_int_ge(asprintf(&anew, "%.*s%s%s%s", nbefore, all,
                              *text ? head : "", text, end ? end : ""),
                     0);
    write_anew(path, anew);
    free(anew);
    free(all);
}

void golden_expect_part(const char *path, const char *part, const char *text)
{
    if (getenv("UPDATE_GOLDEN"))
        update_part(path, part, text);
    char *const golden = golden_part(path, part);
    compare(path, part, golden, text);
    free(golden);
}
