/*
 * tuner.c: the times by which NCCL chooses
 *
 * NCCL's tuner has a latency and a bandwidth for each operation, algorithm and
 * protocol. They follow from what its search found (search.h) and from
 * constants for each generation of GPUs; NCCL takes the pair with the smallest
 * time. These times choose well and predict badly: tuning.h has the times that
 * an operation takes.
 *
 * This follows NCCL 2.28.9, src/graph/tuning.cc; `make test NCCL_SRC=DIR
 * TEST=topo/oracle` compares it with NCCL's own code.
 */
#include <math.h>   /* fmax, fmin, INFINITY */
#include <stdio.h>  /* snprintf */
#include <string.h> /* memset */

#include "topo/nccl/tuner.h"

/*
 * NCCL's constants, with their names in brackets. Rows are generations: Volta,
 * Ampere, Hopper, Blackwell; columns one node, two, and more.
 */
// clang-format off

/* us before the first hop [baseLatencies]                LL  LL128  Simple */
static const double base_us[TOPO_ALGOS][TOPO_PROTOS] = {
    [TOPO_TREE] =                                       {6.8,  14,    8.4},
    [TOPO_RING] =                                       {6.6,  14,    8.4},
    [TOPO_PAT]  =                                       {8,     8,    8}};

enum hop { NVLINK, PCI, NET, HOPS };

/* us of a hop [hwLatencies]                              LL  LL128  Simple */
static const double hop_us[HOPS][TOPO_ALGOS][TOPO_PROTOS] = {
    [NVLINK] = {
        [TOPO_TREE]     =                               {.6,  1.25,   4},
        [TOPO_RING]     =                               {.6,  1.9,    3.4},
        [TOPO_NVLS]     =                               {0,   0,     25},
        [TOPO_NVLSTREE] =                               {0,   0,     25},
        [TOPO_PAT]      =                               {0,   0,      4}},
    [PCI] = {
        [TOPO_TREE]     =                               {1,   1.9,    4},
        [TOPO_RING]     =                               {1,   2.5,    5.7},
        [TOPO_PAT]      =                               {0,   0,      4}},
    [NET] = {
        [TOPO_TREE]     =                               {5,   8.5,   14},
        [TOPO_RING]     =                               {2.7, 4,     14},
        [TOPO_NVLS]     =                               {0,   0,     18},
        [TOPO_NVLSTREE] =                               {0,   0,     20.9},
        [TOPO_PAT]      =                               {0,   0,     14}}};

/* GB/s of LL [llMaxBws]; between nodes, of AMD's CPUs in the second row */
static const double ll_GBps[4][3] = {
    {39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}};

/* GB/s of a channel [perChMax*Bws]: of LL128 in a ring and in a tree, of a
 * tree, of NVLSTree */
static const double ring_ll128[4][3] = {
    {20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {73.4, 34.6, 73.4}};
static const double tree_ll128[4][3] = {
    {20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}};
static const double tree_GBps[4][3] = {
    {26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}};
static const double nvlstree_GBps[4][3] = {
    {26.5, 18.5, 10}, {24, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96, 43.8}};

static const double nvls_share[4] = {0, 0, .85, .74}; /* [nvlsEfficiency] */

/* Shares of a tree's bandwidth that NCCL expects by size, from LEAST_SHARE
 * bytes on [treeCorrectionFactor] */
enum { LEAST_SHARE = 64, SHARES = 23 };
static const double tree_share[TOPO_PROTOS][SHARES] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9,
     1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9,
     .9, .9, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8,
     .7, .7, .8, .9, .9}};

// clang-format on

static int log2_of(double n)
{
    int log = 0;
    while (n >= 2) {
        n /= 2;
        log++;
    }
    return log;
}

static int column(const struct shape *s)
{
    return s->ngroups > 2 ? 2 : s->ngroups - 1;
}

static const struct search_found *graph_of(const struct shape *s,
                                           enum topo_algo algo)
{
    if (algo == TOPO_RING)
        return &s->found.ring;
    return 1 << algo & TOPO_ANY_NVLS ? &s->found.nvls : &s->found.tree;
}

static int steps_of(enum topo_op op, int n)
{
    if (op == TOPO_OP_ALLREDUCE)
        return 2 * (n - 1);
    return op == TOPO_OP_BROADCAST || op == TOPO_OP_REDUCE ? n : n - 1;
}

static int is_half(enum topo_op op)
{
    return op == TOPO_OP_ALLGATHER || op == TOPO_OP_REDUCESCATTER;
}

/* ---- bandwidth ----------------------------------------------------------- */

/* GB/s of a channel of NVLS. */
static double nvls_channel(const struct topo *t, const struct shape *s,
                           enum topo_op op, enum topo_algo algo)
{
    const struct search_found *const g = graph_of(s, algo);
    const double each = (double)s->n / s->ngroups;
    const double heads = g->channels;
    const int tree = algo == TOPO_NVLSTREE;
    const double in = g->intra * 1e-3 * nvls_share[t->arch->column] *
                      (heads - 1) / heads *
                      (op == TOPO_OP_ALLREDUCE ? 2 : (each - 1) / each);
    const double between = g->inter * 1e-3 * (s->ngroups <= 2 && tree ? 2 : 1);
    const double least = fmin(in, between);
    return tree ? fmin(least, nvlstree_GBps[t->arch->column][column(s)])
                : least;
}

