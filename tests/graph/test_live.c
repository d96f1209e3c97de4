/*
 * Queries to a running job: the past of a query, the cuts, and that a cut
 * changes no answer.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/record/live.h"
#include "graph/replay/replay.h"
#include "suite.h"
#include "synthetic.h"

enum { US = 1000000 }; /* ps */

static struct topo *topo;
static struct synthetic s;
static struct graph_live *live;
static char err[512];

static void setup(void)
{
    topo = topo_load("dgx-h100", err, sizeof err);
    ck_assert_msg(topo != NULL, "%s", err);
}

static void begin(uint32_t nranks)
{
    synthetic_init(&s, nranks);
    live = synthetic_live(&s);
}

static void teardown(void)
{
    graph_live_free(live);
    synthetic_release(&s);
    topo_free(topo);
}

static void update(void)
{
    ck_assert_msg(graph_live_update(live, err, sizeof err) == 0, "%s", err);
}

static struct graph *past(struct graph_ref root, uint32_t cut)
{
    update();
    struct graph *const g = graph_past(live, &root, 1, cut, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    return g;
}

/* End of `root` when its past after a cut is replayed from base_ps. */
static uint64_t end_of(struct graph_ref root, uint32_t cut, uint64_t base_ps)
{
    struct graph *const g = past(root, cut);
    struct replay *const r = replay_run(
        g, topo, &(struct replay_options){.base_ps = base_ps}, err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
    const uint64_t end_ps = replay_node(r, root)->end_ps;
    replay_free(r);
    graph_free(g);
    return end_ps;
}

static struct graph_ref kernel(uint32_t rank, uint32_t queue, uint64_t us)
{
    return SYNTHETIC(&s, rank,
                     .node = {.kind = GRAPH_KERNEL,
                              .queue = queue,
                              .place = (int32_t)rank,
                              .host_ps = 2 * US,
                              .latency_ps = us * US});
}

static struct graph_ref sync(uint32_t rank, struct graph_ref a)
{
    return SYNTHETIC(
        &s, rank,
        .node = {.kind = GRAPH_HOST, .host_ps = US, .latency_ps = 3 * US},
        .deps = {a});
}

static struct graph_ref mpi(uint32_t rank, enum topo_op op,
                            enum graph_match kind, uint32_t size,
                            uint32_t match_rank, uint64_t key)
{
    return SYNTHETIC(&s, rank, .name = "MPI",
                     .node = {.kind = GRAPH_MPI,
                              .host_ps = US,
                              .op = op,
                              .place = TOPO_HOST_PLACE(0),
                              .match = key,
                              .match_kind = kind,
                              .match_size = size,
                              .match_rank = match_rank});
}

static struct graph_ref barrier(uint32_t rank, uint64_t key)
{
    return mpi(rank, TOPO_OP_BARRIER, GRAPH_MATCH_ALL, s.nranks, rank, key);
}

static struct graph_ref allreduce(uint32_t rank, uint32_t queue, uint64_t key)
{
    return SYNTHETIC(&s, rank, .name = "ncclAllReduce",
                     .node = {.kind = GRAPH_COLL,
                              .queue = queue,
                              .place = (int32_t)rank,
                              .host_ps = 2 * US,
                              .op = TOPO_OP_ALLREDUCE,
                              .match = key,
                              .match_kind = GRAPH_MATCH_ALL,
                              .match_size = s.nranks,
                              .match_rank = rank,
                              .bytes = 1 << 20});
}

/* ---- the past ------------------------------------------------------------ */

START_TEST(work_that_nobody_waited_for_is_host_time_only)
{
    begin(1);
    const struct graph_ref a = kernel(0, 1, 10), b = kernel(0, 2, 100);
    const struct graph_ref q = sync(0, a);
    struct graph *const g = past(q, 0);
    ck_assert_uint_eq(g->nnodes, 3);
    ck_assert_int_eq(graph_node_at(g, b)->node.kind, GRAPH_HOST);
    ck_assert_int_eq(graph_node_at(g, a)->node.kind, GRAPH_KERNEL);
    graph_free(g);
    ck_assert_uint_eq(end_of(q, 0, 0), (2 + 10 + 3) * US);
}
END_TEST

START_TEST(what_comes_after_a_question_changes_no_answer)
{
    begin(2);
    kernel(0, 1, 10);
    allreduce(1, 1, 5);
    const struct graph_ref c = allreduce(0, 1, 5);
    const struct graph_ref q = sync(0, c);
    const uint64_t then = end_of(q, 0, 0);
    kernel(0, 2, 10);
    kernel(1, 1, 500);
    allreduce(1, 1, 6);
    ck_assert_uint_eq(end_of(q, 0, 0), then);
    struct graph *const g = past(q, 0);
    ck_assert_uint_eq(g->nnodes, 4);
    graph_free(g);
}
END_TEST

START_TEST(the_past_reaches_through_queues_deps_and_matches)
{
    begin(2);
    kernel(1, 1, 40);
    const struct graph_ref mark =
        SYNTHETIC(&s, 1, .node = {.kind = GRAPH_MARK, .queue = 1});
    SYNTHETIC(&s, 1,
              .node = {.kind = GRAPH_KERNEL,
                       .queue = 2,
                       .place = 1,
                       .latency_ps = 20 * US},
              .deps = {mark});
    allreduce(1, 2, 5);
    const struct graph_ref c = allreduce(0, 1, 5);
    const struct graph_ref q = sync(0, c);
    struct graph *const g = past(q, 0);
    ck_assert_uint_eq(g->nnodes, 6);
    graph_free(g);
    ck_assert_uint_gt(end_of(q, 0, 0), 60 * US);
}
END_TEST

START_TEST(an_eager_sender_does_not_depend_on_its_receiver)
{
    begin(2);
    const struct graph_ref a =
        mpi(0, TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 0, 7);
    ck_assert_uint_eq(end_of(a, 0, 0), US);
    const struct graph_ref b =
        mpi(1, TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 1, 7);
    struct graph *const g = past(b, 0);
    ck_assert_uint_eq(g->nnodes, 2);
    graph_free(g);
}
END_TEST

START_TEST(what_an_operation_has_shown_later_is_in_its_view)
{
    begin(1);
    const struct graph_ref a =
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_KERNEL, .queue = 1, .flops = 5},
                  .moves = {{0, 0, 100}});
    update();
    const struct graph_move moves[] = {{0, 0, 10}, {1, 0, 20}};
    const struct graph_access accesses[] = {{1, 0, 10, 1, 0}};
    graph_amend(s.rank[0], a.index, 7, moves, 2, accesses, 1);
    graph_amend(s.rank[0], a.index, 1, moves + 1, 1, NULL, 0);
    struct graph *const g = past(a, 0);
    const struct graph_view *const v = graph_node_at(g, a);
    ck_assert(v->node.flops == 13);
    ck_assert_uint_eq(v->nmoves, 4);
    ck_assert_uint_eq(v->moves[0].nbytes, 100);
    ck_assert_uint_eq(v->moves[2].nbytes, 20);
    ck_assert_int_eq(v->moves[3].from, 1);
    ck_assert_uint_eq(v->naccesses, 1);
    graph_free(g);
}
END_TEST

