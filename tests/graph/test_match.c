/*
 * Modelled times of operations of several ranks: collectives, messages, MPI;
 * and graphs that can't be replayed.
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

enum { BYTES = 400000000 };

static struct graph_ref copy(int rank, int queue, int from, int to)
{
    return SYNTHETIC(&run.s, rank, .node = {.kind = GRAPH_COPY, .queue = queue},
                     .moves = {{from, to, BYTES}});
}

/* ---- matches ------------------------------------------------------------- */

static struct graph_ref coll(uint32_t rank, uint32_t n, uint64_t host_ps)
{
    return SYNTHETIC(&run.s, rank, .name = "ncclAllReduce",
                     .node = {.kind = GRAPH_COLL,
                              .queue = 1,
                              .place = (int32_t)rank,
                              .host_ps = host_ps,
                              .op = TOPO_OP_ALLREDUCE,
                              .match = 77,
                              .match_kind = GRAPH_MATCH_ALL,
                              .match_size = n,
                              .match_rank = rank,
                              .bytes = 16 << 20});
}

/* The same, of a communicator that fixes its CTAs. */
static struct graph_ref fixed_coll(uint32_t rank, uint32_t n, int ctas)
{
    return SYNTHETIC(&run.s, rank, .name = "ncclAllReduce",
                     .node = {.kind = GRAPH_COLL,
                              .flags = GRAPH_CTAS(ctas),
                              .queue = 1,
                              .place = (int32_t)rank,
                              .op = TOPO_OP_ALLREDUCE,
                              .match = 77,
                              .match_kind = GRAPH_MATCH_ALL,
                              .match_size = n,
                              .match_rank = rank,
                              .bytes = 16 << 20});
}

START_TEST(a_collective_waits_for_the_last_rank)
{
    enum { N = 4 };
    begin(N);
    struct graph_ref c[N];
    for (uint32_t i = 0; i < N; i++)
        c[i] = coll(i, N, (1 + i) * US);
    replayed_run(&run, NULL);
    struct topo_coll cost;
    char err[200];
    const int32_t place[N] = {0, 1, 2, 3};
    ck_assert_int_eq(topo_collective(run.topo, TOPO_OP_ALLREDUCE, place, N,
                                     16 << 20, -1, -1, &cost, err, sizeof err),
                     0);
    for (uint32_t i = 0; i < N; i++) {
        ck_assert_uint_eq(at(c[i]).ready_ps, (1 + i) * US);
        ck_assert_uint_eq(at(c[i]).start_ps, N * US);
        ck_near(at(c[i]).end_ps, N * US + cost.time_ps, cost.time_ps / 1000000);
    }
    topo_coll_release(&cost);
}
END_TEST

static struct graph_ref half(uint32_t rank, enum graph_kind kind, uint32_t peer,
                             uint64_t key, uint32_t group, uint64_t nbytes)
{
    return SYNTHETIC(&run.s, rank, .name = "ncclSend",
                     .node = {.kind = kind,
                              .queue = 1,
                              .place = (int32_t)rank,
                              .peer_place = (int32_t)peer,
                              .op = TOPO_OP_SENDRECV,
                              .match = key,
                              .match_kind = GRAPH_MATCH_PAIR,
                              .match_size = 2,
                              .match_rank = kind == GRAPH_RECV,
                              .bytes = nbytes,
                              .group = group});
}

/* A send alone is as fast as the machine's calibration says, and saturates
 * no resource: the result names the one nearest to saturation. */
START_TEST(a_send_alone_is_bound_by_the_slowest_part_of_its_way)
{
    begin(2);
    const struct graph_ref a = half(0, GRAPH_SEND, 1, 5, 0, BYTES);
    half(1, GRAPH_RECV, 0, 5, 0, BYTES);
    replayed_run(&run, NULL);
    struct topo_coll cost;
    char err[200];
    ck_assert_int_eq(
        topo_message(run.topo, 0, 1, BYTES, &cost, err, sizeof err), 0);
    int slowest = 0;
    double sec[TOPO_MAX_PATH];
    for (int i = 0; i < cost.nloads; i++) {
        sec[i] = cost.loads[i].work /
                 topo_resource(run.topo, cost.loads[i].resource)->rate;
        if (sec[i] > sec[slowest])
            slowest = i;
    }
    ck_assert_int_ne(slowest, 0);
    ck_assert_double_lt(sec[slowest], (double)cost.time_ps * 1e-12);
    ck_assert_int_eq(at(a).bound, cost.loads[slowest].resource);
    topo_coll_release(&cost);
}
END_TEST

