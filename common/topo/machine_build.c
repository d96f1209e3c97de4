/*
 * machine_build.c: resources and costs, from the parts of a machine and its
 * calibration
 */
#include "topo/machine.h"

#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "topo/fabric.h"
#include "topo/route.h"

/*
 * On a GH200, copies reach 375 GB/s to the GPU and 297 from it (Schieffer et
 * al., "Harnessing Integrated CPU-GPU System Memory for HPC", ICPP 2024, arXiv
 * 2407.07850), which is on average this share of the 397 that NCCL states
 * (c2c).
 */
static const double C2C_EFF = .85;

/* Builds the resources of node 0 first, then renamed copies for other nodes. */
struct builder {
    struct topo *t;
    int node, next; /* next: the resource that add() fills next */
};

__attribute__((format(printf, 3, 4))) static int
add(struct builder *b, double GBps, const char *format, ...)
{
    struct topo_resource *const r = &b->t->resource[b->next++];
    va_list args;
    va_start(args, format);
    vsnprintf(r->name, sizeof r->name, format, args);
    va_end(args);
    r->rate = GBps * 1e9;
    // parts hold indices of node 0
    return b->next - 1 - b->node * b->t->per_node;
}

/* The rate at which bytes between a GPU and its NIC pass through the host. All
 * of the GPU's messages share it. */
static void add_staging(struct builder *b, int local, int n)
{
    const struct topo *const t = b->t;
    struct machine_gpu *const g = &b->t->gpu[local];
    const int near = t->nic[route_nic(t, local)].cpu == t->pci[g->pci].cpu;
    const double rate =
        near ? t->cal.links.staged_GBps : t->cal.links.staged_net_GBps;
    g->to_net = add(b, rate, "staged G%d to NIC", n);
    g->from_net = add(b, rate, "staged NIC to G%d", n);
}

static void add_gpu(struct builder *b, int local)
{
    static const char *const math[TOPO_MATHS] = {"fp32", "tf32", "fp16", "fp64",
                                                 "fp8"};
    struct topo *const t = b->t;
    struct machine_gpu *const g = &t->gpu[local];
    const struct calibration_device *const d = &t->cal.device;
    const int n = b->node * t->ngpus + local;
    for (int i = 0; i < TOPO_MATHS; i++)
        g->compute[i] = d->TFLOPs[i] > 0
                            ? add(b, d->TFLOPs[i] * 1000 * d->flops_eff,
                                  "%s G%d", math[i], n)
                            : -1;
    g->memory = add(b, d->hbm_GBps * d->hbm_eff, "hbm G%d", n);
    g->engine = add(b, t->cal.links.engine_GBps, "copy engines G%d", n);
    if (g->switch_links) {
        const double rate = g->switch_links * t->cal.links.nvlink_GBps;
        g->up = add(b, rate, "nvlink G%d up", n);
        g->down = add(b, rate, "nvlink G%d down", n);
    }
    if (g->c2c_GBps > 0) {
        const double rate = g->c2c_GBps * t->cal.links.c2c_eff;
        g->c2c_up = add(b, rate, "c2c G%d up", n);
        g->c2c_down = add(b, rate, "c2c G%d down", n);
    }
    if (g->staged)
        add_staging(b, local, n);
    for (int other = 0; other < t->ngpus; other++)
        if (t->nvlinks[local][other])
            t->bundle[local][other] =
                add(b, t->nvlinks[local][other] * t->cal.links.nvlink_GBps,
                    "nvlink G%d->G%d", n, b->node * t->ngpus + other);
}

static void add_pci(struct builder *b, int i)
{
    struct topo *const t = b->t;
    struct machine_pci *const p = &t->pci[i];
    const double rate = machine_pcie(t, p);
    char name[24];
    if (p->leaf_gpu >= 0)
        snprintf(name, sizeof name, "G%d", b->node * t->ngpus + p->leaf_gpu);
    else
        snprintf(name, sizeof name, "%s n%d", p->bus_id, b->node);
    p->up = add(b, rate, "pcie %s up", name);
    p->down = add(b, rate, "pcie %s down", name);
}

/* The number of a CPU's NUMA node. In a rack, whose hosts repeat these numbers,
 * the CPU's place in the file. */
static int cpu_number(const struct topo *t, int cpu)
{
    return machine_same_host(t, 0, t->ncpus - 1) ? t->cpu[cpu].numa : cpu;
}

static void add_rest(struct builder *b)
{
    struct topo *const t = b->t;
    const struct calibration_links *const l = &t->cal.links;
    for (int i = 0; i < t->ncpus; i++) {
        t->cpu[i].memory = add(b, l->numa_GBps, "host n%d memory %d", b->node,
                               cpu_number(t, i));
        for (int k = 0; k < t->ncpus; k++)
            if (i != k && machine_same_host(t, i, k))
                t->cpu[i].to[k] =
                    add(b, l->socket_GBps, "socket %d->%d n%d",
                        cpu_number(t, i), cpu_number(t, k), b->node);
    }
    for (int i = 0; i < t->nnics; i++) {
        const double rate = t->nic[i].mbps / 8000 * l->net_eff;
        t->nic[i].out = add(b, rate, "out %.24s n%d", t->nic[i].name, b->node);
        t->nic[i].in = add(b, rate, "in %.24s n%d", t->nic[i].name, b->node);
    }
    t->host = add(b, l->host_GBps, "host n%d", b->node);
}

