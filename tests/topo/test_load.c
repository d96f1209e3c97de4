/* Topology files: shipped ones, dumps of real nodes, and damaged ones. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temp.h"
#include "machine.h"
#include "suite.h"

static char path[300]; /* of the last file that load_text() wrote */

/* Write the text to a file and load that; err gets the reason for a failure. */
static struct topo *load_text(const char *text, char err[600])
{
    char dir[256];
    ck_assert(mkdtemp(temp_path(dir, sizeof dir, "commlab-topo")) != NULL);
    snprintf(path, sizeof path, "%s/machine.xml", dir);
    FILE *const f = fopen(path, "w");
    ck_assert(f != NULL && fputs(text, f) >= 0);
    fclose(f);
    err[0] = 0;
    struct topo *const t = topo_load(path, err, 600);
    unlink(path);
    rmdir(dir);
    return t;
}

START_TEST(shipped_machines_load_and_are_listed)
{
    char list[600];
    struct topo *const t = machine_load(machines_shipped[_i].name);
    topo_list(list, sizeof list);
    ck_assert_msg(strstr(list, machines_shipped[_i].name) != NULL, "%s", list);
    ck_assert_str_eq(topo_name(t), machines_shipped[_i].name);
    ck_assert_int_eq(topo_nnodes(t), _i == 0 ? 2 : 1);
    ck_assert_int_eq(topo_ngpus(t), 8 * topo_nnodes(t));
    for (int i = 0; i < topo_ngpus(t); i++) {
        const struct topo_gpu *const g = topo_gpu(t, i);
        ck_assert_int_eq(g->node, i / 8);
        ck_assert_int_eq(g->local, i % 8);
        ck_assert(g->nsm > 0 && g->clock_khz > 0 && g->mem_nbytes >> 30 > 0);
        ck_assert(g->name[0] && strlen(g->bus_id) == 12);
    }
    ck_assert_ptr_null(topo_gpu(t, -1));
    ck_assert_ptr_null(topo_gpu(t, topo_ngpus(t)));
    topo_free(t);
}
END_TEST

static const struct sheet {
    const char *machine;
    int sm, nsm, mem_bus_bits;
    uint64_t mem_GiB, l2_MiB;
} sheets[] = {
    {"dgx-1v", 70, 80, 4096, 16, 6},
    {"dgx-a100", 80, 108, 5120, 80, 40},
    {"dgx-h100", 90, 132, 5120, 80, 50},
};

START_TEST(a_gpu_is_what_its_data_sheet_says)
{
    const struct sheet *const s = &sheets[_i];
    struct topo *const t = machine_load(s->machine);
    const struct topo_gpu *const g = topo_gpu(t, 0);
    ck_assert_int_eq(g->sm, s->sm);
    ck_assert_int_eq(g->nsm, s->nsm);
    ck_assert_int_eq(g->mem_bus_bits, s->mem_bus_bits);
    ck_assert_uint_eq(g->mem_nbytes, s->mem_GiB << 30);
    ck_assert_uint_eq(g->l2_nbytes, s->l2_MiB << 20);
    topo_free(t);
}
END_TEST

static double rate_of(const struct topo *t, enum topo_math math)
{
    const struct topo_resource *const r =
        topo_resource(t, topo_compute(t, 0, math));
    return r ? r->rate : 0;
}

/* Ada and Hopper brought units for fp8, at twice the rate of fp16. Data sheets
 * round the rates. */
START_TEST(fp8_is_twice_as_fast_as_fp16_or_absent)
{
    static const char *const more[] = {"8x-l40s",     "pcie-4090",
                                       "h100-nvl",    "gh200",
                                       "gb300-nvl72", "4x-a100-pcie"};
    struct topo *const t =
        machine_load(_i < nmachines_shipped ? machines_shipped[_i].name
                                            : more[_i - nmachines_shipped]);
    const double ratio = rate_of(t, TOPO_FP8) / rate_of(t, TOPO_FP16);
    if (topo_gpu(t, 0)->sm >= 89)
        ck_assert_double_eq_tol(ratio, 2, 0.03);
    else
        ck_assert_int_eq(topo_compute(t, 0, TOPO_FP8), -1);
    topo_free(t);
}
END_TEST

