#include "topo/calibration.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtod */
#include <string.h> /* strcmp */

#include "topo/reach.h"
#include "topo/topo.h" /* topo_algo_name */

/* An attribute, where its value is stored, and its range. */
struct field {
    const char *element, *key;
    size_t offset; /* in struct calibration; for <curve>, in its curve */
    double lo, hi;
};

#define IN(member)    offsetof(struct calibration, member)
#define CURVE(member) offsetof(struct calibration_curve, member)

static const struct field fields[] = {
    {"device", "nsm", IN(device.nsm), 1, 1024},
    {"device", "clock_khz", IN(device.clock_khz), 1, 1e8},
    {"device", "mem_clock_khz", IN(device.mem_clock_khz), 1, 1e8},
    {"device", "mem_bus_bits", IN(device.mem_bus_bits), 1, 1e6},
    {"device", "mem_GiB", IN(device.mem_GiB), .01, 1e5},
    {"device", "l2_MiB", IN(device.l2_MiB), .01, 1e5},
    {"device", "fp32_TFLOPs", IN(device.TFLOPs[TOPO_FP32]), .01, 1e6},
    {"device", "tf32_TFLOPs", IN(device.TFLOPs[TOPO_TF32]), .01, 1e6},
    {"device", "fp16_TFLOPs", IN(device.TFLOPs[TOPO_FP16]), .01, 1e6},
    {"device", "fp64_TFLOPs", IN(device.TFLOPs[TOPO_FP64]), .01, 1e6},
    {"device", "fp8_TFLOPs", IN(device.TFLOPs[TOPO_FP8]), 0, 1e6},
    {"device", "flops_eff", IN(device.flops_eff), .01, 1},
    {"device", "hbm_GBps", IN(device.hbm_GBps), .1, 1e6},
    {"device", "hbm_eff", IN(device.hbm_eff), .01, 1},

    {"links", "nvlink_GBps", IN(links.nvlink_GBps), .1, 1e5},
    {"links", "engine_GBps", IN(links.engine_GBps), .1, 1e6},
    {"links", "load_share", IN(links.load_share), .01, 1},
    {"links", "pcie_eff", IN(links.pcie_eff), .01, 1},
    {"links", "c2c_eff", IN(links.c2c_eff), .01, 1},
    {"links", "p2p_GBps", IN(links.p2p_GBps), 0, 1e5},
    {"links", "p2p_socket_GBps", IN(links.p2p_socket_GBps), 0, 1e5},
    {"links", "staged_GBps", IN(links.staged_GBps), .01, 1e5},
    {"links", "staged_socket_GBps", IN(links.staged_socket_GBps), .01, 1e5},
    {"links", "socket_GBps", IN(links.socket_GBps), .1, 1e5},
    {"links", "host_GBps", IN(links.host_GBps), .1, 1e5},
    {"links", "numa_GBps", IN(links.numa_GBps), .1, 1e5},
    {"links", "far_share", IN(links.far_share), .01, 1},
    {"links", "net_eff", IN(links.net_eff), .01, 1},
    {"links", "staged_net_GBps", IN(links.staged_net_GBps), .01, 1e5},
    {"links", "p2p_us", IN(links.p2p_us), 0, 1e4},
    {"links", "staged_us", IN(links.staged_us), 0, 1e4},
    {"links", "host_us", IN(links.host_us), 0, 1e4},
    {"links", "net_us", IN(links.net_us), 0, 1e4},
    {"links", "load_us", IN(links.load_us), 0, 1e4},

    {"host", "launch_ns", IN(host.launch_ns), 1, 1e9},
    {"host", "kernel_ns", IN(host.kernel_ns), 1, 1e9},
    {"host", "copy_ns", IN(host.copy_ns), 1, 1e9},
    {"host", "sync_ns", IN(host.sync_ns), 1, 1e9},
    {"host", "api_ns", IN(host.api_ns), 1, 1e9},
    {"host", "map_us", IN(host.map_us), .001, 1e6},
    {"host", "unmap_us", IN(host.unmap_us), .001, 1e6},
    {"host", "mpi_ns", IN(host.mpi_ns), 1, 1e9},
    {"host", "mpi_net_ns", IN(host.mpi_net_ns), 1, 1e9},
    {"host", "mpi_GBps", IN(host.mpi_GBps), .01, 1e5},
    {"host", "sm_share", IN(host.sm_share), 0, .9},
    {"host", "floor_us", IN(host.floor_us), 0, 1e6},

    {"nccl", "ll_KiB", IN(choice.ll_KiB), 0, 1 << 30},
    {"nccl", "chunk_KiB", IN(choice.chunk_KiB), 0, 65536},
    {"nccl", "buffer_MiB", IN(choice.buffer_MiB), .01, 1024},
    {"nccl", "plugin_us", IN(choice.plugin_us), 0, 1e4},
    {"nccl", "nic_ports", IN(choice.nic_ports), 1, 4},

    {"fabric", "ports", IN(fabric.ports), 1, 4096},
    {"fabric", "over", IN(fabric.over), 1, 64},
    {"fabric", "paths", IN(fabric.paths), 1, 1024},
    {"fabric", "gpu_Gbps", IN(fabric.gpu_Gbps), 1, 1e5},
    {"fabric", "host_Gbps", IN(fabric.host_Gbps), 1, 1e5},
    {"fabric", "socket_GBps", IN(fabric.socket_GBps), .01, 1e5},

    {"curve", "a_us", CURVE(a_us), .01, 1e6},
    {"curve", "B_GBps", CURVE(B_GBps), .001, 1e6},
    {"curve", "k_us", CURVE(k_us), 0, 1e3},
    {"curve", "fill_us", CURVE(fill_us), 0, 1e6},
    {"curve", "fill_MiB", CURVE(fill_MiB), .001, 1e6},
    {"curve", "ranks", CURVE(ranks), 2, 1e5},
    {"curve", "nodes", CURVE(nodes), 1, 1024},
};
enum { NFIELDS = sizeof fields / sizeof *fields };

