#include "topo/fabric.h"

#include <stdio.h> /* snprintf */

#include "base/mix.h"
#include "topo/route.h"

static int at_least_1(double x)
{
    return x < 1 ? 1 : (int)x;
}

int fabric_count(struct topo *t)
{
    const struct calibration_fabric *const c = &t->cal.fabric;
    struct machine_fabric *const f = &t->fabric;
    const int ports = (int)c->ports;
    f->leaves = 0;
    if (c->kind == CALIBRATION_CROSSBAR || t->nnics == 0 || t->nnodes == 1)
        return 0;
    f->rails = c->kind == CALIBRATION_RAIL ? t->nnics : 1;
    f->nodes = at_least_1(f->rails > 1 ? ports : (double)ports / t->nnics);
    f->uplinks = at_least_1(ports / c->over);
    f->leaves = (t->nnodes + f->nodes - 1) / f->nodes * f->rails;
    return f->leaves * f->uplinks * 2;
}

void fabric_build(struct topo *t)
{
    struct machine_fabric *const f = &t->fabric;
    f->first = t->per_node * t->nnodes;
    for (int i = 0; i < f->leaves * f->uplinks * 2; i++) {
        struct topo_resource *const r = &t->resource[f->first + i];
        snprintf(r->name, sizeof r->name, "leaf %d %s %d", i / 2 / f->uplinks,
                 i % 2 ? "down" : "up", i / 2 % f->uplinks);
        r->rate = t->resource[t->nic[0].out].rate;
    }
}

/* The leaf of a node's NIC. */
static int leaf_of(const struct machine_fabric *f, int node, int nic)
{
    return node / f->nodes * f->rails + (f->rails > 1 ? nic : 0);
}

void fabric_load(const struct topo *t, int32_t from, int32_t to, double share,
                 double *work)
{
    const struct machine_fabric *const f = &t->fabric;
    if (f->leaves == 0)
        return;
    const int a = from / t->ngpus, b = to / t->ngpus;
    const int nic_a = route_nic(t, from % t->ngpus);
    const int nic_b = route_nic(t, to % t->ngpus);
    const int leaf_a = leaf_of(f, a, nic_a), leaf_b = leaf_of(f, b, nic_b);
    if (leaf_a == leaf_b)
        return;
    // as many as there are uplinks: packets take the least busy one
    const int adaptive = t->cal.fabric.paths >= f->uplinks;
    const int paths = adaptive ? f->uplinks : (int)t->cal.fabric.paths;
    const uint64_t flow =
        mix_hash(f->seed ^ mix_hash((uint64_t)(a * t->nnics + nic_a) << 32 |
                                    (uint64_t)(b * t->nnics + nic_b)));
    for (int i = 0; i < paths; i++) {
        const int up =
            adaptive ? i
                     : (int)(mix_nth(flow, (uint64_t)i) % (uint64_t)f->uplinks);
        work[f->first + 2 * (leaf_a * f->uplinks + up)] += share / paths;
        work[f->first + 2 * (leaf_b * f->uplinks + up) + 1] += share / paths;
    }
}