/* A file may say fp16 alone, for a GPU that is slower than its architecture's
 * (an H20); or that there is no fp8. */
START_TEST(a_rate_of_fp8_follows_from_that_of_fp16)
{
    static const struct {
        const char *said;
        int sm;
        double TFLOPs;
    } cases[] = {{"fp16_TFLOPs=\"148\"", 90, 148. * 1979 / 989},
                 {"fp16_TFLOPs=\"148\" fp8_TFLOPs=\"200\"", 90, 200},
                 {"fp8_TFLOPs=\"0\"", 90, 0},
                 {"fp16_TFLOPs=\"148\"", 86, 0}};
    char text[600], err[600];
    snprintf(text, sizeof text,
             "<system version=\"1\"><calibration><device flops_eff=\"1\" %s/>"
             "</calibration><cpu numaid=\"0\"><pci busid=\"0000:01:00.0\" "
             "class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\">"
             "<gpu dev=\"0\" sm=\"%d\"/></pci></cpu></system>",
             cases[_i].said, cases[_i].sm);
    struct topo *const t = load_text(text, err);
    ck_assert_msg(t != NULL, "%s", err);
    ck_assert_double_eq_tol(rate_of(t, TOPO_FP8), 1e12 * cases[_i].TFLOPs, 1);
    topo_free(t);
}
END_TEST

START_TEST(resources_have_rates_and_names_of_their_own)
{
    struct topo *const t = machine_load(machines_shipped[_i].name);
    for (int i = 0; i < topo_nresources(t); i++) {
        const struct topo_resource *const r = topo_resource(t, i);
        ck_assert_msg(r->rate > 1e6 && r->rate < 1e17, "%s %g", r->name,
                      r->rate);
        for (int k = 0; k < i; k++)
            ck_assert_str_ne(r->name, topo_resource(t, k)->name);
    }
    ck_assert_ptr_null(topo_resource(t, topo_nresources(t)));
    topo_free(t);
}
END_TEST

START_TEST(a_prefix_gives_the_number_of_nodes)
{
    struct topo *const t = machine_load("4x:dgx-a100");
    ck_assert_int_eq(topo_nnodes(t), 4);
    ck_assert_int_eq(topo_ngpus(t), 32);
    ck_assert_int_eq(topo_gpu(t, 31)->node, 3);
    topo_free(t);
    char err[600];
    ck_assert_ptr_null(topo_load("2000x:dgx-a100", err, sizeof err));
    ck_assert_ptr_nonnull(strstr(err, "2000 nodes of 8 GPUs"));
}
END_TEST

START_TEST(an_unknown_name_is_answered_with_the_known_ones)
{
    char err[600] = "";
    ck_assert_ptr_null(topo_load("dgx-z9", err, sizeof err));
    ck_assert_ptr_nonnull(strstr(err, "there is no machine \"dgx-z9\""));
    ck_assert_ptr_nonnull(strstr(err, "dgx-1v, dgx-a100"));
    ck_assert_ptr_null(topo_load("/nowhere/x.xml", err, sizeof err));
    ck_assert_str_eq(err, "/nowhere/x.xml: No such file or directory");
    ck_assert_ptr_null(topo_load("", err, sizeof err));
    ck_assert_ptr_null(topo_load("/", err, sizeof err));
}
END_TEST

/* A dump from a virtual machine: hidden switches, a NIC listed under each CPU,
 * links of unknown speed, elements that this model doesn't use. */
