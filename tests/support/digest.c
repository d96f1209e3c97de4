#include "digest.h"

#include <check.h>  /* ck_abort_msg */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strcspn */

#include "base/mix.h"
#include "golden.h"

enum { ROW = 79 };

static const char digits[] = "0123456789abcdefghijklmnopqrstuv"
                             "wxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-+";

/* A hash of a line and of all lines before it: if a character should not show
 * that its line differs, the next one will. */
static uint64_t add_line(uint64_t hash, const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = mix_hash(hash ^ (unsigned char)line[i]);
    return mix_hash(hash ^ '\n');
}

/* The text's digest, which the caller frees. */
static char *digest_of(const char *text)
{
    char *const out = calloc(1, 2 * strlen(text) + 2), *to = out;
    uint64_t hash = 0;
    ck_assert_ptr_nonnull(out);
    for (size_t k = 1; *text; k++) {
        const size_t n = strcspn(text, "\n");
        hash = add_line(hash, text, n);
        *to++ = digits[hash & 63];
        if (k % ROW == 0)
            *to++ = '\n';
        text += n + (text[n] == '\n');
    }
    *to = '\n';
    return out;
}

/* The number, from 0, of the line in which two digests differ first; -1: they
 * are the same. */
static long first_difference(const char *a, const char *b)
{
    long i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    return a[i] == b[i] ? -1 : i - i / (ROW + 1);
}

static void say(const char *part, const char *text, long line)
{
    const char *head = "";
    for (long i = 0; i < line && *text; i++) {
        if (strncmp(text, "# ", 2) == 0)
            head = text;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    ck_abort_msg("%s, line %ld, of %.*s, was not:\n%.*s", part, line + 1,
                 (int)strcspn(head, "\n"), head, (int)strcspn(text, "\n"),
                 text);
}

void digest_expect(const char *path, const char *part, const char *text)
{
    char *const digest = digest_of(text);
    if (getenv("UPDATE_GOLDEN"))
        golden_expect_part(path, part, digest);
    char *const golden = golden_part(path, part);
    const long line = first_difference(golden, digest);
    free(golden);
    free(digest);
    if (line >= 0)
        say(part, text, line);
}
