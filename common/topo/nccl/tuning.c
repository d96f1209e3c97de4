#include "topo/nccl/tuning.h"

#include <math.h>   /* sqrt */
#include <string.h> /* memset */

#include "topo/nccl/tuner.h"
#include "topo/route.h"

/*
 * NCCL's constants. They are the same in 2.28.9 and 2.30.7, unless a comment
 * says otherwise. Brackets hold the name that a constant has in NCCL, in
 * src/graph/tuning.cc if no other file is named.
 * One marked "fitted" is not NCCL's: it follows the tables in
 * tests/topo/measured, as those of arch.c do.
 */
// clang-format off

/* us before the first hop [baseLatencies]                LL  LL128  Simple */
static const double base_us[TOPO_ALGOS][TOPO_PROTOS] = {
    [TOPO_TREE] =                                       {6.8,  14,    8.4},
    [TOPO_RING] =                                       {6.6,  14,    8.4},
    [TOPO_PAT]  =                                       {8,     8,    8},
    [TOPO_P2P]  =                                       {6.6,  14,    8.4},
}; /* P2P: NCCL has none; that of a ring of one hop */

enum hop { NVLINK, PCI, NET, HOPS };

/* us of a hop [hwLatencies]                              LL  LL128  Simple */
static const double tree_us[HOPS][TOPO_PROTOS] = {
    [NVLINK] =                                          {.6,  1.25,   4},
    [PCI]    =                                          {1,   1.9,    4},
    [NET]    =                                          {5,   8.5,   14}};
static const double ring_us[HOPS][TOPO_PROTOS] = {
    [NVLINK] =                                          {.6,  1.9,    3.4},
    [PCI]    =                                          {1,   2.5,    5.7},
    [NET]    =                                          {2.7, 4,     14}};
static const double pat_us[HOPS] = {[NVLINK] = 4, [PCI] = 4, [NET] = 14};
static const double nvls_us = 25;           /* all of NVLS in a node */
static const double nvlstree_net_us = 20.9; /* for each hop between nodes */

/* GB/s of LL at most [llMaxBws], over                   1      2  more nodes */
static const double ll_cap[4][3] = {
    /* Volta     */                                   { 39,    39,   20.4},
    /* Ampere    */                                   { 87.7,  22.5, 19},
    /* Hopper    */                                   {141,    45,   35},
    /* Blackwell */                                   {282,    90,   70}};

/* Shares of a link's rate [ncclTopoTuneModel()]. LL stores a flag with every 4
 * bytes, LL128 8 bytes of flags in 128; PAT's steps alternate. */
static const double ring_ll = .5;
static const double tree_ll = 1 / 3.5;      /* fitted; NCCL: 1 / 3.8 */
static const double tree_simple = .92;      /* in a node, where its chain goes
                                               back and forth over each link */
static const double tree_ll128[2] = {7. / 9, 120. / 128}; /* one node; more */
static const double pat = .75;
static const double peer_hops = .3;         /* fitted: hops' latencies for each
                                               further peer of a message */

/* Channels [src/transport/nvls.cc, NVLS_NCHANNELS_*] of Volta, Ampere, Hopper
 * and Blackwell: of NVLS in a node, of NVLSTree between nodes */
static const double nvls_channels[4] = {0, 0, 16, 24};
static const double tree_channels[4] = {0, 0, 16, 32};

enum { /* bytes */
    NVLS_CHUNK  = 128 << 10,   /* at most, in up to three nodes [the same file,
                                  NvlsChunkSize] */
    SIMPLE_CHUNK = 512 << 10,   /* a slot of a channel's buffer [src/init.cc] */
    SMALL_CHUNK = 64 << 10,    /* from four nodes on [treeMaxChunkSize] */
    SHARE       = 16 << 10,    /* least for each channel: small operations use
                                  fewer channels [src/enqueue.cc,
                                  MinTrafficPerChannel of 2.28.9; twice as
                                  much in 2.30.7] */
    LL_CHUNK    = 8 * 8 * 512, /* 8 lines of 8 bytes of each of 512 threads
                                  [src/include/device.h, NCCL_LL_*] */
};
static const double usual_buffer_MiB = 4;   /* NCCL_BUFFSIZE [src/init.cc] */

/* The latency of a network that NCCL's constants for a hop include, which is
 * InfiniBand's (links.net_us, FORMAT.md); how much faster one may be. */
static const double usual_net_us = 4, least_more_us = -2;

// clang-format on