/* A signal between running kernels: what follows depends on the part that sent
 * it, not on the rest of that kernel. */
START_TEST(a_question_reaches_the_parts_that_were_waited_for)
{
    begin(2);
    const struct graph_ref from = kernel(0, 1, 5), to = kernel(1, 1, 1);
    const struct graph_ref j = sync(1, to);
    graph_part(s.rank[1], to.index,
               &(struct graph_point){from.rank, from.index, 0}, 1, 0);
    graph_part(s.rank[0], from.index, NULL, 0, 0);
    graph_part(s.rank[0], from.index,
               &(struct graph_point){to.rank, to.index, 1}, 1, 0);
    struct graph *const g = past(j, 0);
    ck_assert_uint_eq(g->nnodes, 1 + 2 + 1); // its first part, both of `to`
    ck_assert_uint_eq(g->nodes[0].part, 0);
    graph_free(g);
    // the sender is issued after 2 us and runs for 5; the call returns 3 later
    ck_assert_uint_eq(end_of(j, 0, 0), (2 + 5 + 3) * (uint64_t)US);
}
END_TEST

START_TEST(a_part_that_is_not_recorded_yet_is_an_error)
{
    begin(2);
    const struct graph_ref from = kernel(0, 1, 5), to = kernel(1, 1, 1);
    graph_part(s.rank[1], to.index,
               &(struct graph_point){from.rank, from.index, 1}, 1, 0);
    update();
    ck_assert(graph_past(live, &to, 1, 0, err, sizeof err) == NULL);
    ck_assert_msg(strstr(err, "has not recorded part 1 of its operation 1"),
                  "%s", err);
}
END_TEST

