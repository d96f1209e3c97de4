#include "topo/nccl/system_graph.h"

#include <math.h>   /* lround */
#include <stdlib.h> /* calloc */

static int thousandths(double GBps)
{
    return (int)lround(1000 * GBps);
}

static int add_half(struct system_graph *m, int from, int to, int type,
                    int rate)
{
    struct system *const s = m->s;
    for (int i = 0; i < s->nlinks; i++)
        if (s->link[i].from == from && s->link[i].to == to &&
            s->link[i].type == type) {
            s->link[i].rate += rate;
            return i;
        }
    s->link[s->nlinks] = (struct system_link){from, to, type, rate, 0, -1};
    return s->nlinks++;
}

static void connect(struct system_graph *m, int a, int b, int type, int rate)
{
    struct system *const s = m->s;
    if (a < 0 || b < 0)
        return;
    const int there = add_half(m, a, b, type, rate);
    const int back = add_half(m, b, a, type, rate);
    s->link[there].back = back;
    s->link[back].back = there;
}

static int cpu_of(const struct topo *t, int local)
{
    return t->pci[t->gpu[local].pci].cpu;
}

/* Mark the <pci> from a GPU or NIC to the root; their CPU is in the graph. */
static void keep(struct system_graph *m, int pci, int cpu)
{
    m->cpu_at[cpu] = 1;
    for (; pci >= 0; pci = m->t->pci[pci].parent)
        m->pci_at[pci] = 1;
}

/* Number the parts of the machine that are in the graph, ends first. */
static void number_nodes(struct system_graph *m)
{
    struct system *const s = m->s;
    const struct topo *const t = m->t;
    int n = 0;
    for (int i = 0; i < s->ngpus; i++) {
        keep(m, t->gpu[s->local[i]].pci, cpu_of(t, s->local[i]));
        m->gpu_at[s->local[i]] = n++;
    }
    for (int i = 0; i < t->nnics; i++)
        keep(m, t->nic[i].pci, t->nic[i].cpu);
    n += s->nnets;
    for (int i = 0; i < t->ncpus; i++)
        m->cpu_at[i] = m->cpu_at[i] > 0 ? n++ : -1;
    s->ncpus = n - s->ngpus - s->nnets;
    s->vswitch = -1;
    for (int i = 0; i < s->ngpus && s->vswitch < 0; i++)
        if (t->gpu[s->local[i]].switch_links > 0)
            s->vswitch = n++;
    s->nends = n;
    for (int i = 0; i < t->npcis; i++) {
        const int leaf = t->pci[i].leaf_gpu;
        if (leaf >= 0 && m->pci_at[i] > 0)
            m->pci_at[i] = m->gpu_at[leaf];
        else
            m->pci_at[i] = m->pci_at[i] > 0 ? n++ : -1;
    }
    for (int i = 0; i < t->ncpus; i++) // NICs directly at a CPU
        m->nic_at[i] = n++;
    s->nnodes = n;
}

static int same_system(const struct topo *t, int a, int b)
{
    return a != b && machine_same_host(t, a, b);
}

static void add_pcie(struct system_graph *m)
{
    const struct topo *const t = m->t;
    for (int i = 0; i < t->npcis; i++) {
        const struct machine_pci *const p = &t->pci[i];
        const int parent =
            p->parent < 0 ? m->cpu_at[p->cpu] : m->pci_at[p->parent];
        if (m->pci_at[i] < 0)
            continue;
        m->up[m->pci_at[i]] = parent;
        m->bridge[m->pci_at[i]] = p->leaf_gpu < 0;
        connect(m, m->pci_at[i], parent, SYSTEM_PIX,
                thousandths(machine_nccl_pcie(p)));
    }
    const int ports = (int)t->cal.choice.nic_ports;
    for (int i = 0; i < m->s->nnets; i++) {
        const struct machine_nic *const c = &t->nic[i / ports];
        const int nic = c->pci < 0 ? m->nic_at[c->cpu] : m->pci_at[c->pci];
        const int rate = thousandths(c->mbps / 8000 / ports);
        m->s->net[i] = (struct system_net){
            .rate = rate, .left = rate, .latency = t->cal.choice.plugin_us};
        if (c->pci < 0)
            connect(m, nic, m->cpu_at[c->cpu], SYSTEM_PIX, SYSTEM_LOCAL);
        m->bridge[nic] = 0;
        connect(m, nic, system_net(m->s, i), SYSTEM_NET, rate);
    }
}

