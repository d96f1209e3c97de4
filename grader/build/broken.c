#define _GNU_SOURCE
#include "grader/build/broken.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */
#include <unistd.h> /* access */

#include "base/clex.h"
#include "grader/base/file.h"
#include "grader/build/errors.h"

enum { PATH = PATH_MAX + 300 };

/* The path, in the folder of objects, of a file that belongs to file i. */
static const char *in_out(const struct compiler *c, int i, const char *suffix,
                          char path[PATH])
{
    snprintf(path, PATH, "%s/%s.%s", c->out, c->place->plan->file[i], suffix);
    return path;
}

/* The lab's own form of a file, with its functions not written. */
static const char *skeleton_of(const struct compiler *c, int i, char path[PATH])
{
    snprintf(path, PATH, "%s/labs/%s/%s", c->place->kit, c->place->lab,
             c->place->plan->file[i]);
    return path;
}

static char *read_file(const char *path)
{
    enum { MOST = 1 << 20 };
    char *const text = calloc(1, MOST);
    FILE *const f = fopen(path, "re");
    const size_t n = f && text ? fread(text, 1, MOST - 1, f) : 0;
    if (f)
        fclose(f);
    if (text)
        text[n] = 0;
    return text;
}

/* Write the first error of an output to why. */
static void first_error(const char *output, char why[200])
{
    errors_list(output, why, 200);
    why[strcspn(why, "\n")] = 0;
}

int broken_find(struct broken *b, const struct compiler *c)
{
    const struct plan *const plan = c->place->plan;
    char path[PATH];
    int n = 0;
    *b = (struct broken){.is = {0}};
    for (int i = 0; i < plan->nfiles; i++) {
        if (!compiler_takes(plan->file[i]) ||
            access(in_out(c, i, "o", path), F_OK) == 0)
            continue;
        char *const said = read_file(in_out(c, i, "said", path));
        first_error(said ? said : "", b->why[i]);
        free(said);
        b->is[i] = 1;
        n++;
    }
    return n;
}

/* ---- what the linker complains about ------------------------------------- */

/* True if the tokens that follow are a parameter list and a body. */
static int is_definition(struct clex x)
{
    struct ctoken t;
    int depth = 0;
    while (clex_next(&x, &t)) {
        depth += ctoken_is(&t, "(") - ctoken_is(&t, ")");
        if (depth <= 0)
            break;
    }
    return clex_next(&x, &t) && ctoken_is(&t, "{");
}

/* True if the text of a source defines the function. */
static int defines(const char *text, const char *name)
{
    struct clex x;
    int depth = 0;
    clex_init(&x, text, strlen(text), CLEX_CPLUSPLUS);
    for (struct ctoken t; clex_next(&x, &t);)
        if (t.begins && ctoken_is(&t, "#"))
            clex_skip_line(&x);
        else if (depth == 0 && ctoken_is(&t, name) && is_definition(x))
            return 1;
        else
            depth += ctoken_is(&t, "{") - ctoken_is(&t, "}");
    return 0;
}

/* True if the lab's own form of file i defines the function. */
static int is_home(const struct compiler *c, int i, const char *name)
{
    char path[PATH];
    char *const text = read_file(skeleton_of(c, i, path));
    const int found = text && defines(text, name);
    free(text);
    return found;
}

/* The file of the plan that a path names, or whose object it names: of
 * "/src/p2p.c:12: ..." and "ld: /out/p2p.c.o: ..." p2p.c. -1 if it is
 * another. */
static int file_at(const struct plan *plan, const char *path)
{
    const char *const ld = errors_in_line(path, "ld: ");
    path = ld ? ld + strlen("ld: ") : path;
    const size_t n = strcspn(path, ":\n");
    for (int i = 0; i < plan->nfiles; i++) {
        const size_t length = strlen(plan->file[i]);
        for (size_t end = 0; end <= 2; end += 2) { // with .o or without
            const size_t all = length + end;
            const char *const at = path + n - all;
            if (n > all && at[-1] == '/' && compiler_takes(plan->file[i]) &&
                strncmp(at, plan->file[i], length) == 0 &&
                strncmp(at + length, ".o", end) == 0)
                return i;
        }
    }
    return -1;
}

/* Copy the name that a linker's line has in quotes. */
static void quoted(const char *at, char name[200])
{
    const char *const begin = at + strcspn(at, "`'\n");
    name[0] = 0;
    if (*begin == '`' || *begin == '\'')
        snprintf(name, 200, "%.*s", (int)strcspn(begin + 1, "'(\n"), begin + 1);
}

/* The file to blame for an error of the linker's; -1 if there is none. */
static int blame(const struct compiler *c, const char *line,
                 const char *replaced)
{
    const struct plan *const plan = c->place->plan;
    const char *const twice = errors_in_line(line, "multiple definition of ");
    const char *const none = errors_in_line(line, "undefined reference to ");
    const char *const first = twice ? errors_in_line(twice, "; ") : NULL;
    const int at = file_at(plan, line),
              other = first ? file_at(plan, first + 2) : -1;
    char name[200];
    quoted(twice ? twice : none ? none : "", name);
    if (twice)
        return at < 0 || replaced[at] ||
                       (other >= 0 && is_home(c, at, name) &&
                        !is_home(c, other, name))
                   ? other
                   : at;
    for (int i = 0; none && i < plan->nfiles; i++)
        if (compiler_takes(plan->file[i]) && !replaced[i] &&
            is_home(c, i, name))
            return i;
    return none ? at : -1;
}

int broken_find_linked(struct broken *b, const struct compiler *c,
                       const char *output, char *replaced)
{
    int n = 0;
    *b = (struct broken){.is = {0}};
    for (const char *line = output; *line; line = errors_next_line(line)) {
        const int i = errors_is(line) ? blame(c, line, replaced) : -1;
        if (i < 0 || replaced[i] || b->is[i])
            continue;
        first_error(line, b->why[i]);
        b->is[i] = 1;
        n++;
    }
    for (int i = 0; i < PLAN_MAX_FILES; i++)
        replaced[i] |= b->is[i];
    return n;
}

/* ---- the lab's own ------------------------------------------------------- */

/* True if some files are not broken, and the lab has its own of those that
 * are. */
static int can_replace(const struct compiler *c, const struct broken *b)
{
    const struct plan *const plan = c->place->plan;
    char path[PATH];
    int nbroken = 0, nwell = 0;
    for (int i = 0; i < plan->nfiles; i++)
        if (!b->is[i])
            nwell += compiler_takes(plan->file[i]);
        else if (access(skeleton_of(c, i, path), R_OK) == 0)
            nbroken++;
        else
            return 0;
    return nbroken > 0 && nwell > 0;
}

int broken_replace(const struct compiler *c, const struct broken *b,
                   const char *what, char *done, struct result *r)
{
    const struct plan *const plan = c->place->plan;
    char from[PATH], to[PATH];
    if (!can_replace(c, b))
        return -1;
    for (int i = 0; i < plan->nfiles; i++) {
        const size_t n = strlen(r->broken);
        done[i] = compiler_takes(plan->file[i]) && !b->is[i];
        if (!b->is[i])
            continue;
        snprintf(to, sizeof to, "%s/%s", c->src, plan->file[i]);
        if (file_copy(skeleton_of(c, i, from), to) != 0)
            return -1;
        result_note(r,
                    "%s does not %s: the lab's own was taken, with its "
                    "functions not written (%s)",
                    plan->file[i], what, b->why[i]);
        snprintf(r->broken + n, sizeof r->broken - n, "%s%s", n ? "\n" : "",
                 b->why[i]);
    }
    return 0;
}