static const char dump[] =
    "<system version=\"1\">\n"
    "  <cpu host_hash=\"0x16fe256e956b115c\" numaid=\"0\""
    " affinity=\"00ffffff\" arch=\"x86_64\" vendor=\"GenuineIntel\""
    " familyid=\"6\" modelid=\"207\">\n"
    "    <pci busid=\"0000:18:00.0\" class=\"0x030200\" vendor=\"0x10de\""
    " device=\"0x2335\" subsystem_vendor=\"0x10de\""
    " subsystem_device=\"0x18be\" link_speed=\"\" link_width=\"0\">\n"
    "      <gpu dev=\"1\" sm=\"90\" rank=\"1\" gdr=\"1\">\n"
    "        <nvlink target=\"fffffff:ff:ff.0\" count=\"18\""
    " tclass=\"0x068000\"/>\n"
    "        <c2c bw=\"56376\" count=\"7\"/>\n"
    "      </gpu>\n"
    "    </pci>\n"
    "    <nic><net name=\"eth0\" dev=\"0\" latency=\"0\" speed=\"10000\""
    " port=\"0\" guid=\"0x0\" maxconn=\"65536\" gdr=\"0\"/></nic>\n"
    "  </cpu>\n"
    "  <cpu numaid=\"1\" affinity=\"ff000000\" arch=\"x86_64\">\n"
    "    <pci busid=\"0000:9a:00.0\" class=\"0x030200\""
    " link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n"
    "      <gpu dev=\"0\" sm=\"90\" rank=\"0\" gdr=\"1\">\n"
    "        <nvlink target=\"fffffff:ff:ff.0\" count=\"18\""
    " tclass=\"0x068000\"/>\n"
    "      </gpu>\n"
    "    </pci>\n"
    "    <nic><net name=\"eth0\" dev=\"0\" speed=\"10000\"/></nic>\n"
    "  </cpu>\n"
    "</system>\n";

START_TEST(a_dump_without_calibration_gets_defaults)
{
    char err[600], link[8], cores[64];
    int32_t both[2] = {0, 1};
    struct topo_coll c;
    struct topo *const t = load_text(dump, err);
    ck_assert_msg(t != NULL, "%s", err);
    ck_assert_int_eq(topo_ngpus(t), 2);
    ck_assert_int_eq(topo_nnics(t), 1);
    ck_assert_str_eq(topo_gpu(t, 0)->bus_id, "0000:9a:00.0"); // dev 0
    ck_assert_str_eq(topo_gpu(t, 0)->name, "NVIDIA H100 80GB HBM3");
    ck_assert_int_eq(topo_gpu(t, 0)->numa, 1);
    ck_assert_str_eq(topo_link(t, 0, 1, link), "NV18");
    ck_assert_str_eq(topo_link(t, 0, 2, link), "SYS");
    ck_assert_str_eq(topo_cores(t, 0, cores, sizeof cores), "24-31");
    ck_assert_int_eq(topo_collective(t, TOPO_OP_ALLREDUCE, both, 2, 1 << 20,
                                     TOPO_ANY, TOPO_ANY, &c, err, sizeof err),
                     0);
    ck_assert(c.time_ps > 5000000 && c.time_ps < 100000000);
    topo_coll_release(&c);
    topo_free(t);
}
END_TEST

/* ---- racks, and links between CPU and GPU -------------------------------- */

/* A host of a rack as NCCL writes it: GPUs behind a switch, C2C to the CPU, a
 * NIC; all hosts use the same bus ids, devs and numaids. */
static int put_host(char *out, size_t nbytes, int host, int ngpus)
{
    int at = snprintf(out, nbytes,
                      "<cpu host_hash=\"0x%x\" numaid=\"0\" arch=\"arm64\">\n"
                      "<pci busid=\"0000:f0:00.0\"><nic>"
                      "<net name=\"mlx5_0\" speed=\"400000\"/></nic></pci>\n",
                      0xab00 + host);
    for (int i = 0; i < ngpus; i++)
        at += snprintf(out + at, nbytes - (size_t)at,
                       "<pci busid=\"0000:%02x:00.0\"><gpu dev=\"%d\" "
                       "sm=\"100\"><nvlink target=\"fffffff:ff:ff.0\" "
                       "count=\"18\" tclass=\"0x068000\"/>"
                       "<c2c bw=\"44712\" count=\"5\"/></gpu></pci>\n",
                       i, ngpus - 1 - i);
    return at + snprintf(out + at, nbytes - (size_t)at, "</cpu>\n");
}

