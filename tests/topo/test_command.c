/* The commands commgraph topo, collective, speeds and p2p. */
#include <check.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "suite.h"

static struct child run(const char *arguments)
{
    return child_run(60, "%s/commgraph %s", child_build(), arguments);
}

static json_t *run_json(const char *arguments)
{
    struct child c = run(arguments);
    json_error_t wrong;
    ck_assert_msg(c.status == 0, "%s: %s", arguments, c.err);
    json_t *const root = json_loads(c.out, 0, &wrong);
    ck_assert_msg(root != NULL, "%s: %s", wrong.text, c.out);
    child_clear(&c);
    return root;
}

START_TEST(topo_prints_what_nvidia_smi_would)
{
    struct child c = run("topo a100-cubemesh");
    ck_assert_int_eq(c.status, 0);
    ck_assert_msg(strstr(c.out, "GPU0\t X\tNV4\tSYS\tSYS\tNV2\tNV2\tSYS\tNV4\t"
                                "0-63,128-191\t0\n") != NULL,
                  "%s", c.out);
    ck_assert_ptr_nonnull(strstr(c.out, "\nLegend:\n"));
    ck_assert_ptr_nonnull(strstr(c.out, "bonded set of # NVLinks"));
    child_clear(&c);
    c = run("topo 2x-dgx-h100");
    ck_assert_ptr_nonnull(strstr(c.out, "NIC1: mlx5_3"));
    ck_assert_ptr_nonnull(strstr(c.out, "2 nodes like this one"));
    child_clear(&c);
}
END_TEST

START_TEST(collective_says_time_choice_and_bandwidths)
{
    json_t *const root = run_json("collective --topo dgx-h100 --op all_reduce "
                                  "--ranks 8 --bytes 1073741824 --json");
    ck_assert_uint_eq(json_object_size(root), 5);
    const double us = json_real_value(json_object_get(root, "us"));
    const double algbw = json_real_value(json_object_get(root, "algbw"));
    const double busbw = json_real_value(json_object_get(root, "busbw"));
    ck_assert_double_eq_tol(us, 4027.3, .1 * 4027.3);
    ck_assert_double_eq_tol(algbw, 1073741.824 / us, 1e-6);
    ck_assert_double_eq_tol(busbw, algbw * 1.75, 1e-6);
    ck_assert_str_eq(json_string_value(json_object_get(root, "algorithm")),
                     "NVLS");
    ck_assert_str_eq(json_string_value(json_object_get(root, "protocol")),
                     "SIMPLE");
    json_decref(root);
}
END_TEST

START_TEST(collective_shows_what_nccl_itself_decides)
{
    struct child c = run("collective --topo 2x:dgx-h100@ndr --op broadcast "
                         "--ranks 16 --bytes 1G --nccl");
    ck_assert_int_eq(c.status, 0);
    ck_assert_msg(strstr(c.out, "\nNCCL 2.28.9 finds\n"
                                "  ring    8 x 48 GB/s in a node, 48 between "
                                "nodes\n") != NULL,
                  "%s", c.out);
    ck_assert_ptr_nonnull(
        strstr(c.out, "\nuses 16 channels, and chooses RING with SIMPLE\n"));
    child_clear(&c);
    c = run("collective --topo dgx-a100 --op all_reduce --ranks 8 --bytes 1G "
            "--algo tree --nccl");
    ck_assert_int_eq(c.status, 0);
    ck_assert_msg(strstr(c.out, "  tree   12 x 20 GB/s\nuses 24 channels, and "
                                "chooses TREE with SIMPLE\n") != NULL,
                  "%s", c.out);
    child_clear(&c);
    c = run("collective --topo dgx-a100 --op alltoall --ranks 8 --bytes 1G "
            "--nccl");
    ck_assert_int_ne(c.status, 0);
    ck_assert_ptr_nonnull(
        strstr(c.err, "--nccl: NCCL chooses no algorithm for this operation"));
    child_clear(&c);
    c = run("collective --json --nccl");
    ck_assert_ptr_nonnull(
        strstr(c.err, "--nccl prints text: leave out --json"));
    child_clear(&c);
}
END_TEST

