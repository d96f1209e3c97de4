#include "topo/nccl/system.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "topo/nccl/system_graph.h"

static int cpu_of(const struct topo *t, int local)
{
    return t->pci[t->gpu[local].pci].cpu;
}

/* ---- paths -------------------------------------------------------------- */

/* The type of a path that begins with a link. */
static int type_over(const struct system_graph *m, const struct system_link *l,
                     const struct system_path *rest)
{
    const struct system *const s = m->s;
    const int first_cpu = s->ngpus + s->nnets, end_cpu = first_cpu + s->ncpus;
    int type = l->type == SYSTEM_NET ? SYSTEM_LOC : l->type;
    if (m->bridge[l->from] && m->bridge[l->to])
        type = SYSTEM_PXB;
    if (l->type == SYSTEM_PIX && ((l->from >= first_cpu && l->from < end_cpu) ||
                                  (l->to >= first_cpu && l->to < end_cpu)))
        type = SYSTEM_PHB;
    if (l->from < s->ngpus && rest->type == SYSTEM_NVL && type == SYSTEM_NVL &&
        rest->nlinks > 0)
        type = SYSTEM_NVB;
    return type > rest->type ? type : rest->type;
}

/* True if the path from a link's end that begins with it is better than the
 * one known so far. A path goes through a GPU only over its NVLinks. */
static int better(const struct system *s, const struct system_link *l, int base,
                  const struct system_path *rest, const struct system_path *now)
{
    const int rate = rest->rate < l->rate ? rest->rate : l->rate;
    if (l->from != base && l->from < s->ngpus &&
        (l->type != SYSTEM_NVL || l->to >= s->ngpus || rest->nlinks > 1))
        return 0;
    return (now->rate == 0 || now->nlinks > rest->nlinks) && now->rate < rate;
}

/* Let the path from a link's end begin with that link, if that is better, and
 * list the end. Returns how many are listed. */
static int extend(const struct system_graph *m, int base,
                  struct system_path *to, int link, int *next, int n)
{
    const struct system_link *const l = &m->s->link[link];
    const struct system_path *const rest = &to[l->from];
    struct system_path *const p = &to[l->to];
    if (!better(m->s, l, base, rest, p) || rest->nlinks == SYSTEM_LINKS)
        return n;
    p->link[0] = (int16_t)l->back;
    memcpy(p->link + 1, rest->link,
           sizeof rest->link[0] * (size_t)rest->nlinks);
    p->nlinks = rest->nlinks + 1;
    p->rate = rest->rate < l->rate ? rest->rate : l->rate;
    p->type = type_over(m, l, rest);
    for (int i = 0; i < n; i++)
        if (next[i] == l->to)
            return n;
    next[n] = l->to;
    return n + 1;
}

/* Find paths from all nodes to one, breadth first. to[] has one per node. */
static void find_paths(const struct system_graph *m, int base,
                       struct system_path *to, int *list, int *next)
{
    const struct system *const s = m->s;
    int n = 1, more;
    for (int i = 0; i < s->nnodes; i++)
        to[i] = (struct system_path){.type = SYSTEM_DIS};
    to[base] = (struct system_path){.rate = SYSTEM_LOCAL, .type = SYSTEM_LOC};
    for (list[0] = base; n > 0; n = more) {
        more = 0;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < m->nout[list[i]]; k++)
                more = extend(m, base, to, m->out[list[i]][k], next, more);
        memcpy(list, next, sizeof *list * (size_t)more);
    }
}

static int fill_paths(const struct system_graph *m)
{
    const struct system *const s = m->s;
    const size_t n = (size_t)s->nnodes;
    struct system_path *const to = calloc(n, sizeof *to);
    int *const lists = calloc(2 * n, sizeof *lists);
    for (int base = 0; to && lists && base < s->nends; base++) {
        find_paths(m, base, to, lists, lists + n);
        for (int from = 0; from < s->nends; from++)
            *system_path(s, from, base) = to[from];
    }
    const int failed = !to || !lists;
    free(to);
    free(lists);
    return failed ? -1 : 0;
}

/* ---- diversions --------------------------------------------------------- */

static int first_cpu(const struct system *s)
{
    return s->ngpus + s->nnets;
}

/* The end of the CPU that is the fewest links away from a GPU. */
static int near_cpu(const struct system *s, int gpu)
{
    int near = -1;
    for (int c = first_cpu(s); c < first_cpu(s) + s->ncpus; c++) {
        const int n = system_path(s, gpu, c)->nlinks;
        if (n > 0 && (near < 0 || n < system_path(s, gpu, near)->nlinks))
            near = c;
    }
    return near;
}

static int merge(int a, int b)
{
    if ((a == SYSTEM_PHB && b == SYSTEM_C2C) ||
        (a == SYSTEM_C2C && b == SYSTEM_PHB))
        return SYSTEM_P2C;
    return a > b ? a : b;
}