static int count_resources(const struct topo *t)
{
    int n = 1 + 2 * t->npcis + 2 * t->nnics + t->ncpus;
    for (int i = 0; i < t->ncpus; i++)
        for (int k = 0; k < t->ncpus; k++)
            n += i != k && machine_same_host(t, i, k);
    for (int i = 0; i < t->ngpus; i++) {
        for (int math = 0; math < TOPO_MATHS; math++)
            n += t->cal.device.TFLOPs[math] > 0;
        n += 2 + (t->gpu[i].switch_links ? 2 : 0);
        n += t->gpu[i].c2c_GBps > 0 ? 2 : 0;
        n += t->gpu[i].staged ? 2 : 0;
        for (int k = 0; k < t->ngpus; k++)
            n += t->nvlinks[i][k] > 0;
    }
    return n;
}

static void describe_gpu(const struct topo *t, int n)
{
    const struct machine_gpu *const m = &t->gpu[n % t->ngpus];
    const struct calibration_device *const d = &t->cal.device;
    struct topo_gpu *const g = &t->gpus[n];
    *g = (struct topo_gpu){.node = n / t->ngpus,
                           .local = n % t->ngpus,
                           .pageable = m->c2c_GBps > 0,
                           .numa = t->cpu[t->pci[m->pci].cpu].numa,
                           .sm = m->sm,
                           .nsm = (int)d->nsm,
                           .clock_khz = (int)d->clock_khz,
                           .mem_clock_khz = (int)d->mem_clock_khz,
                           .mem_bus_bits = (int)d->mem_bus_bits,
                           .mem_nbytes = (uint64_t)(d->mem_GiB * (1 << 30)),
                           .l2_nbytes = (uint64_t)(d->l2_MiB * (1 << 20))};
    snprintf(g->name, sizeof g->name, "%s", d->name);
    memcpy(g->bus_id, m->bus_id, sizeof g->bus_id);
}

static void set_costs(struct topo *t)
{
    const struct calibration_host *const h = &t->cal.host;
    t->costs = (struct topo_costs){
        .launch_host_ps = (uint64_t)(h->launch_ns * 1000),
        .kernel_ps = (uint64_t)(h->kernel_ns * 1000),
        .copy_ps = (uint64_t)(h->copy_ns * 1000),
        .sync_host_ps = (uint64_t)(h->sync_ns * 1000),
        .api_host_ps = (uint64_t)(h->api_ns * 1000),
        .map_host_ps = (uint64_t)(h->map_us * 1e6),
        .unmap_host_ps = (uint64_t)(h->unmap_us * 1e6),
        .mpi_ps = (uint64_t)(h->mpi_ns * 1000),
        .mpi_net_ps = (uint64_t)(h->mpi_net_ns * 1000),
        .mpi_rate = h->mpi_GBps * 1e9,
        .nccl_sm_share = h->sm_share,
    };
}

int machine_build(struct topo *t)
{
    const struct machine_pci *const pci = &t->pci[t->gpu[0].pci];
    t->arch = calibration_arch(t->gpu[0].sm);
    t->fit = &calibration_fit;
    double to_host = machine_pcie(t, pci);
    if (t->cal.links.c2c_eff < 0)
        t->cal.links.c2c_eff = C2C_EFF;
    if (t->gpu[0].c2c_GBps * t->cal.links.c2c_eff > to_host)
        to_host = t->gpu[0].c2c_GBps * t->cal.links.c2c_eff;
    int ncpus = 0; // CPUs of the first GPU's host
    for (int i = 0; i < t->ncpus; i++)
        ncpus += machine_same_host(t, i, pci->cpu);
    calibration_complete(&t->cal, t->arch, to_host, t->cpu[pci->cpu].amd,
                         ncpus);
    set_costs(t);
    for (int i = 0; i < t->ngpus && t->nnodes > 1; i++) {
        const int nic = route_nic(t, i);
        t->gpu[i].staged = nic >= 0 && route_staged(t, i, nic);
    }
    t->per_node = count_resources(t);
    t->nresources = t->per_node * t->nnodes + fabric_count(t);
    t->resource = calloc((size_t)t->nresources, sizeof *t->resource);
    t->gpus = calloc((size_t)(t->ngpus * t->nnodes), sizeof *t->gpus);
    if (!t->resource || !t->gpus)
        return -1;
    struct builder b = {.t = t};
    for (; b.node < t->nnodes; b.node++) {
        for (int i = 0; i < t->ngpus; i++)
            add_gpu(&b, i);
        for (int i = 0; i < t->npcis; i++)
            add_pci(&b, i);
        add_rest(&b);
    }
    fabric_build(t);
    for (int i = 0; i < t->ngpus * t->nnodes; i++)
        describe_gpu(t, i);
    return 0;
}
