#include "topo/nccl/search_channel.h"

#include <stdlib.h> /* calloc, qsort */

/* Steps to try the order of the file, which don't count [NCCL's 1 << 10]. */
enum { STEPS_FIRST = 1 << 10 };

static int whole(int rate)
{
    return rate / 1000 * 1000;
}

/* ---- following paths ----------------------------------------------------- */

/* A GPU's PCIe link loses a fifth through an Intel CPU [INTEL_P2P_OVERHEAD]. */
static int pcie_rate(const struct search *x, int from,
                     const struct system_path *p, int rate)
{
    const struct system *const s = x->s;
    const int first = s->ngpus + s->nnets;
    const struct machine_cpu *const c = &s->t->cpu[0];
    for (int i = 0; i < p->nlinks; i++) {
        const int to = s->link[p->link[i]].to;
        if (to >= first && to < first + s->ncpus && !c->amd && !c->arm &&
            p->type == SYSTEM_PHB && from < s->ngpus)
            return rate * 6 / 5;
    }
    return rate;
}

/* Take a rate from the first n links of a path, or give it back (negative).
 * Returns how many links had as much left. */
static int use(struct search *x, int from, const struct system_path *p, int n,
               int rate)
{
    struct system *const s = x->s;
    const int pcie = pcie_rate(x, from, p, rate);
    for (int i = 0; i < n; i++) {
        struct system_link *const l = &s->link[p->link[i]];
        const int there = l->type == SYSTEM_PIX ? pcie : rate;
        int back = 0;
        // what GPUs before Ampere receive loads the way back
        if (l->to < s->ngpus && s->t->gpu[0].sm < 80 && from >= s->ngpus)
            back = there / 8;
        if (l->left < there || (back && s->link[l->back].left < back))
            return i;
        l->left -= there;
        if (back)
            s->link[l->back].left -= back;
    }
    return n;
}

static int inside(const struct system *s, int end)
{
    return end < s->ngpus || end == s->vswitch;
}

/* Extend a channel from an end (-1: it starts) to another. times: 1, 2 for
 * twice the rate, or negative to take that back. Returns 0 if it can't. */
static int follow(struct search *x, int from, int to, int times)
{
    struct system *const s = x->s;
    struct search_graph *const g = &x->now;
    if (from < 0)
        return 1;
    const int in = inside(s, from) && inside(s, to);
    const int type = in ? g->f.type_intra : g->f.type_inter;
    const int rate = (in ? g->f.intra : g->f.inter) * times;
    const struct system_path *const p = system_path(s, from, to);
    const int tree =
        g->f.pattern == SEARCH_BALANCED || g->f.pattern == SEARCH_TREE;
    if (p->type >= SYSTEM_DIS ||
        (times == 1 &&
         (p->type > type || (tree && system_path(s, to, from)->type > type))))
        return 0;
    const int n = use(x, from, p, p->nlinks, rate);
    if (n < p->nlinks) {
        use(x, from, p, n, -rate);
        return 0;
    }
    g->nhops += times * p->nlinks;
    return 1;
}

/* ---- the next GPU -------------------------------------------------------- */

struct score {
    int gpu, start, hops, rate, net_hops, pcie, net_rate;
};

static int by_score(const void *a, const void *b)
{
    const struct score *const x = a, *const y = b;
    if (x->net_rate != y->net_rate)
        return y->net_rate - x->net_rate;
    if (x->pcie != y->pcie)
        return y->pcie - x->pcie;
    if (x->net_hops != y->net_hops)
        return x->net_hops - y->net_hops;
    if (x->rate != y->rate)
        return y->rate - x->rate;
    if (x->hops != y->hops)
        return x->hops - y->hops;
    return x->start - y->start;
}

/* GB/s left of a GPU's PCIe link, both ways. */
static int gpu_pcie(const struct system *s, int gpu)
{
    const struct system_link *const l = &s->link[s->pcie[gpu]];
    const int back = s->link[l->back].left;
    return (l->left < back ? l->left : back) / 1000;
}

static int is_free(const struct search *x, int from, int gpu)
{
    return system_path(x->s, from, gpu)->nlinks > 0 &&
           !(x->used[gpu] >> x->now.f.channels & 1);
}

