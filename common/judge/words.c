#define _GNU_SOURCE
#include "judge/words.h"

#include <string.h> /* strncmp */

/* The text after a prefix; NULL if the line doesn't start with it. */
static const char *behind(const char *line, const char *prefix)
{
    const size_t n = strlen(prefix);
    return strncmp(line, prefix, n) == 0 ? line + n : NULL;
}

/* The text after "SPEAKER: rank 12: "; NULL if the line doesn't
 * have that form. */
static const char *said_by(const char *line, const char *speaker)
{
    const char *const rank = behind(line, speaker);
    const size_t digits = rank ? strspn(rank, "0123456789") : 0;
    return digits ? behind(rank + digits, ": ") : NULL;
}

/*
 * A message of base/must.h, "rank 2: lab.c:40: cudaMalloc(...): out of memory":
 * its text starts with a source position. Programs print other lines about
 * ranks, too.
 */
static const char *said_by_must(const char *line)
{
    const char *const text = said_by(line, "rank ");
    const size_t file = text ? strcspn(text, " :\n") : 0;
    const size_t digits =
        file && text[file] == ':' ? strspn(text + file + 1, "0123456789") : 0;
    return digits && text[file + 1 + digits] == ':' ? text : NULL;
}

static const char *said(const char *line)
{
    const char *text = said_by(line, "simgpu: rank ");
    if (!text)
        text = said_by(line, "commlab: rank ");
    if (!text)
        text = said_by_must(line);
    return text && strncmp(text, "warning: ", 9) != 0 ? text : NULL;
}

/* The next line. A report behind what a program printed without a newline is a
 * line of its own. */
static const char *next_line(const char *line)
{
    const char *const end = strchrnul(line, '\n');
    for (const char *p = line + 1; p < end; p++)
        if (said_by(p, "simgpu: rank ") || said_by(p, "commlab: rank "))
            return p;
    return *end ? end + 1 : end;
}

/* Append a line without the parts that vary from run to run. Returns
 * the new length. */
static size_t add_line(const char *line, char *out, size_t at, size_t nbytes)
{
    static const char *const chance[] = {" on device ", " at 0x",
                                         " (process ",  "memory 0x",
                                         "accesses 0x", "buff 0x"};
    if (at && at < nbytes - 1)
        out[at++] = '\n';
    while (*line && *line != '\n' && at < nbytes - 1) {
        const char *after = NULL;
        for (size_t i = 0; i < sizeof chance / sizeof *chance && !after; i++)
            after = behind(line, chance[i]);
        if (!after) {
            out[at++] = *line++;
            continue;
        }
        if (line[0] != ' ')
            for (; *line != ' ' && at < nbytes - 1; line++)
                out[at++] = *line;
        line = after + strspn(after, "0123456789abcdef");
        line += after[-1] == ' ' && after[-2] == 's' && *line == ')';
    }
    out[at] = 0;
    return at;
}

static int is_consequence(const char *text)
{
    const char *const end = strchrnul(text, '\n');
    static const char *const ends[] = {"has crashed, or was killed",
                                       ") was killed by SIG"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *const found = strstr(text, ends[i]);
        if (found && found < end)
            return 1;
    }
    return 0;
}

/* True if both lines are of one speaker. */
static int is_same_speaker(const char *a, const char *b)
{
    return said(a) && said(b) && said(a) - a == said(b) - b &&
           strncmp(a, b, (size_t)(said(a) - a)) == 0;
}

/* The report's first line, preferring one that isn't a mere consequence; that
 * may have more lines. */
static const char *find_first(const char *log)
{
    const char *second_choice = NULL, *line = log;
    while (*line) {
        const char *const text = said(line), *const begin = line;
        if (text && !is_consequence(text))
            return line;
        if (text && !second_choice)
            second_choice = line;
        do
            line = next_line(line);
        while (text && *line && is_same_speaker(begin, line));
    }
    return second_choice;
}

char *words_find(const char *log, char *out, size_t nbytes)
{
    const char *const first = find_first(log);
    if (!first)
        return NULL;
    const size_t prefix = (size_t)(said(first) - first);
    size_t at = 0;
    const char *line = first;
    do
        at = add_line(line + prefix, out, at, nbytes);
    while (*(line = next_line(line)) && strncmp(line, first, prefix) == 0 &&
           said(line) && !is_consequence(said(line)));
    return out;
}

int words_is_report(const char *line)
{
    static const char *const launcher[] = {"====================",
                                           "=   ",
                                           "YOUR APPLICATION TERMINATED",
                                           "This typically refers",
                                           "Please see the FAQ",
                                           "[proxy:",
                                           "[mpiexec@"};
    for (size_t i = 0; i < sizeof launcher / sizeof *launcher; i++)
        if (behind(line, launcher[i]))
            return 1;
    if (strstr(line, "application called MPI_Abort("))
        return 1;
    return said(line) && line[0] != 'r';
}
