#include "judge/graph/links.h"

#include <math.h>   /* NAN */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "judge/graph/spans.h"

/* Add the bytes of a send to each resource on its path. */
static int add_load(const struct topo *topo, const struct graph_node *n,
                    double *load)
{
    struct topo_coll message;
    char err[256];
    if (topo_message(topo, n->place, n->peer_place, n->bytes, &message, err,
                     sizeof err) != 0)
        return -1;
    for (int i = 0; i < message.nloads; i++)
        load[message.loads[i].resource] += message.loads[i].work;
    topo_coll_release(&message);
    return 0;
}

/* True if the name (topo_resource.name) is a link's, not that of a memory or an
 * engine at its end. */
static int is_link(const char *name)
{
    static const char *const links[] = {"nvlink ", "pcie ", "socket ", "out ",
                                        "in "};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (strncmp(name, links[i], strlen(links[i])) == 0)
            return 1;
    return 0;
}

double links_busiest(const struct judge_task *t, int iteration,
                     const char *prefix, const char **link)
{
    double most = 0;
    *link = "";
    if (!t->spans)
        return NAN;
    const struct topo *const topo = spans_topo(t->spans);
    double *const load = calloc((size_t)topo_nresources(topo), sizeof *load);
    int err = !load;
    for (int r = 0; r < t->nranks && !err; r++) {
        struct spans_window w;
        err = spans_window(t, r, iteration, &w);
        for (uint32_t at = w.first; !err && at <= w.last; at++)
            if (t->graph->nodes[at].node.kind == GRAPH_SEND &&
                t->graph->nodes[at].part == 0)
                err = add_load(topo, &t->graph->nodes[at].node, load);
    }
    for (int i = 0; i < topo_nresources(topo) && !err; i++) {
        const char *const name = topo_resource(topo, i)->name;
        if (load[i] <= most || !is_link(name) ||
            strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        most = load[i];
        *link = name;
    }
    free(load);
    return err ? NAN : most;
}

/* The first link on the path from one GPU to another; -1 if there is none. */
static int link_towards(const struct topo *topo, int from, int to)
{
    struct topo_path path;
    if (topo_path(topo, from, to, 1, &path) != 0)
        return -1;
    for (int i = 0; i < path.nresources; i++)
        if (is_link(topo_resource(topo, path.resource[i])->name))
            return path.resource[i];
    return -1;
}

/* Ranks are placed on the machine's GPUs in order. */
double links_out_rate(const struct judge_task *t)
{
    enum { MOST = 1024 };
    double best = 0;
    if (!t->spans)
        return NAN;
    const struct topo *const topo = spans_topo(t->spans);
    for (int from = 0; from < t->nranks; from++) {
        int link[MOST], n = 0;
        double rate = 0;
        for (int to = 0; to < t->nranks && n < MOST; to++) {
            const int towards = to == from ? -1 : link_towards(topo, from, to);
            int known = towards < 0;
            for (int i = 0; i < n && !known; i++)
                known = link[i] == towards;
            if (known)
                continue;
            link[n++] = towards;
            rate += topo_resource(topo, towards)->rate;
        }
        best = rate > best ? rate : best;
    }
    return best;
}