void calibration_init(struct calibration *c)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < NFIELDS; i++)
        if (strcmp(fields[i].element, "curve") != 0)
            *(double *)((char *)c + fields[i].offset) = -1;
    c->fabric.kind = -1;
    c->links.nccl_p2p = -1;
}

static const char *const kinds[] = {"crossbar", "fat-tree", "rail"};

int calibration_fabric_kind(const char *name)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(kinds[i], name) == 0)
            return i;
    return -1;
}

static int read_number(const struct field *f, const char *text, void *base,
                       char *err, size_t err_nbytes)
{
    char *end;
    const double value = strtod(text, &end);
    // not written as !(in range), because a NaN must not pass
    if (end != text && !*end && value >= f->lo && value <= f->hi) {
        *(double *)((char *)base + f->offset) = value;
        return 0;
    }
    snprintf(err, err_nbytes,
             "<%s %s=\"%.40s\">: it must be a number from %g to %g", f->element,
             f->key, text, f->lo, f->hi);
    return -1;
}

/* Values of NCCL_P2P_LEVEL, in the order of enum reach. */
static int read_reach(struct calibration *c, const char *text, char *err,
                      size_t err_nbytes)
{
    for (int i = 0; i < 5; i++)
        if (strcmp(reach_names[i], text) == 0) {
            c->links.nccl_p2p = i;
            return 0;
        }
    snprintf(err, err_nbytes,
             "<links nccl_p2p=\"%.40s\">: it must be NVL, PIX, PXB, PHB or SYS",
             text);
    return -1;
}

static int read_fabric(struct calibration *c, const char *text, char *err,
                       size_t err_nbytes)
{
    const int kind = calibration_fabric_kind(text);
    if (kind >= 0) {
        c->fabric.kind = kind;
        return 0;
    }
    snprintf(err, err_nbytes,
             "<fabric kind=\"%.40s\">: it must be crossbar, fat-tree or rail",
             text);
    return -1;
}

static int read_choice(struct calibration *c, const char *key, const char *text,
                       char *err, size_t err_nbytes)
{
    const int algos = strcmp(key, "algos") == 0;
    int *const set = algos ? &c->choice.algos : &c->choice.protos;
    *set = algos ? topo_algo_set(text) : topo_proto_set(text);
    if ((algos || strcmp(key, "protos") == 0) && *set != 0)
        return 0;
    snprintf(err, err_nbytes,
             "<nccl %.40s=\"%.40s\">: use algos and protos, with values of "
             "NCCL_ALGO and NCCL_PROTO, ll_KiB, chunk_KiB, buffer_MiB, "
             "plugin_us and nic_ports",
             key, text);
    return -1;
}