static double least(double a, double b)
{
    return a < b ? a : b;
}

static int floor_log2(int n)
{
    int log = 0;
    while (n >>= 1)
        log++;
    return log;
}

static int columns(const struct shape *s)
{
    return s->ngroups > 2 ? 2 : s->ngroups - 1;
}

static double nvls_chunk(const struct shape *s)
{
    return s->ngroups < 4 ? NVLS_CHUNK : SMALL_CHUNK;
}

static enum hop inside(const struct shape *s)
{
    return s->nvlink ? NVLINK : PCI;
}

int tuning_ring_steps(enum topo_op op, int n)
{
    if (op == TOPO_OP_ALLREDUCE)
        return 2 * (n - 1);
    return op == TOPO_OP_BROADCAST || op == TOPO_OP_REDUCE ? n : n - 1;
}

/* ---- latency ------------------------------------------------------------- */

/*
 * The latency of `hops` hops in the node and `across` between nodes. The
 * latency of a network beyond InfiniBand's counts twice with Simple, which
 * flushes what it receives before it raises a flag; with LL and LL128 the flags
 * travel with the data.
 */
static double latency(const struct topo *t, enum topo_proto proto, double base,
                      double hops, double hop_us, double across, double net_us)
{
    const double given = t->cal.links.net_us - usual_net_us;
    const double more = given < least_more_us ? least_more_us : given;
    return t->arch->latency * (base + hops * hop_us) +
           across * (net_us + (proto == TOPO_SIMPLE ? 2 : 1) * more);
}

/* True for a ring in a node that passes on a root's data in chunks. */
static int passes_on(const struct shape *s, enum topo_op op,
                     enum topo_algo algo, enum topo_proto proto)
{
    return algo == TOPO_RING && proto == TOPO_SIMPLE && s->ngroups == 1 &&
           (op == TOPO_OP_BROADCAST || op == TOPO_OP_REDUCE);
}

static double ring_latency(const struct topo *t, const struct shape *s,
                           enum topo_op op, enum topo_proto proto)
{
    const int chunks = passes_on(s, op, TOPO_RING, proto);
    const int steps = chunks ? 1 : tuning_ring_steps(op, s->n);
    const int across =
        op == TOPO_OP_ALLREDUCE ? 2 * (s->ngroups - 1) : s->ngroups - 1;
    return latency(t, proto, base_us[TOPO_RING][proto], steps - across,
                   ring_us[inside(s)][proto], across, ring_us[NET][proto]);
}

static double tree_latency(const struct topo *t, const struct shape *s,
                           enum topo_proto proto)
{
    const double hops = (double)s->n / s->ngroups - 1;
    return latency(t, proto, base_us[TOPO_TREE][proto], 2 * hops,
                   tree_us[inside(s)][proto], 2 * floor_log2(s->ngroups),
                   tree_us[NET][proto]);
}

static double messages_latency(const struct topo *t, const struct shape *s,
                               enum topo_op op, enum topo_proto proto)
{
    const int rounds = op == TOPO_OP_SENDRECV ? 1 : s->n - 1;
    const int across = s->ngroups > 1 ? rounds : 0;
    // messages to several peers of a node start at once
    const double next = t->arch->channel_GBps > 0 ? peer_hops : 1;
    const double hops = across ? 0 : 1 + (rounds - 1) * next;
    return latency(t, proto, base_us[TOPO_P2P][proto], hops,
                   ring_us[inside(s)][proto], across, ring_us[NET][proto]);
}

/* What a hop over this architecture's NVLinks takes beyond NCCL's constants. */
static double more_latency(const struct topo *t, const struct shape *s,
                           enum topo_op op, enum topo_algo algo,
                           enum topo_proto proto)
{
    const int across =
        op == TOPO_OP_ALLREDUCE ? 2 * (s->ngroups - 1) : s->ngroups - 1;
    if (!s->nvlink)
        return 0;
    if (algo == TOPO_P2P)
        return s->ngroups > 1 ? 0 : t->arch->start_us;
    if (algo == TOPO_RING)
        return (tuning_ring_steps(op, s->n) - across) * t->arch->hop_us +
               (proto == TOPO_LL && s->ngroups == 1 ? t->arch->ll_us : 0);
    return algo == TOPO_TREE
               ? 2 * ((double)s->n / s->ngroups - 1) * t->arch->hop_us
               : 0;
}

