/*
 * What is answered to a machine's name, its file and NCCL's variables, word by
 * word: answers.txt has a part for each test. What is refused is
 * refused for the reason that is meant, and what is just allowed is taken.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */
#include <unistd.h> /* chdir */

#include "child.h"
#include "golden.h"
#include "machine.h"
#include "suite.h"
#include "topo/machine.h"
#include "topo/nccl/settings.h"
#include "whole.h"

/* A machine in a line: what it is, and a sum of its rates. */
static void print_machine(FILE *out, const struct topo *t)
{
    double sum = 0, from = 0;
    int links = 0;
    for (int i = 0; i < topo_nresources(t); i++) {
        sum += topo_resource(t, i)->rate;
        from += topo_resource(t, i)->rate * (i + 1);
    }
    for (int a = 0; a < t->ngpus; a++)
        for (int b = 0; b < t->ngpus; b++)
            links += t->nvlinks[a][b];
    fprintf(out,
            "%s: %d x (%d CPUs %d PCI %d GPUs %d NICs %d links), %.9g %.9g",
            topo_name(t), topo_nnodes(t), t->ncpus, t->npcis, t->ngpus,
            t->nnics, links, sum, from);
    fprintf(out, ", net %g us floor %g fabric %d %g\n", t->cal.links.net_us,
            t->cal.host.floor_us, (int)t->cal.fabric.kind, t->cal.fabric.over);
}

static void print_load(FILE *out, const char *name)
{
    char err[700] = "";
    struct topo *const t = topo_load(name, err, sizeof err);
    const char *const dir = strstr(err, "/share/topo/");
    if (t)
        print_machine(out, t);
    else // of a shipped file without its folder
        fprintf(out, "%s\n", dir ? dir + strlen("/share/topo/") : err);
    topo_free(t);
}

/* ---- names --------------------------------------------------------------- */

#define D10 "0123456789"
#define D60 D10 D10 D10 D10 D10 D10

static const char *const names[] = {
    "dgx-1v",
    "1x:dgx-1v",
    "0x:dgx-1v",
    "x:dgx-1v",
    "2y:dgx-1v",
    "2x-dgx-h100",
    "3x:2x-dgx-h100",
    "1024x:gh200",
    "1025x:gh200",
    "99999x:dgx-1v",
    "100000x:dgx-1v",
    "1000000x:dgx-1v",
    "sick:a:dgx-1v",
    "sick:A.b_c@d-9:dgx-a100",
    "sick::dgx-1v",
    "sick:a/b:dgx-1v",
    "sick:a",
    "sick",
    "sicker:a:dgx-1v",
    "sick:" D60 "123:pcie-4090",
    "sick:" D60 "1234:pcie-4090",
    "shuffled:a:dgx-1v",
    "shuffled::dgx-1v",
    "2x:sick:a:shuffled:b:dgx-1v@roce,seed:x",
    "shuffled:b:sick:a:dgx-1v",
    "shuffled:me:dgx-1v",
    "dgx-a100@",
    "dgx-a100@roce",
    "dgx-a100@roce,",
    "dgx-a100@,roce",
    "dgx-a100@roce,ndr",
    "dgx-a100@nothing",
    "dgx-a100@a/b",
    "dgx-a100@.xml",
    "dgx-a100@x.xml",
    "dgx-a100@" D60 "123",
    "dgx-a100@" D60 "1234",
    "2x:dgx-a100@fat-tree:1",
    "2x:dgx-a100@fat-tree:0.9",
    "2x:dgx-a100@rail:2.5",
    "2x:dgx-a100@crossbar:2",
    "2x:dgx-a100@ring:2",
    "2x:dgx-a100@fat-tree:",
    "2x:dgx-a100@fat-tree:x",
    "2x:dgx-a100@fat-tree:1000000",
    "2x:dgx-a100@fat-tree:1000001",
    "2x:dgx-a100@fat-tree:64",
    "2x:dgx-a100@floor:20.5",
    "2x:dgx-a100@floor:0",
    "2x:dgx-a100@floor:-1",
    "dgx-a100@floor:20,one-thread",
    "dgx-a100@one-threads",
    "dgx-a100@one-threax",
    "2x:dgx-a100@seed:s,fat-tree:2",
    "2x:dgx-a100@seed:",
    "2x:dgx-a100@seed:a!",
    "2x:dgx-a100@no-nic:0",
    "2x:dgx-a100@no-nic:7",
    "2x:dgx-a100@no-nic:8",
    "2x:dgx-a100@no-nic:9",
    "2x:dgx-a100@no-nic:x",
    "2x:dgx-a100@no-nic:0001",
    "2x:dgx-a100@no-nic:00001",
    "2x:dgx-a100@slow-nic:0",
    "2x:dgx-a100@slow-nic:7",
    "2x:dgx-a100@slow-nic:8",
    "2x:dgx-a100@slow-nic:10",
    "2x:dgx-a100@slow-nic:1,no-nic:2",
    "sick:a:dgx-a100@slow-nic:1",
    "dgx-a100@no-nic:1",
    "pcie-4090@no-nic:0",
    "pcie-4090@slow-nic:0",
    "dgx-a100@" D60 "!",
    "dgx-a100@roce,!" D60,
    "a.xml",
    ".xml",
    "xml",
    "./a",
    "2x:a.xml@roce",
    "a.xml/b@c/d",
};

