#define _GNU_SOURCE
#include "golden.h"

#include <check.h>  /* ck_abort_msg */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* getenv */
#include <string.h> /* strcmp */

static void write_anew(const char *path, const char *text)
{
    FILE *const f = fopen(path, "w");
    ck_assert_msg(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s: not written",
                  path);
}

static char *read_all(const char *path)
{
    char *text = NULL;
    size_t nbytes = 0;
    FILE *const f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s: run from the root of the tree", path);
    if (getdelim(&text, &nbytes, '\0', f) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(f);
    return text;
}

void golden_expect(const char *path, const char *text)
{
    if (getenv("UPDATE_GOLDEN"))
        write_anew(path, text);
    char *const golden = read_all(path);
    const char *is = text, *was = golden;
    unsigned line = 1;
    for (; *is && *is == *was; is++, was++)
        line += *is == '\n';
    if (*is == *was) {
        free(golden);
        return;
    }
    while (is > text && is[-1] != '\n')
        is--, was--;
    ck_abort_msg("%s:%u: differs, UPDATE_GOLDEN=1 writes it anew\n"
                 "was: %.*s\nis:  %.*s",
                 path, line, (int)strcspn(was, "\n"), was,
                 (int)strcspn(is, "\n"), is);
}
