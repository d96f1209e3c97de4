/*
 * traffic.c: bytes on each resource, for each of NCCL's algorithms
 *
 * For an operation of size S over n ranks on N nodes, m ranks on each:
 *
 *   ring      each hop carries 2(n-1)/n S for an all-reduce, (n-1)/n S for
 *             others. Channels run in both directions and, between nodes, over
 *             different NICs: an equal share of them leaves a node at each GPU
 *             next to a NIC (at all m GPUs if each has one).
 *   tree      inside a node a chain, S up and S down each hop; between nodes
 *             two binary trees, S/2 up and down on each edge of both.
 *   NVLS      each GPU at a switch sends and receives S (1 + 1/m): the switch
 *             reads its data, and it reduces 1/m of the data for all.
 *   NVLSTree  NVLS inside nodes, the two trees between them.
 *   PAT       log n steps; each rank sends (n-1)/n S, as in a ring.
 *   P2P       messages from each rank to each other. Roots are rank 0.
 *
 * Sending a byte reads it from its GPU's memory, and receiving it writes it, so
 * paths end in memories.
 */
#include "topo/nccl/traffic.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* strncmp */

#include "topo/fabric.h"
#include "topo/route.h"

struct collector {
    const struct topo *t;
    double *work; /* by resource */
    double sec;   /* longest time that a path's rate cap implies */
    int failed;   /* memory ran out */
};

static int collector_init(struct collector *c, const struct topo *t)
{
    *c = (struct collector){.t = t};
    c->work = calloc((size_t)t->nresources, sizeof *c->work);
    return c->work ? 0 : -1;
}

/* The kind of a resource, which its name starts with (machine.c). */
static enum traffic_kind kind_of(const struct topo_resource *r)
{
    if (strncmp(r->name, "nvlink ", 7) == 0)
        return TRAFFIC_NVLINK;
    if (strncmp(r->name, "out ", 4) == 0 || strncmp(r->name, "in ", 3) == 0 ||
        strncmp(r->name, "leaf ", 5) == 0)
        return TRAFFIC_NET;
    return TRAFFIC_OTHER;
}

static void raise_to(double *most, double value)
{
    if (value > *most)
        *most = value;
}

static void add_load(const struct topo *t, struct traffic *f, int r,
                     double work)
{
    const struct topo_resource *const res = &t->resource[r];
    const enum traffic_kind kind = kind_of(res);
    const double sec = work / res->rate;
    const int sick = t->sick_left < 1 && (r == t->sick[0] || r == t->sick[1]);
    f->load[f->n++] = (struct topo_load){r, work};
    raise_to(&f->sec, sec);
    raise_to(&f->busiest[kind], sec);
    raise_to(&f->healthy[kind], sick ? sec * t->sick_left : sec);
}

/* Return the collected traffic and release c. NULL if memory runs out. */
static struct traffic *collector_finish(struct collector *c)
{
    struct traffic *const f = calloc(1, sizeof *f);
    int n = 0;
    for (int i = 0; i < c->t->nresources; i++)
        n += c->work[i] > 0;
    if (f)
        f->load = calloc((size_t)n + 1, sizeof *f->load);
    if (!f || !f->load || c->failed) {
        traffic_free(f);
        free(c->work);
        return NULL;
    }
    f->sec = f->busiest[TRAFFIC_OTHER] = f->healthy[TRAFFIC_OTHER] = c->sec;
    for (int i = 0; i < c->t->nresources; i++)
        if (c->work[i] > 0)
            add_load(c->t, f, i, c->work[i]);
    free(c->work);
    return f;
}

static void send(struct collector *c, int32_t from, int32_t to, double share)
{
    struct topo_path path;
    if (from == to || share <= 0 ||
        route_find(c->t, from, to, ROUTE_NCCL, &path) != 0)
        return;
    for (int i = 0; i < path.nresources; i++)
        c->work[path.resource[i]] += share;
    if (from / c->t->ngpus != to / c->t->ngpus)
        fabric_load(c->t, from, to, share, c->work);
    if (path.rate_cap > 0 && share / path.rate_cap > c->sec)
        c->sec = share / path.rate_cap;
}

/* The place before hop i -> i+1 of ring r. */
static int32_t ring_place(const struct topo *t, const struct shape_group *g,
                          int r, int i)
{
    i %= g->n;
    return g->nrings ? g->node * t->ngpus + g->ring[r].gpu[i] : g->place[i];
}

/*
 * Put `share` on each of the first nhops hops of a group's rings, divided among
 * the channels. Half of a ring's channels run in each direction; in a chain
 * (`both`), each channel carries its part back and forth.
 */
