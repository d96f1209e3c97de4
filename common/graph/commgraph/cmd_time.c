#include <jansson.h>
#include <stdlib.h> /* qsort */
#include <string.h> /* strcmp */

#include "command.h"
#include "graph/explain/hidden.h"

struct kind { /* operations with the same name */
    const char *name;
    unsigned count;
    uint64_t total_ps;
    int32_t bound; /* what bound the longest one */
    uint64_t longest_ps;
};

struct rank_sum {
    uint64_t compute_ps;
    struct hidden hidden;
};

struct summary {
    const struct command_run *run;
    struct hidden_runs *hidden;
    struct kind *kind;
    size_t nkinds;
    struct rank_sum *rank; /* by rank */
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct kind *)a)->name,
                  ((const struct kind *)b)->name);
}

static int by_total(const void *a, const void *b)
{
    const struct kind *const x = a, *const y = b;
    if (x->total_ps != y->total_ps)
        return x->total_ps < y->total_ps ? 1 : -1;
    return by_name(a, b);
}

/* The time of an operation: on a device from its start, on the host
 * from its call. */
static struct kind kind_of(const struct graph_view *v,
                           const struct replay_time *t)
{
    const uint64_t called_ps =
        v->node.host_ps < t->issue_ps ? t->issue_ps - v->node.host_ps : 0;
    const uint64_t ps = t->end_ps - (v->node.queue ? t->start_ps : called_ps);
    return (struct kind){v->name[0] ? v->name : "(no name)", 1, ps, t->bound,
                         ps};
}

/* Make one entry for each name: sort, then merge neighbours. */
static int summarise(struct summary *s, const struct command_run *run)
{
    const struct graph *const g = run->graph;
    const struct replay_time *const time = replay_times(run->replay);
    char err[256];
    *s = (struct summary){
        .run = run,
        .hidden = hidden_new(g, run->topo, HIDDEN_ALL, err, sizeof err)};
    if (!s->hidden)
        return command_failed("%s", err);
    s->kind = malloc(((size_t)g->nnodes + 1) * sizeof *s->kind);
    if (!s->kind)
        return command_failed("no memory for %u operations", g->nnodes);
    for (uint32_t at = 0; at < g->nnodes; at++)
        s->kind[at] = kind_of(&g->nodes[at], &time[at]);
    qsort(s->kind, g->nnodes, sizeof *s->kind, by_name);
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct kind next = s->kind[at];
        struct kind *const last = s->nkinds ? &s->kind[s->nkinds - 1] : NULL;
        if (!last || by_name(last, &next) != 0) {
            s->kind[s->nkinds++] = next;
            continue;
        }
        last->count++;
        last->total_ps += next.total_ps;
        if (next.longest_ps > last->longest_ps) {
            last->longest_ps = next.longest_ps;
            last->bound = next.bound;
        }
    }
    qsort(s->kind, s->nkinds, sizeof *s->kind, by_total);
    return 0;
}

static double us(uint64_t ps)
{
    return (double)ps * 1e-6;
}

static int sum_rank(struct summary *s, uint32_t rank)
{
    const struct graph *const g = s->run->graph;
    const struct replay_time *const time = replay_times(s->run->replay);
    struct rank_sum *const sum = &s->rank[rank];
    const uint32_t first = g->first[rank], end = g->first[rank + 1];
    for (uint32_t at = first; at < end; at++)
        if (g->nodes[at].node.kind == GRAPH_KERNEL)
            sum->compute_ps += time[at].end_ps - time[at].start_ps;
    return first < end ? hidden_of(s->hidden, first, end - 1, &sum->hidden) : 0;
}

static int sum_ranks(struct summary *s)
{
    const struct graph *const g = s->run->graph;
    s->rank = calloc((size_t)g->nranks + 1, sizeof *s->rank);
    for (uint32_t r = 0; r < g->nranks; r++)
        if (!s->rank || sum_rank(s, r) != 0)
            return command_failed("no memory for %u operations", g->nnodes);
    return 0;
}