START_TEST(a_running_collective_takes_its_share_of_compute)
{
    begin(2);
    const double flops =
        topo_resource(run.topo, topo_compute(run.topo, 0, TOPO_FP32))->rate;
    const double share = topo_costs(run.topo)->nccl_sm_share;
    const struct graph_ref c = coll(0, 2, 0);
    coll(1, 2, 0);
    const struct graph_ref k = SYNTHETIC(
        &run.s, 0,
        .node = {.kind = GRAPH_KERNEL, .queue = 2, .flops = 1e-2 * flops});
    replayed_run(&run, NULL);
    const double during = at(c).end_ps * 1e-12;
    const double end = during + 1e-2 - during * (1 - share);
    ck_near(at(k).end_ps, (uint64_t)(end * 1e12), 10000);
}
END_TEST

/* Six CTAs take six multiprocessors from the products, and carry six times
 * what one channel can. */
START_TEST(fixed_ctas_take_their_multiprocessors)
{
    enum { CTAS = 6 };
    begin(2);
    const double flops =
        topo_resource(run.topo, topo_compute(run.topo, 0, TOPO_FP32))->rate;
    const struct topo_gpu *const gpu = topo_gpu(run.topo, 0);
    const double share = (double)CTAS / gpu->nsm;
    const struct graph_ref c = fixed_coll(0, 2, CTAS);
    fixed_coll(1, 2, CTAS);
    const struct graph_ref k = SYNTHETIC(
        &run.s, 0,
        .node = {.kind = GRAPH_KERNEL, .queue = 2, .flops = 1e-2 * flops});
    replayed_run(&run, NULL);

    struct topo_coll cost;
    char err[200];
    const int32_t place[2] = {0, 1};
    ck_assert_int_eq(topo_collective(run.topo, TOPO_OP_ALLREDUCE, place, 2,
                                     16 << 20, -1, -1, &cost, err, sizeof err),
                     0);
    const double channel = 18e9;   // a Hopper's: see common/topo/arch.c
    const double bytes = 16 << 20; // an all-reduce over two sends each once
    const double sec =
        bytes / (CTAS * channel) + (double)cost.latency_ps * 1e-12;
    ck_assert_double_gt(sec, (double)cost.time_ps * 1e-12);
    ck_near(at(c).end_ps, (uint64_t)(sec * 1e12), 10);
    const double end = sec + 1e-2 - sec * (1 - share);
    ck_near(at(k).end_ps, (uint64_t)(end * 1e12), 10000);
    topo_coll_release(&cost);
}
END_TEST

/* More CTAs than channels are no faster, and leave less to products. */
START_TEST(more_ctas_than_channels_only_take_more)
{
    uint64_t coll_ps[2], kernel_ps[2];
    const int most[2] = {32, GRAPH_MAX_CTAS};
    for (int i = 0; i < 2; i++) {
        begin(2);
        const double flops =
            topo_resource(run.topo, topo_compute(run.topo, 0, TOPO_FP32))->rate;
        const struct graph_ref c = fixed_coll(0, 2, most[i]);
        fixed_coll(1, 2, most[i]);
        const struct graph_ref k = SYNTHETIC(
            &run.s, 0,
            .node = {.kind = GRAPH_KERNEL, .queue = 2, .flops = 1e-2 * flops});
        replayed_run(&run, NULL);
        coll_ps[i] = at(c).end_ps;
        kernel_ps[i] = at(k).end_ps;
        const double taken =
            (double)coll_ps[i] * most[i] / topo_gpu(run.topo, 0)->nsm;
        ck_near(kernel_ps[i], (uint64_t)(1e10 + taken), 10000);
        replayed_release(&run);
    }
    ck_assert_uint_eq(coll_ps[0], coll_ps[1]);
    ck_assert_uint_lt(kernel_ps[0], kernel_ps[1]);
    begin(1); // for teardown()
}
END_TEST

