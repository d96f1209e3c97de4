/* NCCL's variables: an effect, or a line that says there is none. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "machine.h"
#include "suite.h"
#include "topo/nccl/settings.h"
#include "topo/nccl/settings_names.h"

static struct topo_coll cost(const char *machine, char *const *env,
                             enum topo_op op, int n)
{
    struct topo *const t = machine_load(machine);
    struct topo_coll c;
    int32_t place[64];
    char err[600] = "";
    for (int i = 0; i < n; i++)
        place[i] = i;
    topo_settings(t, env, NULL, NULL);
    ck_assert_msg(topo_collective(t, op, place, n, 256 << 20, TOPO_ANY,
                                  TOPO_ANY, &c, err, sizeof err) == 0,
                  "%s", err);
    const struct topo_coll costs = {.algo = c.algo, .time_ps = c.time_ps};
    topo_coll_release(&c);
    topo_free(t);
    return costs;
}

static const struct effect {
    const char *machine, *without[2], *with[3];
    int nranks;
    enum topo_op op; /* TOPO_OP_NONE: an all-reduce */
} effects[] = {
    // NVLS doesn't need peer access
    {"dgx-h100", {NULL}, {"NCCL_P2P_DISABLE=1"}, 8, TOPO_OP_BROADCAST},
    {"dgx-h100", {NULL}, {"NCCL_P2P_LEVEL=LOC"}, 8, TOPO_OP_BROADCAST},
    {"dgx-h100", {NULL}, {"NCCL_P2P_LEVEL=0"}, 8, TOPO_OP_BROADCAST},
    {"dgx-h100",
     {"NCCL_P2P_DISABLE=1"},
     {"NCCL_P2P_DISABLE=1", "NCCL_SHM_DISABLE=1"},
     8,
     TOPO_OP_SENDRECV},
    {"2x:dgx-a100", {NULL}, {"NCCL_IB_DISABLE=1"}, 16, TOPO_OP_NONE},
    {"2x:dgx-a100", {NULL}, {"NCCL_NET_GDR_LEVEL=LOC"}, 16, TOPO_OP_NONE},
    {"dgx-h100", {NULL}, {"NCCL_NVLS_ENABLE=0"}, 8, TOPO_OP_NONE},
    {"dgx-h100", {NULL}, {"NCCL_MAX_NCHANNELS=2"}, 8, TOPO_OP_NONE},
    {"dgx-h100", {NULL}, {"NCCL_MAX_CTAS=2"}, 8, TOPO_OP_NONE},
    {"dgx-h100", {"NCCL_MAX_CTAS=4"}, {"NCCL_MAX_CTAS=2"}, 8, TOPO_OP_NONE},
};
enum { NEFFECTS = sizeof effects / sizeof *effects };

START_TEST(a_variable_that_is_modelled_changes_the_time)
{
    const struct effect *const e = &effects[_i];
    char *before[3] = {0}, *after[4] = {0};
    for (int i = 0; i < 2; i++)
        before[i] = (char *)(uintptr_t)e->without[i];
    for (int i = 0; i < 3; i++)
        after[i] = (char *)(uintptr_t)e->with[i];
    const enum topo_op op = e->op ? e->op : TOPO_OP_ALLREDUCE;
    const uint64_t a = cost(e->machine, before, op, e->nranks).time_ps;
    const uint64_t b = cost(e->machine, after, op, e->nranks).time_ps;
    ck_assert_msg(b != a, "%s: %lu ps", e->with[0], (unsigned long)a);
    // taking something away makes nothing faster
    if (!strstr(e->with[0], "SHM") && !e->with[1])
        ck_assert_msg(b > a, "%s: %lu instead of %lu ps", e->with[0],
                      (unsigned long)b, (unsigned long)a);
}
END_TEST

