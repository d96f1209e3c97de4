/*
 * Files of others: what virtual machines and vendors write, which NCCL takes
 * as it is. Each costs time, and a warning says how much. Then networks in
 * files, and how far a NIC may be for GPUDirect.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "child.h"
#include "machine.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

static void write_file(const char *name, const char *text)
{
    char path[CHILD_FOLDER + 40];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *const f = fopen(path, "w");
    ck_assert(f != NULL && fputs(text, f) >= 0);
    fclose(f);
}

/* Load PREFIX FOLDER/NAME SUFFIX. */
static struct topo *load(const char *prefix, const char *name,
                         const char *suffix, char err[600])
{
    char path[CHILD_FOLDER + 100];
    snprintf(path, sizeof path, "%s%s/%s%s", prefix, dir, name, suffix);
    err[0] = 0;
    return topo_load(path, err, 600);
}

static void keep_line(void *user, const char *line)
{
    char *const all = user;
    const size_t length = strlen(all);
    snprintf(all + length, 2000 - length, "%s\n", line);
}

#define VM_CPU(numa)                                                           \
    "<cpu numaid=\"" numa "\" affinity=\"ff\" arch=\"x86_64\" "                \
    "vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"106\">\n"
#define VM_GPU(n, dev, links)                                                  \
    "<pci busid=\"000" n ":00:00.0\" class=\"0x030200\" "                      \
    "link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" dev          \
    "\" sm=\"80\" rank=\"" dev "\" gdr=\"1\">" links "</gpu></pci>\n"
#define VM_NIC(attributes)                                                     \
    "<nic><net name=\"mlx5_0\" dev=\"0\" speed=\"200000\" " attributes         \
    "/></nic>\n"
#define LINKS(target, tclass)                                                  \
    "<nvlink target=\"" target "\" count=\"12\" tclass=\"" tclass "\"/>"
#define SWITCHED LINKS("fffffff:ff:ff.0", "0x068000")

static const struct odd {
    const char *text, *says; /* says: the start of the only warning */
} odd[] = {
    // as Azure's NC96ads_A100_v4: bridges whose other end isn't named
    {"<system version=\"1\">\n" VM_CPU("0") VM_GPU(
         "1", "0", LINKS("0001:00:00.0", "0x030200")) "</cpu>\n" VM_CPU("1")
         VM_GPU("2", "1", LINKS("0002:00:00.0", "0x030200")) "</cpu>"
                                                             "</system>",
     "GPU 0 (0001:00:00.0) and 1 more: its NVLinks lead to itself"},
    // as dumps of virtual machines on AWS: a bridge of one lane
    {"<system version=\"1\">\n" VM_CPU(
         "0") "<pci busid=\"0000:00:05.0\" class=\"0x060400\" link_speed=\"2.5 "
              "GT/s "
              "PCIe\" link_width=\"1\">" VM_GPU("1", "0", SWITCHED)
                  VM_GPU("2", "1", SWITCHED) "</pci></cpu></system>",
     "GPU 0 (0001:00:00.0) and 1 more: <pci busid=\"0000:00:05.0\"> has 1 lane "
     "of 2.5 GT/s, so host to GPU takes 0.2 GB/s"},
    {"<system version=\"1\">\n" VM_CPU("0") VM_GPU("1", "0", SWITCHED)
         VM_GPU("2", "1", "") VM_GPU("3", "2", SWITCHED) "</cpu></system>",
     "GPU 1 (0002:00:00.0): without NVLink among others that have it. Its "
     "traffic takes PCIe, 25.0 GB/s"},
    {"<system version=\"1\">\n" VM_CPU("0") VM_GPU("1", "0", "")
         VM_NIC("gdr=\"1\"") "</cpu></system>",
     "GPU 0 (0001:00:00.0): without GPUDirect to its NIC, mlx5_0 (it is PHB "
     "away, and NCCL's limit is PXB). What it sends to and receives from other "
     "nodes passes through the host, 17.0 GB/s"},
    {"<system version=\"1\">\n" VM_CPU("0")
         VM_GPU("1", "0", "") "</cpu>" VM_CPU("1")
             VM_NIC("gdr=\"1\"") "</cpu></system>",
     "GPU 0 (0001:00:00.0): without GPUDirect to its NIC, mlx5_0 (it is SYS "
     "away, and NCCL's limit is PXB). What it sends to and receives from other "
     "nodes passes through the host, 9.0 GB/s"},
    {"<system version=\"1\">\n" VM_CPU("0")
         VM_GPU("1", "0", "<c2c bw=\"44136\" count=\"9\"/>")
             VM_NIC("gdr=\"0\"") "</cpu></system>",
     "GPU 0 (0001:00:00.0): without GPUDirect to its NIC, mlx5_0 (the NIC has "
     "gdr=\"0\")"},
    {"<system version=\"1\">\n" VM_CPU("0")
         VM_GPU("1", "0", "<c2c bw=\"44136\" count=\"9\"/>")
             VM_NIC("gdr=\"1\"") "</cpu></system>",
     ""},
};
enum { NODD = sizeof odd / sizeof *odd };