static struct topo *load_rack(int nhosts, int ngpus, char err[600])
{
    const size_t nbytes = (size_t)nhosts * (300 + 300 * (size_t)ngpus) + 100;
    char *const text = malloc(nbytes);
    ck_assert_ptr_nonnull(text);
    int at = snprintf(text, nbytes, "<system version=\"2\">\n");
    for (int h = 0; h < nhosts; h++)
        at += put_host(text + at, nbytes - (size_t)at, h, ngpus);
    snprintf(text + at, nbytes - (size_t)at, "</system>\n");
    struct topo *const t = load_text(text, err);
    free(text);
    return t;
}

static uint64_t ps_of(const struct topo *t, enum topo_op op, int n,
                      uint64_t nbytes)
{
    char err[600] = "";
    struct topo_coll c;
    int32_t *const place = calloc((size_t)n, sizeof *place);
    ck_assert_ptr_nonnull(place);
    for (int i = 0; i < n; i++)
        place[i] = i;
    ck_assert_msg(topo_collective(t, op, place, n, nbytes, TOPO_ANY, TOPO_ANY,
                                  &c, err, sizeof err) == 0,
                  "%s", err);
    free(place);
    const uint64_t ps = c.time_ps;
    topo_coll_release(&c);
    return ps;
}

START_TEST(a_rack_of_576_gpus_is_one_node)
{
    char err[600], link[8];
    struct topo *const t = load_rack(144, 4, err);
    ck_assert_msg(t != NULL, "%s", err);
    ck_assert_int_eq(topo_ngpus(t), 576);
    ck_assert_int_eq(topo_nnodes(t), 1);
    ck_assert_int_eq(topo_nnics(t), 144); // one of each host
    ck_assert_str_eq(topo_gpu(t, 4)->bus_id, "0000:03:00.0"); // by dev, by host
    ck_assert_str_eq(topo_link(t, 0, 575, link), "NV18");
    ck_assert_int_eq(topo_p2p(t, 0, 575), 1);
    const uint64_t all = ps_of(t, TOPO_OP_ALLREDUCE, 576, 1 << 30);
    ck_assert_uint_gt(all, ps_of(t, TOPO_OP_ALLREDUCE, 4, 1 << 30) / 2);
    ck_assert_uint_lt(all, 100ULL * 1000000000); // NVLinks, no network: 100 ms
    topo_free(t);
    ck_assert_ptr_null(load_rack(145, 4, err));
    ck_assert_ptr_nonnull(strstr(err, "more than 576 <gpu>"));
}
END_TEST

START_TEST(host_copies_of_a_coherent_gpu_do_not_cross_pcie)
{
    char err[600];
    struct topo_path path;
    struct topo *const t = load_rack(2, 2, err);
    ck_assert_msg(t != NULL, "%s", err);
    ck_assert_int_eq(topo_path(t, 1, TOPO_HOST_PLACE(0), 1, &path), 0);
    int c2c = 0;
    for (int i = 0; i < path.nresources; i++) {
        const struct topo_resource *const r =
            topo_resource(t, path.resource[i]);
        ck_assert_msg(strncmp(r->name, "pcie", 4) != 0, "%s", r->name);
        if (strcmp(r->name, "c2c G1 up") == 0) {
            c2c++;
            ck_assert_double_eq_tol(r->rate, .85 * 5 * 44.712e9, 1e6);
        }
    }
    ck_assert_int_eq(c2c, 1);
    topo_free(t);
}
END_TEST