static const char *bound_name(const struct summary *s, const struct kind *k)
{
    return k->bound < 0 ? "latency"
                        : topo_resource(s->run->topo, k->bound)->name;
}

static void print_table(const struct summary *s)
{
    printf("%-32s %9s %14s %12s  %s\n", "operation", "count", "total us",
           "mean us", "longest is bound by");
    for (size_t i = 0; i < s->nkinds; i++) {
        const struct kind *const k = &s->kind[i];
        printf("%-32.32s %9u %14.3f %12.3f  %s\n", k->name, k->count,
               us(k->total_ps), us(k->total_ps) / k->count, bound_name(s, k));
    }
    printf("\n%-6s %14s %14s %14s %14s %14s\n", "rank", "host us", "compute us",
           "comm us", "hidden us", "exposed us");
    for (uint32_t r = 0; r < s->run->graph->nranks; r++) {
        const struct rank_sum sum = s->rank[r];
        printf("%-6u %14.3f %14.3f %14.3f %14.3f %14.3f\n", r,
               us(replay_host_ps(s->run->replay, r, 0)), us(sum.compute_ps),
               us(sum.hidden.comm_ps), us(sum.hidden.hidden_ps),
               us(sum.hidden.exposed_ps));
    }
    printf("\n%u operations on %s end after %.3f us\n", s->run->graph->nnodes,
           topo_name(s->run->topo), us(replay_end_ps(s->run->replay)));
}

static int print_json(const struct summary *s)
{
    json_t *const kinds = json_array(), *const ranks = json_array();
    for (size_t i = 0; i < s->nkinds; i++) {
        const struct kind *const k = &s->kind[i];
        json_array_append_new(
            kinds,
            json_pack("{s:s%, s:i, s:f, s:f, s:s}", "name", k->name,
                      strlen(k->name), "count", (int)k->count, "total_us",
                      us(k->total_ps), "mean_us", us(k->total_ps) / k->count,
                      "bound", bound_name(s, k)));
    }
    for (uint32_t r = 0; r < s->run->graph->nranks; r++) {
        const struct rank_sum sum = s->rank[r];
        json_array_append_new(
            ranks,
            json_pack("{s:i, s:f, s:f, s:f, s:f, s:f}", "rank", (int)r,
                      "host_us", us(replay_host_ps(s->run->replay, r, 0)),
                      "compute_us", us(sum.compute_ps), "comm_us",
                      us(sum.hidden.comm_ps), "hidden_us",
                      us(sum.hidden.hidden_ps), "exposed_us",
                      us(sum.hidden.exposed_ps)));
    }
    json_t *const all = json_pack(
        "{s:s, s:I, s:f, s:o, s:o}", "topology", topo_name(s->run->topo),
        "count", (json_int_t)s->run->graph->nnodes, "total_us",
        us(replay_end_ps(s->run->replay)), "operations", kinds, "ranks", ranks);
    const int err =
        all ? json_dumpf(all, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII) : -1;
    printf("\n");
    json_decref(all);
    return err ? command_failed("cannot write JSON") : 0;
}

int cmd_time(int argc, char **argv)
{
    const char *dir = NULL, *topo = NULL;
    int json = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = 1;
        else if (strcmp(argv[i], "--topo") == 0 && i + 1 < argc)
            topo = argv[++i];
        else if (argv[i][0] == '-' || dir)
            return command_usage("unexpected argument '%s'", argv[i]);
        else
            dir = argv[i];
    }
    if (!dir)
        return command_usage("give the directory of a saved run");
    struct command_run run;
    struct summary s = {0};
    int status = command_run_init(&run, dir, topo);
    if (status == 0)
        status = summarise(&s, &run);
    if (status == 0)
        status = sum_ranks(&s);
    if (status == 0 && json)
        status = print_json(&s);
    else if (status == 0)
        print_table(&s);
    free(s.kind);
    free(s.rank);
    hidden_free(s.hidden);
    command_run_release(&run);
    return status;
}