static void send_around(struct collector *c, const struct shape_group *g,
                        double share, int nhops, int both)
{
    for (int r = 0; r < (g->nrings ? g->nrings : 1); r++) {
        const double part =
            g->nrings ? (double)g->ring[r].channels / g->channels : 1;
        const int two_ways = g->nrings && g->n > 2 && !both;
        const double each = share * part / (two_ways ? 2 : 1);
        for (int i = 0; i < nhops; i++) {
            const int32_t a = ring_place(c->t, g, r, i);
            const int32_t b = ring_place(c->t, g, r, i + 1);
            send(c, a, b, each);
            if (two_ways || both)
                send(c, b, a, each);
        }
    }
}

/* Send an equal part from node to node through each of the first `most`
 * exits. */
static void send_across(struct collector *c, const struct shape *s, int from,
                        int to, double share, int most)
{
    const struct shape_group *const a = &s->group[from];
    const struct shape_group *const b = &s->group[to];
    const int larger = a->nexits > b->nexits ? a->nexits : b->nexits;
    const int m = larger < most ? larger : most;
    for (int i = 0; i < m; i++)
        send(c, a->exit[i % a->nexits], b->exit[i % b->nexits], share / m);
}

/* With several nodes, each channel skips a different hop inside a node. */
static void ring(struct collector *c, const struct shape *s, double hop)
{
    for (int i = 0; i < s->ngroups; i++) {
        const struct shape_group *const g = &s->group[i];
        if (g->n > 1 && s->ngroups == 1)
            send_around(c, g, hop, g->n, 0);
        else if (g->n > 1)
            send_around(c, g, hop * (g->n - 1) / g->n, g->n, 0);
        if (s->ngroups > 1)
            send_across(c, s, i, (i + 1) % s->ngroups, hop, s->n);
    }
}

/* The parent of node i in a binary tree over n nodes whose leaves are the odd
 * nodes; -1 for the root, which is 0. */
static int tree_parent(int i, int n)
{
    if (i == 0)
        return -1;
    const int bit = i & -i;
    const int up = (i ^ bit) | (bit << 1);
    return up < n ? up : i ^ bit;
}

/*
 * Put S/2 up and down on each edge of NCCL's two trees. The second tree is the
 * first shifted by one node, or mirrored if n is even, so that a leaf of one is
 * an inner node of the other.
 */
static void trees(struct collector *c, const struct shape *s, int most)
{
    const int n = s->ngroups;
    for (int i = 1; i < n; i++) {
        const int up = tree_parent(i, n);
        const int i2 = n % 2 ? (i + 1) % n : n - 1 - i;
        const int up2 = n % 2 ? (up + 1) % n : n - 1 - up;
        send_across(c, s, i, up, .5, most);
        send_across(c, s, up, i, .5, most);
        send_across(c, s, i2, up2, .5, most);
        send_across(c, s, up2, i2, .5, most);
    }
}

static void tree(struct collector *c, const struct shape *s)
{
    for (int i = 0; i < s->ngroups; i++) {
        const struct shape_group *const g = &s->group[i];
        if (g->n > 1 && s->ngroups == 1)
            send_around(c, g, 1, g->n - 1, 1);
        else if (g->n > 1)
            send_around(c, g, (double)(g->n - 1) / g->n, g->n, 1);
    }
    trees(c, s, s->n);
}

/* Load each GPU's port to the switches, and its memory. */
static void nvls(struct collector *c, const struct shape *s, double out,
                 double in)
{
    for (int i = 0; i < s->n; i++) {
        const int at = s->sorted[i] / c->t->ngpus * c->t->per_node;
        const struct machine_gpu *const g =
            &c->t->gpu[s->sorted[i] % c->t->ngpus];
        c->work[at + g->up] += out;
        c->work[at + g->down] += in;
        c->work[at + g->memory] += out + in;
    }
}

static void nvls_op(struct collector *c, const struct shape *s, enum topo_op op)
{
    const double m = s->most;
    if (op == TOPO_OP_ALLGATHER)
        nvls(c, s, 1 / m, (m - 1) / m);
    else if (op == TOPO_OP_REDUCESCATTER)
        nvls(c, s, (m - 1) / m, 1 / m);
    else
        nvls(c, s, 1 + 1 / m, 1 + 1 / m);
}

/*
 * Messages of `share` bytes to each of `count` GPUs of other nodes, or, with
 * `in`, from them. Loads the part of their paths on the GPU's own node, which
 * is the same for all of them.
 */