START_TEST(a_missing_peer_is_an_error)
{
    begin(2);
    const struct graph_ref c = allreduce(0, 1, 5);
    update();
    ck_assert_ptr_null(graph_past(live, &c, 1, 0, err, sizeof err));
    ck_assert_msg(strstr(err, "ncclAllReduce") != NULL, "%s", err);
}
END_TEST

/* Rank 1 aborts before its part, or after it. */
START_TEST(an_operation_that_was_aborted_takes_no_time)
{
    begin(2);
    const struct graph_ref c = allreduce(0, 1, 5);
    if (_i)
        allreduce(1, 1, 5);
    graph_note_broken(s.rank[0], c.index);
    const struct graph_ref q = sync(0, c);
    ck_assert_uint_eq(end_of(q, 0, 0), (2 + 1 + 3) * (uint64_t)US);
    barrier(0, 1);
    barrier(1, 1);
    struct graph *const g = synthetic_load(&s);
    ck_assert_int_eq(graph_node_at(g, c)->node.kind, GRAPH_MARK);
    struct replay *const r = replay_run(g, topo, NULL, err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
    ck_assert_uint_eq(replay_node(r, q)->end_ps, (2 + 1 + 3) * (uint64_t)US);
    replay_free(r);
    graph_free(g);
}
END_TEST

/* The note comes before the query that first sees the operation, or after. */
START_TEST(an_aborted_operation_leaves_nothing_under_way)
{
    begin(2);
    const struct graph_ref c = allreduce(0, 1, 5);
    if (_i)
        update();
    graph_note_broken(s.rank[0], c.index);
    sync(0, c);
    barrier(0, 1);
    barrier(1, 1);
    const struct graph_ref next = kernel(0, 1, 10);
    update();
    ck_assert_uint_eq(graph_live_cut(live, next), 1);
}
END_TEST

START_TEST(a_segment_of_another_rank_is_not_attached)
{
    begin(2);
    struct graph_live *const l = graph_live_new(2);
    ck_assert_int_eq(graph_live_attach(l, 0, graph_fd(s.rank[1])), -1);
    ck_assert(!graph_live_attached(l, 0));
    ck_assert_int_eq(graph_live_attach(l, 1, graph_fd(s.rank[1])), 0);
    ck_assert(graph_live_attached(l, 1));
    graph_live_free(l);
}
END_TEST

START_TEST(a_thread_is_where_it_last_waited_and_what_it_did_since)
{
    begin(1);
    const struct graph_ref q = sync(0, kernel(0, 1, 10));
    kernel(0, 1, 10);
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 4 * US});
    update();
    struct graph_moment m = graph_live_host(live, 0, 0);
    ck_assert_uint_eq(m.join.index, q.index);
    ck_assert_uint_eq(m.host_ps, 6 * US);
    SYNTHETIC(&s, 0, .node = {.thread = 1, .host_ps = US});
    update();
    m = graph_live_host(live, 0, 1);
    ck_assert_uint_eq(m.join.index, q.index);
    ck_assert_uint_eq(m.host_ps, 7 * US);
}
END_TEST

/* Pointers to what was read before are still used. */
START_TEST(a_graph_is_read_beyond_what_was_mapped_first)
{
    enum { TEXT = 1 << 20, TEXTS = 200 };
    char *const text = malloc(TEXT);
    memset(text, 'x', TEXT - 1);
    text[TEXT - 1] = 0;
    begin(1);
    const struct graph_ref first = kernel(0, 1, 10);
    const uint64_t before_ps = end_of(first, 0, 0);
    for (int i = 0; i < TEXTS; i++)
        graph_note_fault(s.rank[0], 1, 0, 1, text);
    free(text);
    const struct graph_ref second = kernel(0, 1, 10);
    ck_assert_uint_eq(end_of(first, 0, 0), before_ps);
    ck_assert_uint_gt(end_of(second, 0, 0), before_ps);
    struct graph *const g = synthetic_load(&s);
    ck_assert_uint_eq(g->nnodes, 2);
    graph_free(g);
}
END_TEST

