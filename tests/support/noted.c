#include "noted.h"

#include <stdlib.h> /* malloc */
#include <string.h> /* strcspn */

#include "core/proc.h"
#include "ranks.h"

static const char *const kinds[GRAPH_KINDS] = {
    "host", "kernel", "copy",   "memset", "coll",
    "send", "recv",   "hostfn", "mark",   "mpi"};

struct graph *noted_graph(void)
{
    char err[256];
    const struct proc *const p = simgpu_proc();
    int *const fd = malloc(p->nranks * sizeof *fd);
    MUST(fd != NULL);
    for (uint32_t rank = 0; rank < p->nranks; rank++)
        fd[rank] = rank == p->rank ? graph_fd(p->graph) : -1;
    struct graph *const g = graph_map(fd, p->nranks, err, sizeof err);
    free(fd);
    MUST(g != NULL);
    return g;
}

static void print_site(const struct graph *g, uint32_t rank, uint32_t site)
{
    char text[256];
    graph_site_text_of(g, rank, site, text, sizeof text);
    const char *const slash = strrchr(text, '/');
    const char *const name = slash ? slash + 1 : text;
    fprintf(stderr, " %.*s", (int)strcspn(name, ":"), name);
}

static void print_touched(const struct graph_view *v)
{
    for (uint32_t i = 0; i < v->nmoves; i++)
        fprintf(stderr, " %d>%d:%llu", v->moves[i].from, v->moves[i].to,
                (unsigned long long)v->moves[i].nbytes);
    for (uint32_t i = 0; i < v->naccesses; i++)
        fprintf(
            stderr, " %x:%llx@%llu+%llu", v->accesses[i].write,
            (unsigned long long)v->accesses[i].alloc,
            (unsigned long long)v->accesses[i].begin,
            (unsigned long long)(v->accesses[i].end - v->accesses[i].begin));
}

static void print_part(const struct graph *g, const struct graph_view *v)
{
    const struct graph_node *const n = &v->node;
    fprintf(stderr, "%u.%u %s %s", n->index, v->part, kinds[n->kind], v->name);
    print_site(g, n->rank, n->site);
    fprintf(stderr, " q%u @%d %llu+%llu t%u f%u", n->queue, n->place,
            (unsigned long long)n->host_ps, (unsigned long long)n->latency_ps,
            n->thread, n->flags);
    if (n->flops != 0)
        fprintf(stderr, " %g", n->flops);
    for (uint32_t i = 0; i < n->ndeps; i++) {
        fprintf(stderr, " <%u:%u", v->deps[i].rank, v->deps[i].index);
        if (v->dep_parts)
            fprintf(stderr, ".%u", v->dep_parts[i]);
    }
    print_touched(v);
    fputc('\n', stderr);
}

void noted_print(void)
{
    struct graph *const g = noted_graph();
    for (uint32_t i = 0; i < g->nnodes; i++)
        print_part(g, &g->nodes[i]);
    for (size_t i = 0; i < g->nqueues; i++)
        fprintf(stderr, "queue %u @%d %s\n", g->queues[i].queue,
                g->queues[i].place, g->queues[i].name);
    for (size_t i = 0; i < g->nfaults; i++) {
        fprintf(stderr, "%s of %u:", g->faults[i].warning ? "warning" : "fault",
                g->faults[i].index);
        print_site(g, g->faults[i].rank, g->faults[i].site_id);
        fprintf(stderr, ": %s\n", g->faults[i].text);
    }
    graph_free(g);
}
