#define _GNU_SOURCE
#include "synthetic.h"
#include "graph/replay/load.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* mkdtemp, abort */
#include <string.h> /* strcpy */
#include <unistd.h> /* unlink, rmdir */

static void *need(void *p, const char *what)
{
    if (!p) {
        perror(what);
        abort();
    }
    return p;
}

void synthetic_init(struct synthetic *s, uint32_t nranks)
{
    s->nranks = nranks;
    strcpy(s->dir, "/tmp/commlab-test-XXXXXX");
    need(mkdtemp(s->dir), s->dir);
    s->rank = need(calloc(nranks, sizeof *s->rank), "calloc");
    for (uint32_t r = 0; r < nranks; r++)
        s->rank[r] = need(graph_open(r, nranks, s->dir), "graph_open");
}

void synthetic_release(struct synthetic *s)
{
    char path[128];
    for (uint32_t r = 0; r < s->nranks; r++) {
        graph_close(s->rank[r]);
        snprintf(path, sizeof path, "%s/rank-%u.graph", s->dir, r);
        unlink(path);
    }
    rmdir(s->dir);
    free(s->rank);
}

struct graph_ref synthetic_add(struct synthetic *s, uint32_t rank,
                               const struct synthetic_op *op)
{
    struct graph_node n = op->node;
    n.ndeps = n.nmoves = 0;
    n.naccesses = 0;
    while (n.ndeps < SYNTHETIC_DEPS && op->deps[n.ndeps].index)
        n.ndeps++;
    while (n.nmoves < SYNTHETIC_MOVES && op->moves[n.nmoves].nbytes)
        n.nmoves++;
    while (n.naccesses < SYNTHETIC_ACCESSES &&
           op->accesses[n.naccesses].end > op->accesses[n.naccesses].begin)
        n.naccesses++;
    if (op->name)
        n.name = graph_string(s->rank[rank], op->name);
    return (struct graph_ref){
        rank, graph_add(s->rank[rank], &n, op->deps, op->moves, op->accesses)};
}

void synthetic_range(struct synthetic *s, uint32_t rank, const char *name)
{
    graph_span(name ? graph_string(s->rank[rank], name) : 0);
}

struct graph *synthetic_load(struct synthetic *s)
{
    char err[512];
    for (uint32_t r = 0; r < s->nranks; r++)
        if (graph_save(s->rank[r]) != 0)
            abort();
    struct graph *const g = graph_load(s->dir, err, sizeof err);
    if (!g)
        fprintf(stderr, "%s\n", err);
    return need(g, "graph_load");
}

struct graph_live *synthetic_live(struct synthetic *s)
{
    struct graph_live *const l = need(graph_live_new(s->nranks), "live");
    for (uint32_t r = 0; r < s->nranks; r++)
        if (graph_live_attach(l, r, graph_fd(s->rank[r])) != 0) {
            perror("graph_live_attach");
            abort();
        }
    return l;
}
