/*
 * collective.c: the cost of communication
 *
 * NCCL's choice (tuner.h, choice.h), its time (tuning.h, curve.h), and its
 * traffic (traffic.h), which may not exceed the bandwidth of the links.
 */
#include <math.h>   /* fmax, llround */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memset */

#include "topo/nccl/choice.h"
#include "topo/nccl/curve.h"
#include "topo/nccl/peers.h"
#include "topo/nccl/settings.h"
#include "topo/nccl/traffic.h"
#include "topo/nccl/tuning.h"

static const char *const op_names[TOPO_OPS] = {
    [TOPO_OP_NONE] = "no operation",
    [TOPO_OP_ALLREDUCE] = "all_reduce",
    [TOPO_OP_BROADCAST] = "broadcast",
    [TOPO_OP_REDUCE] = "reduce",
    [TOPO_OP_ALLGATHER] = "all_gather",
    [TOPO_OP_REDUCESCATTER] = "reduce_scatter",
    [TOPO_OP_ALLTOALL] = "alltoall",
    [TOPO_OP_GATHER] = "gather",
    [TOPO_OP_SCATTER] = "scatter",
    [TOPO_OP_BARRIER] = "barrier",
    [TOPO_OP_SENDRECV] = "sendrecv",
};

/* Fill in *out from a time in microseconds. The time is raised, if necessary,
 * to the latency plus the time of the busiest link. */
static int finish(struct topo_coll *out, const struct traffic *f,
                  double latency_us, double us, uint64_t bytes, char *err,
                  size_t err_nbytes)
{
    const double least_us = latency_us + f->sec * (double)bytes * 1e6;
    out->latency_ps = (uint64_t)llround(latency_us * 1e6);
    out->time_ps = (uint64_t)ceil((us > least_us ? us : least_us) * 1e6);
    out->loads = calloc((size_t)f->n + 1, sizeof *out->loads);
    if (!out->loads) {
        snprintf(err, err_nbytes, "no memory");
        return -1;
    }
    for (; out->nloads < f->n; out->nloads++) {
        out->loads[out->nloads] = f->load[out->nloads];
        out->loads[out->nloads].work *= (double)bytes;
    }
    return 0;
}

/* With fewer channels than NCCL would choose, bytes take
 * proportionally longer. */
static double on_channels(const struct topo *t, const struct shape *s,
                          double latency_us, double us)
{
    const double share = settings_channel_share(t, s->channels);
    return us > latency_us ? latency_us + (us - latency_us) / share : us;
}

/* The cost for a single rank, which copies from the send to the
 * receive buffer. */
static int alone(const struct topo *t, int32_t place, uint64_t bytes,
                 struct topo_coll *out, char *err, size_t err_nbytes)
{
    struct topo_load load = {topo_memory(t, place), 2};
    const struct traffic f = {
        .n = 1, .load = &load, .sec = 2 / t->resource[load.resource].rate};
    const double us = (double)t->costs.kernel_ps * 1e-6;
    out->algo = TOPO_RING;
    out->proto = TOPO_SIMPLE;
    return finish(out, &f, us, us, bytes, err, err_nbytes);
}

/* List the algorithms that could do the operation. */
static void explain(const struct topo *t, const struct shape *s,
                    enum topo_op op, const struct cell_table *table, char *err,
                    size_t err_nbytes)
{
    char can[512] = "";
    size_t at = 0;
    for (int a = 0; a < TOPO_ALGOS; a++)
        for (int p = 0; p < TOPO_PROTOS; p++)
            if (table->at[a][p].GBps > 0)
                at += (size_t)snprintf(can + at, sizeof can - at, " %s/%s",
                                       topo_algo_name((enum topo_algo)a),
                                       topo_proto_name((enum topo_proto)p));
    snprintf(err, err_nbytes,
             "%s over %d GPUs of %s: no algorithm that NCCL_ALGO and "
             "NCCL_PROTO allow can do it; these can:%s",
             op_names[op], s->n, t->name, can);
}

/* ---- collectives --------------------------------------------------------- */

struct costing { /* a collective, while its time is computed */
    const struct topo *t;
    struct shape *s;
    enum topo_op op;
    struct cell_table table;
    int measured;                   /* a table gives the time of NCCL's free */
    struct calibration_curve curve; /* choice */
};