static void send_away(struct collector *c, int32_t gpu, int32_t other, int in,
                      double share, int count)
{
    const struct topo *const t = c->t;
    struct topo_path path;
    if (route_find(t, in ? other : gpu, in ? gpu : other, ROUTE_NCCL, &path))
        return;
    for (int i = 0; i < path.nresources; i++)
        if (path.resource[i] / t->per_node == gpu / t->ngpus)
            c->work[path.resource[i]] += share * count;
    if (path.rate_cap > 0)
        raise_to(&c->sec, share / path.rate_cap);
}

static int same_gpus(const struct topo *t, const struct shape_group *a,
                     const struct shape_group *b)
{
    for (int i = 0; i < a->n && a->n == b->n; i++)
        if (a->place[i] % t->ngpus != b->place[i] % t->ngpus)
            return 0;
    return a->n == b->n;
}

/* Send `share` from each rank of a group to each other. Nodes are alike, so the
 * traffic of one is reused for others. */
static void exchange_inside(struct collector *c, const struct shape *s, int i,
                            double share)
{
    const struct shape_group *const g = &s->group[i], *const last = g - 1;
    const size_t n = (size_t)c->t->per_node;
    if (i > 0 && same_gpus(c->t, g, last)) {
        memcpy(c->work + (size_t)g->node * n, c->work + (size_t)last->node * n,
               n * sizeof *c->work);
        return;
    }
    for (int a = 0; a < g->n; a++)
        for (int b = 0; b < g->n; b++)
            send(c, g->place[a], g->place[b], share);
}

/*
 * Send from each rank to each other, in time that grows with the number of
 * ranks rather than with that of pairs. Between nodes, a GPU's own part of a
 * path is the same for all its partners; fabric.c adds the switches' part.
 */
static void all_to_all(struct collector *c, const struct shape *s)
{
    const double share = 1. / s->n;
    for (int i = 0; i < s->ngroups; i++)
        exchange_inside(c, s, i, share);
    for (int i = 0; i < s->ngroups && s->ngroups > 1; i++) {
        const struct shape_group *const g = &s->group[i];
        const int32_t other = s->group[i == 0].place[0];
        for (int k = 0; k < g->n; k++)
            for (int in = 0; in < 2; in++)
                send_away(c, g->place[k], other, in, share, s->n - g->n);
    }
    if (fabric_exchange(c->t, s->sorted, s->n, share, c->work) != 0)
        c->failed = 1;
}

static void messages(struct collector *c, const struct shape *s,
                     enum topo_op op)
{
    const int32_t *const at = s->place;
    for (int i = 0; i < s->n; i++) {
        if (op == TOPO_OP_SENDRECV)
            send(c, at[i], at[(i + 1) % s->n], 1);
        if (op == TOPO_OP_GATHER)
            send(c, at[i], at[0], 1. / s->n);
        if (op == TOPO_OP_SCATTER)
            send(c, at[0], at[i], 1. / s->n);
    }
}

static void collect(struct collector *c, const struct shape *s, enum topo_op op,
                    enum topo_algo algo)
{
    const double once = (double)(s->n - 1) / s->n;
    switch (algo) {
    case TOPO_RING:
    case TOPO_PAT: ring(c, s, op == TOPO_OP_ALLREDUCE ? 2 * once : once); break;
    case TOPO_TREE: tree(c, s); break;
    case TOPO_NVLS: nvls_op(c, s, op); break;
    case TOPO_NVLSTREE:
        nvls_op(c, s, op);
        trees(c, s, SHAPE_NVLS_HEADS);
        break;
    default:
        if (op == TOPO_OP_ALLTOALL)
            all_to_all(c, s);
        else
            messages(c, s, op);
        break;
    }
}

const struct traffic *traffic_of(const struct topo *t, struct shape *s,
                                 enum topo_op op, enum topo_algo algo)
{
    struct topo *const mutable = (struct topo *)t;
    struct collector c;
    pthread_mutex_lock(&mutable->lock);
    if (!s->traffic[op][algo] && collector_init(&c, t) == 0) {
        collect(&c, s, op, algo);
        s->traffic[op][algo] = collector_finish(&c);
    }
    const struct traffic *const f = s->traffic[op][algo];
    pthread_mutex_unlock(&mutable->lock);
    return f;
}

struct traffic *traffic_message(const struct topo *t, int32_t from, int32_t to)
{
    struct collector c;
    if (collector_init(&c, t) != 0)
        return NULL;
    send(&c, from, to, 1);
    return collector_finish(&c);
}

void traffic_free(struct traffic *f)
{
    if (f)
        free(f->load);
    free(f);
}

void traffic_drop(struct shape *s)
{
    for (int op = 0; op < TOPO_OPS; op++)
        for (int a = 0; a < TOPO_ALGOS; a++)
            traffic_free(s->traffic[op][a]);
}
