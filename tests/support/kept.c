#define _GNU_SOURCE
#include "kept.h"

#include <check.h>  /* ck_assert_msg */
#include <stdio.h>  /* getdelim */
#include <stdlib.h> /* free */
#include <string.h> /* strrchr */

#include "child.h"

/* The file beside the test, to be freed; "" if there is none. */
static char *expected(const char *test, const char *name)
{
    char path[4096], *text = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%.*s%s", (int)(strrchr(test, '/') + 1 - test),
             test, name);
    FILE *const f = fopen(path, "r");
    if (!f || getdelim(&text, &room, 0, f) < 0)
        text = calloc(1, 1);
    if (f)
        fclose(f);
    ck_assert_ptr_nonnull(text);
    return text;
}

static void leave(const char *name, const char *text)
{
    char path[4200];
    const char *const slash = strrchr(name, '/');
    snprintf(path, sizeof path, "%s/tests/topo/%s", child_build(),
             slash ? slash + 1 : name);
    FILE *const f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

void kept_check(const char *test, const char *name, const char *now)
{
    char *const then = expected(test, name);
    size_t same = 0, line = 0;
    while (now[same] && now[same] == then[same])
        if (now[same++] == '\n')
            line = same;
    if (now[same] != then[same])
        leave(name, now);
    ck_assert_msg(now[same] == then[same], "%s: %.*s was: %.*s", name,
                  (int)strcspn(now + line, "\n"), now + line,
                  (int)strcspn(then + line, "\n"), then + line);
    free(then);
}

static char *printed;
static size_t nprinted;

FILE *kept_begin(void)
{
    FILE *const out = open_memstream(&printed, &nprinted);
    ck_assert_ptr_nonnull(out);
    return out;
}

void kept_end(FILE *out, const char *test, const char *name)
{
    fclose(out);
    kept_check(test, name, printed);
    free(printed);
}
