#include "graph/maxmin.h"

#include <float.h> /* DBL_MAX */

/* Levels that differ by less are one: what is left of a resource carries the
 * rounding of all that was taken from it. */
static const double same = 1 + 1e-12;

/* Per unit of weight, how much of it is left for those that still grow. Where
 * rounding left no weight, they hardly use it. */
static double room(const struct maxmin_resource *r)
{
    if (!(r->left > 0))
        return 0;
    return r->weight > 0 ? r->left / r->weight : DBL_MAX;
}

/* The rate at which the next flows stop, never below the last such rate. */
static double next_level(struct maxmin_flow *const *flow, int n,
                         const struct maxmin_resource *resource,
                         const int *touched, int m, double level)
{
    double next = -1;
    for (int i = 0; i < m; i++) {
        const struct maxmin_resource *const r = &resource[touched[i]];
        if (r->nflows && (next < 0 || room(r) < next))
            next = room(r);
    }
    for (int i = 0; i < n; i++)
        if (flow[i]->bound == MAXMIN_OPEN && flow[i]->cap > 0 &&
            (next < 0 || flow[i]->cap < next))
            next = flow[i]->cap;
    return next > level ? next : level;
}

/* What stops the flow at this level, MAXMIN_OPEN if nothing does. */
static int stopped_by(const struct maxmin_flow *f,
                      const struct maxmin_resource *resource, double level)
{
    for (int i = 0; i < f->nuses; i++)
        if (room(&resource[f->use[i].resource]) <= level * same)
            return i;
    return f->cap > 0 && f->cap <= level * same ? MAXMIN_CAP : MAXMIN_OPEN;
}

/* The flow keeps this rate: its share is no longer there for others. */
static void settle(struct maxmin_flow *f, double rate,
                   struct maxmin_resource *resource)
{
    f->rate = rate;
    for (int i = 0; i < f->nuses; i++) {
        struct maxmin_resource *const r = &resource[f->use[i].resource];
        r->left -= rate * f->use[i].weight;
        r->weight -= f->use[i].weight;
        r->nflows--;
    }
}

/* Nobody has a share yet. */
static void begin(struct maxmin_flow *const *flow, int n,
                  struct maxmin_resource *resource, const int *touched, int m)
{
    for (int i = 0; i < m; i++) {
        struct maxmin_resource *const r = &resource[touched[i]];
        r->left = r->rate;
        r->weight = 0;
        r->nflows = 0;
    }
    for (int i = 0; i < n; i++) {
        flow[i]->bound = MAXMIN_OPEN;
        flow[i]->rate = 0;
        for (int u = 0; u < flow[i]->nuses; u++) {
            const struct maxmin_use *const use = &flow[i]->use[u];
            resource[use->resource].weight += use->weight;
            resource[use->resource].nflows++;
        }
    }
}

void maxmin_share(struct maxmin_flow *const *flow, int n,
                  struct maxmin_resource *resource, const int *touched, int m)
{
    enum { STOPS = -1 }; // as a rate: found to stop at this level
    double level = 0;
    begin(flow, n, resource, touched, m);
    for (int growing = n; growing > 0;) {
        level = next_level(flow, n, resource, touched, m, level);
        for (int i = 0; i < n; i++)
            if (flow[i]->bound == MAXMIN_OPEN) {
                flow[i]->bound = stopped_by(flow[i], resource, level);
                if (flow[i]->bound != MAXMIN_OPEN)
                    flow[i]->rate = STOPS;
            }
        for (int i = 0; i < n; i++)
            if (flow[i]->rate == STOPS) {
                settle(flow[i], level, resource);
                growing--;
            }
    }
}