static double bus_GBps(const struct topo *t, const struct shape *s,
                       enum topo_op op, enum topo_algo algo,
                       enum topo_proto proto)
{
    const struct search_found *const g = graph_of(s, algo);
    const int row = t->arch->column, col = column(s), n = g->channels;
    const double ll = s->ngroups == 1 ? ll_GBps[row][col]
                                      : ll_GBps[t->cpu[0].amd ? 1 : 0][col];
    double bus = n * (s->ngroups <= 2 ? g->intra : g->inter) * 1e-3;
    switch (algo) {
    case TOPO_RING:
        return proto == TOPO_LL      ? fmin(ll, .5 * bus)
               : proto == TOPO_LL128 ? fmin(.92 * bus, n * ring_ll128[row][col])
                                     : bus;
    case TOPO_TREE:
        bus = fmin(.92 * bus, n * tree_GBps[row][col]);
        if (proto == TOPO_LL)
            bus = fmin(bus / 3.8, ll);
        if (proto == TOPO_LL128)
            bus = fmin(bus * (s->ngroups == 1 ? 7. / 9 : 120. / 128),
                       n * tree_ll128[row][col]);
        return g->pattern == SEARCH_TREE ? .85 * bus : bus;
    case TOPO_NVLS:
    case TOPO_NVLSTREE: return n * nvls_channel(t, s, op, algo);
    default: return .75 * bus; // PAT
    }
}

/* ---- latency ------------------------------------------------------------- */

/* What posting to a network takes the host [getNetOverhead]. */
static double post_us(const struct topo *t, const struct shape *s,
                      enum topo_proto proto)
{
    if (s->ngroups == 1)
        return 0;
    return (t->cpu[0].amd ? 2 : 1) * (proto == TOPO_SIMPLE ? 3 : 1);
}

static double ring_us(const struct topo *t, const struct shape *s,
                      enum topo_op op, enum topo_proto proto, double in,
                      double between)
{
    const int steps = steps_of(op, s->n), all = op == TOPO_OP_ALLREDUCE;
    const int across = (all ? 2 : 1) * (s->ngroups - 1);
    const enum hop hop = s->ngroups > 1                           ? NET
                         : s->found.ring.type_intra == SYSTEM_NVL ? NVLINK
                                                                  : PCI;
    if (!all && !is_half(op)) {
        if (s->found.ring.same)
            return hop_us[hop][TOPO_RING][proto];
        return steps *
               hop_us[hop][proto == TOPO_SIMPLE ? TOPO_TREE : TOPO_RING][proto];
    }
    return (steps - across) * fmax(in, post_us(t, s, proto)) + across * between;
}

static double latency_us(const struct topo *t, const struct shape *s,
                         enum topo_op op, enum topo_algo algo,
                         enum topo_proto proto)
{
    const struct search_found *const g = graph_of(s, algo);
    const double base = base_us[algo][proto];
    const double in =
        hop_us[g->type_intra == SYSTEM_NVL ? NVLINK : PCI][algo][proto];
    const double between =
        hop_us[NET][s->n == s->ngroups ? TOPO_TREE : algo][proto] +
        g->latency * (proto == TOPO_SIMPLE ? 2 : 1);
    const int depth = log2_of(s->ngroups);
    switch (algo) {
    case TOPO_RING: return base + ring_us(t, s, op, proto, in, between);
    case TOPO_TREE:
        return base + 2 * ((s->n / s->ngroups - 1) * in + depth * between);
    case TOPO_NVLS: return in;
    case TOPO_NVLSTREE: return base + in + 2 * depth * between;
    default: return base + depth * between / 3.5 + s->n * 2.8; // PAT
    }
}

/* ---- what NCCL may use --------------------------------------------------- */

/* True if NCCL uses LL128: over NVLinks, and to NICs that are near enough. */
static int ll128(const struct topo *t, const struct shape *s,
                 enum topo_algo algo)
{
    const struct search_found *const g = graph_of(s, algo);
    const int sm = t->gpu[0].sm;
    return sm >= 70 && g->type_intra <= SYSTEM_NVB &&
           g->type_inter <= (sm >= 90 ? SYSTEM_PXN : SYSTEM_PXB);
}

int tuner_usable(const struct topo *t, const struct shape *s, enum topo_op op,
                 enum topo_algo algo, enum topo_proto proto)
{
    const int all = op == TOPO_OP_ALLREDUCE, nodes = s->ngroups > 1;
    if (proto == TOPO_LL128 && !ll128(t, s, algo))
        return 0;
    switch (algo) {
    case TOPO_RING: return 1;
    case TOPO_TREE: return all;
    case TOPO_NVLS:
        return (all || (is_half(op) && s->most <= SHAPE_NVLS_HEADS)) &&
               !nodes && s->found.nvls.channels > 1 && proto == TOPO_SIMPLE;
    case TOPO_NVLSTREE:
        return all && nodes && s->found.nvls.channels > 1 &&
               proto == TOPO_SIMPLE;
    case TOPO_PAT:
        return is_half(op) && s->n == s->ngroups && proto == TOPO_SIMPLE &&
               t->gpu[0].sm >= 60;
    default: return 0;
    }
}