START_TEST(names_are_answered_word_by_word)
{
    FILE *const out = golden_begin();
    setenv("COMMLAB_STUDENT", "a:b c", 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fprintf(out, "\"%s\"\n  ", names[i]);
        print_load(out, names[i]);
    }
    golden_end(out, "tests/topo/answers.txt#names");
}
END_TEST

/* ---- files --------------------------------------------------------------- */

/* Load a text as m.xml of an empty folder. */
static void answer_text(FILE *out, const char *text)
{
    char dir[CHILD_FOLDER], *const home = getcwd(NULL, 0);
    child_folder(dir, "answers");
    ck_assert(home && chdir(dir) == 0);
    FILE *const f = fopen("m.xml", "w");
    ck_assert(f && fputs(text, f) >= 0);
    fclose(f);
    print_load(out, "m.xml");
    ck_assert_int_eq(chdir(home), 0);
    child_remove(dir);
    free(home);
}

#define ODD "tests/topo/figures/odd.xml"

/* Without one line after the other. */
START_TEST(a_file_without_a_line_is_answered_word_by_word)
{
    FILE *const out = golden_begin();
    char *const text = whole_file(ODD);
    ck_assert_ptr_nonnull(text);
    for (char *line = text; *line;) {
        char *without = NULL;
        const size_t n = strcspn(line, "\n") + 1;
        ck_assert_int_gt(
            asprintf(&without, "%.*s%s", (int)(line - text), text, line + n),
            0);
        const size_t indent = strspn(line, " ");
        fprintf(out, "%.*s\n  ", (int)(n - indent) - 1, line + indent);
        answer_text(out, without);
        free(without);
        line += n;
    }
    free(text);
    golden_end(out, "tests/topo/answers.txt#lines");
}
END_TEST

/* With another value instead of one after the other. */
static void exchange(FILE *out, const char *text, const char *value)
{
    for (const char *at = text; (at = strstr(at, "=\"")) != NULL;) {
        char *other = NULL;
        const char *const from = at + 2, *word = at;
        const size_t n = strcspn(from, "\"");
        while (word[-1] != ' ')
            word--;
        at = from + n + 1;
        if (strncmp(word, "source", 6) == 0 || strncmp(word, "class", 5) == 0)
            continue;
        ck_assert_int_gt(asprintf(&other, "%.*s%s%s", (int)(from - text), text,
                                  value, from + n),
                         0);
        fprintf(out, "%.*s instead of %.*s\n  ", (int)(from - word), word,
                (int)n, from);
        answer_text(out, other);
        free(other);
    }
}

