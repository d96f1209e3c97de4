/*
 * Modelled times of hosts, queues and work on resources, against times computed
 * by hand from the machine's own figures.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replayed.h"
#include "suite.h"

enum { US = 1000000 }; /* ps */

static struct replayed run;

static void begin(uint32_t nranks)
{
    replayed_init(&run, "dgx-h100", nranks);
}

static void teardown(void)
{
    replayed_release(&run);
}

static struct replay_time at(struct graph_ref ref)
{
    return replayed_at(&run, ref);
}

/* ---- host and queues ----------------------------------------------------- */

START_TEST(host_calls_follow_one_another)
{
    begin(1);
    SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 2 * US});
    const struct graph_ref b =
        SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 3 * US});
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(b).end_ps, 5 * US);
    ck_assert_uint_eq(replay_host_ps(run.r, 0, 0), 5 * US);
    ck_assert_uint_eq(replay_host_ps(run.r, 0, 7), 0);
}
END_TEST

START_TEST(a_queue_runs_its_operations_in_order)
{
    begin(1);
    const struct graph_ref a = SYNTHETIC(&run.s, 0,
                                         .node = {.kind = GRAPH_KERNEL,
                                                  .queue = 1,
                                                  .host_ps = US,
                                                  .latency_ps = 10 * US});
    const struct graph_ref b = SYNTHETIC(&run.s, 0,
                                         .node = {.kind = GRAPH_KERNEL,
                                                  .queue = 1,
                                                  .host_ps = US,
                                                  .latency_ps = 5 * US});
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(a).issue_ps, US);
    ck_assert_uint_eq(at(a).end_ps, 11 * US);
    ck_assert_uint_eq(at(b).issue_ps, 2 * US);
    ck_assert_uint_eq(at(b).ready_ps, 11 * US);
    ck_assert_uint_eq(at(b).end_ps, 16 * US);
    ck_assert_uint_eq(replay_host_ps(run.r, 0, 0), 2 * US);
}
END_TEST

START_TEST(an_operation_waits_for_its_deps_in_other_queues)
{
    begin(1);
    const struct graph_ref a = SYNTHETIC(
        &run.s, 0,
        .node = {.kind = GRAPH_KERNEL, .queue = 1, .latency_ps = 10 * US});
    const struct graph_ref mark =
        SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_MARK, .queue = 1});
    const struct graph_ref b = SYNTHETIC(
        &run.s, 0, .node = {.kind = GRAPH_KERNEL, .queue = 2, .latency_ps = US},
        .deps = {mark});
    const struct graph_ref c =
        SYNTHETIC(&run.s, 0,
                  .node = {.kind = GRAPH_KERNEL, .queue = 3, .latency_ps = US});
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(mark).end_ps, at(a).end_ps);
    ck_assert_uint_eq(at(b).end_ps, 11 * US);
    ck_assert_uint_eq(at(c).end_ps, US);
}
END_TEST

START_TEST(a_synchronisation_ends_after_what_it_waits_for)
{
    begin(1);
    const struct graph_ref a = SYNTHETIC(
        &run.s, 0,
        .node = {.kind = GRAPH_KERNEL, .queue = 1, .latency_ps = 10 * US});
    const struct graph_ref sync = SYNTHETIC(
        &run.s, 0,
        .node = {.kind = GRAPH_HOST, .host_ps = US, .latency_ps = 3 * US},
        .deps = {a});
    const struct graph_ref next = SYNTHETIC(&run.s, 0,
                                            .node = {.kind = GRAPH_COPY,
                                                     .queue = 1,
                                                     .host_ps = US,
                                                     .latency_ps = 4 * US,
                                                     .flags = GRAPH_JOIN});
    SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST, .host_ps = US});
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(sync).end_ps, 13 * US);
    ck_assert_uint_eq(at(next).issue_ps, 14 * US);
    ck_assert_uint_eq(at(next).end_ps, 18 * US);
    ck_assert_uint_eq(replay_host_ps(run.r, 0, 0), 19 * US);
}
END_TEST