START_TEST(what_a_file_costs_is_said)
{
    char err[600], said[2000] = "";
    const struct odd *const o = &odd[_i];
    write_file("odd.xml", o->text);
    struct topo *const t = load("2x:", "odd.xml", "", err);
    ck_assert_msg(t != NULL, "%s", err);
    topo_warnings(t, keep_line, said);
    ck_assert_msg(strncmp(said, o->says, strlen(o->says)) == 0, "%s", said);
    ck_assert_msg(!*said == !*o->says, "%s", said);
    const char *const end = strchr(said, '\n');
    ck_assert_msg(!end || !end[1], "more than one: %s", said);
    topo_free(t);
}
END_TEST

START_TEST(shipped_machines_have_nothing_odd)
{
    char list[600], name[700], err[600], said[2000] = "", *rest;
    topo_list(list, sizeof list);
    for (char *at = strtok_r(list, ", ", &rest); at;
         at = strtok_r(NULL, ", ", &rest))
        for (int nodes = 1; nodes <= 2; nodes++) {
            snprintf(name, sizeof name, "%dx:%s", nodes, at);
            struct topo *const t = topo_load(name, err, sizeof err);
            ck_assert_msg(t != NULL, "%s", err);
            topo_warnings(t, keep_line, said);
            ck_assert_msg(!*said, "%s: %s", name, said);
            topo_free(t);
        }
}
END_TEST

/* As aws-ofi-nccl's p4d-24xl-topo.xml: PCIe alone. */
static const char vendors[] =
    "<!-- Static topology of a platform -->\n"
    "<system version=\"1\">\n"
    "  <cpu numaid=\"0\" affinity=\"ff\" arch=\"x86_64\" "
    "vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"85\">\n"
    "    <pci busid=\"ffff:ff:01.0\" class=\"0x060400\" link_speed=\"8 GT/s\" "
    "link_width=\"16\"> <!-- Switch 0 -->\n"
    "      <pci busid=\"0000:10:1c.0\" class=\"0x030200\" link_speed=\"8 "
    "GT/s\" link_width=\"16\"/>\n"
    "      <pci busid=\"0000:10:1d.0\" class=\"0x030200\" link_speed=\"8 "
    "GT/s\" link_width=\"16\"/>\n"
    "      <pci busid=\"0000:10:1b.0\" class=\"0x020000\" link_speed=\"8 "
    "GT/s\" link_width=\"16\"/>\n"
    "    </pci>\n"
    "  </cpu>\n"
    "</system>\n";

START_TEST(a_vendors_file_without_gpus_is_answered_with_how_to_dump)
{
    char err[600];
    write_file("p4d.xml", vendors);
    ck_assert_ptr_null(load("", "p4d.xml", "", err));
    ck_assert_msg(strstr(err, "no <gpu> in the file, but 2 <pci> of GPUs: like "
                              "those that vendors give to NCCL"),
                  "%s", err);
    ck_assert_msg(strstr(err, "NCCL_TOPO_DUMP_FILE=whole.xml"), "%s", err);
}
END_TEST

