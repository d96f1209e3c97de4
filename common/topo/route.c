#include "topo/route.h"

#include <assert.h> /* assert */
#include <math.h>   /* fmax */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcpy */

#include "topo/nccl/settings.h"

static void use(struct topo_path *p, const struct topo *t, int node, int r)
{
    r += node * t->per_node;
    for (int i = 0; i < p->nresources; i++)
        if (p->resource[i] == r)
            return;
    assert(p->nresources < TOPO_MAX_PATH); // MACHINE_BRIDGES is 5
    p->resource[p->nresources++] = r;
}

/* The lowest <pci> at or above both; -1 if only the CPU is. */
static int common_bridge(const struct topo *t, int a, int b)
{
    for (; a >= 0; a = t->pci[a].parent)
        for (int k = b; k >= 0; k = t->pci[k].parent)
            if (k == a)
                return a;
    return -1;
}

enum reach route_reach(const struct topo *t, int cpu_a, int pci_a, int cpu_b,
                       int pci_b)
{
    if (cpu_a != cpu_b)
        return REACH_SYS;
    const int top = common_bridge(t, pci_a, pci_b);
    if (top < 0)
        return REACH_PHB;
    const int one_bridge = (pci_a == top || t->pci[pci_a].parent == top) &&
                           (pci_b == top || t->pci[pci_b].parent == top);
    return one_bridge ? REACH_PIX : REACH_PXB;
}

/* The GPU at a <pci>, if NVLink-C2C connects it to its CPU in place of PCIe. */
static const struct machine_gpu *coherent(const struct topo *t, int pci)
{
    const int leaf = pci < 0 ? -1 : t->pci[pci].leaf_gpu;
    return leaf >= 0 && t->gpu[leaf].c2c_GBps > 0 ? &t->gpu[leaf] : NULL;
}

/* Use the links from one <pci> (-1: its CPU) to another of the same node. */
static void use_pcie(struct topo_path *p, const struct topo *t, int node,
                     int cpu_a, int pci_a, int cpu_b, int pci_b)
{
    const int top = common_bridge(t, pci_a, pci_b);
    const struct machine_gpu *const a = top < 0 ? coherent(t, pci_a) : NULL;
    const struct machine_gpu *const b = top < 0 ? coherent(t, pci_b) : NULL;
    if (a)
        use(p, t, node, a->c2c_up);
    for (int k = a ? -1 : pci_a; k >= 0 && k != top; k = t->pci[k].parent)
        use(p, t, node, t->pci[k].up);
    if (cpu_a != cpu_b && machine_same_host(t, cpu_a, cpu_b))
        use(p, t, node, t->cpu[cpu_a].to[cpu_b]);
    for (int k = b ? -1 : pci_b; k >= 0 && k != top; k = t->pci[k].parent)
        use(p, t, node, t->pci[k].down);
    if (b)
        use(p, t, node, b->c2c_down);
}

static int cpu_of(const struct topo *t, int local)
{
    return t->pci[t->gpu[local].pci].cpu;
}

static enum reach gpu_reach(const struct topo *t, int a, int b)
{
    return route_reach(t, cpu_of(t, a), t->gpu[a].pci, cpu_of(t, b),
                       t->gpu[b].pci);
}

int route_nvlinks(const struct topo *t, int a, int b)
{
    if (a == b)
        return 0;
    if (t->nvlinks[a][b])
        return t->nvlinks[a][b];
    const int up = t->gpu[a].switch_links, down = t->gpu[b].switch_links;
    return up < down ? up : down;
}

/* Bandwidth of a single peer copy over PCIe; 0: no peer access. */
static double peer_cap(const struct topo *t, int a, int b)
{
    if (!machine_same_host(t, cpu_of(t, a), cpu_of(t, b)))
        return 0;
    return gpu_reach(t, a, b) == REACH_SYS ? t->cal.links.p2p_socket_GBps
                                           : t->cal.links.p2p_GBps;
}

/* True if NCCL uses peer access between two GPUs of one node (local
 * numbers). */
static int nccl_p2p(const struct topo *t, int a, int b)
{
    if (t->nccl.no_p2p)
        return 0;
    return route_nvlinks(t, a, b) ||
           (peer_cap(t, a, b) > 0 &&
            gpu_reach(t, a, b) <= t->cal.links.nccl_p2p);
}

int topo_p2p(const struct topo *t, int from_gpu, int to_gpu)
{
    const struct topo_gpu *const a = topo_gpu(t, from_gpu);
    const struct topo_gpu *const b = topo_gpu(t, to_gpu);
    return a && b && a != b && a->node == b->node &&
           (route_nvlinks(t, a->local, b->local) ||
            peer_cap(t, a->local, b->local) > 0);
}