/* ---- cuts ---------------------------------------------------------------- */

START_TEST(a_barrier_with_idle_devices_is_a_cut)
{
    begin(2);
    for (uint32_t r = 0; r < 2; r++) {
        sync(r, kernel(r, 1, 10));
        barrier(r, 1);
    }
    const struct graph_ref next = kernel(0, 1, 10);
    update();
    ck_assert_uint_eq(graph_live_cut(live, next), 1);
    const struct graph_ref cut = graph_live_cut_node(live, 1, 1);
    ck_assert_uint_eq(cut.index, 3);
    ck_assert_uint_eq(graph_live_cut(live, cut), 0);
}
END_TEST

START_TEST(a_barrier_is_no_cut_while_a_rank_has_work_under_way)
{
    begin(2);
    const struct graph_ref k = kernel(0, 1, 10);
    kernel(1, 1, 10);
    barrier(0, 1);
    barrier(1, 1);
    const struct graph_ref a = sync(0, k);
    update();
    ck_assert_uint_eq(graph_live_cut(live, a), 0);
    // The next one is, once both have waited.
    sync(1, (struct graph_ref){1, 1});
    barrier(0, 2);
    barrier(1, 2);
    const struct graph_ref b = kernel(0, 1, 10);
    update();
    ck_assert_uint_eq(graph_live_cut(live, b), 1);
}
END_TEST

START_TEST(a_message_across_a_barrier_makes_it_no_cut)
{
    begin(2);
    mpi(0, TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 0, 7);
    barrier(0, 1);
    barrier(1, 1);
    const struct graph_ref b =
        mpi(1, TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 1, 7);
    update();
    ck_assert_uint_eq(graph_live_cut(live, b), 0);
    barrier(0, 2);
    barrier(1, 2);
    const struct graph_ref next = kernel(1, 1, 1);
    update();
    ck_assert_uint_eq(graph_live_cut(live, next), 1);
}
END_TEST

START_TEST(a_second_thread_makes_a_barrier_no_cut)
{
    begin(2);
    SYNTHETIC(&s, 0, .node = {.thread = 1, .host_ps = US});
    barrier(0, 1);
    barrier(1, 1);
    const struct graph_ref next = kernel(1, 1, 1);
    update();
    ck_assert_uint_eq(graph_live_cut(live, next), 0);
}
END_TEST

/* Of thread 1: a kernel that it waits for, and a call afterwards. */
static struct graph_ref second_thread(struct graph_ref again)
{
    SYNTHETIC(&s, 0,
              .node = {.kind = GRAPH_HOST, .thread = 1, .flags = GRAPH_AGAIN},
              .deps = {again});
    const struct graph_ref k = SYNTHETIC(
        &s, 0,
        .node = {.kind = GRAPH_KERNEL, .thread = 1, .queue = 2, .host_ps = US});
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST, .thread = 1}, .deps = {k});
    return SYNTHETIC(
        &s, 0, .node = {.kind = GRAPH_HOST, .thread = 1, .host_ps = 3 * US});
}

START_TEST(a_barrier_is_a_cut_once_the_second_thread_is_joined)
{
    begin(2);
    const struct graph_ref last = second_thread(kernel(0, 1, 10));
    const struct graph_ref early = sync(0, (struct graph_ref){0, 1});
    barrier(0, 1);
    barrier(1, 1);
    update();
    ck_assert_uint_eq(graph_live_cut(live, kernel(0, 1, 1)), 0);
    sync(0, (struct graph_ref){0, early.index + 2});
    sync(0, last);
    barrier(0, 2);
    barrier(1, 2);
    const struct graph_ref next = kernel(0, 1, 1);
    update();
    ck_assert_uint_eq(graph_live_cut(live, next), 1);
    // The thread goes on: the next barrier is none.
    second_thread(next);
    sync(0, next);
    barrier(0, 3);
    barrier(1, 3);
    const struct graph_ref then = kernel(0, 1, 1);
    update();
    ck_assert_uint_eq(graph_live_cut(live, then), 1);
}
END_TEST

