/*
 * xml.c: a topology file, element by element
 *
 * expat calls begin() and end() for each element. begin() checks that the
 * element is allowed in its parent, and calls the function that reads its
 * attributes. References to other elements (an NVLink's target) are resolved
 * after the whole file has been read. The first error stops the parser.
 */
#define _GNU_SOURCE
#include "topo/xml.h"

#include <errno.h>  /* errno */
#include <expat.h>  /* XML_Parser */
#include <limits.h> /* INT_MAX */
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* strtol */
#include <string.h> /* strcmp */

enum { MAX_LINKS = 18 * MACHINE_GPUS, MAX_DEPTH = 16 };

enum kind {
    ROOT,
    SYSTEM,
    CLUSTER,
    NETWORK,
    CPU,
    PCI,
    GPU,
    NIC,
    CALIBRATION,
    LEAF
};

struct xml;

struct element {
    const char *name;
    enum kind kind;
    unsigned parents; /* set of kinds */
    void (*begin)(struct xml *x, const char *const *atts);
};

struct xml {
    struct topo *t;
    const char *path;
    XML_Parser parser;
    char *err;
    size_t err_nbytes;
    int failed, network, nested; /* nested: the node of a <cluster> */
    const struct element *open[MAX_DEPTH];
    int depth;
    int cpu, pci; /* innermost ones, -1: none */
    char gcn[16]; /* of the last <gpu>, if it is AMD's: "gfx942" */
    int nlinks;
    struct link { /* an <nvlink> whose target may come later */
        char target[16];
        int gpu, count, line;
        int to_switch;
    } link[MAX_LINKS];
};

/* Zeroed by calloc(): copying its many links would take longer. */
static struct xml *xml_new(struct topo *t, const char *path, char *err,
                           size_t err_nbytes)
{
    struct xml *const x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->t = t;
    x->path = path;
    x->err = err;
    x->err_nbytes = err_nbytes;
    return x;
}

static int line_of(const struct xml *x)
{
    return (int)XML_GetCurrentLineNumber(x->parser);
}

__attribute__((format(printf, 3, 4))) static void
fail_at(struct xml *x, int line, const char *format, ...)
{
    char what[400];
    va_list args;
    if (x->failed)
        return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(x->err, x->err_nbytes, "%s:%d: %s", x->path, line, what);
    x->failed = 1;
    XML_StopParser(x->parser, XML_FALSE);
}
#define fail(x, ...) fail_at(x, line_of(x), __VA_ARGS__)

static const char *find(const char *const *atts, const char *key)
{
    for (; *atts; atts += 2)
        if (strcmp(*atts, key) == 0)
            return atts[1];
    return NULL;
}

/* Copy an attribute: "" if it is absent and optional. */
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

/* An integer attribute. `otherwise` is its default; below 0: it is required. */
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
    // as in NCCL: Intel has a faster UPI since Sapphire Rapids
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
    g->line = line_of(x);
    g->dev = number(x, "gpu", atts, "dev", 0, 4096, -1);
    g->sm = number(x, "gpu", atts, "sm", 10, 999, -1);
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
    l->line = line_of(x);
    l->count = number(x, "nvlink", atts, "count", 1, 36, -1);
    l->to_switch = class && strncmp(class, "0x0680", 6) == 0;
    text(x, "nvlink", atts, "target", l->target, sizeof l->target, 1);
}

/*
 * RCCL's xGMI, which joins AMD's GPUs directly: like an NVLink, at the rate
 * that RCCL's topo.h assumes for the GPU's generation.
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

/* NVLink-C2C from a GPU to its CPU: bw in MB/s each. */
static void c2c(struct xml *x, const char *const *atts)
{
    if (x->open[x->depth - 2]->kind != GPU)
        return; // a CPU's own: towards another CPU
    const int count = number(x, "c2c", atts, "count", 0, 64, 0);
    const int MBps = number(x, "c2c", atts, "bw", 0, 10000000, 0);
    x->t->gpu[x->t->ngpus - 1].c2c_GBps = (double)count * MBps / 1000;
}