START_TEST(a_file_with_another_value_is_answered_word_by_word)
{
    static const char *const values[] = {"0", "1", "3", "0000:06:00.0", "1e9"};
    FILE *const out = golden_begin();
    char *const text = whole_file(ODD);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        fprintf(out, "== \"%s\"\n", values[i]);
        exchange(out, text, values[i]);
    }
    free(text);
    golden_end(out, "tests/topo/values.gz");
}
END_TEST

/* ---- NCCL's variables ---------------------------------------------------- */

static void remark(void *user, const char *line)
{
    fprintf(user, "  %s\n", line);
}

static void answer_env(FILE *out, const char *a, const char *b)
{
    char *const env[] = {(char *)(uintptr_t)a, (char *)(uintptr_t)b, NULL};
    struct topo *const t = machine_load("2x:dgx-h100@efa");
    fprintf(out, "%s %s\n", a, b ? b : "");
    topo_settings(t, env, remark, out);
    const struct machine_nccl *const n = &t->nccl;
    fprintf(out,
            "  no p2p %d shm %d nvls %d sockets %d %g, p2p %d %d gdr %d %d",
            n->no_p2p, n->no_shm, n->no_nvls, n->sockets, n->socket_GBps,
            n->p2p, n->p2p_given, n->gdr, n->gdr_given);
    fprintf(out, " channels %d %d other %d, net %g us p2p %g, gdr",
            n->least_channels, n->most_channels, n->other_paths,
            t->cal.links.net_us, t->cal.links.nccl_p2p);
    for (int reach = 0; reach <= REACH_SYS; reach++)
        fprintf(out, " %d", settings_no_gdr(t, (enum reach)reach));
    for (int channels = 0; channels < 25; channels += 4)
        fprintf(out, ", %d %g", settings_channels(t, channels),
                settings_channel_share(t, channels));
    fprintf(out, "\n");
    topo_free(t);
}

START_TEST(variables_of_nccl_are_answered_word_by_word)
{
    static const char *const switches[] = {
        "P2P_DISABLE", "SHM_DISABLE",   "IB_DISABLE",    "NVLS_ENABLE",
        "P2P_LEVEL",   "NET_GDR_LEVEL", "MAX_NCHANNELS", "MIN_CTAS"};
    static const char *const values[] = {
        "-1",  "0",   "1",   "2",   "3",    "5",    "6",  "64",  "65", "100",
        "101", "LOC", "nvl", "PXB", "0x10", "SYSX", "1a", "PHB", ""};
    static const char *const others[] = {"NCCL_ALGO=RING",
                                         "NCCL_BUFFSIZE=1",
                                         "NCCL_TOPO_FILE=x",
                                         "NCCL_IB_HCA=x",
                                         "NCCL_CROSS_NIC=1",
                                         "NCCL_NTHREADS=64",
                                         "NCCL_PROFILE_X=1",
                                         "NCCL_INSPECTOR_X=1",
                                         "NCCL_PROFILER_DUMP_FILE=1",
                                         "NCCL_ALG=1",
                                         "NCCL_DEBG=1",
                                         "NCCL_P2P_DISABLED=1",
                                         "NCCL_P2P_DISABL=1",
                                         "NCCL_XYZW=1",
                                         "NCCL_AL=1",
                                         "NCCL_HOME=1",
                                         "NCCL_P2P_DISABLE",
                                         "NCCLX_ALGO=1",
                                         "NCCL_PXN_DISABLE=1",
                                         "NCCL_" D60 "AB=1",
                                         "NCCL_LL_BUFFSIZ=2",
                                         "NCCL_SOCKET_IFNAM=1x",
                                         "NCCL_WORK_FIFO=1",
                                         "NCCL_NVLS=1"};
    FILE *const out = golden_begin();
    char text[80];
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            snprintf(text, sizeof text, "NCCL_%s=%s", switches[i], values[k]);
            answer_env(out, text, NULL);
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        answer_env(out, others[i], NULL);
    answer_env(out, "NCCL_MAX_CTAS=8", "NCCL_MAX_NCHANNELS=6");
    answer_env(out, "NCCL_MAX_CTAS=6", "NCCL_MAX_NCHANNELS=8");
    answer_env(out, "NCCL_MIN_CTAS=6", "NCCL_MIN_NCHANNELS=8");
    answer_env(out, "NCCL_MIN_CTAS=8", "NCCL_MIN_NCHANNELS=6");
    answer_env(out, "NCCL_MIN_CTAS=18", "NCCL_MAX_NCHANNELS=16");
    golden_end(out, "tests/topo/answers.txt#variables");
}
END_TEST

