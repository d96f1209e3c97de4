#define _GNU_SOURCE
#include "announced.h"

#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* abort */
#include <string.h> /* strncmp */

/* The text behind the prefix, or NULL if it doesn't start with the prefix. */
static const char *behind(const char *text, const char *prefix)
{
    const size_t n = strlen(prefix);
    return text && strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

/* The name of the function if the line calls one of them, or NULL. */
static const char *called(const char *line)
{
    static const char *const calls[] = {"\tcall\t*", "\tcall\t", "\tbl\t"};
    static const char *const names[] = {
        "memcpy",  "memmove", "memset",  "memcmp",  "sincos", "sincosf",
        "sincosl", "modf",    "modff",   "modfl",   "frexp",  "frexpf",
        "frexpl",  "remquo",  "remquof", "remquol", "malloc", "free"};
    const char *at = NULL;
    for (size_t i = 0; !at && i < sizeof calls / sizeof *calls; i++)
        at = behind(line, calls[i]);
    for (size_t i = 0; at && i < sizeof names / sizeof *names; i++) {
        const char *const rest = behind(at, names[i]);
        if (rest && (*rest == '@' || *rest == '\n'))
            return at;
    }
    return NULL;
}

char *announced_rename(const char *assembly)
{
    char *text;
    size_t nbytes;
    FILE *const out = open_memstream(&text, &nbytes);
    if (!out)
        abort();
    for (const char *line = assembly; *line;) {
        const size_t length = strcspn(line, "\n");
        const char *const next = line + length + (line[length] == '\n');
        const char *const name = called(line);
        if (name)
            fprintf(out, "%.*ssimgpu_", (int)(name - line), line);
        fwrite(name ? name : line, 1, (size_t)(next - (name ? name : line)),
               out);
        line = next;
    }
    fclose(out);
    return text;
}