START_TEST(a_wait_for_a_group_ends_with_its_slowest)
{
    begin(1);
    struct graph_ref last = {0};
    for (int us = 30; us > 0; us -= 10)
        last = SYNTHETIC(&run.s, 0,
                         .node = {.kind = GRAPH_KERNEL,
                                  .queue = 1,
                                  .group = 1,
                                  .latency_ps = (uint64_t)us * US});
    const struct graph_ref sync =
        SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST}, .deps = {last});
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(last).end_ps, 10 * US);
    ck_assert_uint_eq(at(sync).end_ps, 30 * US);
}
END_TEST

/* Two kernels that synchronise halfway, as by exchanging flags:
 *     rank 0  [latency 1][part 0: 3]   [part 1: 2]
 *     rank 1  [latency 4         ][p0:1][part 1: 2]
 */
START_TEST(kernels_that_meet_while_they_run_go_on_together)
{
    begin(2);
    const double rate =
        topo_resource(run.topo, topo_compute(run.topo, 0, TOPO_FP32))->rate;
    const double us[2][3] = {{1, 3, 2}, {4, 1, 2}}; // latency, parts
    struct graph_ref k[2], mark[2];
    for (uint32_t r = 0; r < 2; r++) {
        k[r] = SYNTHETIC(&run.s, r,
                         .node = {.kind = GRAPH_KERNEL,
                                  .queue = 1,
                                  .place = (int32_t)r,
                                  .latency_ps = (uint64_t)(us[r][0] * US),
                                  .flops = us[r][1] * 1e-6 * rate});
        mark[r] = SYNTHETIC(
            &run.s, r,
            .node = {.kind = GRAPH_MARK, .queue = 2, .place = (int32_t)r},
            .deps = {k[r]});
    }
    for (uint32_t r = 0; r < 2; r++) {
        graph_part(run.s.rank[r], k[r].index,
                   &(struct graph_point){1 - r, k[1 - r].index, 0}, 1, 0);
        graph_amend(run.s.rank[r], k[r].index, us[r][2] * 1e-6 * rate, NULL, 0,
                    NULL, 0);
    }
    replayed_run(&run, NULL);
    ck_assert_uint_eq(run.g->nnodes, 6);
    for (uint32_t r = 0; r < 2; r++) {
        ck_near(at(k[r]).start_ps, 5 * (uint64_t)US, 1000);
        ck_near(at(k[r]).end_ps, 7 * (uint64_t)US, 1000);
        ck_near(at(mark[r]).end_ps, 7 * (uint64_t)US, 1000); // the whole kernel
    }
}
END_TEST

START_TEST(a_thread_begins_where_its_creator_is)
{
    begin(1);
    SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 5 * US});
    const struct graph_ref child = SYNTHETIC(
        &run.s, 0, .node = {.kind = GRAPH_HOST, .thread = 1, .host_ps = US});
    const struct graph_ref parent =
        SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 2 * US});
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(child).end_ps, 6 * US);
    ck_assert_uint_eq(at(parent).end_ps, 7 * US);
}
END_TEST

START_TEST(a_thread_begins_again_where_it_is_told)
{
    begin(1);
    SYNTHETIC(&run.s, 0,
              .node = {.kind = GRAPH_HOST, .thread = 1, .host_ps = US});
    const struct graph_ref mark = SYNTHETIC(
        &run.s, 0, .node = {.kind = GRAPH_MARK, .queue = 1, .host_ps = 5 * US});
    const struct graph_ref parent =
        SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 9 * US});
    const struct graph_ref again = SYNTHETIC(
        &run.s, 0,
        .node = {.kind = GRAPH_HOST, .thread = 1, .flags = GRAPH_AGAIN},
        .deps = {mark});
    const struct graph_ref next =
        SYNTHETIC(&run.s, 0,
                  .node = {.kind = GRAPH_HOST, .thread = 1, .host_ps = 2 * US});
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(again).end_ps, at(mark).end_ps);
    ck_assert_uint_eq(at(next).end_ps, 7 * US);
    ck_assert_uint_eq(at(parent).end_ps, 14 * US);
}
END_TEST