int topo_multicast(const struct topo *t, int gpu_a, int gpu_b)
{
    const struct topo_gpu *const a = topo_gpu(t, gpu_a);
    const struct topo_gpu *const b = topo_gpu(t, gpu_b);
    return a && b && a->node == b->node && !t->nccl.no_nvls &&
           t->arch->sm >= 90 && t->gpu[a->local].switch_links > 0 &&
           t->gpu[b->local].switch_links > 0;
}

int route_nic(const struct topo *t, int local)
{
    enum reach best = REACH_SYS;
    int near[MACHINE_NICS], n = 0;
    for (int i = 0; i < t->nnics; i++) {
        const int cpu = cpu_of(t, local);
        const enum reach r = route_reach(t, cpu, t->gpu[local].pci,
                                         t->nic[i].cpu, t->nic[i].pci);
        if (!machine_same_host(t, cpu, t->nic[i].cpu))
            continue;
        if (n == 0 || r < best) {
            best = r;
            n = 0;
        }
        if (r == best)
            near[n++] = i;
    }
    // GPUs that are equally near to several NICs are distributed over them
    return n ? near[local % n] : -1;
}

enum reach route_nic_reach(const struct topo *t, int local, int nic)
{
    return route_reach(t, cpu_of(t, local), t->gpu[local].pci, t->nic[nic].cpu,
                       t->nic[nic].pci);
}

/* NCCL counts a GPU's NVLink-C2C to the NIC's CPU as near (ncclTopoCheckGdr()
 * in its paths.cc). */
int route_staged(const struct topo *t, int local, int nic)
{
    const enum reach reach = route_nic_reach(t, local, nic);
    const int c2c = reach == REACH_PHB && t->gpu[local].c2c_GBps > 0;
    return t->gpu[local].no_gdr || t->nic[nic].no_gdr ||
           settings_no_gdr(t, c2c ? REACH_NVL : reach);
}

static void describe(struct topo_path *p, const struct topo *t, int a, int b)
{
    const int nvlinks = route_nvlinks(t, a, b);
    if (nvlinks)
        snprintf(p->kind, sizeof p->kind, "NV%d", nvlinks);
    else
        strcpy(p->kind, reach_names[gpu_reach(t, a, b)]);
}

/* Connect two GPUs of a node by peer access. */
static void go_direct(struct topo_path *p, const struct topo *t, int node,
                      int a, int b, enum route_by by)
{
    const struct calibration_links *const l = &t->cal.links;
    p->latency_ps =
        (uint64_t)((by == ROUTE_LOADS ? l->load_us : l->p2p_us) * 1e6);
    if (t->nvlinks[a][b]) {
        use(p, t, node, t->bundle[a][b]);
    } else if (route_nvlinks(t, a, b)) {
        use(p, t, node, t->gpu[a].up);
        use(p, t, node, t->gpu[b].down);
    } else {
        use_pcie(p, t, node, cpu_of(t, a), t->gpu[a].pci, cpu_of(t, b),
                 t->gpu[b].pci);
        p->rate_cap = peer_cap(t, a, b) * 1e9;
    }
}

/* Connect two GPUs of a node through host memory. */
static void go_staged(struct topo_path *p, const struct topo *t, int node,
                      int a, int b)
{
    const struct calibration_links *const l = &t->cal.links;
    const int far = cpu_of(t, a) != cpu_of(t, b);
    p->latency_ps = (uint64_t)(l->staged_us * 1e6);
    p->rate_cap = (far ? l->staged_socket_GBps : l->staged_GBps) * 1e9;
    use_pcie(p, t, node, cpu_of(t, a), t->gpu[a].pci, cpu_of(t, a), -1);
    use(p, t, node, t->host);
    use_pcie(p, t, node, cpu_of(t, a), -1, cpu_of(t, b), t->gpu[b].pci);
}

/* One end of a path: a GPU, or a host's memory (local -1). */
struct end {
    int node, local;
    int cpu; /* CPU of the GPU or of the memory; -1: no particular CPU */
};

static int find_end(const struct topo *t, int32_t place, struct end *e)
{
    const struct topo_gpu *const g = topo_gpu(t, place);
    if (g)
        *e = (struct end){g->node, g->local, cpu_of(t, g->local)};
    else
        *e = (struct end){TOPO_HOST_NODE(place), -1, TOPO_HOST_CPU(place)};
    return g || topo_memory(t, place) >= 0 ? 0 : -1;
}

static void use_memory(struct topo_path *p, const struct topo *t, struct end e)
{
    if (e.local >= 0)
        use(p, t, e.node, t->gpu[e.local].memory);
    else
        use(p, t, e.node, e.cpu < 0 ? t->host : t->cpu[e.cpu].memory);
}