/* Two MI300X as RCCL writes them. */
START_TEST(links_of_amd_gpus_are_read)
{
    char err[600], link[8];
    struct topo_path path;
    struct topo *const t = load_text(
        "<system><cpu numaid=\"0\">"
        "<pci busid=\"0000:05:00.0\"><gpu dev=\"0\" sm=\"94\" "
        "gcn=\"gfx942:sramecc+\"><xgmi target=\"0000:26:00.0\" count=\"1\" "
        "tclass=\"0x038000\"/></gpu></pci>"
        "<pci busid=\"0000:26:00.0\"><gpu dev=\"1\" sm=\"94\" "
        "gcn=\"gfx942\"><xgmi target=\"0000:05:00.0\" count=\"1\" "
        "tclass=\"0x038000\"/></gpu></pci></cpu></system>",
        err);
    ck_assert_msg(t != NULL, "%s", err);
    ck_assert_str_eq(topo_gpu(t, 1)->name, "AMD gfx942");
    ck_assert_str_eq(topo_link(t, 0, 1, link), "NV1");
    ck_assert_int_eq(topo_path(t, 0, 1, 1, &path), 0);
    int found = 0;
    for (int i = 0; i < path.nresources; i++)
        found += topo_resource(t, path.resource[i])->rate == 48e9;
    ck_assert_int_eq(found, 1);
    topo_free(t);
}
END_TEST

#define CPU   "<system>\n<cpu numaid=\"0\">\n"
#define PCI   "<pci busid=\"0000:01:00.0\">\n"
#define GPU   "<gpu dev=\"0\" sm=\"80\">\n"
#define END   "</gpu>\n</pci>\n</cpu>\n</system>\n"
#define OTHER "<pci busid=\"0000:02:00.0\">"
#define CAL   "<system>\n<calibration>\n"

static const struct bad {
    const char *text, *says;
} bad[] = {
    {"", ":1: XML: no element found"},
    {"not XML\n", ":1: XML: syntax error"},
    {CPU PCI GPU "</gpu>", ":5: XML: no element found"},
    {CPU "</system>", ":3: XML: mismatched tag"},
    {"<html>\n</html>", ":1: <html> is not a topology: NCCL writes a <system>"},
    {CPU "<disk/>", ":3: unknown element <disk>: remove it unless"},
    {"<gpu/>", ":1: <gpu> can't be outermost"},
    {CPU GPU, ":3: <gpu> can't be in <cpu>"},
    {CPU PCI "<nvlink/>", ":4: <nvlink> can't be in <pci>"},
    {"<system>\n<cpu/>", ":2: <cpu> lacks numaid"},
    {"<system>\n<cpu numaid=\"x\"/>",
     ":2: <cpu numaid=\"x\">: it must be a number from -1 to 4096"},
    {CPU "</cpu>\n<cpu numaid=\"0\"/>", ":4: two <cpu> with numaid 0"},
    {CPU "<pci/>", ":3: <pci> lacks busid"},
    {CPU "<pci busid=\"0000:01:00.0.and.more\"/>", ":3: <pci busid="},
    {CPU PCI "</pci>" PCI "</pci>", ":4: two <pci> with busid 0000:01:00.0"},
    {CPU PCI "<gpu sm=\"80\"/>", ":4: <gpu> lacks dev"},
    {CPU PCI "<gpu dev=\"0\"/>", ":4: <gpu> lacks sm"},
    {CPU PCI "<gpu dev=\"-1\" sm=\"80\"/>", ":4: <gpu dev=\"-1\">: it must be"},
    {CPU PCI GPU "</gpu>" GPU, ":5: two <gpu> with busid 0000:01:00.0"},
    {CPU PCI GPU "</gpu></pci>" OTHER GPU, ":5: two <gpu> with dev 0"},
    {CPU PCI GPU "<nvlink count=\"2\"/>" END, ":5: <nvlink> lacks target"},
    {CPU PCI GPU "<nvlink target=\"0000:09:00.0\"/>" END,
     ":5: <nvlink> lacks count"},
    {CPU PCI GPU "<nvlink target=\"0000:09:00.0\" count=\"2\"/>" END,
     ":5: an NVLink to 0000:09:00.0, which is neither a <gpu> here"},
    {CPU PCI GPU "<nvlink target=\"0000:02:00.0\" count=\"2\"/></gpu></pci>"
                 "\n" OTHER "<gpu dev=\"1\" sm=\"80\"/></pci></cpu></system>",
     ": 0 NVLinks from GPU 0000:02:00.0 to 0000:01:00.0, but 2 back"},
    {"<system/>", ":1: no <gpu> in the file"},
    {CPU PCI "</pci>" OTHER "</pci></cpu></system>",
     "no <gpu> in the file, but 0 <pci> of GPUs: like those that vendors"},
    {CPU "<nic><net/></nic>", ":3: <net> lacks name"},
    {CPU "<nic>\n<net name=\"a\" speed=\"fast\"/></nic>",
     ":4: <net speed=\"fast\">: it must be a number"},
    {CPU "<pci busid=\"1\"><pci busid=\"2\"><pci busid=\"3\"><pci busid=\"4\">"
         "<pci busid=\"5\"><pci busid=\"6\"><pci busid=\"7\">",
     ":3: more than 5 <pci> around a <pci>"},
    {CAL "<links nvlink_GBps=\"-1\"/>",
     ":3: <links nvlink_GBps=\"-1\">: it must be a number from 0.1 to 100000"},
    {CAL "<links nvlink_GBps=\"nan\"/>", ":3: <links nvlink_GBps=\"nan\">"},
    {CAL "<links nvlink=\"1\"/>", ":3: <links> has no attribute \"nvlink\""},
    {CAL "<links nccl_p2p=\"FAR\"/>", ":3: <links nccl_p2p=\"FAR\">: it must"},
    {CAL "<curve op=\"barrier\"/>", ":3: <curve op=\"barrier\">: it must be"},
    {CAL "<curve op=\"sendrecv\" ranks=\"2\" nodes=\"1\" a_us=\"1\"/>",
     ":3: <curve> lacks B_GBps"},
    {"<cluster nodes=\"2\"/>", ":1: <cluster> lacks node"},
    {"<cluster node=\"x.xml\"/>", ":1: <cluster> lacks nodes"},
    {"<cluster nodes=\"2\" node=\"commlab-none.xml\"/>",
     "commlab-none.xml: No such file or directory"},
    {"<cluster nodes=\"2\" node=\"machine.xml\"/>",
     ":1: a <cluster> in a <cluster>: its node must be a <system>"},
};
enum { NBAD = sizeof bad / sizeof *bad };