/* Fill in c's table and curve. Returns 0, or -1 if memory runs out. */
static int prepare(struct costing *c, int algos)
{
    struct cell ref;
    if (curve_table(c->t, c->s, c->op, algos, &ref, &c->table) != 0)
        return -1;
    c->measured = ref.GBps > 0;
    if (c->measured)
        c->curve =
            curve_to(&c->t->cal.curve[CALIBRATION_ALLREDUCE][c->s->ngroups > 1],
                     ref, cell_limits(&c->table));
    for (int a = 0; a < TOPO_ALGOS; a++)
        if (c->table.at[a][TOPO_SIMPLE].GBps > 0 &&
            !traffic_of(c->t, c->s, c->op, (enum topo_algo)a))
            return -1;
    return 0;
}

static double latency_of(const struct costing *c,
                         const struct choice_pair *pair)
{
    return c->measured ? c->curve.a_us
                       : c->table.at[pair->algo][pair->proto].us;
}

/* A choice_time: the latency and the time of the busiest link. */
static double links_us(const void *user, const struct choice_pair *pair,
                       double nbytes)
{
    const struct costing *const c = user;
    const double sec = traffic_of(c->t, c->s, c->op, pair->algo)->sec;
    return latency_of(c, pair) + sec * nbytes * 1e6;
}

/* A choice_time. */
static double pair_us(const void *user, const struct choice_pair *pair,
                      double nbytes)
{
    const struct costing *const c = user;
    const struct cell *const own = &c->table.at[pair->algo][pair->proto];
    double us = c->measured ? curve_us(&c->curve, nbytes) : 0;
    if (!c->measured || !pair->free)
        us = fmax(us, cell_time(c->t, *own, nbytes));
    us = on_channels(c->t, c->s, latency_of(c, pair), us);
    return fmax(tuning_raise(c->t, c->s, us), links_us(c, pair, nbytes));
}

/* What NCCL may choose from: what the site's tuner allows between nodes, unless
 * the program says otherwise. */
static struct choice_sets sets_of(const struct topo *t, const struct shape *s,
                                  enum topo_op op, int algos, int protos)
{
    const struct calibration_choice *const site = &t->cal.choice;
    struct choice_sets sets = {algos, protos, 0};
    if (s->ngroups == 1)
        return sets;
    if (algos == TOPO_ANY && site->algos && op == TOPO_OP_ALLREDUCE)
        sets.algos = site->algos;
    if (protos == TOPO_ANY && site->protos) {
        sets.protos = site->protos;
        if (op == TOPO_OP_ALLREDUCE && algos == TOPO_ANY)
            sets.ll = site->ll_KiB * 1024;
    }
    return sets;
}

static int collective(const struct topo *t, struct shape *s, enum topo_op op,
                      uint64_t bytes, int algos, int protos,
                      struct topo_coll *out, char *err, size_t err_nbytes)
{
    struct costing c = {.t = t, .s = s, .op = op};
    const struct choice *choice;
    const struct choice_sets sets = sets_of(t, s, op, algos, protos);
    const int result =
        prepare(&c, sets.algos) == 0 ? choice_of(t, s, op, sets, &choice) : -1;
    if (result > 0)
        explain(t, s, op, &c.table, err, err_nbytes);
    if (result < 0)
        snprintf(err, err_nbytes, "no memory");
    if (result != 0)
        return -1;
    const struct choice_pair *const pair =
        &choice_at(choice, (double)bytes)->pair;
    const double us = choice_us(choice, pair_us, links_us, &c, (double)bytes);
    const struct cell *const own = &c.table.at[pair->algo][pair->proto];
    out->algo = pair->algo;
    out->proto = pair->proto;
    if (own->host_GBps > 0)
        out->host_ps =
            (uint64_t)llround(1e6 * cell_host_us(t, *own, (double)bytes));
    return finish(out, traffic_of(t, s, op, pair->algo), latency_of(&c, pair),
                  us, bytes, err, err_nbytes);
}

/* ---- messages ------------------------------------------------------------ */

/*
 * Choose a protocol, and compute the time: on the curve if there is one, else
 * in the model. part_us: of the largest part of a message (peers.h). Returns 0,
 * or -1 if memory runs out.
 */
static int messages_us(const struct topo *t, int across, struct cell ref,
                       struct cell_table *table, double part_us,
                       struct topo_coll *out, double nbytes, double *latency_us,
                       double *us)
{
    if (curve_messages(t, across, table) != 0)
        return -1;
    cell_split(table, part_us);
    out->algo = TOPO_P2P;
    out->proto = choice_message(t, table, nbytes, ref.GBps > 0);
    const struct cell *const own = &table->at[TOPO_P2P][out->proto];
    *latency_us = own->us;
    *us = cell_time(t, *own, nbytes);
    if (ref.GBps > 0) {
        const struct calibration_curve x =
            curve_to(&t->cal.curve[CALIBRATION_SENDRECV][across], ref,
                     cell_limits(table));
        *latency_us = x.a_us;
        *us = fmax(curve_us(&x, nbytes), x.a_us + part_us);
    }
    return 0;
}