START_TEST(a_thread_that_begins_again_has_the_same_times_from_a_cut)
{
    begin(1);
    const struct graph_ref first = second_thread(kernel(0, 1, 10));
    sync(0, (struct graph_ref){0, 1});
    const struct graph_ref cut = sync(0, first);
    const struct graph_ref again = kernel(0, 1, 10);
    const struct graph_ref second = second_thread(again);
    update();
    ck_assert_uint_eq(graph_live_cut(live, again), 1);
    ck_assert_uint_eq(graph_live_cut_node(live, 1, 0).index, cut.index);
    const uint64_t cut_ps = end_of(cut, 0, 0);
    const uint64_t whole_ps = end_of(second, 0, 0);
    ck_assert_uint_eq(end_of(second, 1, cut_ps), whole_ps);
    // after the kernel: its issue, the thread's kernel, and two calls
    ck_assert_uint_gt(whole_ps, end_of(again, 0, 0) + 3 * US);
}
END_TEST

START_TEST(joining_a_queue_joins_what_it_waited_for)
{
    begin(1);
    const struct graph_ref a = kernel(0, 1, 10);
    const struct graph_ref b = SYNTHETIC(
        &s, 0, .node = {.kind = GRAPH_KERNEL, .queue = 2}, .deps = {a});
    const struct graph_ref q = sync(0, b);
    const struct graph_ref next = kernel(0, 3, 10);
    update();
    ck_assert_uint_eq(graph_live_cut(live, next), 1);
    ck_assert_uint_eq(graph_live_cut_node(live, 1, 0).index, q.index);
}
END_TEST

START_TEST(a_group_is_joined_as_a_whole_by_what_follows_it)
{
    begin(1);
    for (int i = 0; i < 3; i++)
        SYNTHETIC(&s, 0,
                  .node = {.kind = GRAPH_KERNEL, .queue = 1, .group = 4});
    const struct graph_ref mark =
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_MARK, .queue = 1});
    const struct graph_ref q = sync(0, mark);
    const struct graph_ref next = kernel(0, 3, 10);
    ck_assert_uint_eq(next.index, q.index + 1);
    update();
    ck_assert_uint_eq(graph_live_cut(live, next), 1);
}
END_TEST

START_TEST(the_past_of_a_wait_has_the_whole_group)
{
    begin(1);
    struct graph_ref last = {0};
    for (int us = 30; us > 0; us -= 10)
        last = SYNTHETIC(&s, 0,
                         .node = {.kind = GRAPH_KERNEL,
                                  .queue = 1,
                                  .group = 4,
                                  .latency_ps = (uint64_t)us * US});
    const struct graph_ref q = sync(0, last);
    ck_assert_uint_eq(end_of(q, 0, 0), 33 * US);
    const struct graph_ref next = kernel(0, 3, 10);
    update();
    ck_assert_uint_eq(graph_live_cut(live, next), 1);
}
END_TEST

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

