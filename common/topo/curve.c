#include "topo/curve.h"

#include <math.h>   /* sqrt */
#include <stdlib.h> /* calloc */

#include "topo/route.h"
#include "topo/traffic.h"

/* Curves without a table, relative to the model's latency and bandwidth. */
struct likeness {
    double lat, bw, kappa; /* a = lat us; B = bw GBps; k = kappa sqrt(a/B) */
};

/* Between nodes: latency as measured on 2x-dgx-h100, bandwidth as in the
 * model. */
static const struct likeness across_nodes = {1.5, 1, 1.5};

/* sendrecv-2xA100-nv4.csv relative to the copy bandwidth of its links. */
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
    tuning_fill(t, &pair, TOPO_OP_SENDRECV, 1e-9 / sec, &table);
    return tuning_limits(&table);
}

/* Seconds per byte between two GPUs if no cable were degraded. */
static double healthy_sec(const struct topo *t, const struct traffic *f)
{
    for (int i = 0; i < f->n && t->sick_left < 1; i++)
        if (f->load[i].resource == t->sick[0] ||
            f->load[i].resource == t->sick[1])
            return f->sec * t->sick_left;
    return f->sec;
}

/* The limits of a curve's measurement, which was made on the first GPUs of the
 * file. GBps 0: this machine has too few GPUs. Returns 0, or -1 if memory runs
 * out. */
static int reference(const struct topo *t, enum calibration_op op,
                     const struct calibration_curve *c, struct tuning *limits)
{
    const int nodes = (int)c->nodes, ranks = (int)c->ranks;
    const int m = nodes > 0 ? ranks / nodes : 0;
    char err[128];
    *limits = (struct tuning){0, 0};
    if (ranks == 0 || nodes > t->nnodes || m < 1 || m > t->ngpus ||
        t->nccl.other_paths)
        return 0;
    if (op == CALIBRATION_SENDRECV) {
        const int first = t->number[0];
        const int peer = nodes > 1 ? t->ngpus + first : t->number[1];
        struct traffic *const f = traffic_message(t, first, peer);
        if (!f)
            return -1;
        *limits = curve_message(t, first, peer, healthy_sec(t, f));
        traffic_free(f);
        return 0;
    }
    int32_t *const place = calloc((size_t)ranks, sizeof *place);
    for (int i = 0; place && i < m * nodes; i++)
        place[i] = i / m * t->ngpus + t->number[i % m];
    struct shape *const s =
        place ? shape_of(t, place, m * nodes, err, sizeof err) : NULL;
    free(place);
    if (!s)
        return -1;
    struct tuning_table table;
    tuning_fill(t, s, TOPO_OP_ALLREDUCE, 0, &table);
    *limits = tuning_limits(&table);
    return 0;
}

/* Measured over modelled latency on this machine. */
static int latency_factor(const struct topo *t, int across, double *factor)
{
    const struct calibration_curve *const c =
        &t->cal.curve[CALIBRATION_ALLREDUCE][across];
    struct tuning ref;
    if (reference(t, CALIBRATION_ALLREDUCE, c, &ref) != 0)
        return -1;
    if (ref.GBps > 0)
        *factor = c->a_us / ref.us;
    else
        *factor = across ? across_nodes.lat : t->arch->lat;
    return 0;
}

int curve_of(const struct topo *t, enum calibration_op op, int across,
             struct tuning limits, struct calibration_curve *out)
{
    const struct calibration_curve *const c = &t->cal.curve[op][across];
    struct tuning ref;
    if (reference(t, op, c, &ref) != 0)
        return -1;
    if (ref.GBps > 0) {
        const double l = limits.us / ref.us, b = limits.GBps / ref.GBps;
        *out = (struct calibration_curve){.a_us = l * c->a_us,
                                          .B_GBps = b * c->B_GBps,
                                          .k_us = sqrt(l / b) * c->k_us,
                                          .fill_us = l * c->fill_us,
                                          .fill_MiB = l * b * c->fill_MiB};
        return 0;
    }
    struct likeness x =
        across ? across_nodes
               : (struct likeness){t->arch->lat, t->arch->bw, t->arch->kappa};
    if (op == CALIBRATION_SENDRECV) {
        x = of_messages;
        if (latency_factor(t, across, &x.lat) != 0)
            return -1;
    }
    *out = alike(limits, x);
    return 0;
}