static void add_nvlinks(struct system_graph *m)
{
    const struct system *const s = m->s;
    const struct topo *const t = m->t;
    const double each = t->arch->nccl_link;
    for (int i = 0; i < s->ngpus; i++) {
        const struct machine_gpu *const g = &t->gpu[s->local[i]];
        if (g->switch_links > 0)
            connect(m, i, s->vswitch, SYSTEM_NVL,
                    thousandths(g->switch_links * each));
        for (int k = 0; k < i; k++)
            if (t->nvlinks[s->local[i]][s->local[k]] > 0)
                connect(
                    m, i, k, SYSTEM_NVL,
                    thousandths(t->nvlinks[s->local[i]][s->local[k]] * each));
        if (g->c2c_GBps > 0)
            connect(m, i, m->cpu_at[cpu_of(t, s->local[i])], SYSTEM_C2C,
                    thousandths(g->c2c_GBps));
    }
}

static void add_sockets(struct system_graph *m)
{
    const struct topo *const t = m->t;
    for (int a = 0; a < t->ncpus; a++)
        for (int b = 0; b < a; b++)
            if (m->cpu_at[a] >= 0 && m->cpu_at[b] >= 0 && same_system(t, a, b))
                connect(m, m->cpu_at[a], m->cpu_at[b], SYSTEM_SYS,
                        thousandths(t->cpu[a].nccl_socket));
}

/* List each node's links, the fastest first, and that to the root last. */
static void sort_links(struct system_graph *m)
{
    const struct system *const s = m->s;
    for (int i = 0; i < s->nlinks; i++) {
        int *const list = m->out[s->link[i].from];
        int k = m->nout[s->link[i].from]++;
        for (; k > 0 && s->link[list[k - 1]].rate < s->link[i].rate; k--)
            list[k] = list[k - 1];
        list[k] = i;
    }
    for (int node = 0; node < s->nnodes; node++) {
        int *const list = m->out[node], n = m->nout[node];
        int k = 0;
        while (k < n && s->link[list[k]].to != m->up[node])
            k++;
        for (; k + 1 < n; k++) {
            const int swap = list[k];
            list[k] = list[k + 1];
            list[k + 1] = swap;
        }
    }
}

void system_graph_release(struct system_graph *m)
{
    free(m->gpu_at);
    free(m->up);
    if (m->out)
        free(m->out[0]);
    free(m->out);
}

/* Allocate what depends on the number of nodes and links. */
static int allocate(struct system_graph *m)
{
    struct system *const s = m->s;
    const size_t ends = (size_t)s->nends, n = (size_t)s->nnodes;
    const size_t g = (size_t)s->ngpus, c = (size_t)s->ncpus;
    m->capacity = (int)(2 * (n + (size_t)s->nnets + 2 * g + g * g + c * c));
    s->link = calloc((size_t)m->capacity, sizeof *s->link);
    s->net = calloc((size_t)s->nnets + 1, sizeof *s->net);
    s->path = calloc(ends * ends, sizeof *s->path);
    m->up = calloc(3 * n, sizeof *m->up);
    m->out = calloc(n, sizeof *m->out);
    if (!s->link || !s->net || !s->path || !m->up || !m->out)
        return -1;
    m->nout = m->up + n;
    m->bridge = m->nout + n;
    for (size_t i = 0; i < n; i++)
        m->up[i] = -1;
    return 0;
}

/* Give each node a list for its links. Returns 0, or -1 without memory. */
static int make_lists(struct system_graph *m)
{
    const struct system *const s = m->s;
    int *at = calloc((size_t)s->nlinks + 1, sizeof *at);
    if (!at)
        return -1;
    for (int i = 0; i < s->nlinks; i++)
        m->nout[s->link[i].from]++;
    for (int node = 0; node < s->nnodes; node++) {
        m->out[node] = at;
        at += m->nout[node];
        m->nout[node] = 0;
    }
    return 0;
}

int system_graph_make(struct system_graph *m)
{
    const struct topo *const t = m->t;
    const size_t parts = (size_t)(t->ngpus + t->npcis + 2 * t->ncpus);
    m->gpu_at = malloc(sizeof *m->gpu_at * parts);
    if (!m->gpu_at)
        return -1;
    for (size_t i = 0; i < parts; i++)
        m->gpu_at[i] = -1;
    m->pci_at = m->gpu_at + t->ngpus;
    m->cpu_at = m->pci_at + t->npcis;
    m->nic_at = m->cpu_at + t->ncpus;
    number_nodes(m);
    if (allocate(m) != 0)
        return -1;
    add_pcie(m);
    add_nvlinks(m);
    add_sockets(m);
    if (make_lists(m) != 0)
        return -1;
    sort_links(m);
    return 0;
}
