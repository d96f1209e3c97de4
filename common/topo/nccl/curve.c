#include "topo/nccl/curve.h"

#include <math.h>   /* sqrt */
#include <stdlib.h> /* calloc */

#include "topo/nccl/traffic.h"
#include "topo/route.h"

double curve_us(const struct calibration_curve *c, double nbytes)
{
    const double full = c->fill_MiB * (1 << 20) + nbytes;
    return c->a_us + nbytes / (c->B_GBps * 1000) + c->k_us * sqrt(nbytes) +
           (c->fill_us > 0 ? c->fill_us * (nbytes / full) : 0);
}

void curve_message(const struct topo *t, int32_t from, int32_t to,
                   const struct traffic *f, int healthy,
                   struct cell_table *table)
{
    const int a = from / t->ngpus, b = to / t->ngpus;
    const struct shape pair = {
        .n = 2,
        .most = a == b ? 2 : 1,
        .ngroups = a == b ? 1 : 2,
        .nvlink =
            a == b && route_nvlinks(t, from % t->ngpus, to % t->ngpus) > 0};
    tuning_message(t, &pair, f, healthy, table);
}

static int reference_message(const struct topo *t, int nodes,
                             struct cell *limits)
{
    const int first = t->number[0];
    const int peer = nodes > 1 ? t->ngpus + first : t->number[1];
    struct traffic *const f = traffic_message(t, first, peer);
    struct cell_table table;
    if (!f)
        return -1;
    curve_message(t, first, peer, f, 1, &table);
    *limits = cell_limits(&table);
    traffic_free(f);
    return 0;
}

static int reference_allreduce(const struct topo *t, int nodes, int each,
                               struct cell *limits, int *nvls)
{
    char err[128];
    struct cell_table table;
    int32_t *const place = calloc((size_t)(nodes * each), sizeof *place);
    for (int i = 0; place && i < nodes * each; i++)
        place[i] = i / each * t->ngpus + t->number[i % each];
    struct shape *const s =
        place ? shape_of(t, place, nodes * each, err, sizeof err) : NULL;
    free(place);
    if (!s || tuning_fill(t, s, TOPO_OP_ALLREDUCE, 1, &table) != 0)
        return -1;
    *limits = cell_limits(&table);
    *nvls = table.at[TOPO_NVLS][TOPO_SIMPLE].GBps > 0 ||
            table.at[TOPO_NVLSTREE][TOPO_SIMPLE].GBps > 0;
    return 0;
}

int curve_reference(const struct topo *t, enum calibration_op op, int across,
                    struct cell *ref, int *nvls)
{
    const struct calibration_curve *const c = &t->cal.curve[op][across];
    const int nodes = (int)c->nodes, ranks = (int)c->ranks;
    const int each = nodes > 0 ? ranks / nodes : 0;
    int unused;
    *ref = (struct cell){0};
    // the measurement was made on the first GPUs of the file
    if (ranks == 0 || nodes > t->nnodes || each < 1 || each > t->ngpus ||
        t->nccl.other_paths)
        return 0;
    return op == CALIBRATION_SENDRECV
               ? reference_message(t, nodes, ref)
               : reference_allreduce(t, nodes, each, ref,
                                     nvls ? nvls : &unused);
}

/* True unless the curve is of NVLS, and another algorithm has the largest
 * bandwidth here, or the other way round. */
static int is_carried(const struct calibration_curve *c,
                      const struct cell_table *table, int algos)
{
    int best = TOPO_RING;
    double most = 0;
    for (int a = 0; a < TOPO_ALGOS; a++)
        for (int p = 0; p < TOPO_PROTOS; p++)
            if (algos >> a & 1 && table->at[a][p].GBps > most) {
                most = table->at[a][p].GBps;
                best = a;
            }
    return c->algos == 0 ||
           !(c->algos & TOPO_ANY_NVLS) == !(1 << best & TOPO_ANY_NVLS);
}

/*
 * True if the curve of collectives holds for an operation with this table. The
 * time of NVLS depends on its ranks in other ways than that of rings, so a
 * curve that doesn't say what it is of, where NVLS can be used, holds only for
 * what was measured.
 */
static int holds(const struct calibration_curve *c, const struct shape *s,
                 enum topo_op op, int algos, int nvls,
                 const struct cell_table *table)
{
    if (c->algos != 0 || !nvls)
        return is_carried(c, table, algos);
    return op == TOPO_OP_ALLREDUCE && s->n == (int)c->ranks &&
           s->ngroups == (int)c->nodes;
}

int curve_table(const struct topo *t, struct shape *s, enum topo_op op,
                int algos, struct cell *ref, struct cell_table *table)
{
    const int across = s->ngroups > 1;
    int nvls = 0;
    if (curve_reference(t, CALIBRATION_ALLREDUCE, across, ref, &nvls) != 0 ||
        tuning_fill(t, s, op, ref->GBps > 0, table) != 0)
        return -1;
    if (!(ref->GBps > 0) || holds(&t->cal.curve[CALIBRATION_ALLREDUCE][across],
                                  s, op, algos, nvls, table))
        return 0;
    *ref = (struct cell){0};
    return tuning_fill(t, s, op, 0, table);
}

int curve_messages(const struct topo *t, int across, struct cell_table *table)
{
    struct cell own, ref;
    if (curve_reference(t, CALIBRATION_SENDRECV, across, &own, NULL) != 0 ||
        curve_reference(t, CALIBRATION_ALLREDUCE, across, &ref, NULL) != 0)
        return -1;
    // messages start as rings do
    if (own.GBps > 0 || !(ref.GBps > 0) ||
        t->cal.curve[CALIBRATION_ALLREDUCE][across].algos & TOPO_ANY_NVLS)
        return 0;
    const double factor =
        t->cal.curve[CALIBRATION_ALLREDUCE][across].a_us / ref.us;
    for (int p = 0; p < TOPO_PROTOS; p++) {
        table->at[TOPO_P2P][p].us *= factor;
        table->at[TOPO_P2P][p].fill_us *= factor;
    }
    return 0;
}

struct calibration_curve curve_to(const struct calibration_curve *c,
                                  struct cell ref, struct cell limits)
{
    const double l = limits.us / ref.us, b = limits.GBps / ref.GBps;
    return (struct calibration_curve){.a_us = l * c->a_us,
                                      .B_GBps = b * c->B_GBps,
                                      .k_us = sqrt(l / b) * c->k_us,
                                      .fill_us = l * c->fill_us,
                                      .fill_MiB = l * b * c->fill_MiB};
}
