/*
 * What operations cost on a few machines, to the letter: latency, work, cap,
 * and what they use.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "allkinds.h"
#include "golden.h"
#include "graph/replay/cost.h"
#include "replayed.h"
#include "suite.h"

enum { K = 1 << 10, M = 1 << 20 };

static struct replayed run;
static char *text;
static size_t nbytes;
static FILE *out;

static void setup(void)
{
    out = open_memstream(&text, &nbytes);
}

static void teardown(void)
{
    free(text);
    replayed_release(&run);
}

static void expect(const char *part)
{
    fclose(out);
    golden_expect_part("tests/graph/golden.txt#costs", part, text);
}

static void print_cost(struct cost_table *t, uint32_t at)
{
    char err[512];
    struct cost c;
    const struct graph_view *const v = &run.g->nodes[at];
    fprintf(out, "%u %s %d: ", v->node.rank, v->name, v->part);
    if (cost_of(t, run.g, at, &c, err, sizeof err) != 0) {
        fprintf(out, "%s\n", err);
        return;
    }
    fprintf(out, "%llu ps, work %.12g, cap %.12g, busiest %d:",
            (unsigned long long)c.latency_ps, c.work, c.cap, c.busiest);
    for (int i = 0; i < c.nuses; i++)
        fprintf(out, " %s %.12g,",
                topo_resource(run.topo, c.use[i].resource)->name,
                c.use[i].weight);
    fprintf(out, "\n");
}

/* Twice: the second time from the table. */
static void print_costs(const struct replay_options *options)
{
    struct cost_table *const t = cost_table_new(run.topo, options);
    run.g = synthetic_load(&run.s);
    for (uint32_t at = 0; at < run.g->nnodes; at++)
        print_cost(t, at);
    for (uint32_t at = 0; at < run.g->nnodes; at += 7)
        print_cost(t, at);
    cost_table_free(t);
}

START_TEST(a_run_of_all_kinds_costs_what_it_did)
{
    replayed_init(&run, ALLKINDS_MACHINE, ALLKINDS_RANKS);
    allkinds_record(&run.s);
    print_costs(NULL);
    expect("all kinds");
}
END_TEST

START_TEST(sets_of_algorithms_change_collectives)
{
    replayed_init(&run, ALLKINDS_MACHINE, ALLKINDS_RANKS);
    allkinds_record(&run.s);
    struct replay_options options = {0};
    char why[400];
    ck_assert_int_eq(topo_algo_sets("TREE", &options.algos, why, sizeof why),
                     0);
    ck_assert_int_eq(topo_proto_sets("LL", &options.protos, why, sizeof why),
                     0);
    print_costs(&options);
    expect("TREE LL");
}
END_TEST

