#define _GNU_SOURCE
#include "grader/build/errors.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

enum { MOST_ERRORS = 8 };

const char *errors_next_line(const char *line)
{
    const char *const end = strchrnul(line, '\n');
    return *end ? end + 1 : end;
}

const char *errors_in_line(const char *line, const char *what)
{
    const char *const found = strstr(line, what);
    return found && found < strchrnul(line, '\n') ? found : NULL;
}

int errors_is(const char *line)
{
    if (errors_in_line(line, "ld returned"))
        return 0; // it adds nothing to the lines before it
    return errors_in_line(line, "error: ") ||
           errors_in_line(line, "undefined reference") ||
           errors_in_line(line, "multiple definition");
}

/* True if a compiler's line starts with a place in a file of the student's,
 * which are compiled in their own folder: "p2p.c:12:5: ". */
static int is_own(const char *line)
{
    const size_t n = strcspn(line, " :\n");
    return line[0] != '/' && line[0] != '.' && line[n] == ':' &&
           line[n + 1] >= '0' && line[n + 1] <= '9';
}

/* The student's line that expands the macro of the kit in which the error is;
 * the error itself if there is no such line. */
static const char *own_line(const char *error)
{
    if (is_own(error))
        return error;
    for (const char *p = errors_next_line(error); *p && !errors_is(p);
         p = errors_next_line(p))
        if (is_own(p) && errors_in_line(p, "note: in expansion of macro"))
            return p;
    return error;
}

void errors_list(const char *output, char *out, size_t nbytes)
{
    size_t at = 0;
    int n = 0;
    out[0] = 0;
    for (const char *p = output; *p; p = errors_next_line(p)) {
        if (!errors_is(p) || n++ >= MOST_ERRORS || at >= nbytes - 1)
            continue;
        if (strncmp(p, "/src/", 5) == 0) // the linker's name of the folder
            p += 5;
        const char *const own = own_line(p);
        const char *const text = own == p ? p : errors_in_line(p, "error: ");
        const char *const macro =
            own == p ? NULL
                     : errors_in_line(own, "note: in expansion of macro");
        at += (size_t)snprintf(out + at, nbytes - at, "%s%.*s%.*s",
                               at ? "\n" : "", macro ? (int)(macro - own) : 0,
                               own, (int)strcspn(text, "\n"), text);
        if (macro && at < nbytes)
            at += (size_t)snprintf(out + at, nbytes - at,
                                   " (%.*s; what stands before it?)",
                                   (int)strcspn(macro + 9, "\n"), macro + 9);
    }
    if (n > MOST_ERRORS && at < nbytes)
        snprintf(out + at, nbytes - at, "\nand %d more", n - MOST_ERRORS);
    if (n == 0)
        snprintf(out, nbytes, "%.*s", (int)strcspn(output, "\n"), output);
}