/* Let a path go through another end. */
static void divert(const struct system *s, int from, int via, int to)
{
    const struct system_path a = *system_path(s, from, via),
                             b = *system_path(s, via, to);
    struct system_path *const p = system_path(s, from, to);
    if (a.nlinks + b.nlinks > SYSTEM_LINKS)
        return;
    *p = a;
    memcpy(p->link + a.nlinks, b.link, sizeof b.link[0] * (size_t)b.nlinks);
    p->nlinks += b.nlinks;
    p->type = via < s->ngpus ? SYSTEM_PXN : merge(a.type, b.type);
    p->rate = a.rate < b.rate ? a.rate : b.rate;
}

static const int type_of_reach[] = {[REACH_NVL] = SYSTEM_NVL,
                                    [REACH_PIX] = SYSTEM_PIX,
                                    [REACH_PXB] = SYSTEM_PXB,
                                    [REACH_PHB] = SYSTEM_PHB,
                                    [REACH_SYS] = SYSTEM_SYS};

/* The farthest type of path for peer access. */
static int peer_limit(const struct system *s)
{
    const struct topo *const t = s->t;
    if (t->nccl.no_p2p)
        return SYSTEM_LOC;
    if (t->nccl.p2p_given)
        return type_of_reach[t->nccl.p2p];
    return t->cpu[cpu_of(t, s->local[0])].amd && s->ngpus <= 2 ? SYSTEM_SYS
                                                               : SYSTEM_PXB;
}

static void divert_peers(const struct system *s)
{
    const int limit = peer_limit(s);
    for (int to = 0; to < s->ngpus; to++)
        for (int from = 0; from < s->ngpus; from++)
            if (system_path(s, from, to)->type > limit && near_cpu(s, to) >= 0)
                divert(s, from, near_cpu(s, to), to);
}

/* Name paths that take NVLink-C2C to the CPU of a NIC. */
static void rename_c2c(const struct system *s)
{
    for (int net = s->ngpus; net < first_cpu(s); net++)
        for (int gpu = 0; gpu < s->ngpus; gpu++) {
            struct system_path *const p = system_path(s, gpu, net);
            struct system_path *const q = system_path(s, net, gpu);
            const int cpu = near_cpu(s, gpu);
            if (cpu < 0 || merge(system_path(s, gpu, cpu)->type,
                                 system_path(s, net, cpu)->type) != SYSTEM_P2C)
                continue;
            p->type = p->type < SYSTEM_P2C ? p->type : SYSTEM_P2C;
            q->type = q->type < SYSTEM_P2C ? q->type : SYSTEM_P2C;
        }
}

/* Send through the GPU next to a NIC, where that is better [PXN]. */
static void divert_pxn(const struct system *s, int gpu, int net, int near)
{
    const struct topo *const t = s->t;
    const struct system_path *const own = system_path(s, gpu, net);
    const struct system_path *const p =
        near < 0 ? NULL : system_path(s, near, net);
    if (p && near != gpu && p->type <= SYSTEM_P2C &&
        system_path(s, near, gpu)->type <= SYSTEM_NVL &&
        machine_same_host(t, cpu_of(t, s->local[near]),
                          cpu_of(t, s->local[gpu])) &&
        (p->rate > own->rate || own->type > SYSTEM_PXN))
        divert(s, gpu, near, net);
}

/* The distance that counts for GPUDirect: with PXN, of the other GPU. */
static int direct_type(const struct system *s, int gpu, int net)
{
    const struct system_path *const p = system_path(s, gpu, net);
    if (p->type != SYSTEM_PXN)
        return p->type;
    for (int i = 0; i < p->nlinks; i++)
        if (s->link[p->link[i]].to < s->ngpus)
            return system_path(s, s->link[p->link[i]].to, net)->type;
    return p->type;
}

static int net_gpu(const struct system *s, int net);

static void divert_nets(const struct system *s)
{
    const struct topo *const t = s->t;
    const int limit = !t->nccl.gdr_given ? SYSTEM_PXB
                      : t->nccl.gdr < 0  ? SYSTEM_LOC
                                         : type_of_reach[t->nccl.gdr];
    for (int net = s->ngpus; net < first_cpu(s); net++)
        for (int gpu = 0; gpu < s->ngpus; gpu++) {
            divert_pxn(s, gpu, net, net_gpu(s, net));
            const int direct = direct_type(s, gpu, net);
            const int cpu = near_cpu(s, gpu);
            if (system_path(s, gpu, net)->type >= SYSTEM_PHB || cpu < 0 ||
                (direct == SYSTEM_P2C ? SYSTEM_C2C : direct) <= limit)
                continue;
            divert(s, net, cpu, gpu);
            divert(s, gpu, cpu, net);
        }
}

/* ---- what the search asks ----------------------------------------------- */