/* ---- parts --------------------------------------------------------------- */

#define CPU(in) "<system><cpu numaid=\"0\">" in "</cpu></system>"
#define GPU(id, dev, in)                                                       \
    "<pci busid=\"" id "\"><gpu dev=\"" dev "\" sm=\"90\">" in "</gpu></pci>"
#define LINK(to, count)                                                        \
    "<nvlink target=\"" to "\" count=\"" count "\" tclass=\"0x030200\"/>"
#define UP(count)                                                              \
    "<nvlink target=\"fff\" count=\"" count "\" tclass=\"0x068000\"/>"
#define AMD(gcn, id, dev, to)                                                  \
    "<pci busid=\"" id "\"><gpu dev=\"" dev "\" sm=\"94\" gcn=\"" gcn          \
    "\"><xgmi target=\"" to "\" count=\"2\"/></gpu></pci>"
#define AMDS(gcn)    CPU(AMD(gcn, "a", "0", "b") AMD(gcn, "b", "1", "a"))
#define PAIR(ab, ba) CPU(GPU("a", "0", ab) GPU("b", "1", ba))
#define CAL(in)                                                                \
    "<system><calibration>" in                                                 \
    "</calibration><cpu numaid=\"0\">" GPU("a", "0", "") "</cpu></system>"

