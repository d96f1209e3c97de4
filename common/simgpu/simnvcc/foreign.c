#define _GNU_SOURCE
#include "foreign.h"

#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* free */
#include <string.h> /* strdup */
#include <unistd.h> /* access */

#include "line.h"

enum { DEPTH = 200 };

struct stack { /* the files that include each other at this point */
    char *path[DEPTH];
    int n;
};

/* The number of bytes of a path up to its last slash. */
static size_t folder_nbytes(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static int same_folder(const char *a, const char *b)
{
    const size_t n = folder_nbytes(a);
    return n > 0 && n == folder_nbytes(b) && strncmp(a, b, n) == 0;
}

/* True if the path is a toolkit's header that own_folder has, too. */
static int is_twin(const char *path, const char *own_folder)
{
    char other[PATH_MAX];
    const int n = (int)folder_nbytes(path);
    if (n == 0)
        return 0;
    snprintf(other, sizeof other, "%.*s/crt/host_config.h", n, path);
    // a file that every toolkit has and simgpu lacks
    if (access(other, R_OK) != 0)
        return 0;
    snprintf(other, sizeof other, "%s%s", own_folder, path + n);
    return access(other, R_OK) == 0;
}

/* The first file in the stack from the folder of its top,
 * unless it is the top. */
static char *first_beside_top(const struct stack *s)
{
    const char *const top = s->path[s->n - 1];
    int i = 0;
    while (!same_folder(s->path[i], top))
        i++;
    return i < s->n - 1 ? strdup(s->path[i]) : NULL;
}

static void pop(struct stack *s)
{
    if (s->n > 0)
        free(s->path[--s->n]);
}

/* Update the stack at a line marker, which says where the
 * following text comes from. */
static void follow(struct stack *s, const char *line)
{
    char path[PATH_MAX], copy[LINE_NBYTES];
    int flag = 0;
    if (sscanf(line_copy(line, copy), "# %*d \"%4095[^\"]\" %d", path, &flag) <
        1)
        return;
    if (flag == 1 && s->n < DEPTH)
        s->path[s->n++] = strdup(path);
    else if (flag == 2)
        pop(s);
}

char *foreign_header(const char *text, const char *own_folder)
{
    struct stack s = {.n = 0};
    char *found = NULL;
    for (const char *at = text; at && !found; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (*at != '#')
            continue;
        const int before = s.n;
        follow(&s, at);
        if (s.n > before && is_twin(s.path[s.n - 1], own_folder))
            found = first_beside_top(&s);
    }
    while (s.n > 0)
        pop(&s);
    return found;
}