/* The bytes that a rank sends to one peer. */
static double to_peer(const struct shape *s, enum topo_op op, uint64_t bytes)
{
    return (double)bytes / (op == TOPO_OP_SENDRECV ? 1 : s->n);
}

/* An operation of messages between all ranks, or from or to rank 0. */
static int messages(const struct topo *t, struct shape *s, enum topo_op op,
                    uint64_t bytes, struct topo_coll *out, char *err,
                    size_t err_nbytes)
{
    const int across = s->ngroups > 1;
    const struct peers p = peers_of(t, s);
    struct cell_table table;
    struct cell ref;
    double latency_us, us;
    if (curve_reference(t, CALIBRATION_SENDRECV, across, &ref, NULL) != 0 ||
        tuning_fill(t, s, op, ref.GBps > 0, &table) != 0 ||
        messages_us(t, across, ref, &table, peers_us(&p, to_peer(s, op, bytes)),
                    out, (double)bytes, &latency_us, &us) != 0) {
        snprintf(err, err_nbytes, "no memory");
        return -1;
    }
    return finish(out, traffic_of(t, s, op, TOPO_P2P), latency_us,
                  tuning_raise(t, s, us), bytes, err, err_nbytes);
}

int topo_collective(const struct topo *t, enum topo_op op, const int32_t *place,
                    int n, uint64_t bytes, int algos, int protos,
                    struct topo_coll *out, char *err, size_t err_nbytes)
{
    memset(out, 0, sizeof *out);
    if (op <= TOPO_OP_NONE || op >= TOPO_OPS || op == TOPO_OP_BARRIER) {
        snprintf(err, err_nbytes, "%s is not a collective of NCCL",
                 op < TOPO_OPS ? op_names[op] : "an unknown operation");
        return -1;
    }
    struct shape *const s = shape_connected(t, place, n, err, err_nbytes);
    if (!s)
        return -1;
    if (n == 1)
        return alone(t, place[0], bytes, out, err, err_nbytes);
    if (tuning_is_message(op))
        return messages(t, s, op, bytes, out, err, err_nbytes);
    return collective(t, s, op, bytes, algos, protos, out, err, err_nbytes);
}

/* The time in us that channels take for a message, in a communicator of its
 * two ranks. -1 if memory runs out. */
static double channels_us(const struct topo *t, int32_t from, int32_t to,
                          double nbytes)
{
    char err[128];
    if (topo_gpu(t, from)->node != topo_gpu(t, to)->node)
        return 0;
    const struct shape *const s =
        shape_of(t, (const int32_t[]){from, to}, 2, err, sizeof err);
    if (!s)
        return -1;
    const struct peers p = peers_of(t, s);
    return peers_us(&p, nbytes);
}

int topo_message(const struct topo *t, int32_t from, int32_t to, uint64_t bytes,
                 struct topo_coll *out, char *err, size_t err_nbytes)
{
    const struct topo_gpu *const a = topo_gpu(t, from), *b = topo_gpu(t, to);
    memset(out, 0, sizeof *out);
    if (!a || !b) {
        snprintf(err, err_nbytes, "%s has %d GPUs: no path from %d to %d",
                 t->name, topo_ngpus(t), (int)from, (int)to);
        return -1;
    }
    if (from == to)
        return alone(t, from, bytes, out, err, err_nbytes);
    struct traffic *const f = traffic_message(t, from, to);
    if (!f || !(f->sec > 0)) {
        snprintf(err, err_nbytes,
                 f ? "%s: no path from GPU %d to %d"
                   : "%s: no memory for the path from GPU %d to %d",
                 t->name, (int)from, (int)to);
        traffic_free(f);
        return -1;
    }
    const int across = a->node != b->node;
    const double part_us = channels_us(t, from, to, (double)bytes);
    struct cell_table table;
    struct cell ref;
    double latency_us, us;
    int result = -1;
    if (part_us >= 0 &&
        curve_reference(t, CALIBRATION_SENDRECV, across, &ref, NULL) == 0) {
        curve_message(t, from, to, f, ref.GBps > 0, &table);
        result = messages_us(t, across, ref, &table, part_us, out,
                             (double)bytes, &latency_us, &us);
    }
    if (result == 0)
        result = finish(out, f, latency_us, us, bytes, err, err_nbytes);
    else
        snprintf(err, err_nbytes, "no memory");
    traffic_free(f);
    return result;
}

void topo_coll_release(struct topo_coll *c)
{
    free(c->loads);
    memset(c, 0, sizeof *c);
}