START_TEST(a_send_and_its_receive_end_together)
{
    begin(2);
    const struct graph_ref a = half(0, GRAPH_SEND, 1, 5, 0, BYTES);
    SYNTHETIC(&run.s, 1, .node = {.kind = GRAPH_HOST, .host_ps = 50 * US});
    const struct graph_ref b = half(1, GRAPH_RECV, 0, 5, 0, BYTES);
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(a).start_ps, 50 * US);
    ck_assert_uint_eq(at(a).end_ps, at(b).end_ps);
    const struct topo_path p = replayed_way(&run, 0, 1);
    ck_assert_uint_ge(at(a).end_ps,
                      50 * US + replayed_bytes_ps(&run, BYTES, &p));
}
END_TEST

START_TEST(an_exchange_in_one_group_runs_both_ways_at_once)
{
    begin(2);
    const struct graph_ref a = half(0, GRAPH_SEND, 1, 5, 1, BYTES);
    const struct graph_ref b = half(0, GRAPH_RECV, 1, 6, 1, BYTES);
    half(1, GRAPH_SEND, 0, 6, 1, BYTES);
    half(1, GRAPH_RECV, 0, 5, 1, BYTES);
    const struct graph_ref next =
        SYNTHETIC(&run.s, 0,
                  .node = {.kind = GRAPH_KERNEL, .queue = 1, .latency_ps = US});
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(a).end_ps, at(b).end_ps);
    ck_assert_uint_eq(at(next).ready_ps, at(a).end_ps);
}
END_TEST

START_TEST(an_exchange_without_a_group_never_ends_and_says_so)
{
    begin(2);
    half(0, GRAPH_SEND, 1, 5, 0, BYTES);
    half(0, GRAPH_RECV, 1, 6, 0, BYTES);
    half(1, GRAPH_SEND, 0, 6, 0, BYTES);
    half(1, GRAPH_RECV, 0, 5, 0, BYTES);
    char *const err = replayed_error(&run);
    ck_assert_msg(strstr(err, "rank 0: operation 1 (ncclSend") != NULL, "%s",
                  err);
    ck_assert_msg(strstr(err, "4 of 4") != NULL, "%s", err);
    free(err);
}
END_TEST

/* ---- MPI ----------------------------------------------------------------- */

static struct graph_ref mpi(uint32_t rank, enum topo_op op,
                            enum graph_match kind, uint32_t size, uint64_t key,
                            uint64_t nbytes)
{
    return SYNTHETIC(&run.s, rank, .name = "MPI",
                     .node = {.kind = GRAPH_MPI,
                              .place = TOPO_HOST_PLACE(0),
                              .host_ps = US,
                              .op = op,
                              .match = key,
                              .match_kind = kind,
                              .match_size = size,
                              .match_rank = rank,
                              .bytes = nbytes});
}

START_TEST(a_barrier_takes_log2_steps_after_the_last_rank)
{
    enum { N = 5 };
    begin(N);
    struct graph_ref b[N];
    for (uint32_t i = 0; i < N; i++) {
        SYNTHETIC(&run.s, i, .node = {.kind = GRAPH_HOST, .host_ps = i * US});
        b[i] = mpi(i, TOPO_OP_BARRIER, GRAPH_MATCH_ALL, N, 9, 0);
    }
    replayed_run(&run, NULL);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(at(b[i]).end_ps,
                          N * US + 3 * topo_costs(run.topo)->mpi_ps);
}
END_TEST

START_TEST(an_all_reduce_takes_the_most_bytes_and_latency_of_any_rank)
{
    enum { N = 3 };
    static const uint64_t nbytes[N] = {1000, 90000, 2000};
    const uint32_t slow = (uint32_t)_i;
    struct graph_ref a[N];
    begin(N);
    for (uint32_t i = 0; i < N; i++)
        a[i] = SYNTHETIC(&run.s, i,
                         .node = {.kind = GRAPH_MPI,
                                  .place = TOPO_HOST_PLACE(0),
                                  .op = TOPO_OP_ALLREDUCE,
                                  .latency_ps = i == slow ? 7 * US : US,
                                  .match = 9,
                                  .match_kind = GRAPH_MATCH_ALL,
                                  .match_size = N,
                                  .match_rank = i,
                                  .bytes = nbytes[(i + slow) % N]});
    replayed_run(&run, NULL);
    const uint64_t step =
        topo_costs(run.topo)->mpi_ps +
        (uint64_t)(9e4 / topo_costs(run.topo)->mpi_rate * 1e12 + 0.5);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(at(a[i]).end_ps, 2 * step + 7 * US);
}
END_TEST

