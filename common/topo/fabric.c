#include "topo/fabric.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */

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

/* The leaf that a node's NIC is connected to. */
static int leaf_of(const struct machine_fabric *f, int node, int nic)
{
    return node / f->nodes * f->rails + (f->rails > 1 ? nic : 0);
}

/* True if a flow has as many paths as a leaf has uplinks: packets take
 * whichever is the least busy. */
static int adaptive(const struct topo *t)
{
    return t->cal.fabric.paths >= t->fabric.uplinks;
}

/* The resource of uplink u of a leaf towards the spine; the reverse direction
 * is the next resource. */
static int up_of(const struct machine_fabric *f, int leaf, int u)
{
    return f->first + 2 * (leaf * f->uplinks + u);
}

/* A NIC in use, and the number of GPUs that use it. */
struct end {
    int node, nic, leaf;
    double ngpus;
};

static struct end end_of(const struct topo *t, int32_t place)
{
    struct end e = {.node = place / t->ngpus, .ngpus = 1};
    e.nic = route_nic(t, place % t->ngpus);
    e.leaf = leaf_of(&t->fabric, e.node, e.nic);
    return e;
}

/* Add the load of a flow between leaves, hashed onto its uplinks. */
static void hash_flow(const struct topo *t, const struct end *a,
                      const struct end *b, double share, double *work)
{
    const struct machine_fabric *const f = &t->fabric;
    const int paths = (int)t->cal.fabric.paths;
    const uint64_t flow = mix_hash(
        f->seed ^ mix_hash((uint64_t)(a->node * t->nnics + a->nic) << 32 |
                           (uint64_t)(b->node * t->nnics + b->nic)));
    for (int i = 0; i < paths; i++) {
        const int u = (int)(mix_nth(flow, (uint64_t)i) % (uint64_t)f->uplinks);
        work[up_of(f, a->leaf, u)] += share / paths;
        work[up_of(f, b->leaf, u) + 1] += share / paths;
    }
}

/* Spread a load over all uplinks of a leaf; down: towards the leaf. */
static void spray(const struct machine_fabric *f, int leaf, int down,
                  double share, double *work)
{
    for (int u = 0; u < f->uplinks; u++)
        work[up_of(f, leaf, u) + down] += share / f->uplinks;
}

void fabric_load(const struct topo *t, int32_t from, int32_t to, double share,
                 double *work)
{
    const struct machine_fabric *const f = &t->fabric;
    if (f->leaves == 0)
        return;
    const struct end a = end_of(t, from), b = end_of(t, to);
    if (a.leaf == b.leaf)
        return;
    if (adaptive(t)) {
        spray(f, a.leaf, 0, share, work);
        spray(f, b.leaf, 1, share, work);
    } else {
        hash_flow(t, &a, &b, share, work);
    }
}

/* Find the NICs of the GPUs, each once and sorted by node, into end[]. */
static int find_ends(const struct topo *t, const int32_t *place, int n,
                     struct end *end)
{
    int count = 0, first = 0; // first: the first end of this node
    for (int i = 0; i < n; i++) {
        const struct end e = end_of(t, place[i]);
        if (count > 0 && end[count - 1].node != e.node)
            first = count;
        int k = first;
        while (k < count && end[k].nic != e.nic)
            k++;
        if (k < count)
            end[k].ngpus++;
        else
            end[count++] = e;
    }
    return count;
}

/* Load the uplinks: each NIC sends to, and receives from, all GPUs that are
 * neither on its node nor at its leaf. */
static void spray_all(const struct topo *t, const struct end *end, int count,
                      int n, double share, double *on_leaf, double *work)
{
    for (int i = 0; i < count; i++)
        on_leaf[end[i].leaf] += end[i].ngpus;
    for (int i = 0, first = 0; i < count; i++) {
        if (end[first].node != end[i].node)
            first = i;
        double near = on_leaf[end[i].leaf];
        for (int k = first; k < count && end[k].node == end[i].node; k++)
            near += end[k].leaf != end[i].leaf ? end[k].ngpus : 0;
        const double all = share * end[i].ngpus * (n - near);
        spray(&t->fabric, end[i].leaf, 0, all, work);
        spray(&t->fabric, end[i].leaf, 1, all, work);
    }
}

int fabric_exchange(const struct topo *t, const int32_t *place, int n,
                    double share, double *work)
{
    if (t->fabric.leaves == 0)
        return 0;
    struct end *const end = calloc((size_t)n, sizeof *end);
    double *const on_leaf = calloc((size_t)t->fabric.leaves, sizeof *on_leaf);
    const int result = end && on_leaf ? 0 : -1;
    const int count = result == 0 ? find_ends(t, place, n, end) : 0;
    if (count > 0 && adaptive(t))
        spray_all(t, end, count, n, share, on_leaf, work);
    else
        for (int i = 0; i < count; i++)
            for (int k = 0; k < count; k++)
                if (end[i].node != end[k].node && end[i].leaf != end[k].leaf)
                    hash_flow(t, &end[i], &end[k],
                              share * end[i].ngpus * end[k].ngpus, work);
    free(end);
    free(on_leaf);
    return result;
}
