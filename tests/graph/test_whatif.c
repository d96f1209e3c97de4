/*
 * A run as it would be: with other costs, on other GPUs, each rank alone. The
 * original stays as it was.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "allkinds.h"
#include "graph/explain/whatif.h"
#include "graph/replay/cost.h"
#include "replayed.h"
#include "suite.h"

enum { US = 1000000 }; /* ps */

static struct replayed run;
static struct whatif w;
static char *in, err[512];

static void load(void)
{
    const struct replay_options options = {.costs =
                                               cost_table_new(run.topo, NULL)};
    replayed_run(&run, NULL);
    in = malloc((size_t)run.g->nnodes + 1);
    memset(in, 1, run.g->nnodes);
    ck_assert_int_eq(whatif_init(&w, run.g, run.topo, &options, in), 0);
}

static void setup(void)
{
    replayed_init(&run, ALLKINDS_MACHINE, ALLKINDS_RANKS);
}

static void teardown(void)
{
    cost_table_free(w.options.costs);
    whatif_release(&w);
    free(in);
    replayed_release(&run);
}

static struct replay *again(void)
{
    struct replay *const r = whatif_replay(&w, err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
    return r;
}

static uint64_t length_ps(void)
{
    struct replay *const r = again();
    const uint64_t ps = whatif_length_ps(&w, r);
    replay_free(r);
    return ps;
}

/* One kernel or copy on each of two GPUs; GPU 1's begins 4 us later. */
static void record_two(struct synthetic_op op)
{
    for (uint32_t r = 0; r < 2; r++) {
        op.node.queue = 1;
        op.node.place = (int32_t)r;
        op.node.host_ps = (1 + 4 * r) * (uint64_t)US;
        synthetic_add(&run.s, r, &op);
    }
}

START_TEST(a_resource_is_of_a_class)
{
    static const struct {
        const char *name;
        enum whatif_class is;
    } row[] = {
        {"fp32 G0", WHATIF_COMPUTE},       {"tf32 G1", WHATIF_COMPUTE},
        {"fp64 G8", WHATIF_COMPUTE},       {"hbm G0", WHATIF_HBM},
        {"nvlink G0 up", WHATIF_NVLINK},   {"in mlx5_0 n1", WHATIF_NETWORK},
        {"out mlx5_0 n1", WHATIF_NETWORK}, {"pcie G0 up", WHATIF_PCIE},
        {"copy engines G0", WHATIF_PCIE}};
    int found = 0;
    load();
    for (int i = 0; i < topo_nresources(run.topo); i++)
        for (size_t k = 0; k < sizeof row / sizeof *row; k++)
            if (strcmp(topo_resource(run.topo, i)->name, row[k].name) == 0) {
                ck_assert_int_eq(whatif_class_of(run.topo, i), row[k].is);
                found++;
            }
    ck_assert_int_eq(found, sizeof row / sizeof *row);
}
END_TEST

START_TEST(without_a_change_it_takes_what_it_took)
{
    allkinds_record(&run.s);
    load();
    struct replay *const r = again();
    for (uint32_t at = 0; at < run.g->nnodes; at++)
        ck_assert_mem_eq(&replay_times(r)[at], &replay_times(run.r)[at],
                         sizeof *replay_times(r));
    ck_assert_uint_eq(whatif_length_ps(&w, r), replay_end_ps(run.r));
    replay_free(r);
}
END_TEST

START_TEST(what_is_measured_goes_from_a_call_to_an_end)
{
    record_two((struct synthetic_op){
        .node = {.kind = GRAPH_KERNEL, .latency_ps = 10 * US}});
    load();
    ck_assert_uint_eq(length_ps(), 15 * US);
    in[0] = 0;
    ck_assert_uint_eq(length_ps(), 15 * US); // its call began at 0
    in[0] = 1, in[1] = 0;
    ck_assert_uint_eq(length_ps(), 11 * US);
    in[0] = 0;
    ck_assert_uint_eq(length_ps(), 0);
}
END_TEST

START_TEST(work_and_latency_of_an_operation_are_changed)
{
    record_two((struct synthetic_op){
        .node = {.kind = GRAPH_KERNEL, .latency_ps = 10 * US, .flops = 1e9}});
    load();
    struct replay *r = again();
    const uint64_t work_ps = replay_times(r)[1].end_ps - 15 * US;
    replay_free(r);
    ck_assert_uint_gt(work_ps, US);
    w.cost[1].latency = 0;
    r = again();
    ck_assert_uint_eq(replay_times(r)[1].end_ps, 5 * US + work_ps);
    ck_assert_uint_eq(replay_times(r)[0].end_ps, 11 * US + work_ps);
    replay_free(r);
    w.cost[1] = (struct whatif_cost){.work = 3, .latency = 1};
    r = again();
    ck_near(replay_times(r)[1].end_ps, 15 * US + 3 * work_ps, 3);
    replay_free(r);
    whatif_reset(&w);
    r = again();
    ck_assert_uint_eq(replay_times(r)[1].end_ps, 15 * US + work_ps);
    replay_free(r);
}
END_TEST

/* A kernel of 1 GFLOP that moves little, and one that moves much. */
START_TEST(a_class_that_is_free_binds_nothing)
{
    record_two((struct synthetic_op){
        .node = {.kind = GRAPH_KERNEL, .flops = 1e9}, .moves = {{0, 0, 1000}}});
    load();
    const uint64_t all_ps = length_ps();
    w.free_classes = 1 << WHATIF_HBM;
    ck_assert_uint_eq(length_ps(), all_ps);
    w.free_classes = 1 << WHATIF_COMPUTE;
    in[1] = 0; // rank 1's kernel moves the same bytes, of GPU 0
    struct replay *const r = again();
    ck_assert_uint_lt(replay_times(r)[0].end_ps, 2 * US);
    ck_assert_uint_gt(replay_times(r)[0].end_ps, US);
    ck_assert_int_eq(replay_times(r)[0].bound, topo_memory(run.topo, 0));
    ck_assert_uint_eq(replay_times(r)[1].end_ps, all_ps);
    replay_free(r);
    w.free_classes |= 1 << WHATIF_HBM;
    ck_assert_uint_eq(length_ps(), US); // its call
}
END_TEST

START_TEST(a_run_is_moved_to_other_gpus)
{
    static const int32_t place[] = {4, 9};
    allkinds_record(&run.s);
    load();
    ck_assert_int_eq(whatif_move(&w, place, 2), 0);
    for (uint32_t at = 0; at < run.g->nnodes; at++) {
        const struct graph_view *const v = &run.g->nodes[at];
        const struct graph_view *const m = &w.graph.nodes[at];
#define MOVED(p) ((p) == 0 ? 4 : (p) == 1 ? 9 : (p))
        ck_assert_int_eq(m->node.place, MOVED(v->node.place));
        ck_assert_int_eq(m->node.peer_place, MOVED(v->node.peer_place));
        for (size_t i = 0; i < v->nmoves; i++) {
            ck_assert_int_eq(m->moves[i].from, MOVED(v->moves[i].from));
            ck_assert_int_eq(m->moves[i].to, MOVED(v->moves[i].to));
            ck_assert_uint_eq(m->moves[i].nbytes, v->moves[i].nbytes);
        }
    }
    whatif_reset(&w);
    ck_assert_mem_eq(w.graph.nodes, run.g->nodes,
                     run.g->nnodes * sizeof *w.graph.nodes);
}
END_TEST

/* Rank 1's all-reduce is 100 us later than rank 0's, and rank 0 waits for a
 * kernel of rank 1 besides. */
static void record_meetings(void)
{
    struct graph_ref dep = {0};
    for (uint32_t r = 0; r < 2; r++) {
        dep = SYNTHETIC(&run.s, 1 - r,
                        .node = {.kind = GRAPH_KERNEL,
                                 .queue = 1,
                                 .place = (int32_t)(1 - r),
                                 .latency_ps = (r ? 10 : 110) * US},
                        .deps = {dep});
        SYNTHETIC(&run.s, 1 - r,
                  .node = {.kind = GRAPH_COLL,
                           .op = TOPO_OP_ALLREDUCE,
                           .queue = 1,
                           .place = (int32_t)(1 - r),
                           .match = 1,
                           .match_kind = GRAPH_MATCH_ALL,
                           .match_size = 2,
                           .match_rank = 1 - r,
                           .bytes = 1 << 20});
        SYNTHETIC(&run.s, 1 - r,
                  .node = {.kind = GRAPH_MPI,
                           .place = TOPO_HOST_PLACE(0),
                           .match = 2,
                           .op = TOPO_OP_SENDRECV,
                           .match_kind = GRAPH_MATCH_MESSAGE,
                           .match_size = 2,
                           .match_rank = r,
                           .latency_ps = US,
                           .bytes = 4096});
    }
}

START_TEST(alone_no_rank_waits_for_another)
{
    record_meetings();
    load();
    const uint64_t both_ps =
        replay_node(run.r, (struct graph_ref){0, 2})->end_ps;
    const uint64_t coll_ps = both_ps - 120 * US;
    ck_assert_int_eq(whatif_alone(&w), 0);
    struct replay *r = again();
    ck_near(replay_node(r, (struct graph_ref){0, 2})->end_ps, 10 * US + coll_ps,
            2);
    ck_near(replay_node(r, (struct graph_ref){1, 2})->end_ps,
            110 * US + coll_ps, 2);
    const uint64_t mpi_ps = cost_mpi_ps(w.options.costs, &run.g->nodes[2].node,
                                        &run.g->nodes[5].node);
    for (uint32_t rank = 0; rank < 2; rank++)
        ck_assert_uint_eq(replay_node(r, (struct graph_ref){rank, 3})->end_ps,
                          US + mpi_ps);
    replay_free(r);
    whatif_reset(&w);
    r = again();
    ck_assert_uint_eq(replay_node(r, (struct graph_ref){0, 2})->end_ps,
                      both_ps);
    replay_free(r);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("whatif");
    TCase *const t = tcase_create("whatif");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_resource_is_of_a_class);
    tcase_add_test(t, without_a_change_it_takes_what_it_took);
    tcase_add_test(t, what_is_measured_goes_from_a_call_to_an_end);
    tcase_add_test(t, work_and_latency_of_an_operation_are_changed);
    tcase_add_test(t, a_class_that_is_free_binds_nothing);
    tcase_add_test(t, a_run_is_moved_to_other_gpus);
    tcase_add_test(t, alone_no_rank_waits_for_another);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