/* A kernel of 10 us that touches 10 bytes from `begin` on. */
static struct graph_ref touching(uint32_t thread, uint64_t begin, uint32_t how)
{
    return SYNTHETIC(&run.s, 0,
                     .node = {.kind = GRAPH_KERNEL,
                              .thread = thread,
                              .queue = 1 + thread,
                              .latency_ps = 10 * US},
                     .accesses = {{7, begin, begin + 10, how, 0}});
}

static const struct {
    int is_joined, event; /* thread 0 waits for its kernel; so does 1's queue */
    uint64_t begin;       /* of what thread 1 reads */
    size_t npairs;
    uint64_t end_us;
} handed_over[] = {
    {1, 0, 0, 1, 20},  // by threads alone
    {1, 0, 10, 0, 10}, // other bytes
    {0, 0, 0, 0, 10},  // a race
    {1, 1, 0, 0, 20},  // by an event
};

START_TEST(what_threads_hand_over_is_in_order)
{
    begin(1);
    SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST, .thread = 1}); // sleeps
    const struct graph_ref first = touching(0, 0, GRAPH_WRITE);
    if (handed_over[_i].is_joined)
        SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST}, .deps = {first});
    if (handed_over[_i].event)
        SYNTHETIC(&run.s, 0,
                  .node = {.kind = GRAPH_MARK, .thread = 1, .queue = 2},
                  .deps = {first});
    const struct graph_ref second =
        touching(1, handed_over[_i].begin, GRAPH_READ);
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(second).end_ps, handed_over[_i].end_us * US);
    ck_assert_uint_eq(run.g->napart, handed_over[_i].npairs);
}
END_TEST

START_TEST(a_base_shifts_every_time_by_as_much)
{
    begin(2);
    struct graph_ref copy[2];
    for (int i = 0; i < 2; i++)
        copy[i] = SYNTHETIC(
            &run.s, i,
            .node = {.kind = GRAPH_COPY, .queue = 1, .host_ps = (1 + i) * US},
            .moves = {{0, 1, 123456789}});
    replayed_run(&run, NULL);
    const uint64_t end[2] = {at(copy[0]).end_ps, at(copy[1]).end_ps};
    const uint64_t base = 987654321987654321;
    replayed_run(&run, &(struct replay_options){.base_ps = base});
    for (int i = 0; i < 2; i++)
        ck_assert_uint_eq(at(copy[i]).end_ps, base + end[i]);
}
END_TEST

/* ---- work on resources --------------------------------------------------- */

enum { BYTES = 400000000 };

static struct graph_ref copy(int rank, int queue, int from, int to)
{
    return SYNTHETIC(&run.s, rank, .node = {.kind = GRAPH_COPY, .queue = queue},
                     .moves = {{from, to, BYTES}});
}

START_TEST(a_copy_takes_latency_and_bytes_by_rate)
{
    begin(1);
    const struct graph_ref c = copy(0, 1, 0, 1);
    replayed_run(&run, NULL);
    const struct topo_path p = replayed_way(&run, 0, 1);
    ck_assert_uint_eq(at(c).end_ps,
                      p.latency_ps + replayed_bytes_ps(&run, BYTES, &p));
    ck_assert_int_ge(at(c).bound, 0);
}
END_TEST

START_TEST(two_copies_over_one_link_take_twice_as_long)
{
    begin(1);
    const struct graph_ref a = copy(0, 1, 0, 1), b = copy(0, 2, 0, 1);
    replayed_run(&run, NULL);
    const struct topo_path p = replayed_way(&run, 0, 1);
    double rate = INFINITY; // of the link; a single copy may be slower
    for (int i = 0; i < p.nresources; i++)
        rate = fmin(rate, topo_resource(run.topo, p.resource[i])->rate);
    const double each = p.rate_cap > 0 ? fmin(p.rate_cap, rate / 2) : rate / 2;
    const uint64_t end = p.latency_ps + (uint64_t)(BYTES / each * 1e12 + 0.5);
    ck_near(at(a).end_ps, end, 1);
    ck_assert_uint_eq(at(a).end_ps, at(b).end_ps);
}
END_TEST