/* A NIC is listed under each <cpu> of its host: the first listing counts. */
static void net(struct xml *x, const char *const *atts)
{
    struct topo *const t = x->t;
    if (t->nnics == MACHINE_NICS)
        return fail(x, "more than %d <net>", MACHINE_NICS);
    struct machine_nic *const n = &t->nic[t->nnics];
    text(x, "net", atts, "name", n->name, sizeof n->name, 1);
    n->mbps = number(x, "net", atts, "speed", 1, 10000000, 10000);
    n->cpu = x->cpu;
    n->pci = x->pci;
    for (int i = 0; i < t->nnics; i++)
        if (strcmp(t->nic[i].name, n->name) == 0 &&
            machine_same_host(t, t->nic[i].cpu, n->cpu))
            return;
    t->nnics++;
}

static int read_file(struct xml *x);

/* Read a node's file; its path is relative to the cluster's. */
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
    struct xml *const node = xml_new(x->t, path, x->err, x->err_nbytes);
    if (!node)
        return fail(x, "no memory");
    node->nested = 1;
    snprintf(x->t->file, sizeof x->t->file, "%s", path);
    if (read_file(node) != 0) {
        x->failed = 1;
        XML_StopParser(x->parser, XML_FALSE);
    }
    free(node);
}

/* The root of a network's profile; others must not be. */
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
    // written by NCCL, not needed by this model
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

static const struct element *element_named(const char *name)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp(elements[i].name, name) == 0)
            return &elements[i];
    return NULL;
}

static void XMLCALL begin(void *user, const char *name, const char **atts)
{
    struct xml *const x = user;
    if (x->failed)
        return;
    const struct element *const e = element_named(name);
    const struct element *const in = x->depth ? x->open[x->depth - 1] : NULL;
    if (!e && !in)
        return fail(x, "<%.40s> is not a topology: NCCL writes a <system>",
                    name);
    if (!e)
        return fail(x,
                    "unknown element <%.40s>: remove it unless it describes a "
                    "part of the machine that matters",
                    name);
    if (!(e->parents & 1u << (in ? in->kind : ROOT)))
        return fail(x, "<%s> can't be %s%s%s", name, in ? "in <" : "outermost",
                    in ? in->name : "", in ? ">" : "");
    if (x->depth == MAX_DEPTH)
        return fail(x, "elements nested more than %d deep", MAX_DEPTH);
    x->open[x->depth++] = e;
    e->begin(x, (const char *const *)atts);
}

static void XMLCALL end(void *user, const char *name)
{
    (void)name;
    struct xml *const x = user;
    if (x->failed)
        return;
    if (x->open[--x->depth]->kind == PCI)
        x->pci = x->t->pci[x->pci].parent;
}

static int gpu_at(const struct topo *t, int host, const char *bus_id)
{
    for (int i = 0; i < t->ngpus; i++)
        if (t->gpu[i].host == host && strcmp(t->gpu[i].bus_id, bus_id) == 0)
            return i;
    return -1;
}

/* Sort GPUs by their dev, as CUDA numbers them, host by host. */
static void sort_gpus(struct xml *x)
{
    struct topo *const t = x->t;
    struct machine_gpu sorted[MACHINE_GPUS];
    int to[MACHINE_GPUS];
    for (int i = 0; i < t->ngpus; i++) {
        to[i] = 0;
        for (int k = 0; k < t->ngpus; k++)
            to[i] += t->gpu[k].host != t->gpu[i].host
                         ? t->gpu[k].host < t->gpu[i].host
                         : t->gpu[k].dev < t->gpu[i].dev;
    }
    for (int i = 0; i < t->ngpus; i++) {
        sorted[to[i]] = t->gpu[i];
        t->pci[t->gpu[i].pci].leaf_gpu = to[i];
    }
    for (int i = 0; i < x->nlinks; i++)
        x->link[i].gpu = to[x->link[i].gpu];
    memcpy(t->gpu, sorted, sizeof sorted[0] * (size_t)t->ngpus);
}