/* NCCL's number of channels [comm->nChannels]. */
static int channels_of(const struct topo *t, const struct shape *s)
{
    const int found = s->found.ring.channels < s->found.tree.channels
                          ? s->found.ring.channels
                          : s->found.tree.channels;
    const int n = 2 * found;
    return t->gpu[0].sm >= 90 && s->ngroups > 1 &&
                   s->found.ring.intra > 45000 && n < 16
               ? 2 * n
               : n;
}

/* The bytes from which a ring's all-reduce between nodes is expected to be
 * slower. */
static double plateau(const struct topo *t, const struct shape *s)
{
    return 64. * channels_of(t, s) * s->n;
}

/* The time in us that NCCL expects; below 0 if it doesn't use the pair. */
static double expected_us(const struct topo *t, const struct shape *s,
                          enum topo_op op, enum topo_algo algo,
                          enum topo_proto proto, double nbytes)
{
    if (!tuner_usable(t, s, op, algo, proto))
        return -1;
    double bus = bus_GBps(t, s, op, algo, proto);
    double us = latency_us(t, s, op, algo, proto);
    if (algo == TOPO_TREE)
        bus *= .5;
    else if (algo == TOPO_RING || !is_half(op))
        bus *= (double)s->n / steps_of(op, s->n);
    if (algo == TOPO_TREE && nbytes >= LEAST_SHARE &&
        log2_of(nbytes / LEAST_SHARE) < SHARES)
        bus *= tree_share[proto][log2_of(nbytes / LEAST_SHARE)];
    if (algo == TOPO_RING && proto == TOPO_SIMPLE && s->ngroups > 1 &&
        op == TOPO_OP_ALLREDUCE && nbytes >= plateau(t, s))
        us *= t->gpu[0].sm < 80 ? 1.9 : 1.4;
    return bus > 0 ? us + nbytes / (1000 * bus) : -1;
}

/* ---- the choice ---------------------------------------------------------- */

/* Choose the least time; in case of a tie, as NCCL does, in its own order. */
int tuner_choose(const struct topo *t, const struct shape *s, enum topo_op op,
                 double nbytes, int algos, int protos, enum topo_algo *algo,
                 enum topo_proto *proto)
{
    static const enum topo_algo order[] = {TOPO_TREE, TOPO_RING, TOPO_NVLS,
                                           TOPO_NVLSTREE, TOPO_PAT};
    double least = -1;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (int p = 0; p < TOPO_PROTOS; p++) {
            if (!(algos >> order[i] & 1 && protos >> p & 1))
                continue;
            const double us =
                expected_us(t, s, op, order[i], (enum topo_proto)p, nbytes);
            if (us < 0 || (least >= 0 && us >= least))
                continue;
            least = us;
            *algo = order[i];
            *proto = (enum topo_proto)p;
        }
    return least < 0 ? -1 : 0;
}

double tuner_next_lines(const struct topo *t, const struct shape *s,
                        double nbytes)
{
    double next = INFINITY, size = LEAST_SHARE;
    for (int i = 0; i <= SHARES && next == INFINITY; i++, size *= 2)
        if (size > nbytes)
            next = size;
    const double ring = plateau(t, s);
    return s->ngroups > 1 && ring > nbytes ? fmin(next, ring) : next;
}

static struct topo_channel channel(const struct shape *s,
                                   const struct search_found *f)
{
    return (struct topo_channel){f->channels, f->intra / 1000.,
                                 s->ngroups > 1 ? f->inter / 1000. : 0};
}

int topo_nccl(const struct topo *t, enum topo_op op, const int32_t *place,
              int n, uint64_t bytes, int algos, int protos,
              struct topo_nccl *out, char *err, size_t err_nbytes)
{
    memset(out, 0, sizeof *out);
    if (op < TOPO_OP_ALLREDUCE || op > TOPO_OP_REDUCESCATTER || n < 2) {
        snprintf(err, err_nbytes,
                 n < 2 ? "NCCL chooses nothing for a single rank"
                       : "NCCL chooses no algorithm for this operation");
        return -1;
    }
    struct shape *const s = shape_connected(t, place, n, err, err_nbytes);
    if (!s)
        return -1;
    if (shape_search(t, s) != 0) {
        snprintf(err, err_nbytes, "no memory");
        return -1;
    }
    out->channels = channels_of(t, s);
    out->ring = channel(s, &s->found.ring);
    out->tree = channel(s, &s->found.tree);
    out->nvls = channel(s, &s->found.nvls);
    if (tuner_choose(t, s, op, (double)bytes, algos, protos, &out->algo,
                     &out->proto) == 0)
        return 0;
    snprintf(err, err_nbytes,
             "NCCL would use no pair that NCCL_ALGO and NCCL_PROTO allow over "
             "%d GPUs of %s",
             n, t->name);
    return -1;
}
