/*
 * xml_elements.c: the elements of a topology file
 *
 * There is one function for each element, which reads its attributes into the
 * topology. A reference to an element that may come later (an NVLink's target)
 * is kept as a name.
 */
#define _GNU_SOURCE
#include <errno.h>  /* errno */
#include <limits.h> /* INT_MAX */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtol */
#include <string.h> /* strcmp */

#include "topo/xml/xml_reader.h"

static const char *find(const char *const *atts, const char *key)
{
    for (; *atts; atts += 2)
        if (strcmp(*atts, key) == 0)
            return atts[1];
    return NULL;
}

/* Copy an attribute; "" if it is optional and absent. */
static void text(struct xml *x, const char *element, const char *const *atts,
                 const char *key, char *out, size_t nbytes, int needed)
{
    const char *const value = find(atts, key);
    if (!value && needed)
        return fail(x, "<%s> lacks %s", element, key);
    if (value && strlen(value) >= nbytes)
        return fail(x, "<%s %s=\"%.40s\">: longer than %zu characters", element,
                    key, value, nbytes - 1);
    snprintf(out, nbytes, "%s", value ? value : "");
}

/* Read an integer attribute. `otherwise` is its default; if that is below 0,
 * the attribute is required. */
static int number(struct xml *x, const char *element, const char *const *atts,
                  const char *key, int lo, int hi, int otherwise)
{
    const char *const value = find(atts, key);
    if (!value && otherwise >= 0)
        return otherwise;
    if (!value) {
        fail(x, "<%s> lacks %s", element, key);
        return lo;
    }
    char *end;
    errno = 0;
    const long n = strtol(value, &end, 10);
    if (errno || *end || end == value || n < lo || n > hi) {
        fail(x, "<%s %s=\"%.40s\">: it must be a number from %d to %d", element,
             key, value, lo, hi);
        return lo;
    }
    return (int)n;
}

static void cpu(struct xml *x, const char *const *atts)
{
    struct topo *const t = x->t;
    if (t->ncpus == MACHINE_CPUS)
        return fail(x, "more than %d <cpu>", MACHINE_CPUS);
    struct machine_cpu *const c = &t->cpu[t->ncpus];
    const char *const vendor = find(atts, "vendor");
    const char *const arch = find(atts, "arch");
    c->numa = number(x, "cpu", atts, "numaid", -1, 4096, -1);
    c->amd = vendor && strcmp(vendor, "AuthenticAMD") == 0;
    c->arm = arch && strcmp(arch, "arm64") == 0;
    // as in NCCL: Intel's UPI is faster since Sapphire Rapids
    const int model = number(x, "cpu", atts, "modelid", 0, INT_MAX, 0);
    c->nccl_socket = c->amd ? 16 : model >= 0x8f ? 22 : 10;
    text(x, "cpu", atts, "affinity", c->affinity, sizeof c->affinity, 0);
    text(x, "cpu", atts, "host_hash", c->host, sizeof c->host, 0);
    if (!c->host[0] && t->ncpus > 0)
        memcpy(c->host, c[-1].host, sizeof c->host);
    for (int i = 0; i < t->ncpus; i++)
        if (t->cpu[i].numa == c->numa && machine_same_host(t, i, t->ncpus))
            return fail(x, "two <cpu> with numaid %d", c->numa);
    x->cpu = t->ncpus++;
    x->pci = -1;
}

static void pci(struct xml *x, const char *const *atts)
{
    struct topo *const t = x->t;
    if (t->npcis == MACHINE_PCIS)
        return fail(x, "more than %d <pci>", MACHINE_PCIS);
    struct machine_pci *const p = &t->pci[t->npcis];
    const char *const speed = find(atts, "link_speed");
    p->parent = x->pci;
    p->cpu = x->cpu;
    p->leaf_gpu = -1;
    p->nbridges = x->pci < 0 ? 0 : t->pci[x->pci].nbridges + 1;
    if (p->nbridges > MACHINE_BRIDGES)
        return fail(x, "more than %d <pci> around a <pci>", MACHINE_BRIDGES);
    text(x, "pci", atts, "busid", p->bus_id, sizeof p->bus_id, 1);
    for (int i = 0; i < t->npcis; i++)
        if (strcmp(t->pci[i].bus_id, p->bus_id) == 0 &&
            machine_same_host(t, t->pci[i].cpu, p->cpu))
            return fail(x, "two <pci> with busid %s", p->bus_id);
    p->lane_gts = speed ? strtod(speed, NULL) : 0;
    p->width = number(x, "pci", atts, "link_width", 0, 255, 16);
    const char *const class = find(atts, "class");
    x->nlikely += class && strncmp(class, "0x0302", 6) == 0;
    x->pci = t->npcis++;
}

