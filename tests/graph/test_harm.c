/*
 * test_harm.c: what planted faults cost in a replay (graph/replay/harm.h)
 *
 * Two ranks of a dgx-h100, GPU 0 and 1. Rank 0 fills memory, works on the host
 * and sends a gigabyte to rank 1's GPU; rank 1 only fills memory.
 */
#include <check.h>
#include <stdlib.h>

#include "graph/replay/harm.h"
#include "graph/replay/replay.h"
#include "suite.h"
#include "synthetic.h"

enum { US = 1000000 };
static const uint64_t CALL_PS = 10 * US; /* of a host call */

static struct synthetic s;
static struct topo *topo;
static struct graph *graph;
static struct replay *replay;

static void setup(void)
{
    char err[256];
    topo = topo_load("dgx-h100", err, sizeof err);
    ck_assert_msg(topo != NULL, "%s", err);
    synthetic_init(&s, 2);
}

static void teardown(void)
{
    replay_free(replay);
    graph_free(graph);
    replay = NULL;
    graph = NULL;
    synthetic_release(&s);
    topo_free(topo);
}

static void plant(uint32_t rank, struct graph_harm h)
{
    if (h.factor == 0 && h.kind == GRAPH_SLOW)
        h.factor = 1;
    graph_note_harm(s.rank[rank], &h, "planted");
}

static struct graph_ref host(uint32_t rank)
{
    return SYNTHETIC(&s, rank,
                     .node = {.kind = GRAPH_HOST, .host_ps = CALL_PS});
}

static struct graph_ref fill(uint32_t rank)
{
    const int32_t gpu = (int32_t)rank;
    return SYNTHETIC(&s, rank,
                     .node = {.kind = GRAPH_MEMSET, .queue = 1, .place = gpu},
                     .moves = {{gpu, gpu, 1 << 30}});
}

static struct graph_ref copy(void)
{
    return SYNTHETIC(&s, 0, .node = {.kind = GRAPH_COPY, .queue = 1},
                     .moves = {{0, 1, 1 << 30}});
}

static void run(void)
{
    char err[256];
    replay_free(replay);
    graph_free(graph);
    graph = synthetic_load(&s);
    replay = replay_run(graph, topo, NULL, err, sizeof err);
    ck_assert_msg(replay != NULL, "%s", err);
}

static uint64_t took(struct graph_ref op)
{
    const struct replay_time *const t = replay_node(replay, op);
    return t->end_ps - t->start_ps;
}

static uint64_t end(struct graph_ref op)
{
    return replay_node(replay, op)->end_ps;
}

/* ---- hosts --------------------------------------------------------------- */

START_TEST(a_stall_delays_the_operation_that_it_names)
{
    const struct graph_ref a = host(0), b = host(0), other = host(1);
    plant(0, (struct graph_harm){
                 .kind = GRAPH_STALL, .index = b.index, .for_ps = 5 * US});
    run();
    ck_assert_uint_eq(end(a), CALL_PS);
    ck_assert_uint_eq(end(b), 2 * CALL_PS + 5 * US);
    ck_assert_uint_eq(end(other), CALL_PS);
}
END_TEST

static const struct {
    uint64_t at_us, for_us, a_us, b_us;
} moments[] = {
    {0, 5, 15, 25},  // before both
    {4, 5, 15, 25},  // in the middle of the first
    {9, 7, 17, 27},  // the first ends late
    {10, 5, 10, 25}, // between them: before the second
    {19, 1, 10, 21}, // at the end
    {20, 5, 10, 20}, // too late
};

START_TEST(a_stall_at_a_time_stops_the_host_then)
{
    const struct graph_ref a = host(0), b = host(0);
    plant(0, (struct graph_harm){.kind = GRAPH_STALL,
                                 .at_ps = moments[_i].at_us * US,
                                 .for_ps = moments[_i].for_us * US});
    run();
    ck_assert_uint_eq(end(a), moments[_i].a_us * US);
    ck_assert_uint_eq(end(b), moments[_i].b_us * US);
}
END_TEST

