/*
 * topo.c: loading a machine from NCCL's topology XML
 *
 * What NCCL writes (<system>, <cpu>, <pci>, <gpu>, <nvlink>) says which parts
 * there are and how they are linked. Our own element
 *
 *     <calibration gpu="NVIDIA H100 80GB HBM3" nsm="132" ... source="...">
 *
 * says what the parts are like. A dump of a real node has none: the GPUs'
 * properties then follow from their architecture.
 */
#define _GNU_SOURCE
#include "topo/topo.h"

#include <dlfcn.h>  /* dladdr */
#include <errno.h>  /* errno */
#include <expat.h>  /* XML_Parser */
#include <stdio.h>  /* fopen */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */
#include <unistd.h> /* access */

enum { MAX_GPUS = 64 };

struct topo {
    char name[64];
    int ngpus, nnodes;
    struct topo_gpu gpu[MAX_GPUS];
    unsigned char linked[MAX_GPUS][MAX_GPUS]; /* NVLinks between the pair */
    struct topo_costs costs;
};

/* What a GPU of an architecture is, where the file doesn't say. */
static const struct arch {
    int sm;
    const char *name;
    int nsm, clock_khz, mem_clock_khz, mem_bus_bits;
    uint64_t mem_nbytes, l2_nbytes;
} archs[] = {
    {70, "Tesla V100-SXM2-16GB", 80, 1530000, 877000, 4096, 16ull << 30,
     6ull << 20},
    {80, "NVIDIA A100-SXM4-40GB", 108, 1410000, 1215000, 5120, 40ull << 30,
     40ull << 20},
    {89, "NVIDIA GeForce RTX 4090", 128, 2520000, 10501000, 384, 24ull << 30,
     72ull << 20},
    {90, "NVIDIA H100 80GB HBM3", 132, 1980000, 2619000, 5120, 80ull << 30,
     50ull << 20},
};

/* Fixed costs of host and device; public measurements agree within a factor
 * of two, and no lab's verdict depends on them more finely than that. */
static const struct topo_costs default_costs = {
    .launch_host_ps = 2000000,
    .kernel_ps = 2000000,
    .copy_ps = 1500000,
    .sync_host_ps = 3000000,
    .api_host_ps = 500000,
    .mpi_ps = 1000000,
    .mpi_net_ps = 2000000,
};

struct loader {
    struct topo *topo;
    XML_Parser parser;
    char bus_id[16]; /* of the innermost <pci> */
    int numa;
    char wrong[200];               /* first thing found wrong, "" if nothing */
    char target[MAX_GPUS][32][16]; /* NVLink targets, resolved at the end */
    int ntargets[MAX_GPUS], count[MAX_GPUS][32];
    int switched; /* links lead to a switch: all pairs are linked */
};

static const char *attr(const char **atts, const char *key)
{
    for (; *atts; atts += 2)
        if (strcmp(*atts, key) == 0)
            return atts[1];
    return NULL;
}

static void wrong(struct loader *l, const char *what, const char *value)
{
    if (l->wrong[0])
        return;
    snprintf(l->wrong, sizeof l->wrong, "%lu: %s%s%s",
             (unsigned long)XML_GetCurrentLineNumber(l->parser), what,
             value ? ": " : "", value ? value : "");
    XML_StopParser(l->parser, XML_FALSE);
}

/* An integer attribute, `otherwise` when it is absent. */
static long number(struct loader *l, const char **atts, const char *key,
                   long otherwise)
{
    const char *const text = attr(atts, key);
    if (!text)
        return otherwise;
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 0);
    if (errno || *end || end == text)
        wrong(l, key, text);
    return value;
}