/* The first CPU of a CPU's host, which stands for the host. */
static int host_of(const struct topo *t, int cpu)
{
    int first = 0;
    while (!machine_same_host(t, first, cpu))
        first++;
    return first;
}

static void gpu(struct xml *x, const char *const *atts)
{
    struct topo *const t = x->t;
    struct machine_pci *const p = &t->pci[x->pci];
    if (t->ngpus == MACHINE_GPUS)
        return fail(x, "more than %d <gpu>", MACHINE_GPUS);
    if (p->leaf_gpu >= 0)
        return fail(x, "two <gpu> with busid %s", p->bus_id);
    struct machine_gpu *const g = &t->gpu[t->ngpus];
    g->pci = x->pci;
    g->line = xml_line(x);
    g->dev = number(x, "gpu", atts, "dev", 0, 4096, -1);
    g->sm = number(x, "gpu", atts, "sm", 10, 999, -1);
    g->no_gdr = !number(x, "gpu", atts, "gdr", 0, INT_MAX, 1);
    memcpy(g->bus_id, p->bus_id, sizeof g->bus_id);
    const char *const gcn = find(atts, "gcn");
    snprintf(x->gcn, sizeof x->gcn, "%.*s", gcn ? (int)strcspn(gcn, ":") : 0,
             gcn ? gcn : "");
    g->host = host_of(t, p->cpu);
    for (int i = 0; i < t->ngpus; i++)
        if (t->gpu[i].dev == g->dev && t->gpu[i].host == g->host)
            return fail(x, "two <gpu> with dev %d", g->dev);
    p->leaf_gpu = t->ngpus++;
}

static void nvlink(struct xml *x, const char *const *atts)
{
    if (x->nlinks == MAX_LINKS)
        return fail(x, "more than %d <nvlink>", MAX_LINKS);
    struct link *const l = &x->link[x->nlinks++];
    const char *const class = find(atts, "tclass");
    l->gpu = x->t->ngpus - 1;
    l->line = xml_line(x);
    l->count = number(x, "nvlink", atts, "count", 1, 36, -1);
    l->to_switch = class && strncmp(class, "0x0680", 6) == 0;
    text(x, "nvlink", atts, "target", l->target, sizeof l->target, 1);
}

/*
 * RCCL's xGMI, which connects AMD's GPUs directly. It is treated like an
 * NVLink, at the rate that RCCL's topo.h assumes for the GPU's generation.
 */
static void xgmi(struct xml *x, const char *const *atts)
{
    struct calibration *const c = &x->t->cal;
    nvlink(x, atts);
    if (c->links.nvlink_GBps < 0)
        c->links.nvlink_GBps =
            strstr(x->gcn, "gfx9") && x->gcn[4] >= '4' && x->gcn[4] <= '5' ? 48
            : strcmp(x->gcn, "gfx90a") == 0                                ? 36
                                                                           : 24;
    if (!c->device.name[0])
        snprintf(c->device.name, sizeof c->device.name, "AMD %s", x->gcn);
}

/* NVLink-C2C from a GPU to its CPU, with bw in MB/s each. */
static void c2c(struct xml *x, const char *const *atts)
{
    if (x->open[x->depth - 2]->kind != GPU)
        return; // this one belongs to a CPU, and leads to another CPU
    const int count = number(x, "c2c", atts, "count", 0, 64, 0);
    const int MBps = number(x, "c2c", atts, "bw", 0, 10000000, 0);
    x->t->gpu[x->t->ngpus - 1].c2c_GBps = (double)count * MBps / 1000;
}