/* ---- GPUDirect by distance ----------------------------------------------- */

static double GBps(struct topo *t, const char *level)
{
    char err[600] = "", setting[60];
    char *const env[] = {setting, NULL};
    struct topo_coll c;
    snprintf(setting, sizeof setting, "NCCL_NET_GDR_LEVEL=%s", level);
    topo_settings(t, *level ? env : env + 1, NULL, NULL);
    const int32_t place[2] = {0, topo_ngpus(t) / 2};
    ck_assert_msg(topo_collective(t, TOPO_OP_SENDRECV, place, 2, 1 << 30,
                                  TOPO_ANY, TOPO_ANY, &c, err, sizeof err) == 0,
                  "%s", err);
    const double rate = (1 << 30) * 1e3 / (double)c.time_ps;
    topo_coll_release(&c);
    return rate;
}

/* An A100 whose HDR port is at the other socket was measured at 9.0 GB/s. */
START_TEST(a_far_nic_is_reached_through_the_host)
{
    static const struct {
        const char *gdr, *level;
        int other; /* the NIC is at another CPU */
        double GBps;
    } rows[] = {
        {"1", "", 1, 9.0},    {"1", "SYS", 1, 23.7}, {"1", "PHB", 1, 9.0},
        {"1", "", 0, 17},     {"1", "PHB", 0, 23.7}, {"0", "SYS", 0, 17},
        {"0", "SYS", 1, 9.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000], err[600];
        snprintf(text, sizeof text,
                 "<system version=\"1\">\n" VM_CPU("0") VM_GPU(
                     "1", "0", "") "%s" VM_NIC("gdr=\"%s\"") "</cpu></system>",
                 rows[i].other ? "</cpu>" VM_CPU("1") : "", rows[i].gdr);
        write_file("far.xml", text);
        struct topo *const t = load("2x:", "far.xml", "", err);
        ck_assert_msg(t != NULL, "%s", err);
        const double rate = GBps(t, rows[i].level);
        ck_assert_msg(rate > .98 * rows[i].GBps && rate < 1.02 * rows[i].GBps,
                      "row %zu: %.1f GB/s", i, rate);
        topo_free(t);
    }
}
END_TEST

/* A GPU without a NIC sends by way of one that has it, and receives through
 * the host. */
START_TEST(nvlinks_lead_to_a_far_nic)
{
    struct topo_path out, in;
    struct topo *const t = machine_load("2x:dgx-h100@no-nic:3");
    ck_assert_int_eq(topo_path(t, 3, 8, TOPO_DIRECT, &out), 0);
    ck_assert_int_eq(topo_path(t, 8, 3, TOPO_DIRECT, &in), 0);
    ck_assert(out.rate_cap == 0 && in.rate_cap > 0);
    int links = 0, host = 0;
    for (int i = 0; i < out.nresources; i++)
        links +=
            !strcmp(topo_resource(t, out.resource[i])->name, "nvlink G3 up");
    for (int i = 0; i < in.nresources; i++)
        host +=
            !strcmp(topo_resource(t, in.resource[i])->name, "staged NIC to G3");
    ck_assert(links == 1 && host == 1);
    topo_free(t);
}
END_TEST

/* ---- networks ------------------------------------------------------------ */

static uint64_t ps_of(const char *machine, uint64_t nbytes)
{
    static const int32_t place[] = {0, 1, 2,  3,  4,  5,  6,  7,
                                    8, 9, 10, 11, 12, 13, 14, 15};
    char err[600] = "";
    struct topo_coll c;
    struct topo *const t = machine_load(machine);
    const int n = topo_ngpus(t) < 16 ? topo_ngpus(t) : 16;
    ck_assert_msg(topo_collective(t, TOPO_OP_ALLREDUCE, place, n, nbytes,
                                  TOPO_ANY, TOPO_ANY, &c, err, sizeof err) == 0,
                  "%s", err);
    const uint64_t ps = c.time_ps;
    topo_coll_release(&c);
    topo_free(t);
    return ps;
}