/*
 * Without GPUDirect RDMA, bytes pass through a buffer in the memory of the
 * GPU's host, at the rate of copies that are staged there; a NIC at another CPU
 * crosses the sockets for each of its small reads and writes, which takes
 * longer.
 */
static void use_bounce(struct topo_path *p, const struct topo *t, struct end e,
                       const struct machine_nic *nic, int out)
{
    const int cpu = cpu_of(t, e.local), pci = t->gpu[e.local].pci;
    const struct calibration_links *const l = &t->cal.links;
    const double GBps = cpu == nic->cpu ? l->staged_GBps : l->staged_net_GBps;
    if (p->rate_cap == 0 || GBps * 1e9 < p->rate_cap)
        p->rate_cap = GBps * 1e9;
    use(p, t, e.node, t->host);
    if (t->gpu[e.local].staged)
        use(p, t, e.node,
            out ? t->gpu[e.local].to_net : t->gpu[e.local].from_net);
    if (out) {
        use_pcie(p, t, e.node, cpu, pci, cpu, -1);
        use_pcie(p, t, e.node, cpu, -1, nic->cpu, nic->pci);
    } else {
        use_pcie(p, t, e.node, nic->cpu, nic->pci, cpu, -1);
        use_pcie(p, t, e.node, cpu, -1, cpu, pci);
    }
}

/* A GPU that NVLinks connect to this one and that has GPUDirect RDMA with the
 * NIC: NCCL sends through its memory (PXN). -1 if there is none. */
static int pxn_of(const struct topo *t, int local, int nic)
{
    for (int i = 0; i < t->ngpus; i++)
        if (route_nvlinks(t, local, i) > 0 && !route_staged(t, i, nic))
            return i;
    return -1;
}

static void use_pxn(struct topo_path *p, const struct topo *t, struct end e,
                    int by, const struct machine_nic *nic)
{
    if (t->nvlinks[e.local][by]) {
        use(p, t, e.node, t->bundle[e.local][by]);
    } else {
        use(p, t, e.node, t->gpu[e.local].up);
        use(p, t, e.node, t->gpu[by].down);
    }
    use(p, t, e.node, t->gpu[by].memory);
    use_pcie(p, t, e.node, cpu_of(t, by), t->gpu[by].pci, nic->cpu, nic->pci);
}

/* Connect a node's GPU or host to its NIC, which is returned. */
static int use_nic(struct topo_path *p, const struct topo *t, struct end e,
                   int out)
{
    const int n = e.local < 0 ? (t->nnics ? 0 : -1) : route_nic(t, e.local);
    if (n < 0)
        return -1;
    const struct machine_nic *const nic = &t->nic[n];
    const int cpu = e.cpu < 0 ? nic->cpu : e.cpu;
    const int pci = e.local < 0 ? -1 : t->gpu[e.local].pci;
    const int staged = e.local >= 0 && route_staged(t, e.local, n);
    const int by = staged && out ? pxn_of(t, e.local, n) : -1;
    if (by >= 0)
        use_pxn(p, t, e, by, nic);
    else if (staged)
        use_bounce(p, t, e, nic, out);
    else if (out)
        use_pcie(p, t, e.node, cpu, pci, nic->cpu, nic->pci);
    else
        use_pcie(p, t, e.node, nic->cpu, nic->pci, cpu, pci);
    use(p, t, e.node, out ? nic->out : nic->in);
    return n;
}

static int go_between_nodes(struct topo_path *p, const struct topo *t,
                            struct end from, struct end to)
{
    strcpy(p->kind, "NET");
    p->latency_ps = (uint64_t)(t->cal.links.net_us * 1e6);
    p->rate_cap = settings_socket(t) * 1e9;
    return use_nic(p, t, from, 1) < 0 || use_nic(p, t, to, 0) < 0 ? -1 : 0;
}

/* Bandwidth of a path's narrowest resource. */
static double narrowest(const struct topo_path *p, const struct topo *t)
{
    double rate = t->resource[p->resource[0]].rate;
    for (int i = 1; i < p->nresources; i++)
        if (t->resource[p->resource[i]].rate < rate)
            rate = t->resource[p->resource[i]].rate;
    return rate;
}

/* Connect a GPU and host memory, which is near unless it is attached
 * to another CPU. */