/* A NIC is listed under each <cpu> of its host; the first listing counts. */
static void net(struct xml *x, const char *const *atts)
{
    struct topo *const t = x->t;
    if (t->nnics == MACHINE_NICS)
        return fail(x, "more than %d <net>", MACHINE_NICS);
    struct machine_nic *const n = &t->nic[t->nnics];
    text(x, "net", atts, "name", n->name, sizeof n->name, 1);
    n->mbps = number(x, "net", atts, "speed", 1, 10000000, 10000);
    n->no_gdr = !number(x, "net", atts, "gdr", 0, INT_MAX, 1);
    n->cpu = x->cpu;
    n->pci = x->pci;
    for (int i = 0; i < t->nnics; i++)
        if (strcmp(t->nic[i].name, n->name) == 0 &&
            machine_same_host(t, t->nic[i].cpu, n->cpu))
            return;
    t->nnics++;
}

/* Read a node's file. Its path is relative to the cluster's. */
static void cluster(struct xml *x, const char *const *atts)
{
    const char *const slash = strrchr(x->path, '/');
    char file[200], path[4400];
    text(x, "cluster", atts, "node", file, sizeof file, 1);
    x->t->nnodes = number(x, "cluster", atts, "nodes", 1, MACHINE_NODES, -1);
    if (x->nested)
        fail(x, "a <cluster> in a <cluster>: its node must be a <system>");
    if (x->failed)
        return;
    const int dir = slash && file[0] != '/' ? (int)(slash - x->path) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%s", dir, x->path, file);
    xml_read_node(x, path);
}

/* The root of a network's profile, allowed only there. */
static void network(struct xml *x, const char *const *atts)
{
    (void)atts;
    if (!x->network)
        fail(x, "a <network> joins machines: MACHINE@NETWORK");
}

static void system_(struct xml *x, const char *const *atts)
{
    (void)atts;
    if (x->network)
        fail(x, "a <system> is a machine: a network's profile is a <network>");
}

static void nothing(struct xml *x, const char *const *atts)
{
    (void)x;
    (void)atts;
}

static void calibration(struct xml *x, const char *const *atts);

static const struct element elements[] = {
    {"system", SYSTEM, 1 << ROOT, system_},
    {"network", NETWORK, 1 << ROOT, network},
    {"cluster", CLUSTER, 1 << ROOT, cluster},
    {"cpu", CPU, 1 << SYSTEM, cpu},
    {"pci", PCI, 1 << CPU | 1 << PCI, pci},
    {"gpu", GPU, 1 << PCI, gpu},
    {"nvlink", LEAF, 1 << GPU, nvlink},
    {"xgmi", LEAF, 1 << GPU, xgmi},
    {"c2c", LEAF, 1 << GPU | 1 << CPU, c2c},
    {"nic", NIC, 1 << PCI | 1 << CPU, nothing},
    {"net", LEAF, 1 << NIC, net},
    {"calibration", CALIBRATION, 1 << SYSTEM | 1 << CLUSTER | 1 << NETWORK,
     calibration},
    {"device", LEAF, 1 << CALIBRATION, calibration},
    {"links", LEAF, 1 << CALIBRATION, calibration},
    {"host", LEAF, 1 << CALIBRATION, calibration},
    {"fabric", LEAF, 1 << CALIBRATION, calibration},
    {"nccl", LEAF, 1 << CALIBRATION, calibration},
    {"curve", LEAF, 1 << CALIBRATION, calibration},
    // written by NCCL, but not needed by this model
    {"pcilink", LEAF, 1 << PCI, nothing},
    {"gin", LEAF, 1 << NIC, nothing},
    {"coll", LEAF, 1 << NIC, nothing},
};

static void calibration(struct xml *x, const char *const *atts)
{
    char what[300];
    const char *const name = x->open[x->depth - 1]->name;
    if (calibration_read(&x->t->cal, name, atts, what, sizeof what) != 0)
        fail(x, "%s", what);
}

const struct element *xml_element(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    return NULL;
}