static double latency_of(const struct topo *t, const struct shape *s,
                         enum topo_op op, enum topo_algo algo,
                         enum topo_proto proto)
{
    switch (algo) {
    case TOPO_TREE: return tree_latency(t, s, proto);
    case TOPO_RING: return ring_latency(t, s, op, proto);
    case TOPO_PAT:
        return latency(t, proto, base_us[TOPO_PAT][proto], 0, 0,
                       floor_log2(s->n), pat_us[NET]);
    case TOPO_P2P: return messages_latency(t, s, op, proto);
    default:
        return latency(t, proto, nvls_us, 0, 0, 2 * floor_log2(s->ngroups),
                       nvlstree_net_us);
    }
}

/* ---- bandwidth ----------------------------------------------------------- */

/* The share of a node's links that an algorithm's kernels achieve. */
static double link_share(const struct topo *t, enum topo_algo algo)
{
    if (algo == TOPO_P2P)
        return t->arch->message;
    return 1 << algo & TOPO_ANY_NVLS ? t->arch->nvls : t->arch->ring;
}

/* True if ranks of a ring exchange parts, rather than pass on a root's data. */
static int exchanges(enum topo_op op, enum topo_algo algo)
{
    return algo == TOPO_RING && op != TOPO_OP_BROADCAST && op != TOPO_OP_REDUCE;
}

/*
 * The factor by which a ring keeps its NVLinks busy for longer than its bytes
 * take. In one of the steps, a rank also copies its own part to the receive
 * buffer, which lengthens that step. The fewer steps a ring has, the more this
 * counts: an all-gather over two ranks has only one.
 */
static double own_copy(const struct topo *t, const struct shape *s,
                       enum topo_op op, enum topo_algo algo)
{
    const double steps = op == TOPO_OP_ALLREDUCE ? t->arch->sum : t->arch->copy;
    return exchanges(op, algo) ? 1 + steps / tuning_ring_steps(op, s->n) : 1;
}

/*
 * The bandwidth of the Simple protocol. `more` is a factor on the time of
 * NVLinks (own_copy()). NVLinks and NICs are stages of one pipeline: a stage
 * that is almost as slow as the slowest stalls it now and then. So their times
 * are combined by a 4-norm, which is near the slower one, and 19 % above if
 * both take the same time.
 */
static double simple_GBps(const struct topo *t, const struct traffic *f,
                          enum topo_algo algo, double more, int healthy)
{
    const double *const sec = healthy ? f->healthy : f->busiest;
    const double a = more * sec[TRAFFIC_NVLINK] / link_share(t, algo);
    const double b = sec[TRAFFIC_NET];
    // with buffers twice as deep, stages stall each other half as much
    const double p = 4 * t->cal.choice.buffer_MiB / usual_buffer_MiB;
    double both = pow(pow(a, p) + pow(b, p), 1 / p);
    if (a == 0 || b == 0)
        both = a + b;
    // between nodes, a NIC's own PCIe links keep up with it
    const double other = sec[TRAFFIC_OTHER] / (b > 0 ? 1 : link_share(t, algo));
    return 1e-9 / (both > other ? both : other);
}

static double bandwidth_of(const struct topo *t, const struct shape *s,
                           enum topo_op op, enum topo_algo algo,
                           enum topo_proto proto, double simple)
{
    const double cap = ll_cap[t->arch->column][columns(s)];
    const int nodes = s->ngroups > 1;
    if (algo == TOPO_TREE && proto == TOPO_LL)
        return least(tree_ll * simple, cap / 2);
    if (algo == TOPO_TREE && proto == TOPO_LL128)
        return t->arch->ll128 * tree_ll128[nodes] * simple;
    if (algo == TOPO_RING && proto == TOPO_LL)
        return least(ring_ll * simple,
                     cap * s->n / tuning_ring_steps(op, s->n));
    if (algo == TOPO_RING && proto == TOPO_LL128)
        return t->arch->ll128 * simple;
    if (algo == TOPO_P2P && proto == TOPO_LL)
        return ring_ll * simple;
    if (1 << algo & TOPO_ANY_NVLS)
        return least(simple,
                     nvls_channels[t->arch->column] * t->fit->nvls_GBps);
    return algo == TOPO_PAT ? pat * simple : simple;
}

/*
 * The share of the bandwidth with a process for each GPU. If one thread drives
 * all GPUs of a node (nccl-tests with -g 8), rings with LL and LL128 take
 * longer, in three sites' tables of A100s and in one site's with and without;
 * no publication explains it. NVLS and large sizes take the same time.
 */