static const struct operation {
    const char *name;
    double factor; /* busbw over algbw at 4 ranks */
} operations[] = {{"all_reduce", 1.5},     {"all_gather", .75},
                  {"reduce_scatter", .75}, {"broadcast", 1},
                  {"reduce", 1},           {"alltoall", .75},
                  {"sendrecv", 1}};

START_TEST(all_operations_of_nccl_tests_are_known)
{
    char arguments[200];
    snprintf(arguments, sizeof arguments,
             "collective --topo dgx-a100 --op %s --ranks 4 --bytes 64M --json",
             operations[_i].name);
    json_t *const root = run_json(arguments);
    ck_assert_double_eq_tol(json_real_value(json_object_get(root, "busbw")) /
                                json_real_value(json_object_get(root, "algbw")),
                            operations[_i].factor, 1e-9);
    json_decref(root);
}
END_TEST

START_TEST(nccl_algo_and_algo_are_obeyed)
{
    static const char *const ways[] = {
        "NCCL_ALGO=TREE NCCL_PROTO=LL %s/commgraph collective --topo dgx-h100 "
        "--op all_reduce --ranks 8 --bytes 1G",
        "NCCL_ALGO=RING %s/commgraph collective --topo dgx-h100 --op "
        "all_reduce --ranks 8 --bytes 1G --algo tree --proto ll"};
    struct child c = child_run(60, ways[_i], child_build());
    ck_assert_int_eq(c.status, 0);
    ck_assert_msg(strstr(c.out, "     TREE        LL") != NULL, "%s", c.out);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *arguments, *says;
} spreads[] = {
    // 72 of the first rack and 56 of the other, or 64 of each
    {"collective --topo 2x:gb300-nvl72 --ranks 128 --op all_reduce --bytes 1G",
     " 3215.96  NVLSTREE "},
    {"collective --topo 2x:gb300-nvl72 --ranks 128 --nodes 2 --op all_reduce "
     "--bytes 1G",
     " 3175.42  NVLSTREE "},
    {"collective --topo 2x:dgx-h100 --ranks 16 --nodes 3 --op all_gather "
     "--bytes 1K",
     "--nodes 3: how many nodes"},
    {"collective --topo 2x:dgx-h100 --ranks 9 --nodes 1 --op all_gather "
     "--bytes 1K",
     "2x:dgx-h100 has 2 nodes of 8 GPUs"},
    {"expect --topo 2x:gb300-nvl72 --ranks 128 --nodes 2 --op all_reduce",
     "NVLSTREE"},
    {"expect --topo 8x:gb300-nvl72 --ranks 576 --nodes 8 --op all_reduce",
     "hosts that send and receive chunks (NVLSTREE SIMPLE)"},
};
enum { NSPREADS = sizeof spreads / sizeof *spreads };