static int read_curve_algo(const char *text, char *err, size_t err_nbytes)
{
    if (topo_algo_set(text) != 0 && *text && !strpbrk(text, "^,"))
        return 1;
    snprintf(err, err_nbytes,
             "<curve algo=\"%.40s\">: it must be one of NCCL's algorithms",
             text);
    return -1;
}

static const struct field *find_field(const char *element, const char *key)
{
    for (int i = 0; i < NFIELDS; i++)
        if (strcmp(fields[i].element, element) == 0 &&
            strcmp(fields[i].key, key) == 0)
            return &fields[i];
    return NULL;
}

/* Read a text attribute. Returns 1 if this is one, 0 if it isn't, -1 if its
 * value is invalid. */
static int read_text(struct calibration *c, const char *element,
                     const char *key, const char *text, char *err,
                     size_t err_nbytes)
{
    if (strcmp(key, "source") == 0)
        return 1;
    if (strcmp(element, "device") == 0 && strcmp(key, "name") == 0) {
        snprintf(c->device.name, sizeof c->device.name, "%s", text);
        return 1;
    }
    if (strcmp(element, "links") == 0 && strcmp(key, "nccl_p2p") == 0)
        return read_reach(c, text, err, err_nbytes) == 0 ? 1 : -1;
    if (strcmp(element, "nccl") == 0 && !find_field(element, key))
        return read_choice(c, key, text, err, err_nbytes) == 0 ? 1 : -1;
    if (strcmp(element, "fabric") == 0 && strcmp(key, "kind") == 0)
        return read_fabric(c, text, err, err_nbytes) == 0 ? 1 : -1;
    if (strcmp(element, "curve") == 0 && strcmp(key, "algo") == 0)
        return read_curve_algo(text, err, err_nbytes);
    if (strcmp(element, "curve") == 0 && strcmp(key, "op") == 0) {
        if (strcmp(text, "all_reduce") == 0 || strcmp(text, "sendrecv") == 0)
            return 1;
        snprintf(err, err_nbytes,
                 "<curve op=\"%.40s\">: it must be all_reduce or sendrecv",
                 text);
        return -1;
    }
    return 0;
}

static const char *value_of(const char *const *atts, const char *key)
{
    for (; *atts; atts += 2)
        if (strcmp(*atts, key) == 0)
            return atts[1];
    return NULL;
}

/* Store a complete <curve> in its place. */
static int place_curve(struct calibration *c, const char *const *atts,
                       struct calibration_curve *curve, char *err,
                       size_t err_nbytes)
{
    const char *const algo = value_of(atts, "algo");
    static const char *const needed[] = {"op", "ranks", "nodes", "a_us",
                                         "B_GBps"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!value_of(atts, needed[i])) {
            snprintf(err, err_nbytes, "<curve> lacks %s", needed[i]);
            return -1;
        }
    if (curve->fill_us > 0 && curve->fill_MiB == 0) {
        snprintf(err, err_nbytes, "<curve> has fill_us but lacks fill_MiB");
        return -1;
    }
    const int op = strcmp(value_of(atts, "op"), "sendrecv") == 0
                       ? CALIBRATION_SENDRECV
                       : CALIBRATION_ALLREDUCE;
    curve->algos = algo ? topo_algo_set(algo) : 0;
    c->curve[op][curve->nodes > 1] = *curve;
    return 0;
}

int calibration_read(struct calibration *c, const char *element,
                     const char *const *atts, char *err, size_t err_nbytes)
{
    struct calibration_curve curve = {0};
    const int is_curve = strcmp(element, "curve") == 0;
    for (const char *const *a = atts; *a; a += 2) {
        const int text = read_text(c, element, a[0], a[1], err, err_nbytes);
        const struct field *const f = find_field(element, a[0]);
        if (text < 0)
            return -1;
        if (!text && !f) {
            snprintf(err, err_nbytes,
                     "<%s> has no attribute \"%.40s\": see FORMAT.md", element,
                     a[0]);
            return -1;
        }
        if (f && read_number(f, a[1], is_curve ? (void *)&curve : (void *)c,
                             err, err_nbytes) != 0)
            return -1;
    }
    return is_curve ? place_curve(c, atts, &curve, err, err_nbytes) : 0;
}