/* At a switch, channels go to a GPU's neighbours only. */
static int neighbours(const struct search *x, int gpu, int *next)
{
    const int all = x->s->ngpus;
    const int before = (gpu - 1 + all) % all, after = (gpu + 1) % all;
    const enum search_pattern p = x->now.f.pattern;
    const int both = p == SEARCH_RING || p == SEARCH_BALANCED;
    const int back = both && before != after && is_free(x, gpu, before);
    int n = 0;
    if (back && p == SEARCH_RING)
        next[n++] = before;
    if (is_free(x, gpu, after))
        next[n++] = after;
    if (back && p == SEARCH_BALANCED)
        next[n++] = before;
    return n;
}

/* List the GPUs to try after a GPU. to_net: 0 if the channel doesn't return to
 * a NIC, 1 if it does after the next GPU, -1 if later. */
static int next_gpus(const struct search *x, int gpu, int to_net, int *next)
{
    const struct system *const s = x->s;
    struct score score[SYSTEM_GPUS];
    int n = 0, alike = 1;
    if (s->vswitch >= 0)
        return neighbours(x, gpu, next);
    for (int i = 1; i < s->ngpus; i++) {
        const int g = (gpu + i) % s->ngpus;
        const struct system_path *const p = system_path(s, gpu, g);
        if (!is_free(x, gpu, g))
            continue;
        score[n] = (struct score){
            .gpu = g, .start = i, .hops = p->nlinks, .rate = p->rate / 1000};
        if (to_net) {
            const struct system_path *const q =
                system_path(s, x->now.net[x->now.f.channels][0], g);
            score[n].net_hops = q->nlinks;
            score[n].pcie = gpu_pcie(s, g);
            score[n].net_rate = q->rate / 1000;
        }
        n++;
    }
    qsort(score, (size_t)n, sizeof *score, by_score);
    for (int i = 1; i < n; i++)
        alike &=
            score[i].rate == score[0].rate && score[i].hops == score[0].hops;
    for (int i = 0; i < n; i++)
        next[i] = score[to_net < 0 && alike ? n - 1 - i : i].gpu;
    return n;
}

/* ---- nets ---------------------------------------------------------------- */

static int add_net(int16_t *list, int n, int net)
{
    for (int i = 0; i < n; i++)
        if (list[i] == net)
            return n;
    list[n] = (int16_t)net;
    return n + 1;
}

/* The nets that GPUs prefer, GPU by GPU. */
static int own_nets(const struct system *s, int first, int end, int16_t *list)
{
    int n = 0;
    for (int gpu = first; gpu < end; gpu++)
        for (int c = 0; c < SYSTEM_CHANNELS; c++) {
            const int net = system_net_of(s, gpu, c);
            if (net < 0 || (c > 0 && net == system_net_of(s, gpu, 0)))
                break;
            n = add_net(list, n, net);
        }
    return n;
}

/* The same in a rack of several hosts, channel by channel. */
static int spread_nets(const struct system *s, int first, int end,
                       int16_t *list)
{
    int done[SYSTEM_GPUS] = {0}, n = 0;
    for (int c = 0, left = end - first; c < SYSTEM_CHANNELS && left > 0; c++)
        for (int gpu = first; gpu < end; gpu++) {
            const int net = done[gpu] ? -1 : system_net_of(s, gpu, c);
            if (net < 0 || (c > 0 && net == system_net_of(s, gpu, 0)))
                left -= !done[gpu]++;
            else
                n = add_net(list, n, net);
        }
    return n;
}

/* List the nets to try for a GPU (-1: for any): those that it prefers, then
 * others up to a type of path. */
static int list_nets(struct search *x, int gpu, const int16_t **list)
{
    const struct system *const s = x->s;
    const int limit = x->now.f.type_inter;
    int16_t **const at = &x->nets[limit][gpu + 1];
    const int first = gpu < 0 ? 0 : gpu, end = gpu < 0 ? s->ngpus : gpu + 1;
    if (!*at && (*at = calloc((size_t)s->nnets + 1, sizeof **at))) {
        int n = s->nhosts > 1 ? spread_nets(s, first, end, *at)
                              : own_nets(s, first, end, *at);
        for (int type = 0; type <= limit; type++)
            for (int g = first; g < end; g++)
                for (int i = 0; i < s->nnets && i < SYSTEM_CHANNELS; i++)
                    if (system_path(s, g, system_net(s, i))->type == type)
                        n = add_net(*at, n, system_net(s, i));
        x->nnets[limit][gpu + 1] = n;
    }
    *list = *at;
    x->failed |= !*at;
    return *at ? x->nnets[limit][gpu + 1] : 0;
}

