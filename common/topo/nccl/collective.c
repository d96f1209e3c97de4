/*
 * collective.c: the cost of communication
 *
 * NCCL's choice (tuning.h, choice.h), its time (curve.h), and its traffic
 * (traffic.h), which may not exceed the bandwidth of the links.
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

/* The time of a choice: on the curve if there is one, else in the model. */
static void time_of(const struct topo *t, const struct choice *c,
                    const struct calibration_curve *x, struct cell ref,
                    double nbytes, double *latency_us, double *us)
{
    if (ref.GBps > 0) {
        const struct calibration_curve all =
            curve_to(x, ref, cell_limits(&c->free));
        const struct calibration_curve own =
            curve_to(x, ref, cell_limits(&c->allowed));
        *latency_us = all.a_us;
        *us = fmax(choice_us(c, &all, &own, nbytes),
                   all.a_us + c->free.at[TOPO_P2P][TOPO_SIMPLE].part_us);
    } else {
        const struct cell *const own = &c->free.at[c->algo][c->proto];
        *latency_us = own->us;
        *us = cell_time(t, *own, nbytes);
    }
}

/* The bytes that a rank sends to one peer. */
static double to_peer(const struct shape *s, enum topo_op op, uint64_t bytes)
{
    return (double)bytes / (op == TOPO_OP_SENDRECV ? 1 : s->n);
}

static int several(const struct topo *t, struct shape *s, enum topo_op op,
                   uint64_t bytes, int algos, int protos, struct topo_coll *out,
                   char *err, size_t err_nbytes)
{
    const enum calibration_op kind =
        tuning_is_message(op) ? CALIBRATION_SENDRECV : CALIBRATION_ALLREDUCE;
    const int across = s->ngroups > 1;
    struct cell_table table;
    struct choice choice;
    struct cell ref;
    double latency_us, us;
    if (curve_reference(t, kind, across, &ref) != 0 ||
        tuning_fill(t, s, op, ref.GBps > 0, &table) != 0 ||
        (kind == CALIBRATION_SENDRECV &&
         curve_messages(t, across, &table) != 0)) {
        snprintf(err, err_nbytes, "no memory");
        return -1;
    }
    if (kind == CALIBRATION_SENDRECV) {
        const struct peers p = peers_of(t, s);
        cell_split(&table, peers_us(&p, to_peer(s, op, bytes)));
    }
    // use what the network's tuner allows, unless the program says otherwise
    if (across && algos == TOPO_ANY && t->cal.choice.algos)
        algos = t->cal.choice.algos | 1 << TOPO_P2P | 1 << TOPO_PAT;
    if (across && protos == TOPO_ANY && t->cal.choice.protos)
        protos = t->cal.choice.protos;
    if (choice_make(t, &choice, &table, algos, protos, (double)bytes,
                    ref.GBps > 0) != 0) {
        explain(t, s, op, &table, err, err_nbytes);
        return -1;
    }
    out->algo = choice.algo;
    out->proto = choice.proto;
    time_of(t, &choice, &t->cal.curve[kind][across], ref, (double)bytes,
            &latency_us, &us);
    const struct cell *const own = &table.at[choice.algo][choice.proto];
    if (own->host_GBps > 0)
        out->host_ps =
            (uint64_t)llround(1e6 * (cell_time(t, *own, (double)bytes) -
                                     cell_guess(t, *own, (double)bytes)));
    if (kind == CALIBRATION_ALLREDUCE)
        us = on_channels(t, s, latency_us, us);
    us = tuning_raise(t, s, us);
    return finish(out, traffic_of(t, s, op, choice.algo), latency_us, us, bytes,
                  err, err_nbytes);
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
    return n == 1
               ? alone(t, place[0], bytes, out, err, err_nbytes)
               : several(t, s, op, bytes, algos, protos, out, err, err_nbytes);
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
    struct cell_table table;
    struct choice choice;
    struct cell ref;
    double latency_us, us;
    const double part_us = channels_us(t, from, to, (double)bytes);
    int result = part_us < 0
                     ? -1
                     : curve_reference(t, CALIBRATION_SENDRECV, across, &ref);
    if (result == 0) {
        curve_message(t, from, to, f, ref.GBps > 0, &table);
        result = curve_messages(t, across, &table);
    }
    if (result == 0) {
        cell_split(&table, part_us);
        choice_make(t, &choice, &table, TOPO_ANY, TOPO_ANY, (double)bytes,
                    ref.GBps > 0);
        time_of(t, &choice, &t->cal.curve[CALIBRATION_SENDRECV][across], ref,
                (double)bytes, &latency_us, &us);
        out->algo = choice.algo;
        out->proto = choice.proto;
        result = finish(out, f, latency_us, us, bytes, err, err_nbytes);
    } else {
        snprintf(err, err_nbytes, "no memory");
    }
    traffic_free(f);
    return result;
}

void topo_coll_release(struct topo_coll *c)
{
    free(c->loads);
    memset(c, 0, sizeof *c);
}