static double thread_share(const struct topo *t, const struct shape *s,
                           enum topo_algo algo, enum topo_proto proto)
{
    const int lines = proto != TOPO_SIMPLE && algo != TOPO_P2P;
    return t->one_thread && lines && s->nvlink && s->ngroups == 1
               ? t->fit->one_thread
               : 1;
}

/*
 * Inside a node, flags let LL and LL128 pass data on line by line, so there is
 * no pipeline to fill. A network carries chunks, and messages are modelled so
 * where channels aren't (peers.h). But all links of a ring are
 * busy from its first step on, so between nodes filling it takes only its
 * latency. LL and LL128 have small buffers, but wait for the network all the
 * same. Where a ring's steps have a least time (step_us), that includes it.
 */
static double fill_of(const struct topo *t, const struct shape *s,
                      enum topo_op op, enum topo_algo algo,
                      enum topo_proto proto, struct cell x)
{
    const int chunks = algo == TOPO_P2P && t->arch->channel_GBps == 0;
    double fill = chunks || proto == TOPO_SIMPLE || s->ngroups > 1
                      ? t->fit->fill * x.us
                      : 0;
    if ((algo == TOPO_RING && proto == TOPO_SIMPLE &&
         (s->ngroups > 1 || !s->nvlink)) ||
        x.step_us > 0)
        fill = 0;
    if (exchanges(op, algo) && proto == TOPO_SIMPLE && s->nvlink &&
        s->ngroups == 1 && t->arch->ring_fill_us > 0)
        fill = t->arch->ring_fill_us;
    if (1 << algo & TOPO_ANY_NVLS) {
        const double loop = s->most * nvls_channels[t->arch->column] *
                            t->fit->nvls_chunks * nvls_chunk(s) /
                            (x.GBps * 1000);
        fill = loop > fill ? loop : fill;
    }
    return fill;
}

/*
 * NVLSTree if GPUs reach their NICs through their CPU (c2c). For each head, one
 * thread sends and receives the chunks of all channels, with one message each
 * way on each edge of a channel's tree; each tree carries half of the channels.
 * In both trees together, a node has up to two edges if there are two nodes,
 * three if there are three, and four if there are more. A chunk waits half a
 * pass over the channels until its sender sees it, and another half until its
 * receiver does.
 */
static void pass_hosts(const struct topo *t, const struct shape *s,
                       struct cell *x)
{
    const double channels = tree_channels[t->arch->column];
    const double heads = least(s->most, SHAPE_NVLS_HEADS);
    const double pass_us = channels * least(s->ngroups, 4) * t->fit->message_us;
    if (t->gpu[0].c2c_GBps == 0)
        return;
    x->host_GBps = channels * heads * nvls_chunk(s) / (pass_us * 1000);
    x->wait_us = 2 * (floor_log2(s->ngroups - 1) + 1) * pass_us;
    x->wait = channels * SHARE;
}

/*
 * Chunks of a fixed size, one in each channel. A ring that passes on a root's
 * data is full when the first chunks have reached the last rank; on average,
 * ranks wait for half of that, since Simple's slices are smaller. Nothing
 * leaves a tree until its last rank has them. A ring's last loop shrinks its
 * chunks to what is left [runRing()], so it takes no longer than its bytes do.
 * Flags double LL's chunks. Hops over a network fill and empty a buffer at
 * either end.
 */
static void fix_chunks(const struct topo *t, const struct shape *s,
                       enum topo_op op, enum topo_algo algo,
                       enum topo_proto proto, const struct traffic *f,
                       struct cell *x)
{
    const double site = t->cal.choice.chunk_KiB * 1024;
    if (passes_on(s, op, algo, proto)) {
        x->loop = (double)SIMPLE_CHUNK * s->channels;
        x->loop_us = (s->n - 1) / 2. * x->loop / (x->GBps * 1000);
    }
    const double chunk = proto == TOPO_LL ? 2 * LL_CHUNK : site;
    if (algo == TOPO_TREE && proto != TOPO_LL128 && s->ngroups > 1) {
        const double stages = 2 * (s->most - 1) + 4 * floor_log2(s->ngroups);
        const double link =
            f->busiest[TRAFFIC_NVLINK] / link_share(t, algo) / 2;
        const double hops = stages * link + 2 * f->busiest[TRAFFIC_NET];
        x->loop_us = chunk * s->channels * hops * 1e6;
        x->loop = proto == TOPO_SIMPLE ? site * s->channels : 0;
    }
}

