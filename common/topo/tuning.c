#include "topo/tuning.h"

/* Microseconds; LL, LL128, Simple. */
static const double base_us[TOPO_ALGOS][TOPO_PROTOS] = {
    [TOPO_TREE] = {6.8, 14, 8.4},
    [TOPO_RING] = {6.6, 14, 8.4},
    [TOPO_PAT] = {8, 8, 8},
    [TOPO_P2P] = {6.6, 14, 8.4}, // like a ring of one hop
};

enum hop { NVLINK, PCI, NET, HOPS };

static const double tree_us[HOPS][TOPO_PROTOS] = {
    [NVLINK] = {.6, 1.25, 4}, [PCI] = {1, 1.9, 4}, [NET] = {5, 8.5, 14}};
static const double ring_us[HOPS][TOPO_PROTOS] = {
    [NVLINK] = {.6, 1.9, 3.4}, [PCI] = {1, 2.5, 5.7}, [NET] = {2.7, 4, 14}};
static const double pat_us[HOPS] = {4, 4, 14};
enum { NVLS_US = 25 }; /* in a node */
static const double nvlstree_net_us = 20.9;

/* GB/s by column (Volta, Ampere, Hopper, Blackwell) and nodes (1, 2, more). */
static const double ll_cap[4][3] = {
    {39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}};
