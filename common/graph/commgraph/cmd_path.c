#include <stdlib.h> /* calloc, qsort */
#include <string.h> /* strcmp */

#include "command.h"
#include "graph/explain/path.h"
#include "graph/record/span.h"

enum { FEW = 40 }; /* rows printed without --all */

/* Adjacent steps of the same kind. */
struct graph_row {
    const struct path_step *first;
    unsigned count;
    uint64_t end_ps, total_ps; /* total_ps: in the summary */
};

struct listing {
    const struct command_run *run;
    const char *span;  /* NULL: the whole run */
    uint64_t begin_ps; /* when the run or the span begins */
    uint64_t end_ps;
    struct path path;
    struct graph_row *row;
    size_t n;
};

static const struct graph_view *view(const struct listing *l,
                                     const struct graph_row *r)
{
    return &l->run->graph->nodes[r->first->node];
}

static const char *what(const struct listing *l, const struct graph_row *r)
{
    static const char *const part[] = {
        [PATH_HOST] = "calls", [PATH_DEVICE] = "", [PATH_WAIT] = "in"};
    static char text[160];
    const char *const name = view(l, r)->name;
    snprintf(text, sizeof text, "%s%s%s", part[r->first->part],
             r->first->part == PATH_DEVICE ? "" : " ",
             name[0] ? name : "(no name)");
    return text;
}

static const char *bound(const struct listing *l, const struct graph_row *r)
{
    const int b = replay_times(l->run->replay)[r->first->node].bound;
    if (r->first->part != PATH_DEVICE)
        return "";
    return b < 0 ? "latency" : topo_resource(l->run->topo, b)->name;
}

static int alike(const struct listing *l, const struct graph_row *a,
                 const struct graph_row *b)
{
    const struct graph_view *const v = view(l, a), *const w = view(l, b);
    return a->first->part == b->first->part && v->node.rank == w->node.rank &&
           strcmp(v->name, w->name) == 0;
}

static int make_rows(struct listing *l)
{
    l->row = calloc(l->path.n + 1, sizeof *l->row);
    if (!l->row)
        return -1;
    for (size_t i = 0; i < l->path.n; i++) {
        const struct path_step *const s = &l->path.step[i];
        const struct graph_row next = {s, 1, s->end_ps,
                                       s->end_ps - s->begin_ps};
        struct graph_row *const last = l->n ? &l->row[l->n - 1] : NULL;
        if (last && alike(l, last, &next)) {
            last->count++;
            last->end_ps = next.end_ps;
            last->total_ps += next.total_ps;
        } else {
            l->row[l->n++] = next;
        }
    }
    return 0;
}

static double us(uint64_t ps)
{
    return (double)ps * 1e-6;
}

static void print_rows(const struct listing *l, size_t limit)
{
    printf("%12s %12s %5s %5s  %-36s %-18s %s\n", "start us", "time us", "rank",
           "count", "operation", "bound by", "call site");
    for (size_t i = 0; i < l->n && i < limit; i++) {
        const struct graph_row *const r = &l->row[i];
        printf("%12.3f %12.3f %5u %5u  %-36s %-18s %s\n",
               us(r->first->begin_ps - l->begin_ps), us(r->total_ps),
               view(l, r)->node.rank, r->count, what(l, r), bound(l, r),
               view(l, r)->site);
    }
    if (l->n > limit)
        printf("%12s and %zu more: --all shows them\n", "...", l->n - limit);
}

static int by_total(const void *a, const void *b)
{
    const struct graph_row *const x = a, *const y = b;
    if (x->total_ps != y->total_ps)
        return x->total_ps < y->total_ps ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Merge rows of the same kind and rank. There are few, so search linearly. */
static void print_sums(struct listing *l)
{
    const double all = us(l->end_ps - l->begin_ps);
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        size_t k = 0;
        while (k < n && !alike(l, &l->row[k], &l->row[i]))
            k++;
        if (k < n) {
            l->row[k].total_ps += l->row[i].total_ps;
            l->row[k].count += l->row[i].count;
        } else {
            l->row[n++] = l->row[i];
        }
    }
    qsort(l->row, n, sizeof *l->row, by_total);
    printf("\n%12s %7s %5s %5s  %s\n", "total us", "share", "rank", "count",
           "operation");
    for (size_t i = 0; i < n; i++) {
        const struct graph_row *const r = &l->row[i];
        printf("%12.3f %6.1f%% %5u %5u  %s\n", us(r->total_ps),
               all > 0 ? 100 * us(r->total_ps) / all : 0, view(l, r)->node.rank,
               r->count, what(l, r));
    }
    if (l->span)
        printf("\nSpan \"%s\" begins %.3f us after the run, and takes %.3f us. "
               "Operations\nnot listed did not delay it.\n",
               l->span, us(l->begin_ps), all);
    else
        printf("\nThe run ends after %.3f us. Operations not listed did not "
               "delay it.\n",
               all);
}

/* ---- the path of a run, or of a span ------------------------------------- */

static int find_run(struct listing *l)
{
    l->end_ps = replay_end_ps(l->run->replay);
    return path_find(&l->path, l->run->graph, replay_times(l->run->replay));
}

/* Find the path of the span. Returns 1 if the run has no such span, -1 if
 * memory runs out. */
static int find_span(struct listing *l)
{
    const struct graph *const g = l->run->graph;
    char *const in = calloc((size_t)g->nnodes + 1, 1);
    int status = -1;
    if (in && span_mark(g, l->span, in) == 0)
        status = 1;
    else if (in)
        status = path_find_part(&l->path, g, replay_times(l->run->replay), in);
    if (status == 0 && l->path.n) {
        l->begin_ps = l->path.step[0].begin_ps;
        l->end_ps = l->path.step[l->path.n - 1].end_ps;
    }
    free(in);
    return status;
}

static int list_path(struct listing *l, size_t limit)
{
    const int status = l->span ? find_span(l) : find_run(l);
    if (status > 0)
        return command_failed("the run has no operation in a span \"%s\"",
                              l->span);
    if (status < 0 || make_rows(l) != 0)
        return command_failed("no memory for %u operations",
                              l->run->graph->nnodes);
    print_rows(l, limit);
    print_sums(l);
    return 0;
}

int cmd_path(int argc, char **argv)
{
    const char *dir = NULL, *topo = NULL, *span = NULL;
    int all = 0;
    const struct command_option options[] = {{"--topo", &topo, NULL},
                                             {"--span", &span, NULL},
                                             {"--all", NULL, &all},
                                             {NULL, NULL, NULL}};
    int status = command_arguments(argc, argv, options, &dir);
    if (status)
        return status;
    if (!dir)
        return command_usage("give the directory of a saved run");
    struct command_run run;
    status = command_run_init(&run, dir, topo);
    if (status)
        return status;
    struct listing l = {.run = &run, .span = span};
    status = list_path(&l, all ? SIZE_MAX : FEW);
    free(l.row);
    path_release(&l.path);
    command_run_release(&run);
    return status;
}