int system_nearest(const struct system *s, int end, int first, int n, int *list)
{
    int found = 0, rate = 0, type = SYSTEM_DIS;
    for (int i = first; i < first + n; i++) {
        const struct system_path *const p = system_path(s, end, i);
        if (p->rate > rate || (p->rate == rate && p->type < type)) {
            rate = p->rate;
            type = p->type;
            found = 0;
        }
        if (p->rate == rate && p->type == type)
            list[found++] = i;
    }
    return found;
}

/* A number below n, a power of two, with its bits in reverse. */
static int mirror(int number, int n)
{
    int out = 0;
    for (int bit = 1, other = n / 2; bit < n; bit *= 2, other /= 2)
        if (number & bit)
            out |= other;
    return out;
}

int system_net_of(const struct system *s, int gpu, int channel)
{
    int nets[MACHINE_NICS], gpus[SYSTEM_GPUS];
    const int n = system_nearest(s, gpu, s->ngpus, s->nnets, nets);
    if (n == 0)
        return -1;
    const int sharing = system_nearest(s, nets[0], 0, s->ngpus, gpus);
    const int each = (n + sharing - 1) / sharing;
    const int dev = s->t->gpu[s->local[gpu]].dev;
    const int first = (n & (n - 1)) == 0 ? mirror(dev, n) : dev;
    return nets[(first + channel % each) % n];
}

/* The first GPU whose net this is; -1: none. */
static int net_gpu(const struct system *s, int net)
{
    int gpus[SYSTEM_GPUS];
    const int n = system_nearest(s, net, 0, s->ngpus, gpus);
    for (int channel = 0; channel < SYSTEM_CHANNELS; channel++)
        for (int i = 0; i < n; i++)
            if (system_net_of(s, gpus[i], channel) == net)
                return gpus[i];
    return -1;
}

static void find_rates(struct system *s)
{
    const int first = s->inter ? s->ngpus : 0;
    const int n = s->inter ? s->nnets : s->ngpus;
    if (!s->inter && s->ngpus == 1)
        s->max_rate = s->total_rate = SYSTEM_LOCAL;
    for (int gpu = 0; gpu < s->ngpus; gpu++) {
        int nvlinks = 0, pcie = 0;
        for (int i = 0; i < s->nlinks; i++) {
            if (s->link[i].from != gpu)
                continue;
            if (s->link[i].type == SYSTEM_NVL)
                nvlinks += s->link[i].rate;
            if (s->link[i].type == SYSTEM_PIX) {
                pcie = s->link[i].rate;
                s->pcie[gpu] = i;
            }
        }
        if (pcie < nvlinks)
            pcie = nvlinks;
        if (s->total_rate < pcie)
            s->total_rate = pcie;
        for (int i = first; i < first + n; i++)
            if (system_path(s, gpu, i)->nlinks > 0 &&
                s->max_rate < system_path(s, gpu, i)->rate)
                s->max_rate = system_path(s, gpu, i)->rate;
    }
}

/* ---- life --------------------------------------------------------------- */

static int by_pci(const struct topo *t, int a, int b)
{
    return t->gpu[a].pci - t->gpu[b].pci;
}

/* The communicator's GPUs, in the order of the file. */
static void list_gpus(struct system *s, const int *local, int n)
{
    s->ngpus = n < SYSTEM_GPUS ? n : SYSTEM_GPUS;
    for (int i = 0; i < s->ngpus; i++) {
        int k = i;
        for (; k > 0 && by_pci(s->t, local[i], s->local[k - 1]) < 0; k--) {
            s->local[k] = s->local[k - 1];
            s->rank[k] = s->rank[k - 1];
        }
        s->local[k] = local[i];
        s->rank[k] = i;
    }
}

struct system *system_of(const struct topo *t, const int *local, int n,
                         int inter)
{
    struct system *const s = calloc(1, sizeof *s);
    struct system_graph m = {.s = s, .t = t};
    if (!s)
        return NULL;
    s->t = t;
    s->inter = inter;
    s->nnets = t->nnics * (int)t->cal.choice.nic_ports;
    s->nhosts = 1 + !machine_same_host(t, 0, t->ncpus - 1);
    list_gpus(s, local, n);
    const int failed = system_graph_make(&m) != 0 || fill_paths(&m) != 0;
    system_graph_release(&m);
    if (failed) {
        system_free(s);
        return NULL;
    }
    divert_peers(s);
    rename_c2c(s);
    divert_nets(s);
    for (int i = 0; i < s->nnets; i++)
        s->net[i].gpu = net_gpu(s, system_net(s, i));
    find_rates(s);
    for (int i = 0; i < s->nlinks; i++)
        s->link[i].left = s->link[i].rate;
    return s;
}

void system_free(struct system *s)
{
    if (!s)
        return;
    free(s->link);
    free(s->net);
    free(s->path);
    free(s);
}