static int may_vary(const struct field *f)
{
    return strcmp(f->element, "links") == 0 || strcmp(f->key, "floor_us") == 0;
}

/* The i-th parameter that a fit may vary; NULL after the last. */
static const struct field *varying_field(int i)
{
    for (int k = 0; k < NFIELDS; k++)
        if (may_vary(&fields[k]) && i-- == 0)
            return &fields[k];
    return NULL;
}

int calibration_parameter(int i, struct calibration_parameter *out)
{
    const struct field *const f = varying_field(i);
    if (f)
        *out = (struct calibration_parameter){f->element, f->key, f->lo, f->hi};
    return f != NULL;
}

double calibration_get(const struct calibration *c,
                       const struct calibration_parameter *p)
{
    const struct field *const f = find_field(p->element, p->key);
    return *(const double *)((const char *)c + f->offset);
}

/* Write the members of a set, spelled as calibration_read() reads them. */
static void write_set(const char *key, int set, int n, const char *(*name)(int),
                      FILE *f)
{
    const char *comma = "";
    if (set == 0)
        return;
    fprintf(f, " %s=\"", key);
    for (int i = 0; i < n; i++)
        if (set >> i & 1) {
            fprintf(f, "%s%s", comma, name(i));
            comma = ",";
        }
    fprintf(f, "\"");
}

static const char *algo_name(int i)
{
    return topo_algo_name((enum topo_algo)i);
}

static const char *proto_name(int i)
{
    return topo_proto_name((enum topo_proto)i);
}

/* Write the attributes that aren't numbers. */
static void write_texts(const struct calibration *c, const char *element,
                        FILE *f)
{
    if (strcmp(element, "links") == 0)
        fprintf(f, " nccl_p2p=\"%s\"", reach_names[(int)c->links.nccl_p2p]);
    if (strcmp(element, "fabric") == 0)
        fprintf(f, " kind=\"%s\"", kinds[(int)c->fabric.kind]);
    if (strcmp(element, "nccl") == 0) {
        write_set("algos", c->choice.algos, TOPO_P2P, algo_name, f);
        write_set("protos", c->choice.protos, TOPO_PROTOS, proto_name, f);
    }
}

static void write_element(const struct calibration *c, const char *element,
                          FILE *f)
{
    int n = 0;
    fprintf(f, "    <%s", element);
    for (int i = 0; i < NFIELDS; i++) {
        const double value =
            *(const double *)((const char *)c + fields[i].offset);
        if (strcmp(fields[i].element, element) == 0 && value >= fields[i].lo &&
            value <= fields[i].hi)
            fprintf(f, "%s %s=\"%.6g\"", n++ % 4 == 3 ? "\n          " : "",
                    fields[i].key, value);
    }
    write_texts(c, element, f);
    fprintf(f, "/>\n");
}

static void write_curve(const struct calibration_curve *curve, const char *op,
                        FILE *f)
{
    fprintf(f, "    <curve op=\"%s\"", op);
    write_set("algo", curve->algos, TOPO_P2P, algo_name, f);
    for (int i = 0; i < NFIELDS; i++) {
        const double value =
            *(const double *)((const char *)curve + fields[i].offset);
        if (strcmp(fields[i].element, "curve") == 0 && value > 0)
            fprintf(f, " %s=\"%.6g\"", fields[i].key, value);
    }
    fprintf(f, "/>\n");
}

void calibration_write(const struct calibration *c, FILE *f)
{
    write_element(c, "links", f);
    write_element(c, "host", f);
    write_element(c, "fabric", f);
    write_element(c, "nccl", f);
    for (int across = 0; across < 2; across++) {
        if (c->curve[CALIBRATION_ALLREDUCE][across].ranks > 0)
            write_curve(&c->curve[CALIBRATION_ALLREDUCE][across], "all_reduce",
                        f);
        if (c->curve[CALIBRATION_SENDRECV][across].ranks > 0)
            write_curve(&c->curve[CALIBRATION_SENDRECV][across], "sendrecv", f);
    }
}

static void fill(double *value, double otherwise)
{
    if (*value < 0)
        *value = otherwise;
}

