#include "topo/curve.h"

#include <math.h>   /* sqrt */
#include <stdlib.h> /* calloc */

#include "topo/route.h"
#include "topo/traffic.h"

/* Curves that no table gives: against the model's latency and bandwidth. */
struct likeness {
    double lat, bw, kappa; /* a = lat us; B = bw GBps; k = kappa sqrt(a/B) */
};

/* Between nodes: latency as measured on 2x-dgx-h100, the rest as if the
 * network kept what the model says. */
static const struct likeness across_nodes = {1.5, 1, 1.5};

/* Of sendrecv-2xA100-nv4.csv against the copy bandwidth of its links. */
static const struct likeness of_messages = {1, .81, 1.9};

double curve_us(const struct calibration_curve *c, double nbytes)
{
    const double full = c->fill_MiB * (1 << 20) + nbytes;
    return c->a_us + nbytes / (c->B_GBps * 1000) + c->k_us * sqrt(nbytes) +
           (c->fill_us > 0 ? c->fill_us * (nbytes / full) : 0);
}

static struct calibration_curve alike(struct tuning limits, struct likeness x)
{
    struct calibration_curve c = {.a_us = x.lat * limits.us,
                                  .B_GBps = x.bw * limits.GBps};
    c.k_us = x.kappa * sqrt(c.a_us / (c.B_GBps * 1000));
    return c;
}

struct tuning curve_message(const struct topo *t, int32_t from, int32_t to,
                            double sec)
{
    const int a = from / t->ngpus, b = to / t->ngpus;
    const struct shape pair = {
        .n = 2,
        .ngroups = a == b ? 1 : 2,
        .nvlink =
            a == b && route_nvlinks(t, from % t->ngpus, to % t->ngpus) > 0};
    struct tuning_table table;
    tuning_fill(t, &pair, GRAPH_OP_SENDRECV, 1e-9 / sec, &table);
    return tuning_limits(&table);
}

/* Seconds a byte between two GPUs, were all cables as good as new. */
static double healthy_sec(const struct topo *t, const struct traffic *f)
{
    for (int i = 0; i < f->n && t->sick_left < 1; i++)
        if (f->load[i].resource == t->sick[0] ||
            f->load[i].resource == t->sick[1])
            return f->sec * t->sick_left;
    return f->sec;
}

/* The limits of what a given curve was measured on, whose GPUs are the file's
 * first ones; GBps 0: this machine can't do it. */
static struct tuning reference(const struct topo *t, enum calibration_op op,
                               const struct calibration_curve *c)
{
    const struct tuning none = {0, 0};
    const int nodes = (int)c->nodes, ranks = (int)c->ranks, m = ranks / nodes;
    struct tuning limits = none;
    char err[128];
    if (nodes > t->nnodes || m < 1 || m > t->ngpus)
        return none;
    if (op == CALIBRATION_SENDRECV) {
        const int first = t->number[0];
        const int peer = nodes > 1 ? t->ngpus + first : t->number[1];
        struct traffic *const f = traffic_message(t, first, peer);
        if (f)
            limits = curve_message(t, first, peer, healthy_sec(t, f));
        traffic_free(f);
        return limits;
    }
    int32_t *const place = calloc((size_t)ranks, sizeof *place);
    for (int i = 0; place && i < m * nodes; i++)
        place[i] = i / m * t->ngpus + t->number[i % m];
    struct shape *const s =
        place ? shape_of(t, place, m * nodes, err, sizeof err) : NULL;
    free(place);
    if (!s)
        return none;
    struct tuning_table table;
    tuning_fill(t, s, GRAPH_OP_ALLREDUCE, 0, &table);
    return tuning_limits(&table);
}

/* By how much a measured latency exceeds the model's on this machine. */
static double latency_factor(const struct topo *t, int across)
{
    const struct calibration_curve *const c =
        &t->cal.curve[CALIBRATION_ALLREDUCE][across];
    const struct tuning ref = c->ranks > 0
                                  ? reference(t, CALIBRATION_ALLREDUCE, c)
                                  : (struct tuning){0, 0};
    if (ref.GBps > 0)
        return c->a_us / ref.us;
    return across ? across_nodes.lat : t->arch->lat;
}

struct calibration_curve curve_of(const struct topo *t, enum calibration_op op,
                                  int across, struct tuning limits)
{
    const struct calibration_curve *const c = &t->cal.curve[op][across];
    const struct tuning ref =
        c->ranks > 0 ? reference(t, op, c) : (struct tuning){0, 0};
    if (ref.GBps > 0) {
        const double l = limits.us / ref.us, b = limits.GBps / ref.GBps;
        return (struct calibration_curve){.a_us = l * c->a_us,
                                          .B_GBps = b * c->B_GBps,
                                          .k_us = sqrt(l / b) * c->k_us,
                                          .fill_us = l * c->fill_us,
                                          .fill_MiB = l * b * c->fill_MiB};
    }
    if (op == CALIBRATION_SENDRECV) {
        struct likeness x = of_messages;
        x.lat = latency_factor(t, across);
        return alike(limits, x);
    }
    return alike(limits, across ? across_nodes
                                : (struct likeness){t->arch->lat, t->arch->bw,
                                                    t->arch->kappa});
}