/* ---- the recursion ------------------------------------------------------- */

static void search_from(struct search *x, int gpu, int step, int net_step,
                        int first_step, enum search_order order);

/* True if the channels so far are better than the best ones. */
static int improves(const struct search *x)
{
    const struct search_found *const a = &x->now.f, *const b = &x->best.f;
    if (a->channels < x->now.least)
        return 0;
    if (a->pattern == SEARCH_NVLS)
        return (a->channels > b->channels && a->channels <= x->s->ngpus) ||
               a->channels * a->inter > b->channels * b->inter;
    if (a->channels * a->intra != b->channels * b->intra)
        return a->channels * a->intra > b->channels * b->intra;
    return a->pattern == b->pattern && x->now.cross == x->best.cross &&
           x->now.nhops < x->best.nhops;
}

/* A channel is complete. */
static void end_channel(struct search *x)
{
    x->now.f.channels++;
    if (improves(x)) {
        x->best = x->now;
        if (x->now.f.channels == x->now.most)
            x->steps = -1;
    }
    if (x->now.f.channels < x->now.most)
        search_channel(x);
    x->now.f.channels--;
}

static void try_gpu(struct search *x, int from, int gpu, int step, int net_step,
                    int first_step, enum search_order order)
{
    const uint64_t flag = UINT64_C(1) << x->now.f.channels;
    if (!follow(x, from, gpu, 1))
        return;
    x->used[gpu] ^= flag;
    search_from(x, gpu, step, net_step, first_step, order);
    x->used[gpu] ^= flag;
    follow(x, from, gpu, -1);
}

/* True if a channel may leave by a net, having come in by another. */
static int may_leave(const struct search *x, int net, int step)
{
    const struct search_graph *const g = &x->now;
    const int c = g->f.channels;
    if (g->f.pattern == SEARCH_TREE && net != g->net[c][0])
        return 0;
    if (g->f.pattern == SEARCH_RING && g->cross == 2) {
        if (c % 2 && net != g->net[c - 1][0])
            return 0;
    } else if (g->cross == 0 && net != g->net[c][0]) {
        return 0;
    }
    return !(g->f.pattern == SEARCH_BALANCED && step != 0 &&
             net != g->net[c][1]);
}

static void to_net(struct search *x, int gpu, int step, int first_step,
                   enum search_order order)
{
    struct search_graph *const g = &x->now;
    const int balanced = g->f.pattern == SEARCH_BALANCED;
    const int rate = g->f.inter;
    const int16_t *nets;
    const int n = list_nets(x, gpu, &nets);
    for (int i = 0; i < n; i++) {
        if (!may_leave(x, nets[i], step))
            continue;
        // two GPUs of a balanced tree have half of the rate each
        g->f.inter = balanced ? rate / 2 : rate;
        const int can = follow(x, gpu, nets[i], 1);
        g->f.inter = rate;
        if (!can)
            continue;
        g->net[g->f.channels][1] = nets[i];
        search_from(x, gpu, step, balanced && step == 0 ? 1 : -1, first_step,
                    order);
        g->f.inter = balanced ? rate / 2 : rate;
        follow(x, gpu, nets[i], -1);
        g->f.inter = rate;
    }
}

/* A head of NVLS: the switch reads from all GPUs, and writes to all. */
static void try_head(struct search *x, int head)
{
    const struct system *const s = x->s;
    int down = 0, up = 0;
    while (down < s->ngpus && follow(x, s->vswitch, down, down == head ? 2 : 1))
        down++;
    if (down == s->ngpus) {
        while (up < s->ngpus && follow(x, up, s->vswitch, up == head ? 2 : 1))
            up++;
        if (up == s->ngpus)
            search_from(x, -1, s->ngpus, -1, -1, ANY);
    }
    while (up-- > 0)
        follow(x, up, s->vswitch, up == head ? -2 : -1);
    while (down-- > 0)
        follow(x, s->vswitch, down, down == head ? -2 : -1);
}

static void to_next(struct search *x, int gpu, int step, int net_step,
                    int first_step, enum search_order order)
{
    const struct search_graph *const g = &x->now;
    int next[SYSTEM_GPUS], n = 1;
    if (order == BY_FILE)
        next[0] = step + 1;
    else if (order == AS_BEFORE)
        next[0] = g->gpu[g->f.channels - 1][step + 1];
    else
        n = next_gpus(x, gpu,
                      net_step < 0           ? 0
                      : net_step == step + 1 ? 1
                                             : -1,
                      next);
    for (int i = 0; i < n; i++)
        try_gpu(x, gpu, next[i], step + 1, net_step, first_step, order);
}