START_TEST(both_directions_of_a_link_hardly_share)
{
    begin(1);
    const struct graph_ref a = copy(0, 1, 0, 1), b = copy(0, 2, 1, 0);
    replayed_run(&run, NULL);
    // Machines lose up to a few percent when both directions are busy.
    const struct topo_path p = replayed_way(&run, 0, 1);
    const uint64_t alone = p.latency_ps + replayed_bytes_ps(&run, BYTES, &p);
    ck_assert_uint_ge(at(a).end_ps, alone);
    ck_assert_uint_le(at(a).end_ps, alone + alone / 20);
    ck_assert_uint_le(at(b).end_ps, alone + alone / 20);
}
END_TEST

START_TEST(a_copy_speeds_up_when_the_other_has_ended)
{
    begin(1);
    const struct graph_ref a = copy(0, 1, 0, 1);
    const struct graph_ref b =
        SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_COPY, .queue = 2},
                  .moves = {{0, 1, 2 * (uint64_t)BYTES}});
    replayed_run(&run, NULL);
    const struct topo_path p = replayed_way(&run, 0, 1);
    if (p.rate_cap > 0)
        return; // a single copy doesn't reach the link's rate
    ck_near(at(a).end_ps,
            p.latency_ps + replayed_bytes_ps(&run, 2.0 * BYTES, &p), 1);
    ck_near(at(b).end_ps,
            p.latency_ps + replayed_bytes_ps(&run, 3.0 * BYTES, &p), 1);
}
END_TEST

START_TEST(a_kernel_takes_the_longer_of_compute_and_memory)
{
    begin(1);
    const double flops =
        topo_resource(run.topo, topo_compute(run.topo, 0, TOPO_FP32))->rate;
    const double bytes =
        topo_resource(run.topo, topo_memory(run.topo, 0))->rate;
    const struct {
        double flops_sec, bytes_sec; // alone
    } table[] = {{1e-3, 2e-3}, {2e-3, 1e-3}, {1e-3, 0}, {0, 1e-3}};
    struct graph_ref k[4];
    for (int i = 0; i < 4; i++)
        k[i] = SYNTHETIC(
            &run.s, 0,
            .node = {.kind = GRAPH_KERNEL,
                     .queue = 1,
                     .latency_ps = US,
                     .flops = table[i].flops_sec * flops},
            .moves = {{0, 0, (uint64_t)(table[i].bytes_sec * bytes)}});
    replayed_run(&run, NULL);
    for (int i = 0; i < 4; i++)
        ck_near(at(k[i]).end_ps - at(k[i]).start_ps,
                US + (uint64_t)(1e12 *
                                fmax(table[i].flops_sec, table[i].bytes_sec)),
                1000);
    ck_assert_int_eq(at(k[0]).bound, topo_memory(run.topo, 0));
    ck_assert_int_eq(at(k[1]).bound, topo_compute(run.topo, 0, TOPO_FP32));
}
END_TEST

START_TEST(two_kernels_on_one_device_share_its_compute_by_halves)
{
    begin(1);
    const double flops =
        topo_resource(run.topo, topo_compute(run.topo, 0, TOPO_FP32))->rate;
    struct graph_ref k[2];
    for (int i = 0; i < 2; i++) // the second also moves some bytes
        k[i] = SYNTHETIC(&run.s, 0,
                         .node = {.kind = GRAPH_KERNEL,
                                  .queue = 1 + i,
                                  .flops = 1e-3 * flops},
                         .moves = {{0, 0, 1000000ul * i}});
    replayed_run(&run, NULL);
    ck_near(at(k[0]).end_ps, 2000000000, 1000);
    ck_near(at(k[1]).end_ps, 2000000000, 1000);
}
END_TEST