START_TEST(what_is_wrong_is_named_with_its_line)
{
    char err[600], want[700];
    ck_assert_ptr_null(load_text(bad[_i].text, err));
    snprintf(want, sizeof want, "%s%s", bad[_i].says[0] == ':' ? path : "",
             bad[_i].says);
    ck_assert_msg(strstr(err, want) != NULL ||
                      (bad[_i].says[1] == ' ' && strstr(err, bad[_i].says)),
                  "\"%s\" instead of \"%s\"", err, want);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("load");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, shipped_machines_load_and_are_listed, 0,
                        nmachines_shipped);
    tcase_add_loop_test(tc, a_gpu_is_what_its_data_sheet_says, 0,
                        sizeof sheets / sizeof *sheets);
    tcase_add_loop_test(tc, fp8_is_twice_as_fast_as_fp16_or_absent, 0,
                        nmachines_shipped + 6);
    tcase_add_loop_test(tc, a_rate_of_fp8_follows_from_that_of_fp16, 0, 4);
    tcase_add_loop_test(tc, resources_have_rates_and_names_of_their_own, 0,
                        nmachines_shipped);
    tcase_add_test(tc, a_prefix_gives_the_number_of_nodes);
    tcase_add_test(tc, an_unknown_name_is_answered_with_the_known_ones);
    tcase_add_test(tc, a_dump_without_calibration_gets_defaults);
    tcase_add_test(tc, links_of_amd_gpus_are_read);
    tcase_add_test(tc, a_rack_of_576_gpus_is_one_node);
    tcase_add_test(tc, host_copies_of_a_coherent_gpu_do_not_cross_pcie);
    tcase_add_loop_test(tc, what_is_wrong_is_named_with_its_line, 0, NBAD);
    Suite *const s = suite_create("topo: load");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