static const double ring_ll128_cap[4] = {20, 20, 36.7, 40}; /* per channel */
static const double tree_ll128_cap[4][3] = {
    {20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {55.6, 31.67, 20}};
static const double tree_simple_cap[4][3] = {
    {26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}};
static const double nvls_eff[4] = {0, 0, .85, .74};

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

static enum hop inside(const struct shape *s)
{
    return s->nvlink ? NVLINK : PCI;
}

/* Steps of a ring: algbw = busbw * n / steps. */
static int ring_steps(enum topo_op op, int n)
{
    if (op == TOPO_OP_ALLREDUCE)
        return 2 * (n - 1);
    return op == TOPO_OP_BROADCAST || op == TOPO_OP_REDUCE ? n : n - 1;
}

static struct tuning ring(const struct topo *t, const struct shape *s,
                          enum topo_op op, enum topo_proto proto)
{
    const int column = t->arch->column, steps = ring_steps(op, s->n);
    const int across =
        op == TOPO_OP_ALLREDUCE ? 2 * (s->ngroups - 1) : s->ngroups - 1;
    double bus = s->channels * s->bw;
    if (proto == TOPO_LL)
        bus = least(ll_cap[column][columns(s)], bus / 2);
    else if (proto == TOPO_LL128)
        bus = least(.92 * bus, s->channels * ring_ll128_cap[column]);
    return (struct tuning){.us = base_us[TOPO_RING][proto] +
                                 (steps - across) * ring_us[inside(s)][proto] +
                                 across * ring_us[NET][proto],
                           .GBps = bus * s->n / steps};
}

static struct tuning tree(const struct topo *t, const struct shape *s,
                          enum topo_proto proto)
{
    const int column = t->arch->column, nodes = columns(s);
    double bus = least(.92 * s->channels * s->bw,
                       s->channels * tree_simple_cap[column][nodes]);
    if (proto == TOPO_LL)
        bus = least(bus / 3.8, ll_cap[column][nodes]);
    else if (proto == TOPO_LL128)
        bus = least(bus * (s->ngroups == 1 ? 7. / 9 : 120. / 128),
                    s->channels * tree_ll128_cap[column][nodes]);
    const double hops = (double)s->n / s->ngroups - 1;
    return (struct tuning){
        .us = base_us[TOPO_TREE][proto] +
              2 * (hops * tree_us[inside(s)][proto] +
                   floor_log2(s->ngroups) * tree_us[NET][proto]),
        .GBps = bus * .5};
}

/* NVLink SHARP; between nodes, the tree over NICs may be slower. */
static struct tuning nvls(const struct topo *t, const struct shape *s,
                          enum topo_op op, enum topo_algo algo)
{
    double bw = s->nvls_bw;
    for (int i = 0; s->ngroups > 1 && i < s->ngroups; i++)
        bw = least(bw, s->group[i].net / SHAPE_NVLS_CHANNELS /
                           (s->ngroups > 2 ? 2 : 1));
    double bus = bw * nvls_eff[t->arch->column] * (SHAPE_NVLS_CHANNELS - 1);
    if (op == TOPO_OP_ALLREDUCE)
        bus *= 2;
    if (algo == TOPO_NVLSTREE)
        return (struct tuning){
            NVLS_US + 2 * floor_log2(s->ngroups) * nvlstree_net_us, bus * .5};
    return (struct tuning){NVLS_US, bus * s->n / ring_steps(op, s->n)};
}

static struct tuning pat(const struct shape *s, enum topo_op op)
{
    return (struct tuning){
        base_us[TOPO_PAT][TOPO_SIMPLE] + floor_log2(s->n) * pat_us[NET],
        .75 * s->channels * s->bw * s->n / ring_steps(op, s->n)};
}

static struct tuning messages(const struct shape *s, enum topo_op op,
                              enum topo_proto proto, double p2p_GBps)
{
    const enum hop hop = s->ngroups > 1 ? NET : inside(s);
    const int rounds = op == TOPO_OP_SENDRECV ? 1 : s->n - 1;
    return (struct tuning){base_us[TOPO_P2P][proto] +
                               rounds * ring_us[hop][proto],
                           proto == TOPO_LL ? p2p_GBps / 2 : p2p_GBps};
}

int tuning_is_message(enum topo_op op)
{
    return op == TOPO_OP_ALLTOALL || op == TOPO_OP_GATHER ||
           op == TOPO_OP_SCATTER || op == TOPO_OP_SENDRECV;
}

/* True if the algorithm supports the operation over these ranks. */
static int able(const struct shape *s, enum topo_op op, enum topo_algo algo,
                enum topo_proto proto)
{
    const int reduce = op == TOPO_OP_ALLREDUCE;
    const int half = op == TOPO_OP_ALLGATHER || op == TOPO_OP_REDUCESCATTER;
    const int rooted = op == TOPO_OP_BROADCAST || op == TOPO_OP_REDUCE;
    if (proto == TOPO_LL128 && !s->nvlink)
        return 0;
    switch (algo) {
    case TOPO_TREE: return reduce;
    case TOPO_RING: return reduce || half || rooted;
    case TOPO_NVLS:
        return (reduce || half) && s->nvls && s->ngroups == 1 &&
               proto == TOPO_SIMPLE;
    case TOPO_NVLSTREE:
        return reduce && s->nvls && s->ngroups > 1 && proto == TOPO_SIMPLE;
    case TOPO_PAT: return half && s->most == 1 && proto == TOPO_SIMPLE;
    case TOPO_P2P: return tuning_is_message(op) && proto != TOPO_LL128;
    default: return 0; // CollNet: no modelled network reduces
    }
}

struct tuning tuning_of(const struct topo *t, const struct shape *s,
                        enum topo_op op, enum topo_algo algo,
                        enum topo_proto proto, double p2p_GBps)
{
    if (!able(s, op, algo, proto))
        return (struct tuning){0, 0};
    switch (algo) {
    case TOPO_TREE: return tree(t, s, proto);
    case TOPO_RING: return ring(t, s, op, proto);
    case TOPO_PAT: return pat(s, op);
    case TOPO_P2P: return messages(s, op, proto, p2p_GBps);
    default: return nvls(t, s, op, algo);
    }
}

void tuning_fill(const struct topo *t, const struct shape *s, enum topo_op op,
                 double p2p_GBps, struct tuning_table *table)
{
    for (int a = 0; a < TOPO_ALGOS; a++)
        for (int p = 0; p < TOPO_PROTOS; p++)
            table->at[a][p] = tuning_of(t, s, op, (enum topo_algo)a,
                                        (enum topo_proto)p, p2p_GBps);
}

double tuning_time(struct tuning of, double nbytes)
{
    return of.us + nbytes / (of.GBps * 1000);
}

struct tuning tuning_limits(const struct tuning_table *table)
{
    struct tuning limits = {0, 0};
    for (int a = 0; a < TOPO_ALGOS; a++)
        for (int p = 0; p < TOPO_PROTOS; p++) {
            const struct tuning *const x = &table->at[a][p];
            if (x->GBps > 0 && (limits.us == 0 || x->us < limits.us))
                limits.us = x->us;
            if (x->GBps > limits.GBps)
                limits.GBps = x->GBps;
        }
    return limits;
}