static void add_gpu(struct loader *l, const char **atts)
{
    struct topo *const t = l->topo;
    if (t->ngpus == MAX_GPUS)
        return wrong(l, "more than 64 GPUs", NULL);
    if (!l->bus_id[0])
        return wrong(l, "<gpu> outside of a <pci> with a busid", NULL);
    for (int i = 0; i < t->ngpus; i++)
        if (strcmp(t->gpu[i].bus_id, l->bus_id) == 0)
            return wrong(l, "two GPUs with one busid", l->bus_id);
    const int sm = (int)number(l, atts, "sm", 90);
    const struct arch *a = &archs[0];
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        if (archs[i].sm <= sm)
            a = &archs[i];
    struct topo_gpu *const g = &t->gpu[t->ngpus];
    *g = (struct topo_gpu){.local = t->ngpus,
                           .numa = l->numa,
                           .sm = sm,
                           .nsm = a->nsm,
                           .clock_khz = a->clock_khz,
                           .mem_clock_khz = a->mem_clock_khz,
                           .mem_bus_bits = a->mem_bus_bits,
                           .mem_nbytes = a->mem_nbytes,
                           .l2_nbytes = a->l2_nbytes};
    snprintf(g->name, sizeof g->name, "%s", a->name);
    snprintf(g->bus_id, sizeof g->bus_id, "%s", l->bus_id);
    t->ngpus++;
}

static void add_nvlink(struct loader *l, const char **atts)
{
    const char *const target = attr(atts, "target");
    const int g = l->topo->ngpus - 1;
    if (g < 0 || !target)
        return wrong(l, "<nvlink> without a GPU or a target", NULL);
    const char *const class = attr(atts, "tclass");
    if (class && strncmp(class, "0x0680", 6) == 0) { // a switch
        l->switched = 1;
        return;
    }
    if (l->ntargets[g] == 32)
        return wrong(l, "more than 32 NVLink targets", NULL);
    l->count[g][l->ntargets[g]] = (int)number(l, atts, "count", 1);
    snprintf(l->target[g][l->ntargets[g]++], 16, "%s", target);
}

static void calibrate(struct loader *l, const char **atts)
{
    struct topo *const t = l->topo;
    struct topo_costs *const c = &t->costs;
    const struct {
        const char *key;
        uint64_t *ps;
    } costs[] = {{"launch_host_ns", &c->launch_host_ps},
                 {"kernel_ns", &c->kernel_ps},
                 {"copy_ns", &c->copy_ps},
                 {"sync_host_ns", &c->sync_host_ps},
                 {"api_host_ns", &c->api_host_ps},
                 {"mpi_ns", &c->mpi_ps},
                 {"mpi_net_ns", &c->mpi_net_ps}};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        *costs[i].ps = 1000ull * (uint64_t)number(l, atts, costs[i].key,
                                                  (long)(*costs[i].ps / 1000));
}

static void XMLCALL element(void *user, const char *name, const char **atts)
{
    struct loader *const l = user;
    if (strcmp(name, "cpu") == 0) {
        l->numa = (int)number(l, atts, "numaid", 0);
    } else if (strcmp(name, "pci") == 0) {
        const char *const id = attr(atts, "busid");
        if (!id || strlen(id) >= sizeof l->bus_id)
            return wrong(l, "<pci> without a busid like 0000:1b:00.0", id);
        snprintf(l->bus_id, sizeof l->bus_id, "%s", id);
    } else if (strcmp(name, "gpu") == 0) {
        add_gpu(l, atts);
    } else if (strcmp(name, "nvlink") == 0) {
        add_nvlink(l, atts);
    } else if (strcmp(name, "calibration") == 0) {
        calibrate(l, atts);
    } else if (strcmp(name, "system") != 0 && strcmp(name, "nic") != 0 &&
               strcmp(name, "net") != 0) {
        wrong(l, "unknown element", name);
    }
}

static int gpu_at(const struct topo *t, const char *bus_id)
{
    for (int i = 0; i < t->ngpus; i++)
        if (strcmp(t->gpu[i].bus_id, bus_id) == 0)
            return i;
    return -1;
}

/* After the last element: link the pairs, check the whole. */
static void finish(struct loader *l)
{
    struct topo *const t = l->topo;
    for (int g = 0; g < t->ngpus && !l->wrong[0]; g++)
        for (int k = 0; k < l->ntargets[g]; k++) {
            const int other = gpu_at(t, l->target[g][k]);
            if (other < 0) {
                wrong(l, "an NVLink leads to no GPU", l->target[g][k]);
                break;
            }
            t->linked[g][other] = (unsigned char)l->count[g][k];
        }
    if (l->switched)
        memset(t->linked, 1, sizeof t->linked);
    if (!l->wrong[0] && t->ngpus == 0)
        wrong(l, "no <gpu> in the file", NULL);
}

