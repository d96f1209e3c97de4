#include "topo/copies.h"

#include <stdlib.h> /* calloc */

#include "base/maxmin.h"

struct sharing {
    struct maxmin_use *use; /* TOPO_MAX_PATH entries for each flow */
    struct maxmin_flow *flow, **flows;
    struct maxmin_resource *resource;
    int *touched, ntouched;
};

static int sharing_init(struct sharing *s, const struct topo *t, int n)
{
    const size_t nflows = (size_t)n, nresources = (size_t)topo_nresources(t);
    s->use = calloc(nflows * TOPO_MAX_PATH, sizeof *s->use);
    s->flow = calloc(nflows, sizeof *s->flow);
    s->flows = calloc(nflows, sizeof *s->flows);
    s->resource = calloc(nresources, sizeof *s->resource);
    s->touched = calloc(nresources, sizeof *s->touched);
    return s->use && s->flow && s->flows && s->resource && s->touched ? 0 : -1;
}

static void sharing_release(struct sharing *s)
{
    free(s->use);
    free(s->flow);
    free(s->flows);
    free(s->resource);
    free(s->touched);
}

static void add_copy(struct sharing *s, const struct topo *t, int i,
                     const struct topo_path *path)
{
    struct maxmin_use *const use = &s->use[(size_t)i * TOPO_MAX_PATH];
    for (int k = 0; k < path->nresources; k++) {
        const int r = path->resource[k];
        use[k] = (struct maxmin_use){.resource = r, .weight = 1};
        if (s->resource[r].rate == 0)
            s->touched[s->ntouched++] = r;
        s->resource[r].rate = topo_resource(t, r)->rate;
    }
    s->flow[i] = (struct maxmin_flow){
        .use = use, .nuses = path->nresources, .cap = path->rate_cap};
    s->flows[i] = &s->flow[i];
}

int copies_share(const struct topo *t, const struct topo_path *path, int n,
                 double *rate)
{
    struct sharing s = {0};
    const int result = sharing_init(&s, t, n);
    if (result == 0) {
        for (int i = 0; i < n; i++)
            add_copy(&s, t, i, &path[i]);
        maxmin_share(s.flows, n, s.resource, s.touched, s.ntouched);
        for (int i = 0; i < n; i++)
            rate[i] = s.flow[i].rate;
    }
    sharing_release(&s);
    return result;
}