static void complete_device(struct calibration_device *d,
                            const struct calibration_device *otherwise)
{
    if (!d->name[0])
        memcpy(d->name, otherwise->name, sizeof d->name);
    fill(&d->nsm, otherwise->nsm);
    fill(&d->clock_khz, otherwise->clock_khz);
    fill(&d->mem_clock_khz, otherwise->mem_clock_khz);
    fill(&d->mem_bus_bits, otherwise->mem_bus_bits);
    fill(&d->mem_GiB, otherwise->mem_GiB);
    fill(&d->l2_MiB, otherwise->l2_MiB);
    for (int i = 0; i < TOPO_FP8; i++)
        fill(&d->TFLOPs[i], otherwise->TFLOPs[i]);
    // in proportion to a rate of fp16 that the file gives, as an H20's
    fill(&d->TFLOPs[TOPO_FP8],
         otherwise->TFLOPs[TOPO_FP8] *
             (d->TFLOPs[TOPO_FP16] / otherwise->TFLOPs[TOPO_FP16]));
    fill(&d->flops_eff, otherwise->flops_eff);
    fill(&d->hbm_GBps, otherwise->hbm_GBps);
    fill(&d->hbm_eff, otherwise->hbm_eff);
}

/* Fixed costs of host and device, in the units of their names. They are round
 * numbers: public measurements agree within a factor of two, which is precise
 * enough for the verdict of any lab. */
static void complete_host(struct calibration_host *h)
{
    fill(&h->launch_ns, 2000);
    fill(&h->kernel_ns, 2000);
    fill(&h->copy_ns, 1500);
    fill(&h->sync_ns, 3000);
    fill(&h->api_ns, 500);
    fill(&h->map_us, 1330); // see FORMAT.md
    fill(&h->unmap_us, 500);
    fill(&h->mpi_ns, 1000);
    fill(&h->mpi_net_ns, 2000);
    fill(&h->mpi_GBps, 10);
    fill(&h->sm_share, .15);
    fill(&h->floor_us, 0);
}

void calibration_complete(struct calibration *c,
                          const struct calibration_arch *arch, double pcie_GBps,
                          int cross_p2p, int ncpus)
{
    struct calibration_links *const l = &c->links;
    struct calibration_fabric *const f = &c->fabric;
    complete_device(&c->device, &arch->device);
    complete_host(&c->host);
    fill(&f->kind, CALIBRATION_CROSSBAR);
    fill(&f->ports, 32);
    fill(&f->over, 1);
    fill(&f->paths, 1);
    fill(&c->choice.ll_KiB, 0);
    fill(&c->choice.chunk_KiB, 0);
    fill(&c->choice.buffer_MiB, 4);
    fill(&c->choice.plugin_us, 0);
    fill(&c->choice.nic_ports, 1);
    fill(&l->nvlink_GBps, arch->nvlink_GBps);
    fill(&l->engine_GBps, arch->engine_GBps);
    fill(&l->load_share, .66); // two-shot on 8 H100s, 16 MiB: 250 of 380 GB/s
    fill(&l->p2p_GBps, arch->datacenter ? pcie_GBps : 0);
    fill(&l->p2p_socket_GBps,
         arch->datacenter && cross_p2p ? pcie_GBps / 2 : 0);
    // Estimates, for machines whose file has no figure of its own.
    fill(&l->staged_GBps, .68 * pcie_GBps);
    fill(&l->staged_socket_GBps, l->staged_GBps);
    // 9.0 GB/s were measured between an A100 and an HDR port at another CPU
    fill(&l->staged_net_GBps, .36 * pcie_GBps);
    fill(&l->socket_GBps, 60);
    fill(&l->host_GBps, 300);
    fill(&l->numa_GBps, l->host_GBps / ncpus);
    // Peer copies between 4090s: 21.2 GB/s across sockets, 25.5 under one CPU.
    // Published shares for copies from the host: 1 behind two EPYC 9554
    // (rocm_bandwidth_test, issue 129), .31 behind two small Xeons of 2016
    // (gearshifft, pull request 82).
    fill(&l->far_share, 21.2 / 25.5);
    fill(&l->net_eff, .95); // an estimate, as the latencies are
    fill(&l->p2p_us, 1.3);
    fill(&l->load_us, l->p2p_us);
    fill(&l->staged_us, 16);
    fill(&l->host_us, 1);
    fill(&l->net_us, 4);
    // 4: SYS; 2: PXB, behind Intel and ARM
    fill(&l->nccl_p2p, cross_p2p ? 4 : 2);
}