static const char *const neutral[] = {
    "NCCL_P2P_DISABLE=0",   "NCCL_SHM_DISABLE=0",     "NCCL_IB_DISABLE=0",
    "NCCL_NVLS_ENABLE=2",   "NCCL_NET_GDR_LEVEL=SYS", "NCCL_MAX_NCHANNELS=64",
    "NCCL_MIN_NCHANNELS=1", "NCCL_DEBUG=INFO",        "NCCL_BUFFSIZE=4194304"};

START_TEST(a_variable_at_its_default_changes_nothing)
{
    char *env[2] = {(char *)(uintptr_t)neutral[_i], NULL}, *none[1] = {NULL};
    const struct topo_coll a = cost("dgx-h100", none, TOPO_OP_ALLREDUCE, 8);
    const struct topo_coll b = cost("dgx-h100", env, TOPO_OP_ALLREDUCE, 8);
    if (strstr(neutral[_i], "GDR")) // no network is used in a node
        ck_assert_int_eq(a.algo, b.algo);
    else
        ck_assert_uint_eq(a.time_ps, b.time_ps);
}
END_TEST

START_TEST(channels_stay_within_their_limits)
{
    char *const most[] = {"NCCL_MAX_NCHANNELS=4", "NCCL_MAX_CTAS=3", NULL};
    char *const least[] = {"NCCL_MIN_NCHANNELS=40", NULL};
    int32_t place[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct topo *t = machine_load("dgx-h100");
    topo_settings(t, most, NULL, NULL);
    ck_assert_int_eq(topo_channels(t, place, 8), 3);
    topo_free(t);
    t = machine_load("dgx-h100");
    topo_settings(t, least, NULL, NULL);
    ck_assert_int_eq(topo_channels(t, place, 8), 40);
    topo_free(t);
}
END_TEST

/* ---- remarks ------------------------------------------------------------- */

static void collect(void *user, const char *line)
{
    char *const all = user;
    snprintf(all + strlen(all), 2000 - strlen(all), "%s\n", line);
}

static const struct remark {
    const char *variable, *says; /* NULL: nothing */
} remarks[] = {
    {"NCCL_BUFFSIZE=1", "NCCL_BUFFSIZE is not modelled: times are those"},
    {"NCCL_NTHREADS=256", "NCCL_NTHREADS is not modelled"},
    {"NCCL_TOPO_FILE=x.xml", "SIMGPU_TOPO"},
    {"NCCL_CROSS_NIC=1", "NCCL_CROSS_NIC is not modelled"},
    {"NCCL_SOCKET_IFNAME=eth0", "NCCL_SOCKET_IFNAME is not modelled"},
    {"NCCL_IB_QPS_PER_CONNECTION=4", "is not modelled: modelled times are"},
    {"NCCL_P2P_DISABEL=1", "did you mean NCCL_P2P_DISABLE?"},
    {"NCCL_ALGOS=Ring", "did you mean NCCL_ALGO?"},
    {"NCCL_BUFSIZE=1", "did you mean NCCL_BUFFSIZE?"},
    {"NCCL_COFFEE_STRENGTH=1", "NCCL_COFFEE_STRENGTH is not a variable"},
    {"NCCL_P2P_DISABLE=yes", "NCCL_P2P_DISABLE=yes has no effect: it must be"},
    {"NCCL_P2P_LEVEL=FAR", "it must be LOC, NVL, PIX, PXB, PHB or SYS"},
    {"NCCL_MAX_NCHANNELS=0", "it must be 1 to 64"},
    {"NCCL_P2P_DISABLE=1", NULL},
    {"NCCL_P2P_LEVEL=sys", NULL},
    {"NCCL_ALGO=Ring", NULL},
    {"NCCL_DEBUG=INFO", NULL},
    {"NCCL_VERSION=2.27.3", NULL}, // of NVIDIA's containers
    {"NCCL_BUFFSIZE=", NULL},
    {"NCCL_BUFFSIZE", NULL},
    {"CUDA_VISIBLE_DEVICES=0", NULL},
};
enum { NREMARKS = sizeof remarks / sizeof *remarks };

START_TEST(a_variable_without_an_effect_is_named)
{
    const struct remark *const r = &remarks[_i];
    char *env[2] = {(char *)(uintptr_t)r->variable, NULL}, all[2000] = "";
    topo_settings(NULL, env, collect, all);
    if (r->says)
        ck_assert_msg(strstr(all, r->says) != NULL, "%s: %s", r->variable, all);
    else
        ck_assert_msg(!*all, "%s: %s", r->variable, all);
}
END_TEST

START_TEST(names_are_in_order_and_like_themselves)
{
    for (int i = 0; i < settings_nnames; i++) {
        ck_assert(i == 0 ||
                  strcmp(settings_names[i - 1], settings_names[i]) < 0);
        ck_assert_str_eq(settings_like(settings_names[i]), settings_names[i]);
    }
    ck_assert_ptr_null(settings_like("ZZZZZZZZZZ"));
}
END_TEST

/* ---- commgraph expect ---------------------------------------------------- */

static struct child expect(const char *arguments)
{
    return child_run(60, "%s/commgraph expect %s", child_build(), arguments);
}

#define TABLE                                                                  \
    "tests/topo/measured/2026/2x-dgx-h100.16.all_reduce.aws-p5-efa.csv"

START_TEST(expect_names_bound_and_gap_of_each_row)
{
    struct child c = expect("--topo dgx-h100 " TABLE);
    ck_assert_msg(c.status == 0, "%s", c.err);
    static const char *const says[] = {
        "all_reduce, 16 ranks on 2 nodes of 2x:dgx-h100", "latency of ",
        " % busy", "of the expected bandwidth", "times the expected time"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        ck_assert_msg(strstr(c.out, says[i]) != NULL, "%s: %s", says[i], c.out);
    int lines = 0;
    for (const char *at = c.out; *at; at++)
        lines += *at == '\n';
    ck_assert_int_gt(lines, 30); // a line for each of the table's rows
    child_clear(&c);
}
END_TEST

START_TEST(expect_reads_standard_input_and_sees_what_is_slow)
{
    struct child c = child_run(
        60,
        "printf 'bytes,us\\n1073741824,20000\\n268435456,5000\\n' | "
        "%s/commgraph expect --topo dgx-h100 --op all_reduce --ranks 8",
        child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    ck_assert_msg(strstr(c.out, " SLOW") != NULL, "%s", c.out);
    ck_assert_msg(strstr(c.out, "peer access is off") != NULL, "%s", c.out);
    child_clear(&c);
    c = expect("--topo dgx-h100 /nowhere");
    ck_assert_int_eq(c.status, 1);
    child_clear(&c);
    c = expect(TABLE);
    ck_assert_int_eq(c.status, 2);
    child_clear(&c);
}
END_TEST

START_TEST(commgraph_says_once_what_it_ignores)
{
    struct child c = child_run(
        60,
        "NCCL_BUFSIZE=1 NCCL_P2P_DISABLE=1 %s/commgraph collective --topo "
        "dgx-h100 --op all_reduce --ranks 8 --bytes 64M",
        child_build());
    ck_assert_int_eq(c.status, 0);
    ck_assert_str_eq(c.err, "commgraph: NCCL_BUFSIZE is not a variable that "
                            "this NCCL knows: did you mean NCCL_BUFFSIZE?\n");
    child_clear(&c);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("settings");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, a_variable_that_is_modelled_changes_the_time, 0,
                        NEFFECTS);
    tcase_add_loop_test(tc, a_variable_at_its_default_changes_nothing, 0, 9);
    tcase_add_test(tc, channels_stay_within_their_limits);
    tcase_add_loop_test(tc, a_variable_without_an_effect_is_named, 0, NREMARKS);
    tcase_add_test(tc, names_are_in_order_and_like_themselves);
    tcase_add_test(tc, expect_names_bound_and_gap_of_each_row);
    tcase_add_test(tc, expect_reads_standard_input_and_sees_what_is_slow);
    tcase_add_test(tc, commgraph_says_once_what_it_ignores);
    Suite *const s = suite_create("topo: settings");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