/* A network is found by any path, with a machine's name or its path, and with
 * options. */
START_TEST(a_network_is_found_by_its_path)
{
    char at[CHILD_FOLDER + 20], name[3 * CHILD_FOLDER];
    snprintf(at, sizeof at, "%s/a@b", dir);
    ck_assert(mkdir(at, 0700) == 0);
    write_file("a@b/net.xml",
               "<network><calibration><links net_us=\"6\" net_eff=\"0.95\"/>"
               "<nccl nic_ports=\"2\"/><fabric ports=\"32\" "
               "gpu_Gbps=\"200\"/></calibration>"
               "</network>");
    const uint64_t roce = ps_of("2x:dgx-a100@roce", 1 << 28);
    snprintf(name, sizeof name, "2x:dgx-a100@%s/net.xml", at);
    ck_assert_uint_eq(ps_of(name, 1 << 28), roce);
    snprintf(name, sizeof name, "2x:dgx-a100@%s/net.xml,fat-tree:1", at);
    ck_assert_uint_eq(ps_of(name, 1 << 28), roce);
    write_file("a@b/mine.xml", "<system version=\"1\">\n" VM_CPU("0") VM_GPU(
                                   "1", "0", "") VM_NIC("") "</cpu></system>");
    snprintf(name, sizeof name, "2x:%s/mine.xml", at); // no network
    const uint64_t plain = ps_of(name, 1 << 28);
    snprintf(name, sizeof name, "2x:%s/mine.xml@%s/net.xml,floor:90", at, at);
    ck_assert_uint_ne(ps_of(name, 1 << 28), plain);
}
END_TEST

/* GB/s of an all-reduce over two nodes: at most what the NICs of a node carry.
 * A ring sends each byte almost twice. */
START_TEST(a_profile_gives_the_rate_it_names)
{
    static const struct {
        const char *machine;
        double Gbps; /* of a node; PCIe and NVLinks may limit it */
    } rows[] = {
        {"2x:dgx-h100@roce400", 3200},  {"2x:dgx-h100@efa-1.5", 3200},
        {"2x:dgx-h100@efa-p5en", 3200}, {"2x:dgx-a100@p4d", 400},
        {"2x:dgx-h100@a3-high", 800},   {"2x:dgx-a100@tcp10", 10},
        {"2x:dgx-a100@tcp25", 25},      {"2x:dgx-a100@tcp100", 100},
        {"2x:pcie-4090@tcp10", 10},     {"2x:4x-a100-pcie@tcp25", 25},
        {"2x:hgx-b300@xdr", 6400},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double GBps =
            (1ull << 32) * 1e3 / (double)ps_of(rows[i].machine, 1ull << 32);
        ck_assert_msg(GBps < rows[i].Gbps / 8 && GBps > rows[i].Gbps / 20,
                      "%s: %.1f GB/s", rows[i].machine, GBps);
    }
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("foreign");
    child_folder(dir, "foreign");
    tcase_add_loop_test(tc, what_a_file_costs_is_said, 0, NODD);
    tcase_add_test(tc, shipped_machines_have_nothing_odd);
    tcase_add_test(tc,
                   a_vendors_file_without_gpus_is_answered_with_how_to_dump);
    tcase_add_test(tc, a_far_nic_is_reached_through_the_host);
    tcase_add_test(tc, nvlinks_lead_to_a_far_nic);
    tcase_add_test(tc, a_network_is_found_by_its_path);
    tcase_add_test(tc, a_profile_gives_the_rate_it_names);
    Suite *const s = suite_create("topo: foreign");
    suite_add_tcase(s, tc);
    const int result = suite_run(s);
    child_remove(dir);
    return result;
}