START_TEST(an_eager_message_does_not_hold_up_its_sender)
{
    begin(2);
    const struct graph_ref a =
        mpi(0, TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 9, 10000);
    SYNTHETIC(&run.s, 1, .node = {.kind = GRAPH_HOST, .host_ps = 500 * US});
    const struct graph_ref b =
        mpi(1, TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 9, 10000);
    const struct graph_ref c =
        mpi(1, TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 10, 10000);
    SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 900 * US});
    const struct graph_ref late =
        mpi(0, TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 10, 10000);
    replayed_run(&run, NULL);
    const uint64_t flight =
        topo_costs(run.topo)->mpi_ps +
        (uint64_t)(1e4 / topo_costs(run.topo)->mpi_rate * 1e12 + 0.5);
    ck_assert_uint_eq(at(a).end_ps, US);
    ck_assert_uint_eq(at(b).end_ps, 501 * US); // it had arrived long before
    ck_assert_uint_eq(at(late).end_ps, 902 * US);
    ck_assert_uint_eq(at(c).end_ps, 902 * US + flight);
}
END_TEST

START_TEST(a_sender_that_waits_stays_while_its_bytes_are_sent)
{
    begin(2);
    const struct graph_ref a =
        mpi(0, TOPO_OP_SENDRECV, GRAPH_MATCH_PAIR, 2, 9, 100000);
    // The receiver's buffer is larger; the bytes sent count.
    const struct graph_ref b =
        mpi(1, TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 9, 900000);
    replayed_run(&run, NULL);
    const uint64_t flight =
        topo_costs(run.topo)->mpi_ps +
        (uint64_t)(1e5 / topo_costs(run.topo)->mpi_rate * 1e12 + 0.5);
    ck_assert_uint_eq(at(a).end_ps, US + flight);
    ck_assert_uint_eq(at(b).end_ps, US + flight);
}
END_TEST

START_TEST(a_broadcast_waits_for_its_root_and_no_other)
{
    begin(3);
    const struct graph_ref early =
        mpi(1, TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, 3, 9, 0);
    SYNTHETIC(&run.s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 100 * US});
    const struct graph_ref root =
        mpi(0, TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, 3, 9, 0);
    SYNTHETIC(&run.s, 2, .node = {.kind = GRAPH_HOST, .host_ps = 300 * US});
    const struct graph_ref late =
        mpi(2, TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, 3, 9, 0);
    replayed_run(&run, NULL);
    const uint64_t steps = 2 * topo_costs(run.topo)->mpi_ps;
    ck_assert_uint_eq(at(root).end_ps, 101 * US + steps);
    ck_assert_uint_eq(at(early).end_ps, 101 * US + steps);
    ck_assert_uint_eq(at(late).end_ps, 301 * US);
}
END_TEST

START_TEST(a_reduction_holds_up_its_root_only)
{
    begin(3);
    const struct graph_ref root =
        mpi(0, TOPO_OP_REDUCE, GRAPH_MATCH_TO_ROOT, 3, 9, 0);
    const struct graph_ref early =
        mpi(1, TOPO_OP_REDUCE, GRAPH_MATCH_TO_ROOT, 3, 9, 0);
    SYNTHETIC(&run.s, 2, .node = {.kind = GRAPH_HOST, .host_ps = 300 * US});
    mpi(2, TOPO_OP_REDUCE, GRAPH_MATCH_TO_ROOT, 3, 9, 0);
    replayed_run(&run, NULL);
    const uint64_t steps = 2 * topo_costs(run.topo)->mpi_ps;
    ck_assert_uint_eq(at(early).end_ps, US + steps);
    ck_assert_uint_eq(at(root).end_ps, 301 * US + steps);
}
END_TEST

/* A rank that calls while the data is on its way gets it when it arrives. */
START_TEST(a_broadcast_reaches_a_rank_that_calls_after_the_root)
{
    begin(3);
    const uint64_t steps = 2 * topo_costs(run.topo)->mpi_ps;
    mpi(0, TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, 3, 9, 0);
    SYNTHETIC(&run.s, 1, .node = {.kind = GRAPH_HOST, .host_ps = steps / 2});
    const struct graph_ref during =
        mpi(1, TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, 3, 9, 0);
    SYNTHETIC(&run.s, 2, .node = {.kind = GRAPH_HOST, .host_ps = 2 * steps});
    const struct graph_ref later =
        mpi(2, TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, 3, 9, 0);
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(during).end_ps, US + steps);
    ck_assert_uint_eq(at(later).end_ps, US + 2 * steps);
}
END_TEST

