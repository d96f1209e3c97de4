#include "replayed.h"
#include "graph/replay/load.h"

#include <math.h>   /* INFINITY */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* abort */
#include <string.h> /* strdup */

static void need(int holds, const char *err)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", err);
    abort();
}

void replayed_init(struct replayed *t, const char *machine, uint32_t nranks)
{
    char err[512] = "";
    *t = (struct replayed){.topo = topo_load(machine, err, sizeof err)};
    need(t->topo != NULL, err);
    synthetic_init(&t->s, nranks);
}

void replayed_saved(struct replayed *t, const char *dir)
{
    char err[512] = "";
    *t = (struct replayed){.g = graph_load(dir, err, sizeof err)};
    need(t->g != NULL, err);
    t->topo = topo_load(t->g->machine, err, sizeof err);
    need(t->topo != NULL, err);
    t->r = replay_run(t->g, t->topo, NULL, err, sizeof err);
    need(t->r != NULL, err);
}

static void forget(struct replayed *t)
{
    replay_free(t->r);
    graph_free(t->g);
    t->r = NULL;
    t->g = NULL;
}

void replayed_release(struct replayed *t)
{
    forget(t);
    if (t->s.nranks)
        synthetic_release(&t->s);
    topo_free(t->topo);
}

void replayed_run(struct replayed *t, const struct replay_options *options)
{
    char err[512] = "";
    forget(t);
    t->g = synthetic_load(&t->s);
    t->r = replay_run(t->g, t->topo, options, err, sizeof err);
    need(t->r != NULL, err);
}

char *replayed_error(struct replayed *t)
{
    char err[512] = "";
    forget(t);
    t->g = synthetic_load(&t->s);
    t->r = replay_run(t->g, t->topo, NULL, err, sizeof err);
    need(t->r == NULL, "the replay was to fail");
    return strdup(err);
}

struct replay_time replayed_at(const struct replayed *t, struct graph_ref ref)
{
    const struct replay_time *const time = replay_node(t->r, ref);
    need(time != NULL, "no such operation");
    return *time;
}

struct topo_path replayed_way(const struct replayed *t, int from, int to)
{
    struct topo_path p;
    need(topo_path(t->topo, from, to, topo_p2p(t->topo, from, to), &p) == 0,
         "no way from there to there");
    return p;
}

uint64_t replayed_bytes_ps(const struct replayed *t, double nbytes,
                           const struct topo_path *p)
{
    double rate = p->rate_cap > 0 ? p->rate_cap : INFINITY;
    for (int i = 0; i < p->nresources; i++)
        rate = fmin(rate, topo_resource(t->topo, p->resource[i])->rate);
    return (uint64_t)(nbytes / rate * 1e12 + 0.5);
}