static void connect_links(struct xml *x)
{
    struct topo *const t = x->t;
    for (int i = 0; i < x->nlinks && !x->failed; i++) {
        const struct link *const l = &x->link[i];
        const int to = gpu_at(t, t->gpu[l->gpu].host, l->target);
        if (to == l->gpu)
            fail_at(x, l->line, "an NVLink from GPU %s to itself", l->target);
        else if (to >= 0)
            t->nvlinks[l->gpu][to] += (unsigned char)l->count;
        else if (l->to_switch)
            t->gpu[l->gpu].switch_links += l->count;
        else
            fail_at(x, l->line,
                    "an NVLink to %s, which is neither a <gpu> here nor, by "
                    "its tclass, an NVSwitch",
                    l->target);
        if (to >= 0 && t->nvlinks[l->gpu][to] > 64)
            fail_at(x, l->line, "more than 64 NVLinks between two GPUs");
        t->switched |= l->to_switch && to < 0;
    }
}

/* After the last element. */
static void finish(struct xml *x)
{
    struct topo *const t = x->t;
    if (t->ngpus == 0)
        return fail(x, "no <gpu> in the file");
    sort_gpus(x);
    connect_links(x);
    for (int a = 0; a < t->ngpus; a++)
        for (int b = 0; b < a; b++)
            if (t->nvlinks[a][b] != t->nvlinks[b][a])
                return fail_at(x, t->gpu[a].line,
                               "%d NVLinks from GPU %s to %s, but %d back",
                               t->nvlinks[a][b], t->gpu[a].bus_id,
                               t->gpu[b].bus_id, t->nvlinks[b][a]);
}

static void parse(struct xml *x, FILE *file)
{
    char chunk[16384];
    size_t n;
    enum XML_Status ok = XML_STATUS_OK;
    do {
        n = fread(chunk, 1, sizeof chunk, file);
        ok = XML_Parse(x->parser, chunk, (int)n, n < sizeof chunk);
    } while (ok == XML_STATUS_OK && n == sizeof chunk);
    if (ferror(file))
        fail(x, "%s", strerror(EIO));
    else if (ok != XML_STATUS_OK)
        fail(x, "XML: %s", XML_ErrorString(XML_GetErrorCode(x->parser)));
    else if (x->open[0] && x->open[0]->kind == SYSTEM)
        finish(x);
}

static int read_file(struct xml *x)
{
    FILE *const file = fopen(x->path, "re");
    if (!file) {
        snprintf(x->err, x->err_nbytes, "%s: %s", x->path, strerror(errno));
        return -1;
    }
    x->cpu = x->pci = -1;
    x->parser = XML_ParserCreate(NULL);
    if (x->parser) {
        XML_SetUserData(x->parser, x);
        XML_SetElementHandler(x->parser, begin, end);
        parse(x, file);
        XML_ParserFree(x->parser);
    } else {
        snprintf(x->err, x->err_nbytes, "%s: no memory", x->path);
        x->failed = 1;
    }
    fclose(file);
    return x->failed ? -1 : 0;
}

int xml_read_network(struct topo *t, const char *path, char *err,
                     size_t err_nbytes)
{
    struct xml *const x = xml_new(t, path, err, err_nbytes);
    if (!x) {
        snprintf(err, err_nbytes, "%s: no memory", path);
        return -1;
    }
    x->network = 1;
    const int result = read_file(x);
    free(x);
    return result;
}

int xml_read(struct topo *t, const char *path, char *err, size_t err_nbytes)
{
    struct xml *const x = xml_new(t, path, err, err_nbytes);
    if (!x) {
        snprintf(err, err_nbytes, "%s: no memory", path);
        return -1;
    }
    t->nnodes = 1;
    snprintf(t->file, sizeof t->file, "%s", path);
    const int result = read_file(x);
    free(x);
    return result;
}