START_TEST(ranks_are_spread_over_nodes_when_asked)
{
    struct child c = child_run(
        60, "printf 'bytes,us\\n1073741824,3000\\n' | %s/commgraph %s",
        child_build(), spreads[_i].arguments);
    ck_assert_msg(strstr(c.out, spreads[_i].says) ||
                      strstr(c.err, spreads[_i].says),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* The smallest and the largest element of a matrix, without its diagonal. */
static void ends(const json_t *matrix, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = 0;
    for (size_t i = 0; i < json_array_size(matrix); i++)
        for (size_t k = 0; k < json_array_size(matrix); k++) {
            const double x =
                json_real_value(json_array_get(json_array_get(matrix, i), k));
            if (i != k && x < *lo)
                *lo = x;
            if (i != k && x > *hi)
                *hi = x;
        }
}

START_TEST(p2p_prints_the_measured_matrices)
{
    static const struct {
        const char *p2p, *matrix;
        double lo, hi;
    } want[] = {{"p2p_on", "one_way", 7.5, 93.3},
                {"p2p_on", "both_ways", 14.7, 185},
                {"p2p_on", "latency", 2.4, 2.9},
                {"p2p_off", "one_way", 9.5, 10.8},
                {"p2p_off", "latency", 21, 23.5}};
    json_t *const root = run_json("p2p --topo a100-cubemesh --json");
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        double lo, hi;
        const json_t *const m =
            json_object_get(json_object_get(root, want[i].p2p), want[i].matrix);
        ck_assert_uint_eq(json_array_size(m), 8);
        ends(m, &lo, &hi);
        ck_assert_double_ge(lo, .95 * want[i].lo);
        ck_assert_double_le(hi, 1.05 * want[i].hi);
    }
    json_decref(root);
    struct child c = run("p2p --topo 2x-dgx-h100");
    ck_assert_int_eq(c.status, 0);
    ck_assert_ptr_nonnull(strstr(c.out, "    48.50"));
    child_clear(&c);
}
END_TEST

/* The number that speeds prints for a path. */
static double speed(const char *out, const char *path)
{
    const char *const row = strstr(out, path);
    ck_assert_msg(row != NULL, "no %s in %s", path, out);
    return atof(row + strlen(path));
}

static double first_pair(const json_t *root, const char *p2p)
{
    const json_t *const m =
        json_object_get(json_object_get(root, p2p), "one_way");
    return json_real_value(json_array_get(json_array_get(m, 0), 1));
}

START_TEST(speeds_are_those_of_single_copies)
{
    json_t *const root = run_json("p2p --topo dgx-a100 --json");
    struct child c = run("speeds dgx-a100");
    ck_assert_msg(c.status == 0, "%s", c.err);
    ck_assert_double_eq_tol(speed(c.out, "GPU to GPU, NV12"),
                            first_pair(root, "p2p_on"), .06);
    ck_assert_double_eq_tol(speed(c.out, "GPU to GPU by the host"),
                            first_pair(root, "p2p_off"), .06);
    ck_assert_ptr_null(strstr(c.out, "node to node"));
    child_clear(&c);
    json_decref(root);
}
END_TEST

START_TEST(speeds_show_a_slow_nic)
{
    struct child well = run("speeds 2x:dgx-h100@ndr");
    struct child slow = run("speeds 2x:dgx-h100@ndr,slow-nic:0");
    ck_assert_double_eq_tol(speed(slow.out, "node to node"),
                            speed(well.out, "node to node") / 4, .1);
    ck_assert_double_eq(speed(slow.out, "host to GPU"),
                        speed(well.out, "host to GPU"));
    child_clear(&well);
    child_clear(&slow);
}
END_TEST

#define ALL_REDUCE "collective --topo dgx-h100 --op all_reduce "
static const struct misuse {
    const char *arguments;
    int status;
    const char *says;
} misuses[] = {
    {"topo", 2, "one of 2x-dgx-h100, 4x-a100-pcie"},
    {"topo a b", 2, "name a machine"},
    {"topo dgx", 1, "there is no machine \"dgx\"; the shipped ones are: 2x"},
    {"topo dgxh100", 1, "\"dgxh100\": did you mean dgx-h100? The shipped ones"},
    {"topo pcie-4900", 1, "did you mean pcie-4090? The shipped ones are: 2x"},
    {"topo /dev/null", 1, "/dev/null:1: XML: no element found"},
    {"collective", 2, "--topo is needed"},
    {"collective --topo dgx-h100 --op allreduce", 2,
     "--op allreduce: all_reduce all_gather"},
    {ALL_REDUCE, 2, "--ranks is needed"},
    {ALL_REDUCE "--ranks 0 --bytes 8", 2, "--ranks 0: a number from 1"},
    {ALL_REDUCE "--ranks 9 --bytes 8", 2, "dgx-h100 has 8 GPUs"},
    {ALL_REDUCE "--ranks 8 --bytes 8Q", 2, "--bytes 8Q: a number"},
    {ALL_REDUCE "--ranks 8 --bytes -8", 2, "--bytes -8: a number"},
    {ALL_REDUCE "--ranks 8 --bytes 99999999999999999999", 2, "a number"},
    {ALL_REDUCE "--ranks 8 --bytes 18446744073709551615", 2,
     "has 85899345920 bytes"},
    {ALL_REDUCE "--ranks 8 --bytes 8 --algo FAST", 2, "--algo FAST: TREE RING"},
    {ALL_REDUCE "--ranks 8 --bytes 8 --proto L", 2, "--proto L: LL LL128"},
    {ALL_REDUCE "--ranks 8 --bytes 8 --algo PAT", 1, "these can: TREE/LL"},
    {ALL_REDUCE "--ranks 8 --bytes", 2, "--bytes needs a value"},
    {ALL_REDUCE "--size 8", 2, "unexpected argument '--size'"},
    {"speeds", 2, "name machines"},
    {"speeds --json", 2, "name machines"},
    {"speeds dgx-z", 1, "there is no machine \"dgx-z\""},
    {"p2p", 2, "--topo with one of"},
    {"p2p --topo 2x:pcie-4090", 1, "no path from GPU 0 to 8"},
    {"p2p --topo 9x:dgx-a100", 1, "p2p shows up to 64"},
};
enum { NMISUSES = sizeof misuses / sizeof *misuses };

START_TEST(misuse_is_answered_with_what_is_allowed)
{
    struct child c = run(misuses[_i].arguments);
    ck_assert_msg(c.status == misuses[_i].status, "%s: status %d",
                  misuses[_i].arguments, c.status);
    ck_assert_msg(strstr(c.err, misuses[_i].says) != NULL, "%s", c.err);
    ck_assert_str_eq(c.out, "");
    child_clear(&c);
}
END_TEST

START_TEST(p2p_draws_a_heat_map)
{
    char dir[CHILD_FOLDER], arguments[3 * CHILD_FOLDER];
    child_folder(dir, "commlab-heat");
    snprintf(arguments, sizeof arguments,
             "p2p --topo a100-cubemesh --svg %s/map.svg && cat %s/map.svg", dir,
             dir);
    struct child c = run(arguments);
    child_remove(dir);
    ck_assert_msg(strncmp(c.out, "<svg ", 5) == 0, "%s%s", c.out, c.err);
    ck_assert_ptr_nonnull(strstr(c.out, "a100-cubemesh: one copy, one way"));
    int cells = 0, fast = 0;
    for (const char *at = c.out; (at = strstr(at, "<rect x=")) != NULL; at++)
        cells++;
    for (const char *at = c.out; (at = strstr(at, ">93.6<")) != NULL; at++)
        fast++;
    ck_assert_int_eq(cells, 56);
    // row by row: from GPU 0 to 1, then to 2
    const char *const first = strstr(c.out, "<rect x=");
    ck_assert_int_eq(strncmp(first, "<rect x=\"90\" y=\"58\"", 19), 0);
    const char *const second = strstr(first + 1, "<rect x=");
    ck_assert_int_eq(strncmp(second, "<rect x=\"136\" y=\"58\"", 20), 0);
    ck_assert_int_eq(fast, 16); // two bundles of four NVLinks per GPU
    child_clear(&c);
}
END_TEST

int main(void)
{
    TCase *const tc = tcase_create("command");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, p2p_draws_a_heat_map);
    tcase_add_test(tc, topo_prints_what_nvidia_smi_would);
    tcase_add_test(tc, speeds_are_those_of_single_copies);
    tcase_add_test(tc, speeds_show_a_slow_nic);
    tcase_add_test(tc, collective_says_time_choice_and_bandwidths);
    tcase_add_test(tc, collective_shows_what_nccl_itself_decides);
    tcase_add_loop_test(tc, all_operations_of_nccl_tests_are_known, 0, 7);
    tcase_add_loop_test(tc, nccl_algo_and_algo_are_obeyed, 0, 2);
    tcase_add_loop_test(tc, ranks_are_spread_over_nodes_when_asked, 0,
                        NSPREADS);
    tcase_add_test(tc, p2p_prints_the_measured_matrices);
    tcase_add_loop_test(tc, misuse_is_answered_with_what_is_allowed, 0,
                        NMISUSES);
    Suite *const s = suite_create("topo: command");
    suite_add_tcase(s, tc);
    return suite_run(s);
}