static void go_host(struct topo_path *p, const struct topo *t, struct end from,
                    struct end to, enum route_by by)
{
    const int out = from.local >= 0;
    const struct end gpu = out ? from : to, host = out ? to : from;
    const int far = host.cpu >= 0 && host.cpu != gpu.cpu;
    strcpy(p->kind, gpu.local < 0 ? "X" : far ? "SYS" : "PHB");
    if (gpu.local < 0)
        return; // host to host
    const int cpu = far ? host.cpu : gpu.cpu, pci = t->gpu[gpu.local].pci;
    p->latency_ps = (uint64_t)(t->cal.links.host_us * 1e6);
    if (out)
        use_pcie(p, t, gpu.node, gpu.cpu, pci, cpu, -1);
    else
        use_pcie(p, t, gpu.node, cpu, -1, gpu.cpu, pci);
    if (far && by == ROUTE_LOADS)
        p->share = t->cal.links.far_share;
    else if (far)
        p->rate_cap = t->cal.links.far_share * narrowest(p, t);
}

static void go_in_node(struct topo_path *p, const struct topo *t, int node,
                       int a, int b, enum route_by by)
{
    describe(p, t, a, b);
    const int direct = by == ROUTE_NCCL
                           ? nccl_p2p(t, a, b)
                           : by != ROUTE_STAGED &&
                                 (route_nvlinks(t, a, b) || peer_cap(t, a, b));
    if (by == ROUTE_LOADS && route_nvlinks(t, a, b))
        p->share = t->cal.links.load_share;
    if (direct)
        go_direct(p, t, node, a, b, by);
    else if (by == ROUTE_NCCL && t->nccl.no_shm && route_nic(t, a) >= 0 &&
             route_nic(t, b) >= 0)
        go_between_nodes(p, t, (struct end){node, a, cpu_of(t, a)},
                         (struct end){node, b, cpu_of(t, b)});
    else
        go_staged(p, t, node, a, b);
}

/* True if the ends are on hosts of a rack that NVLinks don't connect, so that
 * bytes go over the network. */
static int between_hosts(const struct topo *t, struct end a, struct end b)
{
    return a.cpu >= 0 && b.cpu >= 0 && !machine_same_host(t, a.cpu, b.cpu) &&
           !(a.local >= 0 && b.local >= 0 &&
             route_nvlinks(t, a.local, b.local));
}

static void use_engine(struct topo_path *p, const struct topo *t, struct end e)
{
    if (e.local >= 0)
        use(p, t, e.node, t->gpu[e.local].engine);
}

/* Connect a GPU's memory and the switch. */
static int go_to_switch(struct topo_path *p, const struct topo *t, int32_t gpu,
                        int up)
{
    const struct topo_gpu *const g = topo_gpu(t, gpu);
    if (!g || !topo_multicast(t, gpu, gpu))
        return -1;
    snprintf(p->kind, sizeof p->kind, "NV%d", t->gpu[g->local].switch_links);
    // not measured: at least that of a GPU behind the switch
    p->latency_ps =
        (uint64_t)(fmax(t->cal.links.p2p_us, t->cal.links.load_us) * 1e6);
    p->share = t->arch->nvls;
    use(p, t, g->node, t->gpu[g->local].memory);
    use(p, t, g->node, up ? t->gpu[g->local].up : t->gpu[g->local].down);
    return 0;
}

int route_find(const struct topo *t, int32_t from, int32_t to, enum route_by by,
               struct topo_path *out)
{
    struct end a, b;
    *out = (struct topo_path){.kind = "X", .share = 1};
    if (from == TOPO_SWITCH_PLACE || to == TOPO_SWITCH_PLACE)
        return go_to_switch(out, t, from == TOPO_SWITCH_PLACE ? to : from,
                            to == TOPO_SWITCH_PLACE);
    if (find_end(t, from, &a) != 0 || find_end(t, to, &b) != 0)
        return -1;
    use_memory(out, t, a);
    use_memory(out, t, b);
    if (from == to) { // bytes are both read and written there
        if (out->nresources > 0)
            out->resource[out->nresources++] = out->resource[0];
        return 0;
    }
    if (a.node != b.node || between_hosts(t, a, b) ||
        (by == ROUTE_NICS && a.local >= 0 && b.local >= 0 &&
         route_nic(t, a.local) >= 0 && route_nic(t, b.local) >= 0))
        return go_between_nodes(out, t, a, b);
    if (by == ROUTE_STAGED || by == ROUTE_COPY) {
        use_engine(out, t, a);
        use_engine(out, t, b);
    }
    if (a.local < 0 || b.local < 0)
        go_host(out, t, a, b, by);
    else
        go_in_node(out, t, a.node, a.local, b.local, by);
    return 0;
}

int topo_path(const struct topo *t, int32_t from, int32_t to, int way,
              struct topo_path *out)
{
    static const enum route_by by[] = {ROUTE_STAGED, ROUTE_COPY, ROUTE_LOADS,
                                       ROUTE_NICS};
    return route_find(t, from, to, by[way], out);
}
