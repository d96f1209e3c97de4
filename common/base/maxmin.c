#include "base/maxmin.h"

#include <float.h> /* DBL_MAX */

/* Levels closer than this count as equal: the remaining rate of a resource
 * carries the rounding errors of all that was subtracted from it. */
static const double same = 1 + 1e-12;

/* Remaining rate per unit of weight of the flows that still grow. If rounding
 * left no weight, these flows use almost none of the resource. */
static double spare(const struct maxmin_resource *r)
{
    if (!(r->left > 0))
        return 0;
    return r->weight > 0 ? r->left / r->weight : DBL_MAX;
}

/* The rate at which the next flows stop, never below the previous one. */
static double next_level(struct maxmin_flow *const *flow, int n,
                         const struct maxmin_resource *resource,
                         const int *touched, int m, double level)
{
    double next = -1;
    for (int i = 0; i < m; i++) {
        const struct maxmin_resource *const r = &resource[touched[i]];
        if (r->nflows && (next < 0 || spare(r) < next))
            next = spare(r);
    }
    for (int i = 0; i < n; i++)
        if (flow[i]->bound == MAXMIN_OPEN && flow[i]->cap > 0 &&
            (next < 0 || flow[i]->cap < next))
            next = flow[i]->cap;
    return next > level ? next : level;
}

/* The use that stops the flow at this level, MAXMIN_CAP, or MAXMIN_OPEN if
 * nothing does. */
static int stopped_by(const struct maxmin_flow *f,
                      const struct maxmin_resource *resource, double level)
{
    for (int i = 0; i < f->nuses; i++)
        if (spare(&resource[f->use[i].resource]) <= level * same)
            return i;
    return f->cap > 0 && f->cap <= level * same ? MAXMIN_CAP : MAXMIN_OPEN;
}

/* Fix the flow's rate and take its share from its resources. */
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

/* Reset all flows and resources. */
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
    enum { STOPS = -1 }; // a mark in `rate`: the flow stops at this level
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