static const struct synthetic_op ops[] = {
    {.name = "no bytes", .node = {.kind = GRAPH_KERNEL}},
    {.name = "fp32", .node = {.kind = GRAPH_KERNEL, .flops = 1e9}},
    {.name = "tf32",
     .node = {.kind = GRAPH_KERNEL, .flops = 1e9, .math = TOPO_TF32}},
    {.name = "fp64",
     .node = {.kind = GRAPH_KERNEL, .flops = 1e9, .math = TOPO_FP64}},
    {.name = "fp8",
     .node = {.kind = GRAPH_KERNEL, .flops = 1e9, .math = TOPO_FP8}},
    {.name = "memory and flops",
     .node = {.kind = GRAPH_KERNEL, .flops = 1e3, .latency_ps = 7},
     .moves = {{0, 0, M}, {0, 0, K}}},
    {.name = "another's memory",
     .node = {.kind = GRAPH_KERNEL},
     .moves = {{1, 1, M}}},
    {.name = "host memory",
     .node = {.kind = GRAPH_KERNEL},
     .moves = {{-1, -1, M}, {-1, 0, K}}},
    {.name = "loads of 1 thread",
     .node = {.kind = GRAPH_KERNEL, .elem_size = 1},
     .moves = {{1, 0, M}}},
    {.name = "loads of 8192 threads",
     .node = {.kind = GRAPH_KERNEL, .elem_size = 8192},
     .moves = {{1, 0, M}}},
    {.name = "loads of 8191 threads",
     .node = {.kind = GRAPH_KERNEL, .elem_size = 8191},
     .moves = {{1, 0, M}}},
    {.name = "more threads than fit",
     .node = {.kind = GRAPH_KERNEL, .elem_size = 1u << 30},
     .moves = {{1, 0, 1u << 30}}},
    {.name = "loads and stores",
     .node = {.kind = GRAPH_KERNEL, .elem_size = 64},
     .moves = {{1, 0, M}, {0, 1, M}, {0, 0, M}}},
    {.name = "by the switch",
     .node = {.kind = GRAPH_KERNEL, .elem_size = 64},
     .moves = {{TOPO_SWITCH_PLACE, 0, M},
               {0, TOPO_SWITCH_PLACE, M},
               {1, TOPO_SWITCH_PLACE, M},
               {TOPO_SWITCH_PLACE, 1, M}}},
    {.name = "a memset of 64 threads",
     .node = {.kind = GRAPH_MEMSET, .elem_size = 64},
     .moves = {{1, 0, M}}},
    {.name = "a copy to itself",
     .node = {.kind = GRAPH_COPY},
     .moves = {{0, 0, M}}},
    {.name = "a copy to a peer",
     .node = {.kind = GRAPH_COPY},
     .moves = {{0, 1, M}}},
    {.name = "a staged copy",
     .node = {.kind = GRAPH_COPY, .flags = GRAPH_STAGED},
     .moves = {{0, 1, M}}},
    {.name = "a copy from the host",
     .node = {.kind = GRAPH_COPY, .latency_ps = 5},
     .moves = {{-1, 0, M}}},
    {.name = "a staged copy to the host",
     .node = {.kind = GRAPH_COPY, .flags = GRAPH_STAGED},
     .moves = {{0, -1, M}}},
    {.name = "a copy in two pieces",
     .node = {.kind = GRAPH_COPY},
     .moves = {{0, 1, M}, {0, 2, K}}},
    {.name = "a staged copy in two pieces",
     .node = {.kind = GRAPH_COPY, .flags = GRAPH_STAGED},
     .moves = {{0, 1, M}, {0, 2, K}}},
    {.name = "a copy of nothing", .node = {.kind = GRAPH_COPY}},
    {.name = "a copy by the network",
     .node = {.kind = GRAPH_COPY, .flags = GRAPH_NETWORK},
     .moves = {{0, 1, M}}},
    {.name = "nowhere", .node = {.kind = GRAPH_COPY}, .moves = {{0, 99, M}}},
    {.name = "a send alone",
     .node = {.kind = GRAPH_SEND, .peer_place = 1, .bytes = M}},
    {.name = "a receive alone",
     .node = {.kind = GRAPH_RECV, .peer_place = 1, .bytes = M}},
    {.name = "a send to nowhere",
     .node = {.kind = GRAPH_SEND, .peer_place = 99, .bytes = M}},
    {.name = "a reduction of one",
     .node = {.kind = GRAPH_COLL, .op = TOPO_OP_ALLREDUCE, .bytes = M}},
    {.name = "a mark", .node = {.kind = GRAPH_MARK, .latency_ps = 3}},
    {.name = "a callback", .node = {.kind = GRAPH_HOSTFN, .latency_ps = 3}},
};

static const char *const machines[] = {"dgx-h100", "pcie-4090", "dgx-1v",
                                       "gh200", "2x-dgx-h100"};

START_TEST(an_operation_costs_what_it_did_on_a_machine)
{
    replayed_init(&run, machines[_i], 1);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct synthetic_op op = ops[i];
        op.node.queue = 1;
        synthetic_add(&run.s, 0, &op);
    }
    print_costs(NULL);
    expect(machines[_i]);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("cost");
    TCase *const t = tcase_create("cost");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_run_of_all_kinds_costs_what_it_did);
    tcase_add_test(t, sets_of_algorithms_change_collectives);
    tcase_add_loop_test(t, an_operation_costs_what_it_did_on_a_machine, 0,
                        sizeof machines / sizeof *machines);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