int tuning_is_message(enum topo_op op)
{
    return op == TOPO_OP_ALLTOALL || op == TOPO_OP_GATHER ||
           op == TOPO_OP_SCATTER || op == TOPO_OP_SENDRECV;
}

/* The bandwidth of the Simple protocol over these ranks; 0 if memory runs
 * out. */
static double simple_of(const struct topo *t, struct shape *s, enum topo_op op,
                        enum topo_algo algo, int healthy)
{
    const struct traffic *const f = traffic_of(t, s, op, algo);
    const double more = own_copy(t, s, op, algo);
    const double own = f ? simple_GBps(t, f, algo, more, healthy) : 0;
    if (algo != TOPO_TREE || s->ngroups > 1 || own == 0)
        return own;
    const double ring = simple_of(t, s, op, TOPO_RING, healthy);
    return least(own, tree_simple * ring * (s->n - 1) / s->n);
}

static struct cell tuning_of(const struct topo *t, const struct shape *s,
                             enum topo_op op, enum topo_algo algo,
                             enum topo_proto proto, double simple)
{
    const double more_us = more_latency(t, s, op, algo, proto);
    struct cell x = {.us = latency_of(t, s, op, algo, proto) + more_us};
    x.GBps = bandwidth_of(t, s, op, algo, proto, simple) *
             thread_share(t, s, algo, proto);
    if (exchanges(op, algo) && proto != TOPO_LL && s->nvlink &&
        s->ngroups == 1) {
        x.step_us = tuning_ring_steps(op, s->n) * t->arch->step_us;
        x.hops_us = x.us - t->arch->latency * base_us[algo][proto];
    }
    x.fill_us = fill_of(t, s, op, algo, proto, x);
    if (algo == TOPO_NVLSTREE)
        pass_hosts(t, s, &x);
    return x;
}

static int able(const struct topo *t, const struct shape *s, enum topo_op op,
                enum topo_algo algo, enum topo_proto proto)
{
    if (tuning_is_message(op) || algo == TOPO_P2P)
        return tuning_is_message(op) && algo == TOPO_P2P && proto != TOPO_LL128;
    return tuner_usable(t, s, op, algo, proto);
}

int tuning_fill(const struct topo *t, struct shape *s, enum topo_op op,
                int healthy, struct cell_table *table)
{
    memset(table, 0, sizeof *table);
    if (!tuning_is_message(op) && shape_search(t, s) != 0)
        return -1;
    for (int i = 0; i < TOPO_ALGOS * TOPO_PROTOS; i++) {
        const enum topo_algo a = (enum topo_algo)(i / TOPO_PROTOS);
        const enum topo_proto p = (enum topo_proto)(i % TOPO_PROTOS);
        if (!able(t, s, op, a, p))
            continue;
        const double simple = simple_of(t, s, op, a, healthy);
        if (!(simple > 0))
            return -1;
        table->at[a][p] = tuning_of(t, s, op, a, p, simple);
        fix_chunks(t, s, op, a, p, traffic_of(t, s, op, a), &table->at[a][p]);
    }
    return 0;
}

void tuning_message(const struct topo *t, const struct shape *pair,
                    const struct traffic *f, int healthy,
                    struct cell_table *table)
{
    const double simple = simple_GBps(t, f, TOPO_P2P, 1, healthy);
    memset(table, 0, sizeof *table);
    for (int p = 0; p < TOPO_PROTOS; p++)
        if (p != TOPO_LL128)
            table->at[TOPO_P2P][p] =
                tuning_of(t, pair, TOPO_OP_SENDRECV, TOPO_P2P,
                          (enum topo_proto)p, simple);
}

void tuning_floor(struct topo *t)
{
    const double floor_us = t->cal.host.floor_us;
    const struct shape all = {.n = t->ngpus * t->nnodes,
                              .ngroups = t->nnodes,
                              .nvlink =
                                  t->ngpus == 1 || route_nvlinks(t, 0, 1) > 0};
    if (floor_us == 0 || t->nnodes == 1)
        return;
    t->cal.links.net_us = usual_net_us;
    const double more = floor_us - tree_latency(t, &all, TOPO_LL);
    if (more > 0)
        t->cal.links.net_us += more / (2 * floor_log2(t->nnodes));
}

double tuning_raise(const struct topo *t, const struct shape *s, double us)
{
    const double floor_us = s->ngroups > 1 ? 0 : t->cal.host.floor_us;
    const double x = floor_us / us;
    return floor_us > 0 ? us * sqrt(sqrt(1 + x * x * x * x)) : us;
}