START_TEST(a_replay_from_a_cut_gives_the_times_of_a_whole_one)
{
    enum { N = 3, ERAS = 12, OPS = 15 };
    unsigned seed = 4711;
    begin(N);
    uint64_t base_ps = 0, key = 1;
    uint32_t ncuts = 0;
    for (int era = 0; era < ERAS; era++) {
        struct graph_ref last[N][3] = {{{0}}}, question = {0};
        for (int i = 0; i < OPS; i++) {
            const uint32_t queue = 1 + next_random(&seed) % 2;
            const int what = next_random(&seed) % 3;
            for (uint32_t r = 0; r < N; r++) {
                struct graph_ref *const l = &last[r][queue];
                const uint32_t size = 1 + next_random(&seed) % 1000;
                const int32_t to = next_random(&seed) % 8;
                if (what == 0)
                    *l = allreduce(r, queue, key);
                else if (what == 1)
                    *l = SYNTHETIC(&s, r,
                                   .node = {.kind = GRAPH_COPY,
                                            .queue = queue,
                                            .host_ps = size * 1000},
                                   .moves = {{(int32_t)r, to, size * 4321}},
                                   .deps = {last[r][3 - queue]});
                else
                    *l = SYNTHETIC(&s, r,
                                   .node = {.kind = GRAPH_KERNEL,
                                            .queue = queue,
                                            .place = (int32_t)r,
                                            .flops = 1e6 * size,
                                            .host_ps = size * 100},
                                   .moves = {{(int32_t)r, (int32_t)r, size}});
            }
            key++;
        }
        for (uint32_t r = 0; r < N; r++)
            for (int queue = 1; queue < 3; queue++)
                if (last[r][queue].index)
                    question = sync(r, last[r][queue]);
        // The answer in this era, with and without the past before its cut.
        ck_assert_uint_eq(end_of(question, ncuts, base_ps),
                          end_of(question, 0, 0));
        for (uint32_t r = 0; r < N; r++)
            barrier(r, key);
        key++;
        update();
        const struct graph_ref cut = graph_live_cut_node(live, ncuts + 1, 0);
        const uint64_t cut_ps = end_of(cut, ncuts, base_ps);
        ck_assert_uint_eq(cut_ps, end_of(cut, 0, 0));
        for (uint32_t r = 0; r < N; r++) // every rank computes the same
            ck_assert_uint_eq(cut_ps,
                              end_of(graph_live_cut_node(live, ncuts + 1, r),
                                     ncuts, base_ps));
        base_ps = cut_ps;
        ncuts++;
    }
    ck_assert_uint_eq(ncuts, ERAS);
}
END_TEST

START_TEST(a_question_after_a_cut_looks_at_nothing_before_it)
{
    begin(1);
    for (int i = 0; i < 1000; i++)
        kernel(0, 1, 1);
    sync(0, kernel(0, 1, 1));
    const struct graph_ref q = sync(0, kernel(0, 1, 1));
    update();
    ck_assert_uint_eq(graph_live_cut(live, q), 1);
    struct graph *const g = past(q, 1);
    ck_assert_uint_eq(g->nnodes, 2);
    graph_free(g);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("live");
    TCase *const t = tcase_create("live");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, work_that_nobody_waited_for_is_host_time_only);
    tcase_add_test(t, what_comes_after_a_question_changes_no_answer);
    tcase_add_test(t, the_past_reaches_through_queues_deps_and_matches);
    tcase_add_test(t, an_eager_sender_does_not_depend_on_its_receiver);
    tcase_add_test(t, what_an_operation_has_shown_later_is_in_its_view);
    tcase_add_test(t, a_question_reaches_the_parts_that_were_waited_for);
    tcase_add_test(t, a_part_that_is_not_recorded_yet_is_an_error);
    tcase_add_test(t, a_missing_peer_is_an_error);
    tcase_add_loop_test(t, an_operation_that_was_aborted_takes_no_time, 0, 2);
    tcase_add_loop_test(t, an_aborted_operation_leaves_nothing_under_way, 0, 2);
    tcase_add_test(t, a_segment_of_another_rank_is_not_attached);
    tcase_add_test(t, a_thread_is_where_it_last_waited_and_what_it_did_since);
    tcase_add_test(t, a_graph_is_read_beyond_what_was_mapped_first);
    tcase_add_test(t, a_barrier_with_idle_devices_is_a_cut);
    tcase_add_test(t, a_barrier_is_no_cut_while_a_rank_has_work_under_way);
    tcase_add_test(t, a_message_across_a_barrier_makes_it_no_cut);
    tcase_add_test(t, a_second_thread_makes_a_barrier_no_cut);
    tcase_add_test(t, a_barrier_is_a_cut_once_the_second_thread_is_joined);
    tcase_add_test(t, a_thread_that_begins_again_has_the_same_times_from_a_cut);
    tcase_add_test(t, joining_a_queue_joins_what_it_waited_for);
    tcase_add_test(t, a_group_is_joined_as_a_whole_by_what_follows_it);
    tcase_add_test(t, the_past_of_a_wait_has_the_whole_group);
    tcase_add_test(t, a_replay_from_a_cut_gives_the_times_of_a_whole_one);
    tcase_add_test(t, a_question_after_a_cut_looks_at_nothing_before_it);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