START_TEST(puzzler_1_copies_take_what_was_measured)
{
    // 400 MB from GPU 0 to 1, 2 and 4 at once, on a hybrid cube mesh.
    static const struct {
        int to;
        double ms;
    } copies[] = {{1, 4.3}, {2, 53.3}, {4, 8.5}};
    replayed_init(&run, "a100-cubemesh", 1);
    struct graph_ref c[3];
    for (int i = 0; i < 3; i++)
        c[i] = copy(0, 1 + i, 0, copies[i].to);
    replayed_run(&run, NULL);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol((double)at(c[i]).end_ps * 1e-9, copies[i].ms,
                                0.03 * copies[i].ms);
}
END_TEST

START_TEST(times_do_not_depend_on_the_order_of_recording)
{
    // Four ranks that copy, compute and reduce; recorded rank by rank, then in
    // a shuffled order.
    enum { N = 4, STEPS = 20 };
    uint64_t end[2][N][3 * STEPS + 1];
    for (int pass = 0; pass < 2; pass++) {
        begin(N);
        int done[N] = {0};
        unsigned seed = 12345;
        for (int left = N * STEPS; left > 0; left--) {
            int rank = 0;
            while (done[rank] == STEPS)
                rank++;
            if (pass) {
                do {
                    seed = seed * 1103515245 + 12345;
                    rank = (int)(seed >> 16) % N;
                } while (done[rank] == STEPS);
            }
            const int i = done[rank]++;
            copy(rank, 2, rank, (rank + 1 + i) % N);
            SYNTHETIC(&run.s, rank,
                      .node = {.kind = GRAPH_KERNEL,
                               .queue = 3,
                               .place = rank,
                               .flops = 1e9 * (1 + i)},
                      .moves = {{rank, rank, 1000000}});
            SYNTHETIC(&run.s, rank,
                      .node = {.kind = GRAPH_COLL,
                               .queue = 1,
                               .place = rank,
                               .op = TOPO_OP_ALLREDUCE,
                               .match = 100 + i,
                               .match_kind = GRAPH_MATCH_ALL,
                               .match_size = N,
                               .match_rank = rank,
                               .bytes = 1 << 20});
        }
        replayed_run(&run, NULL);
        for (uint32_t rank = 0; rank < N; rank++)
            for (uint32_t i = 1; i <= 3 * STEPS; i++)
                end[pass][rank][i] = at((struct graph_ref){rank, i}).end_ps;
        if (pass == 0)
            replayed_release(&run);
    }
    for (uint32_t rank = 0; rank < N; rank++)
        for (uint32_t i = 1; i <= 3 * STEPS; i++)
            ck_assert_uint_eq(end[0][rank][i], end[1][rank][i]);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("replay");
    TCase *const t = tcase_create("replay");
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, host_calls_follow_one_another);
    tcase_add_test(t, a_queue_runs_its_operations_in_order);
    tcase_add_test(t, an_operation_waits_for_its_deps_in_other_queues);
    tcase_add_test(t, a_synchronisation_ends_after_what_it_waits_for);
    tcase_add_test(t, a_wait_for_a_group_ends_with_its_slowest);
    tcase_add_test(t, kernels_that_meet_while_they_run_go_on_together);
    tcase_add_test(t, a_thread_begins_where_its_creator_is);
    tcase_add_test(t, a_thread_begins_again_where_it_is_told);
    tcase_add_loop_test(t, what_threads_hand_over_is_in_order, 0,
                        sizeof handed_over / sizeof *handed_over);
    tcase_add_test(t, a_base_shifts_every_time_by_as_much);
    tcase_add_test(t, a_copy_takes_latency_and_bytes_by_rate);
    tcase_add_test(t, two_copies_over_one_link_take_twice_as_long);
    tcase_add_test(t, both_directions_of_a_link_hardly_share);
    tcase_add_test(t, a_copy_speeds_up_when_the_other_has_ended);
    tcase_add_test(t, a_kernel_takes_the_longer_of_compute_and_memory);
    tcase_add_test(t, two_kernels_on_one_device_share_its_compute_by_halves);
    tcase_add_test(t, puzzler_1_copies_take_what_was_measured);
    tcase_add_test(t, times_do_not_depend_on_the_order_of_recording);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