static const char *const parts[] = {
    AMDS("gfx90a"),
    AMDS("gfx90a:sramecc+"),
    AMDS("gfx906"),
    AMDS("gfx938"),
    AMDS("gfx940"),
    AMDS("gfx950"),
    AMDS("gfx960"),
    AMDS("gfx1100"),
    PAIR(LINK("b", "36"), LINK("a", "36")),
    PAIR(LINK("b", "37"), LINK("a", "37")),
    PAIR(LINK("b", "0"), LINK("a", "0")),
    PAIR(LINK("b", "32") LINK("b", "32"), LINK("a", "32") LINK("a", "32")),
    PAIR(LINK("b", "32") LINK("b", "33"), LINK("a", "32") LINK("a", "33")),
    PAIR(LINK("b", "2"), LINK("a", "1")),
    PAIR(LINK("a", "2"), ""),
    PAIR(LINK("c", "2"), ""),
    PAIR(UP("6") UP("6"), UP("11")),
    PAIR("<c2c count=\"5\" bw=\"44712\"/>", "<c2c count=\"65\" bw=\"1\"/>"),
    PAIR("<c2c count=\"64\" bw=\"10000000\"/>", "<c2c count=\"1\"/>"),
    PAIR("<c2c count=\"1\" bw=\"10000001\"/>", ""),
    CPU("<c2c count=\"9\" bw=\"9000\"/>" GPU("a", "0", "")),
    CPU(GPU("50%%", "0", "") GPU("50%%", "1", "")),
    CPU(GPU("0000:07:00.0123", "0", "")),
    CPU(GPU("0000:07:00.01234", "0", "")),
    CPU(GPU("a", "4096", "")),
    CPU(GPU("a", "4097", "")),
    CPU(GPU("a", "0", "") GPU("a", "1", "")),
    CPU(GPU("a", "0", "") GPU("b", "0", "")),
    CPU(GPU("a", "99999999999999999999", "")),
    CPU(GPU("a", "0x", "")),
    CPU(GPU("a", "0", "") "<nic><net name=\"n\"/><net name=\"n\"/></nic>"),
    CPU(GPU("a", "0", "") "<nic><net name=\"n\" speed=\"0\"/></nic>"),
    CPU(GPU("a", "0", "") "<nic><net name=\"n\" speed=\"10000001\"/></nic>"),
    CPU(GPU("a", "0", "") "<nic><gin/><coll/></nic>"),
    CPU(GPU("a", "0", "<pcilink/>")),
    CPU("<pci busid=\"1\"><pci busid=\"2\"><pci busid=\"3\"><pci busid=\"4\">"
        "<pci busid=\"5\">" GPU("6", "0", "") "</pci></pci></pci></pci></pci>"),
    CPU("<pci busid=\"1\"><gpu dev=\"0\" sm=\"9\"/></pci>"),
    CPU("<pci busid=\"1\"><gpu dev=\"0\" sm=\"10\"/></pci>"),
    CPU("<pci busid=\"1\"><gpu dev=\"0\" sm=\"999\"/></pci>"),
    CPU("<pci busid=\"1\"><gpu dev=\"0\" sm=\"1000\"/></pci>"),
    CPU("<pci busid=\"1\" link_width=\"255\"><gpu dev=\"0\" sm=\"70\"/></pci>"),
    CPU("<pci busid=\"1\" link_width=\"256\"><gpu dev=\"0\" sm=\"70\"/></pci>"),
    "<system><cpu numaid=\"-1\"/><cpu numaid=\"4096\"/></system>",
    "<system><cpu numaid=\"-2\"/></system>",
    "<system><cpu numaid=\"4097\"/></system>",
    "<system><cpu numaid=\"0\" host_hash=\"" D10 D10 "123\"/></system>",
    "<system><cpu numaid=\"0\" host_hash=\"" D10 D10 "1234\"/></system>",
    "<network/>",
    "<cluster nodes=\"0\" node=\"m.xml\"/>",
    "<cluster nodes=\"1024\" node=\"n.xml\"/>",
    "<cluster nodes=\"1025\" node=\"n.xml\"/>",
    "<cluster nodes=\"2\" node=\"m.xml\"/>",
    CAL("<links nccl_p2p=\"NVL\"/>"),
    CAL("<links nccl_p2p=\"SYS\" source=\"x\"/>"),
    CAL("<links nccl_p2p=\"SYSX\"/>"),
    CAL("<fabric kind=\"crossbar\"/>"),
    CAL("<fabric kind=\"torus\"/>"),
    CAL("<nccl algos=\"RING\" protos=\"^LL\"/>"),
    CAL("<nccl algos=\"P2P\"/>"),
    CAL("<nccl protos=\"LL,\"/>"),
    CAL("<nccl algo=\"RING\"/>"),
    CAL("<host launch_ns=\"\"/>"),
    CAL("<host launch_ns=\"1x\"/>"),
    CAL("<host sm_share=\"0.9\"/>"),
    CAL("<host sm_share=\"0.91\"/>"),
    CAL("<links name=\"x\"/>"),
    CAL("<curve op=\"all_reduce\" ranks=\"8\" nodes=\"1\" a_us=\"1\"/>"),
    CAL("<curve op=\"all_reduce\" ranks=\"8\" nodes=\"1\" a_us=\"1\" "
        "B_GBps=\"1\" fill_us=\"1\"/>"),
    CAL("<curve op=\"all_reduce\" ranks=\"1\"/>"),
};

START_TEST(parts_are_answered_word_by_word)
{
    FILE *const out = golden_begin();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        fprintf(out, "%s\n  ", parts[i]);
        answer_text(out, parts[i]);
    }
    golden_end(out, "tests/topo/answers.txt#parts");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("topo: answers");
    TCase *const t = tcase_create("answers");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, names_are_answered_word_by_word);
    tcase_add_test(t, a_file_without_a_line_is_answered_word_by_word);
    tcase_add_test(t, a_file_with_another_value_is_answered_word_by_word);
    tcase_add_test(t, variables_of_nccl_are_answered_word_by_word);
    tcase_add_test(t, parts_are_answered_word_by_word);
    suite_add_tcase(s, t);
    return suite_run(s);
}