/* ---- ranks and GPUs ------------------------------------------------------ */

static uint64_t healthy_ps; /* of a fill */

static void expect_fill(struct graph_ref op, uint64_t factor)
{
    const uint64_t want = healthy_ps * factor;
    ck_assert_msg(took(op) + 2 >= want && took(op) <= want + 2,
                  "%llu instead of %llu", (unsigned long long)took(op),
                  (unsigned long long)want);
}

START_TEST(a_slow_rank_takes_longer_for_calls_and_kernels)
{
    const struct graph_ref call = host(0), a = fill(0), b = fill(1);
    run();
    healthy_ps = took(a);
    plant(0, (struct graph_harm){
                 .kind = GRAPH_SLOW, .place = HARM_RANK, .factor = 3});
    run();
    ck_assert_uint_eq(end(call), 3 * CALL_PS);
    expect_fill(a, 3);
    expect_fill(b, 1);
}
END_TEST

START_TEST(a_slow_gpu_leaves_the_host_alone)
{
    const struct graph_ref call = host(0), a = fill(0);
    run();
    healthy_ps = took(a);
    plant(0, (struct graph_harm){.kind = GRAPH_SLOW, .factor = 3});
    plant(0, (struct graph_harm){.kind = GRAPH_SLOW, .place = 5, .factor = 9});
    run();
    ck_assert_uint_eq(end(call), CALL_PS);
    expect_fill(a, 3);
}
END_TEST

START_TEST(it_lasts_from_an_operation_in_a_span_or_for_a_time)
{
    const struct graph_ref before = fill(0);
    synthetic_range(&s, 0, "backward");
    const struct graph_ref in = fill(0);
    synthetic_range(&s, 0, NULL);
    const struct graph_ref after = fill(0);
    run();
    healthy_ps = took(in);
    const uint32_t span = graph_string(s.rank[0], "backward");
    plant(0, (struct graph_harm){
                 .kind = GRAPH_SLOW, .factor = 2, .index = after.index});
    plant(0,
          (struct graph_harm){.kind = GRAPH_SLOW, .factor = 4, .span = span});
    plant(0, (struct graph_harm){.kind = GRAPH_SLOW,
                                 .factor = 8,
                                 .at_ps = healthy_ps / 2,
                                 .for_ps = 1});
    run();
    expect_fill(before, 1);
    expect_fill(in, 4);
    expect_fill(after, 2);
}
END_TEST

/* ---- links --------------------------------------------------------------- */

START_TEST(a_degraded_link_slows_what_uses_it)
{
    const struct graph_ref c = copy();
    run();
    const double before = (double)took(c);
    for (uint32_t r = 0; r < 2; r++) // each rank notes it, and it counts once
        plant(r, (struct graph_harm){
                     .kind = GRAPH_LINK, .peer = 1, .factor = 0.1});
    run();
    ck_assert_double_eq_tol((double)took(c) / before, 10, 0.3);
}
END_TEST

START_TEST(a_link_that_goes_down_stops_a_copy_until_it_is_back)
{
    const struct graph_ref c = copy();
    run();
    const uint64_t before = took(c);
    plant(0, (struct graph_harm){.kind = GRAPH_LINK,
                                 .peer = 1,
                                 .at_ps = before / 2,
                                 .for_ps = 1000 * US});
    run();
    ck_assert_uint_le(took(c), before + 1001 * US);
    ck_assert_uint_ge(took(c), before + 999 * US);
}
END_TEST

START_TEST(another_link_does_not_matter)
{
    const struct graph_ref c = copy();
    run();
    const uint64_t before = took(c);
    plant(0, (struct graph_harm){
                 .kind = GRAPH_LINK, .place = 2, .peer = 3, .factor = 0.1});
    run();
    ck_assert_uint_eq(took(c), before);
}
END_TEST

START_TEST(a_link_that_the_machine_lacks_is_refused)
{
    char err[256];
    copy();
    plant(0, (struct graph_harm){
                 .kind = GRAPH_LINK, .place = 0, .peer = 99, .factor = 0.1});
    graph = synthetic_load(&s);
    ck_assert_ptr_null(replay_run(graph, topo, NULL, err, sizeof err));
    ck_assert_str_eq(err, "planted: there is no such link on dgx-h100");
}
END_TEST