/* Extend a channel from a GPU, which is number `step` of it. */
static void search_from(struct search *x, int gpu, int step, int net_step,
                        int first_step, enum search_order order)
{
    struct search_graph *const g = &x->now;
    if (x->steps <= 0)
        return;
    x->steps--;
    if (step == x->s->ngpus) {
        end_channel(x);
        return;
    }
    g->gpu[g->f.channels][step] = (int16_t)gpu;
    if (step == net_step) {
        if (x->s->inter)
            to_net(x, gpu, step, first_step, order);
    } else if (g->f.pattern == SEARCH_NVLS) {
        try_head(x, gpu);
    } else if (step < x->s->ngpus - 1) {
        to_next(x, gpu, step, net_step, first_step, order);
    } else if (step == first_step) {
        const int first = g->gpu[g->f.channels][0];
        if (follow(x, gpu, first, 1)) {
            search_from(x, first, step + 1, net_step, -1, order);
            follow(x, gpu, first, -1);
        }
    } else {
        search_from(x, gpu, x->s->ngpus, -1, -1, order);
    }
}

/* ---- where channels start ------------------------------------------------ */

static void start(struct search *x, int net, int gpu, enum search_order order)
{
    try_gpu(x, net, gpu, 0, x->net_step, x->first_step, order);
}

/* Channels that come in by a net. */
static void from_net(struct search *x, int net)
{
    struct system *const s = x->s;
    struct search_graph *const g = &x->now;
    const int own = s->net[net - s->ngpus].gpu;
    int near[SYSTEM_GPUS];
    if (g->f.channels > 0 && g->f.same) {
        start(x, net, g->gpu[g->f.channels - 1][0], AS_BEFORE);
        return;
    }
    if (g->f.channels == 0 && s->vswitch < 0) {
        const int steps = x->steps;
        x->steps = STEPS_FIRST;
        start(x, net, 0, BY_FILE);
        x->steps = x->steps == -1 ? -1 : steps;
    }
    if (own >= 0)
        start(x, net, own, ANY);
    const int n = system_nearest(s, net, 0, s->ngpus, near);
    for (int i = 0; i < n; i++)
        if (near[i] != own)
            start(x, net, near[i], ANY);
}

/* NVLS only looks for a NIC for each head. Returns true if it tried one. */
static int head_at_net(struct search *x, int net, int nnets)
{
    const struct search_graph *const g = &x->now;
    const int gpu = x->s->net[net - x->s->ngpus].gpu;
    if (g->f.channels >= nnets || gpu < 0)
        return 0;
    for (int c = 0; c < g->f.channels; c++)
        if (g->gpu[c][0] == gpu)
            return 0;
    start(x, net, gpu, ANY);
    return 1;
}

static void from_nets(struct search *x)
{
    struct system *const s = x->s;
    struct search_graph *const g = &x->now;
    const int rate = whole(g->f.inter), nvls = g->f.pattern == SEARCH_NVLS;
    const int16_t *nets;
    const int n = list_nets(x, -1, &nets);
    for (int i = 0, found = 0; i < n && !found; i++) {
        const int net = nets[(g->f.channels + i) % n], c = g->f.channels;
        struct system_net *const p = &s->net[net - s->ngpus];
        if (p->left < rate || (g->f.pattern == SEARCH_RING && g->cross == 2 &&
                               c % 2 && net != g->net[c - 1][1]))
            continue;
        g->net[c][0] = (int16_t)net;
        g->f.latency = p->latency;
        p->left -= rate;
        if (nvls)
            found = head_at_net(x, net, n);
        else
            from_net(x, net);
        p->left += rate;
    }
}

/* Search for one more channel. */
void search_channel(struct search *x)
{
    const struct search_graph *const g = &x->now;
    if (x->s->inter) {
        from_nets(x);
        return;
    }
    if (g->f.pattern == SEARCH_NVLS) {
        start(x, -1, g->f.channels, ANY);
        return;
    }
    if (g->f.channels == 0)
        start(x, -1, 0, BY_FILE);
    else
        start(x, -1, g->gpu[g->f.channels - 1][0], AS_BEFORE);
    if (!g->f.same || g->f.channels == 0)
        for (int gpu = 0; gpu < x->s->ngpus; gpu++)
            start(x, -1, gpu, ANY);
}