/* The last arrival ends a reduction, not the last call: rank 2, on another
 * node, calls first and its data arrives last. */
START_TEST(a_reduction_ends_with_the_last_arrival)
{
    replayed_init(&run, "2x-dgx-h100", 3);
    const uint64_t inside = 2 * topo_costs(run.topo)->mpi_ps;
    const uint64_t across = 2 * topo_costs(run.topo)->mpi_net_ps;
    ck_assert_uint_gt(across, inside + 1000);
    struct graph_ref r[3];
    for (uint32_t i = 0; i < 3; i++)
        r[i] = SYNTHETIC(&run.s, i,
                         .node = {.kind = GRAPH_MPI,
                                  .place = TOPO_HOST_PLACE(i == 2),
                                  .host_ps = i == 2 ? US : US + 1000,
                                  .op = TOPO_OP_REDUCE,
                                  .match = 9,
                                  .match_kind = GRAPH_MATCH_TO_ROOT,
                                  .match_size = 3,
                                  .match_rank = i});
    replayed_run(&run, NULL);
    ck_assert_uint_eq(at(r[1]).end_ps, US + 1000 + inside);
    ck_assert_uint_eq(at(r[2]).end_ps, US + across);
    ck_assert_uint_eq(at(r[0]).end_ps, US + across);
}
END_TEST

/* ---- what can be wrong --------------------------------------------------- */

START_TEST(a_match_without_a_rank_is_named)
{
    begin(3);
    coll(0, 3, 0);
    coll(2, 3, 0);
    char *const err = replayed_error(&run);
    ck_assert_msg(strstr(err, "rank 0: operation 1 (ncclAllReduce") &&
                      strstr(err, "2 of 3"),
                  "%s", err);
    free(err);
}
END_TEST

START_TEST(a_place_that_the_machine_lacks_is_named)
{
    begin(1);
    copy(0, 1, 0, 1000);
    char *const err = replayed_error(&run);
    ck_assert_msg(strstr(err, "place 0 to place 1000") != NULL, "%s", err);
    free(err);
}
END_TEST

START_TEST(a_device_that_the_machine_lacks_is_named)
{
    begin(1);
    SYNTHETIC(
        &run.s, 0,
        .node = {.kind = GRAPH_KERNEL, .queue = 1, .place = 99, .flops = 1});
    char *const err = replayed_error(&run);
    ck_assert_msg(strstr(err, "no device 99") != NULL, "%s", err);
    free(err);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("match");
    TCase *const t = tcase_create("match");
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, a_collective_waits_for_the_last_rank);
    tcase_add_test(t, a_send_alone_is_bound_by_the_slowest_part_of_its_way);
    tcase_add_test(t, a_running_collective_takes_its_share_of_compute);
    tcase_add_test(t, fixed_ctas_take_their_multiprocessors);
    tcase_add_test(t, more_ctas_than_channels_only_take_more);
    tcase_add_test(t, a_send_and_its_receive_end_together);
    tcase_add_test(t, an_exchange_in_one_group_runs_both_ways_at_once);
    tcase_add_test(t, an_exchange_without_a_group_never_ends_and_says_so);
    tcase_add_test(t, a_barrier_takes_log2_steps_after_the_last_rank);
    tcase_add_loop_test(
        t, an_all_reduce_takes_the_most_bytes_and_latency_of_any_rank, 0, 3);
    tcase_add_test(t, an_eager_message_does_not_hold_up_its_sender);
    tcase_add_test(t, a_sender_that_waits_stays_while_its_bytes_are_sent);
    tcase_add_test(t, a_broadcast_waits_for_its_root_and_no_other);
    tcase_add_test(t, a_reduction_holds_up_its_root_only);
    tcase_add_test(t, a_broadcast_reaches_a_rank_that_calls_after_the_root);
    tcase_add_test(t, a_reduction_ends_with_the_last_arrival);
    tcase_add_test(t, a_match_without_a_rank_is_named);
    tcase_add_test(t, a_place_that_the_machine_lacks_is_named);
    tcase_add_test(t, a_device_that_the_machine_lacks_is_named);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