/* What happens, and costs nothing. */
START_TEST(other_faults_take_no_time)
{
    const struct graph_ref a = host(0), b = fill(0), c = copy();
    run();
    const uint64_t ends[] = {end(a), end(b), end(c)};
    for (uint32_t kind = GRAPH_LOST; kind <= GRAPH_FLIP; kind++)
        plant(0,
              (struct graph_harm){.kind = kind, .index = b.index, .factor = 5});
    run();
    ck_assert_uint_eq(end(a), ends[0]);
    ck_assert_uint_eq(end(b), ends[1]);
    ck_assert_uint_eq(end(c), ends[2]);
    ck_assert_uint_eq(graph->nharms, 2);
    ck_assert_str_eq(graph->harms[1].text, "planted");
}
END_TEST

/* A rank that was killed never came to a collective; what did is replayed. */
START_TEST(a_run_that_lost_a_rank_can_be_replayed)
{
    const struct graph_node n = {.kind = GRAPH_COLL,
                                 .match_kind = GRAPH_MATCH_ALL,
                                 .op = TOPO_OP_ALLREDUCE,
                                 .queue = 1,
                                 .match = 7,
                                 .match_size = 2,
                                 .bytes = 64};
    const struct graph_ref a = host(0), b = SYNTHETIC(&s, 0, .node = n);
    plant(1, (struct graph_harm){.kind = GRAPH_KILL, .index = GRAPH_NEXT});
    run();
    ck_assert_uint_eq(end(a), CALL_PS);
    ck_assert_uint_ge(end(b), CALL_PS + REPLAY_OPEN_PS);
    ck_assert_uint_eq(graph->harms[0].harm->index, 1);
}
END_TEST

/* What a fault is said to cost, for explain and pictures. */
START_TEST(lost_time_is_told_by_operation)
{
    const struct graph_ref a = host(0), b = host(0), c = fill(0), d = copy();
    plant(0, (struct graph_harm){
                 .kind = GRAPH_STALL, .index = b.index, .for_ps = 5 * US});
    plant(0, (struct graph_harm){
                 .kind = GRAPH_SLOW, .factor = 4, .index = c.index});
    plant(0, (struct graph_harm){.kind = GRAPH_LINK, .peer = 1, .factor = .5});
    run();
    const struct replay_time *const t = replay_times(replay);
    const uint32_t at = graph_find(graph, c), link = graph_find(graph, d);
    ck_assert_uint_eq(harms_lost_ps(graph, t, graph_find(graph, a)), 0);
    ck_assert_uint_eq(harms_lost_ps(graph, t, graph_find(graph, b)), 5 * US);
    ck_assert_uint_eq(harms_lost_ps(graph, t, at), took(c) / 4 * 3);
    ck_assert_uint_eq(harms_lost_ps(graph, t, link), took(d));
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("harm");
    TCase *const t = tcase_create("harm");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_stall_delays_the_operation_that_it_names);
    tcase_add_loop_test(t, a_stall_at_a_time_stops_the_host_then, 0,
                        sizeof moments / sizeof *moments);
    tcase_add_test(t, a_slow_rank_takes_longer_for_calls_and_kernels);
    tcase_add_test(t, a_slow_gpu_leaves_the_host_alone);
    tcase_add_test(t, it_lasts_from_an_operation_in_a_span_or_for_a_time);
    tcase_add_test(t, a_degraded_link_slows_what_uses_it);
    tcase_add_test(t, a_link_that_goes_down_stops_a_copy_until_it_is_back);
    tcase_add_test(t, another_link_does_not_matter);
    tcase_add_test(t, a_link_that_the_machine_lacks_is_refused);
    tcase_add_test(t, other_faults_take_no_time);
    tcase_add_test(t, a_run_that_lost_a_rank_can_be_replayed);
    tcase_add_test(t, lost_time_is_told_by_operation);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