/* Feed the file to the parser; 0, or -1 with l->wrong filled. */
static int parse(struct loader *l, FILE *file)
{
    char chunk[16384];
    size_t n;
    enum XML_Status ok = XML_STATUS_OK;
    do {
        n = fread(chunk, 1, sizeof chunk, file);
        ok = XML_Parse(l->parser, chunk, (int)n, n < sizeof chunk);
    } while (ok == XML_STATUS_OK && n == sizeof chunk);
    if (ok != XML_STATUS_OK)
        wrong(l, XML_ErrorString(XML_GetErrorCode(l->parser)), NULL);
    else
        finish(l);
    return l->wrong[0] ? -1 : 0;
}

static struct topo *load_file(const char *path, const char *name, char *err,
                              size_t err_nbytes)
{
    FILE *const file = fopen(path, "re");
    if (!file) {
        snprintf(err, err_nbytes, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct topo *t = calloc(1, sizeof *t);
    struct loader *const l = calloc(1, sizeof *l);
    XML_Parser const parser = XML_ParserCreate(NULL);
    if (!t || !l || !parser)
        abort();
    snprintf(t->name, sizeof t->name, "%s", name);
    t->nnodes = 1;
    t->costs = default_costs;
    l->topo = t;
    l->parser = parser;
    XML_SetUserData(parser, l);
    XML_SetStartElementHandler(parser, element);
    if (parse(l, file) != 0) {
        snprintf(err, err_nbytes, "%s:%s", path, l->wrong);
        topo_free(t);
        t = NULL;
    }
    XML_ParserFree(parser);
    free(l);
    fclose(file);
    return t;
}

/* PREFIX/share/topo, from where this code itself was loaded: PREFIX/lib, or a
 * program beside simgpu/. */
static int find_shipped(const char *name, char *path, size_t nbytes)
{
    const char *const env = getenv("SIMGPU_TOPO_DIR");
    Dl_info info;
    char self[4096] = ".";
    if (dladdr((void *)topo_load, &info) && info.dli_fname)
        snprintf(self, sizeof self, "%s", info.dli_fname);
    char *const slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    const char *const where[] = {"/../share/topo", "/simgpu/share/topo",
                                 "/../simgpu/share/topo",
                                 "/../../simgpu/share/topo"};
    if (env) {
        snprintf(path, nbytes, "%s/%s.xml", env, name);
        return access(path, R_OK);
    }
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        snprintf(path, nbytes, "%s%s/%s.xml", self, where[i], name);
        if (access(path, R_OK) == 0)
            return 0;
    }
    return -1;
}

struct topo *topo_load(const char *name_or_file, char *err, size_t err_nbytes)
{
    char path[4200];
    const size_t length = strlen(name_or_file);
    const int is_file =
        strchr(name_or_file, '/') ||
        (length > 4 && strcmp(name_or_file + length - 4, ".xml") == 0);
    if (is_file)
        return load_file(name_or_file, name_or_file, err, err_nbytes);
    if (find_shipped(name_or_file, path, sizeof path) != 0) {
        snprintf(err, err_nbytes,
                 "there is no machine \"%s\"; shipped ones are in "
                 "build/simgpu/share/topo, a file of your own is named with "
                 "its path",
                 name_or_file);
        return NULL;
    }
    return load_file(path, name_or_file, err, err_nbytes);
}

void topo_free(struct topo *t)
{
    free(t);
}

const char *topo_name(const struct topo *t)
{
    return t->name;
}

int topo_ngpus(const struct topo *t)
{
    return t->ngpus;
}

int topo_nnodes(const struct topo *t)
{
    return t->nnodes;
}

const struct topo_gpu *topo_gpu(const struct topo *t, int gpu)
{
    return gpu >= 0 && gpu < t->ngpus ? &t->gpu[gpu] : NULL;
}

int topo_p2p(const struct topo *t, int from_gpu, int to_gpu)
{
    return from_gpu != to_gpu && topo_gpu(t, from_gpu) && topo_gpu(t, to_gpu) &&
           t->linked[from_gpu][to_gpu];
}

const struct topo_costs *topo_costs(const struct topo *t)
{
    return &t->costs;
}
