#include "digest.h"

#include <check.h>  /* ck_abort_msg */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strcspn */

#include "base/mix.h"
#include "golden.h"

enum { ROW = 79, FEW = 8 };

static const char digits[] = "0123456789abcdefghijklmnopqrstuv"
                             "wxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-+";

static const char *next_line(const char *text)
{
    text += strcspn(text, "\n");
    return text + (*text == '\n');
}

/* The end of the first lines of a text that one character stands for: nlines of
 * them, or fewer if a headline follows. */
static const char *end_of(const char *text, int nlines)
{
    do
        text = next_line(text);
    while (--nlines > 0 && *text && strncmp(text, "# ", 2) != 0);
    return text;
}

/* A hash of some lines and all lines before them. If one character happens to
 * hide that its lines differ, the next one will show it. */
static uint64_t add_lines(uint64_t hash, const char *text, const char *end)
{
    const int ended = end[-1] == '\n';
    for (; text < end; text++)
        hash = mix_hash(hash ^ (unsigned char)*text);
    return ended ? hash : mix_hash(hash ^ '\n');
}

/* The text's digest. The caller frees it. */
static char *digest_of(const char *text, int nlines)
{
    char *const out = calloc(1, 2 * strlen(text) + 2), *to = out;
    uint64_t hash = 0;
    ck_assert_ptr_nonnull(out);
    for (size_t k = 1; *text; k++) {
        const char *const end = end_of(text, nlines);
        hash = add_lines(hash, text, end);
        *to++ = digits[hash & 63];
        if (k % ROW == 0)
            *to++ = '\n';
        text = end;
    }
    *to = '\n';
    return out;
}

/* The number, from 0, of the first character in which two digests differ; -1 if
 * they are equal. */
static long first_difference(const char *a, const char *b)
{
    long i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    return a[i] == b[i] ? -1 : i - i / (ROW + 1);
}

/* Fail with the lines that a character stands for. */
static void say(const char *part, const char *text, long number, int nlines)
{
    const char *head = "", *line = text;
    char name[128];
    long nth = 1; // line of its text
    for (; number > 0 && *line; number--) {
        const char *const end = end_of(line, nlines);
        for (; line < end; line = next_line(line), nth++)
            if (strncmp(line, "# ", 2) == 0)
                head = line + 2, nth = 0;
    }
    if (strncmp(line, "# ", 2) == 0)
        head = line + 2, nth = 0;
    const int nhead = (int)strcspn(head, "\n");
    snprintf(name, sizeof name, "%.*s", nlines > 1 ? nhead : (int)strlen(part),
             nlines > 1 ? head : part);
    ck_abort_msg("%s: \"%.*s\" differs first in line %ld%s:\n%.*s"
                 "%s prints its text, UPDATE_GOLDEN=1 rewrites the digest",
                 part, nhead, head, nth, nlines > 1 ? " or soon after it" : "",
                 *line ? (int)(end_of(line, nlines) - line) : 0, line,
                 golden_command(name));
}

static void expect(const char *path, const char *part, const char *text,
                   int nlines)
{
    char *const digest = digest_of(text, nlines);
    if (getenv("UPDATE_GOLDEN"))
        golden_expect_part(path, part, digest);
    char *const golden = golden_part(path, part);
    const long number = first_difference(golden, digest);
    free(golden);
    free(digest);
    if (number >= 0)
        say(part, text, number, nlines);
}

void digest_expect(const char *path, const char *part, const char *text)
{
    golden_show(part, text);
    expect(path, part, text, 1);
}

void digest_expect_texts(const char *path, const char *part, const char *texts)
{
    expect(path, part, texts, FEW);
}
