#define _GNU_SOURCE
#include "grader/run/last_call.h"

#include <fcntl.h>  /* open */
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strstr */
#include <unistd.h> /* close */

#include "grader/recorder/recorder.h"
#include "graph/record/read.h"

enum { RANKS = 1024, SITE = 256, LIMIT_SEC = 10 };

/* The graph of this rank alone, if it is incomplete; else NULL. */
static struct graph *load_early(const char *dir, int rank, int nranks)
{
    char path[PATH_MAX], err[384];
    int fd[RANKS];
    if (nranks > RANKS)
        return NULL;
    for (int r = 0; r < nranks; r++)
        fd[r] = -1;
    snprintf(path, sizeof path, "%s/" RECORDER_EARLY "/rank-%d.graph", dir,
             rank);
    fd[rank] = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd[rank] < 0)
        return NULL;
    struct graph *const g = graph_map(fd, (uint32_t)nranks, err, sizeof err);
    close(fd[rank]);
    return g;
}

/* Replace "program+0x31250" by "ring.c:40", if the program has a line there. */
static void find_line(const struct sandbox *like, const char *program,
                      char site[SITE])
{
    const char *const at = strstr(site, "+0x");
    struct sandbox_end *const end = calloc(1, sizeof *end);
    if (at && end) {
        struct sandbox s = *like;
        const char *const argv[] = {"addr2line", "-s",   "-e",
                                    program,     at + 1, NULL};
        s.watch = NULL;
        s.limit_sec = LIMIT_SEC;
        s.no_input = 0;
        sandbox_run(&s, argv, end);
        const char *const line = end->log.head;
        if (end->status == 0 && line[0] != '?' && strchr(line, ':'))
            snprintf(site, SITE, "%.*s", (int)strcspn(line, " \n"), line);
    }
    free(end);
}

void last_call_text(const char *dir, int rank, int nranks,
                    const struct sandbox *s, const char *program, char *out,
                    size_t nbytes)
{
    char site[SITE];
    struct graph *const g = load_early(dir, rank, nranks);
    out[0] = 0;
    if (g && g->nnodes > 0) {
        const struct graph_view *const last = &g->nodes[g->nnodes - 1];
        graph_site_text_of(g, last->node.rank, last->node.site, site,
                           sizeof site);
        find_line(s, program, site);
        snprintf(out, nbytes, "\nIts last call was %s at %s.", last->name,
                 site);
    }
    graph_free(g);
}
