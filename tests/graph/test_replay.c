/*
 * Modelled times of small graphs, against times worked out by hand from the
 * machine's own figures.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/replay.h"
#include "synthetic.h"

enum { US = 1000000 }; /* ps */

static struct topo *topo;
static struct synthetic s;
static struct graph *g;
static struct replay *r;

static void setup(void)
{
    char err[256];
    topo = topo_load("dgx-h100", err, sizeof err);
    ck_assert_msg(topo != NULL, "%s", err);
    g = NULL;
    r = NULL;
}

static void teardown(void)
{
    replay_free(r);
    graph_free(g);
    synthetic_release(&s);
    topo_free(topo);
}

static void replay_with(const struct replay_options *options)
{
    char err[512] = "";
    replay_free(r);
    graph_free(g);
    g = synthetic_load(&s);
    r = replay_run(g, topo, options, err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
}

static void replay(void)
{
    replay_with(NULL);
}

/* The message with which a replay fails. */
static const char *replay_error(void)
{
    static char err[512];
    g = synthetic_load(&s);
    r = replay_run(g, topo, NULL, err, sizeof err);
    ck_assert_ptr_null(r);
    return err;
}

static struct replay_time at(struct graph_ref ref)
{
    const struct replay_time *const t = replay_node(r, ref);
    ck_assert_ptr_nonnull(t);
    return *t;
}

/* Time of work on the slowest resource of the way, alone. */
static uint64_t bytes_ps(double nbytes, const struct topo_path *p)
{
    double rate = p->rate_cap > 0 ? p->rate_cap : INFINITY;
    for (int i = 0; i < p->nresources; i++)
        rate = fmin(rate, topo_resource(topo, p->resource[i])->rate);
    return (uint64_t)(nbytes / rate * 1e12 + 0.5);
}

static struct topo_path way(int from, int to)
{
    struct topo_path p;
    ck_assert_int_eq(topo_path(topo, from, to, topo_p2p(topo, from, to), &p),
                     0);
    return p;
}

#define ck_near(a, b, ps)                                                      \
    ck_assert_msg((a) + (ps) >= (b) && (b) + (ps) >= (a),                      \
                  #a " is %llu ps, expected %llu", (unsigned long long)(a),    \
                  (unsigned long long)(b))

/* ---- host and queues --------------------------------------------------------- */

START_TEST(host_calls_follow_one_another)
{
    synthetic_init(&s, 1);
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 2 * US});
    const struct graph_ref b =
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 3 * US});
    replay();
    ck_assert_uint_eq(at(b).end_ps, 5 * US);
    ck_assert_uint_eq(replay_host_ps(r, 0, 0), 5 * US);
    ck_assert_uint_eq(replay_host_ps(r, 0, 7), 0);
}
END_TEST

START_TEST(a_queue_runs_its_operations_in_order)
{
    synthetic_init(&s, 1);
    const struct graph_ref a = SYNTHETIC(&s, 0,
                                         .node = {.kind = GRAPH_KERNEL,
                                                  .queue = 1,
                                                  .host_ps = US,
                                                  .latency_ps = 10 * US});
    const struct graph_ref b = SYNTHETIC(&s, 0,
                                         .node = {.kind = GRAPH_KERNEL,
                                                  .queue = 1,
                                                  .host_ps = US,
                                                  .latency_ps = 5 * US});
    replay();
    ck_assert_uint_eq(at(a).issue_ps, US);
    ck_assert_uint_eq(at(a).end_ps, 11 * US);
    ck_assert_uint_eq(at(b).issue_ps, 2 * US);
    ck_assert_uint_eq(at(b).ready_ps, 11 * US);
    ck_assert_uint_eq(at(b).end_ps, 16 * US);
    ck_assert_uint_eq(replay_host_ps(r, 0, 0), 2 * US);
}
END_TEST

START_TEST(an_operation_waits_for_its_deps_in_other_queues)
{
    synthetic_init(&s, 1);
    const struct graph_ref a = SYNTHETIC(
        &s, 0,
        .node = {.kind = GRAPH_KERNEL, .queue = 1, .latency_ps = 10 * US});
    const struct graph_ref mark =
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_MARK, .queue = 1});
    const struct graph_ref b = SYNTHETIC(
        &s, 0, .node = {.kind = GRAPH_KERNEL, .queue = 2, .latency_ps = US},
        .deps = {mark});
    const struct graph_ref c = SYNTHETIC(
        &s, 0, .node = {.kind = GRAPH_KERNEL, .queue = 3, .latency_ps = US});
    replay();
    ck_assert_uint_eq(at(mark).end_ps, at(a).end_ps);
    ck_assert_uint_eq(at(b).end_ps, 11 * US);
    ck_assert_uint_eq(at(c).end_ps, US);
}
END_TEST

START_TEST(a_synchronisation_ends_after_what_it_waits_for)
{
    synthetic_init(&s, 1);
    const struct graph_ref a = SYNTHETIC(
        &s, 0,
        .node = {.kind = GRAPH_KERNEL, .queue = 1, .latency_ps = 10 * US});
    const struct graph_ref sync = SYNTHETIC(
        &s, 0,
        .node = {.kind = GRAPH_HOST, .host_ps = US, .latency_ps = 3 * US},
        .deps = {a});
    const struct graph_ref next = SYNTHETIC(&s, 0,
                                            .node = {.kind = GRAPH_COPY,
                                                     .queue = 1,
                                                     .host_ps = US,
                                                     .latency_ps = 4 * US,
                                                     .flags = GRAPH_JOIN});
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST, .host_ps = US});
    replay();
    ck_assert_uint_eq(at(sync).end_ps, 13 * US);
    ck_assert_uint_eq(at(next).issue_ps, 14 * US);
    ck_assert_uint_eq(at(next).end_ps, 18 * US);
    ck_assert_uint_eq(replay_host_ps(r, 0, 0), 19 * US);
}
END_TEST

START_TEST(a_thread_begins_where_its_creator_is)
{
    synthetic_init(&s, 1);
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 5 * US});
    const struct graph_ref child = SYNTHETIC(
        &s, 0, .node = {.kind = GRAPH_HOST, .thread = 1, .host_ps = US});
    const struct graph_ref parent =
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 2 * US});
    replay();
    ck_assert_uint_eq(at(child).end_ps, 6 * US);
    ck_assert_uint_eq(at(parent).end_ps, 7 * US);
}
END_TEST

START_TEST(a_base_shifts_every_time_by_as_much)
{
    synthetic_init(&s, 2);
    struct graph_ref copy[2];
    for (int i = 0; i < 2; i++)
        copy[i] = SYNTHETIC(
            &s, i,
            .node = {.kind = GRAPH_COPY, .queue = 1, .host_ps = (1 + i) * US},
            .moves = {{0, 1, 123456789}});
    replay();
    const uint64_t end[2] = {at(copy[0]).end_ps, at(copy[1]).end_ps};
    const uint64_t base = 987654321987654321;
    replay_with(&(struct replay_options){.base_ps = base});
    for (int i = 0; i < 2; i++)
        ck_assert_uint_eq(at(copy[i]).end_ps, base + end[i]);
}
END_TEST

/* ---- work on resources ------------------------------------------------------- */

enum { BYTES = 400000000 };

static struct graph_ref copy(int rank, int queue, int from, int to)
{
    return SYNTHETIC(&s, rank, .node = {.kind = GRAPH_COPY, .queue = queue},
                     .moves = {{from, to, BYTES}});
}

START_TEST(a_copy_takes_latency_and_bytes_by_rate)
{
    synthetic_init(&s, 1);
    const struct graph_ref c = copy(0, 1, 0, 1);
    replay();
    const struct topo_path p = way(0, 1);
    ck_assert_uint_eq(at(c).end_ps, p.latency_ps + bytes_ps(BYTES, &p));
    ck_assert_int_ge(at(c).bound, 0);
}
END_TEST

START_TEST(two_copies_over_one_link_take_twice_as_long)
{
    synthetic_init(&s, 1);
    const struct graph_ref a = copy(0, 1, 0, 1), b = copy(0, 2, 0, 1);
    replay();
    const struct topo_path p = way(0, 1);
    double rate = INFINITY; // of the link, whatever one copy can reach alone
    for (int i = 0; i < p.nresources; i++)
        rate = fmin(rate, topo_resource(topo, p.resource[i])->rate);
    const double each = p.rate_cap > 0 ? fmin(p.rate_cap, rate / 2) : rate / 2;
    const uint64_t end = p.latency_ps + (uint64_t)(BYTES / each * 1e12 + 0.5);
    ck_near(at(a).end_ps, end, 1);
    ck_assert_uint_eq(at(a).end_ps, at(b).end_ps);
}
END_TEST

START_TEST(both_directions_of_a_link_hardly_share)
{
    synthetic_init(&s, 1);
    const struct graph_ref a = copy(0, 1, 0, 1), b = copy(0, 2, 1, 0);
    replay();
    // Machines lose up to some percent when both ways are busy.
    const struct topo_path p = way(0, 1);
    const uint64_t alone = p.latency_ps + bytes_ps(BYTES, &p);
    ck_assert_uint_ge(at(a).end_ps, alone);
    ck_assert_uint_le(at(a).end_ps, alone + alone / 20);
    ck_assert_uint_le(at(b).end_ps, alone + alone / 20);
}
END_TEST

START_TEST(a_copy_speeds_up_when_the_other_has_ended)
{
    synthetic_init(&s, 1);
    const struct graph_ref a = copy(0, 1, 0, 1);
    const struct graph_ref b =
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_COPY, .queue = 2},
                  .moves = {{0, 1, 2 * (uint64_t)BYTES}});
    replay();
    const struct topo_path p = way(0, 1);
    if (p.rate_cap > 0)
        return; // a single copy doesn't reach the link's rate
    ck_near(at(a).end_ps, p.latency_ps + bytes_ps(2.0 * BYTES, &p), 1);
    ck_near(at(b).end_ps, p.latency_ps + bytes_ps(3.0 * BYTES, &p), 1);
}
END_TEST

START_TEST(a_kernel_takes_the_longer_of_compute_and_memory)
{
    const double flops =
        topo_resource(topo, topo_compute(topo, 0, GRAPH_FP32))->rate;
    const double bytes = topo_resource(topo, topo_memory(topo, 0))->rate;
    const struct {
        double flops_sec, bytes_sec; // alone
    } table[] = {{1e-3, 2e-3}, {2e-3, 1e-3}, {1e-3, 0}, {0, 1e-3}};
    synthetic_init(&s, 1);
    struct graph_ref k[4];
    for (int i = 0; i < 4; i++)
        k[i] = SYNTHETIC(
            &s, 0,
            .node = {.kind = GRAPH_KERNEL,
                     .queue = 1,
                     .latency_ps = US,
                     .flops = table[i].flops_sec * flops},
            .moves = {{0, 0, (uint64_t)(table[i].bytes_sec * bytes)}});
    replay();
    for (int i = 0; i < 4; i++)
        ck_near(at(k[i]).end_ps - at(k[i]).start_ps,
                US + (uint64_t)(1e12 *
                                fmax(table[i].flops_sec, table[i].bytes_sec)),
                1000);
    ck_assert_int_eq(at(k[0]).bound, topo_memory(topo, 0));
    ck_assert_int_eq(at(k[1]).bound, topo_compute(topo, 0, GRAPH_FP32));
}
END_TEST

START_TEST(two_kernels_on_one_device_share_its_compute_by_halves)
{
    const double flops =
        topo_resource(topo, topo_compute(topo, 0, GRAPH_FP32))->rate;
    synthetic_init(&s, 1);
    struct graph_ref k[2];
    for (int i = 0; i < 2; i++) // the second also moves some bytes
        k[i] = SYNTHETIC(&s, 0,
                         .node = {.kind = GRAPH_KERNEL,
                                  .queue = 1 + i,
                                  .flops = 1e-3 * flops},
                         .moves = {{0, 0, 1000000ul * i}});
    replay();
    ck_near(at(k[0]).end_ps, 2000000000, 1000);
    ck_near(at(k[1]).end_ps, 2000000000, 1000);
}
END_TEST

/* ---- matches ----------------------------------------------------------------- */

static struct graph_ref coll(uint32_t rank, uint32_t n, uint64_t host_ps)
{
    return SYNTHETIC(&s, rank, .name = "ncclAllReduce",
                     .node = {.kind = GRAPH_COLL,
                              .queue = 1,
                              .place = (int32_t)rank,
                              .host_ps = host_ps,
                              .op = GRAPH_OP_ALLREDUCE,
                              .match = 77,
                              .match_kind = GRAPH_MATCH_ALL,
                              .match_size = n,
                              .match_rank = rank,
                              .bytes = 16 << 20});
}

START_TEST(a_collective_waits_for_the_last_rank)
{
    enum { N = 4 };
    synthetic_init(&s, N);
    struct graph_ref c[N];
    for (uint32_t i = 0; i < N; i++)
        c[i] = coll(i, N, (1 + i) * US);
    replay();
    struct topo_coll cost;
    char err[200];
    const int32_t place[N] = {0, 1, 2, 3};
    ck_assert_int_eq(topo_collective(topo, GRAPH_OP_ALLREDUCE, place, N,
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

START_TEST(a_running_collective_takes_its_share_of_compute)
{
    const double flops =
        topo_resource(topo, topo_compute(topo, 0, GRAPH_FP32))->rate;
    const double share = topo_costs(topo)->nccl_sm_share;
    synthetic_init(&s, 2);
    const struct graph_ref c = coll(0, 2, 0);
    coll(1, 2, 0);
    const struct graph_ref k = SYNTHETIC(
        &s, 0,
        .node = {.kind = GRAPH_KERNEL, .queue = 2, .flops = 1e-2 * flops});
    replay();
    const double during = at(c).end_ps * 1e-12;
    const double end = during + 1e-2 - during * (1 - share);
    ck_near(at(k).end_ps, (uint64_t)(end * 1e12), 10000);
}
END_TEST

static struct graph_ref half(uint32_t rank, enum graph_kind kind, uint32_t peer,
                             uint64_t key, uint32_t group, uint64_t nbytes)
{
    return SYNTHETIC(&s, rank, .name = "ncclSend",
                     .node = {.kind = kind,
                              .queue = 1,
                              .place = (int32_t)rank,
                              .peer_place = (int32_t)peer,
                              .op = GRAPH_OP_SENDRECV,
                              .match = key,
                              .match_kind = GRAPH_MATCH_PAIR,
                              .match_size = 2,
                              .match_rank = kind == GRAPH_RECV,
                              .bytes = nbytes,
                              .group = group});
}

START_TEST(a_send_and_its_receive_end_together)
{
    synthetic_init(&s, 2);
    const struct graph_ref a = half(0, GRAPH_SEND, 1, 5, 0, BYTES);
    SYNTHETIC(&s, 1, .node = {.kind = GRAPH_HOST, .host_ps = 50 * US});
    const struct graph_ref b = half(1, GRAPH_RECV, 0, 5, 0, BYTES);
    replay();
    ck_assert_uint_eq(at(a).start_ps, 50 * US);
    ck_assert_uint_eq(at(a).end_ps, at(b).end_ps);
    const struct topo_path p = way(0, 1);
    ck_assert_uint_ge(at(a).end_ps, 50 * US + bytes_ps(BYTES, &p));
}
END_TEST

START_TEST(an_exchange_in_one_group_runs_both_ways_at_once)
{
    synthetic_init(&s, 2);
    const struct graph_ref a = half(0, GRAPH_SEND, 1, 5, 1, BYTES);
    const struct graph_ref b = half(0, GRAPH_RECV, 1, 6, 1, BYTES);
    half(1, GRAPH_SEND, 0, 6, 1, BYTES);
    half(1, GRAPH_RECV, 0, 5, 1, BYTES);
    const struct graph_ref next = SYNTHETIC(
        &s, 0, .node = {.kind = GRAPH_KERNEL, .queue = 1, .latency_ps = US});
    replay();
    ck_assert_uint_eq(at(a).end_ps, at(b).end_ps);
    ck_assert_uint_eq(at(next).ready_ps, at(a).end_ps);
}
END_TEST

START_TEST(an_exchange_without_a_group_never_ends_and_says_so)
{
    synthetic_init(&s, 2);
    half(0, GRAPH_SEND, 1, 5, 0, BYTES);
    half(0, GRAPH_RECV, 1, 6, 0, BYTES);
    half(1, GRAPH_SEND, 0, 6, 0, BYTES);
    half(1, GRAPH_RECV, 0, 5, 0, BYTES);
    const char *const err = replay_error();
    ck_assert_msg(strstr(err, "rank 0: operation 1 (ncclSend") != NULL, "%s",
                  err);
    ck_assert_msg(strstr(err, "4 of 4") != NULL, "%s", err);
}
END_TEST

/* ---- MPI --------------------------------------------------------------------- */

static struct graph_ref mpi(uint32_t rank, enum graph_op op,
                            enum graph_match kind, uint32_t size, uint64_t key,
                            uint64_t nbytes)
{
    return SYNTHETIC(&s, rank, .name = "MPI",
                     .node = {.kind = GRAPH_MPI,
                              .place = GRAPH_HOST_PLACE(0),
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
    synthetic_init(&s, N);
    struct graph_ref b[N];
    for (uint32_t i = 0; i < N; i++) {
        SYNTHETIC(&s, i, .node = {.kind = GRAPH_HOST, .host_ps = i * US});
        b[i] = mpi(i, GRAPH_OP_BARRIER, GRAPH_MATCH_ALL, N, 9, 0);
    }
    replay();
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(at(b[i]).end_ps,
                          N * US + 3 * topo_costs(topo)->mpi_ps);
}
END_TEST

START_TEST(an_eager_message_does_not_hold_up_its_sender)
{
    synthetic_init(&s, 2);
    const struct graph_ref a =
        mpi(0, GRAPH_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 9, 10000);
    SYNTHETIC(&s, 1, .node = {.kind = GRAPH_HOST, .host_ps = 500 * US});
    const struct graph_ref b =
        mpi(1, GRAPH_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 9, 10000);
    const struct graph_ref c =
        mpi(1, GRAPH_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 10, 10000);
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 900 * US});
    const struct graph_ref late =
        mpi(0, GRAPH_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 10, 10000);
    replay();
    const uint64_t flight =
        topo_costs(topo)->mpi_ps +
        (uint64_t)(1e4 / topo_costs(topo)->mpi_rate * 1e12 + 0.5);
    ck_assert_uint_eq(at(a).end_ps, US);
    ck_assert_uint_eq(at(b).end_ps, 501 * US); // it had come long before
    ck_assert_uint_eq(at(late).end_ps, 902 * US);
    ck_assert_uint_eq(at(c).end_ps, 902 * US + flight);
}
END_TEST

START_TEST(a_sender_that_waits_stays_while_its_bytes_are_sent)
{
    synthetic_init(&s, 2);
    const struct graph_ref a =
        mpi(0, GRAPH_OP_SENDRECV, GRAPH_MATCH_PAIR, 2, 9, 100000);
    // The receiver's buffer is larger; what counts is what was sent.
    const struct graph_ref b =
        mpi(1, GRAPH_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 9, 900000);
    replay();
    const uint64_t flight =
        topo_costs(topo)->mpi_ps +
        (uint64_t)(1e5 / topo_costs(topo)->mpi_rate * 1e12 + 0.5);
    ck_assert_uint_eq(at(a).end_ps, US + flight);
    ck_assert_uint_eq(at(b).end_ps, US + flight);
}
END_TEST

START_TEST(a_broadcast_waits_for_its_root_and_no_other)
{
    synthetic_init(&s, 3);
    const struct graph_ref early =
        mpi(1, GRAPH_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, 3, 9, 0);
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_HOST, .host_ps = 100 * US});
    const struct graph_ref root =
        mpi(0, GRAPH_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, 3, 9, 0);
    SYNTHETIC(&s, 2, .node = {.kind = GRAPH_HOST, .host_ps = 300 * US});
    const struct graph_ref late =
        mpi(2, GRAPH_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, 3, 9, 0);
    replay();
    const uint64_t steps = 2 * topo_costs(topo)->mpi_ps;
    ck_assert_uint_eq(at(root).end_ps, 101 * US + steps);
    ck_assert_uint_eq(at(early).end_ps, 101 * US + steps);
    ck_assert_uint_eq(at(late).end_ps, 301 * US);
}
END_TEST

START_TEST(a_reduction_holds_up_its_root_only)
{
    synthetic_init(&s, 3);
    const struct graph_ref root =
        mpi(0, GRAPH_OP_REDUCE, GRAPH_MATCH_TO_ROOT, 3, 9, 0);
    const struct graph_ref early =
        mpi(1, GRAPH_OP_REDUCE, GRAPH_MATCH_TO_ROOT, 3, 9, 0);
    SYNTHETIC(&s, 2, .node = {.kind = GRAPH_HOST, .host_ps = 300 * US});
    mpi(2, GRAPH_OP_REDUCE, GRAPH_MATCH_TO_ROOT, 3, 9, 0);
    replay();
    const uint64_t steps = 2 * topo_costs(topo)->mpi_ps;
    ck_assert_uint_eq(at(early).end_ps, US + steps);
    ck_assert_uint_eq(at(root).end_ps, 301 * US + steps);
}
END_TEST

/* ---- what can be wrong ------------------------------------------------------- */

START_TEST(a_match_without_a_rank_is_named)
{
    synthetic_init(&s, 3);
    coll(0, 3, 0);
    coll(2, 3, 0);
    const char *const err = replay_error();
    ck_assert_msg(strstr(err, "ncclAllReduce") && strstr(err, "2 of 3"), "%s",
                  err);
}
END_TEST

START_TEST(a_place_that_the_machine_lacks_is_named)
{
    synthetic_init(&s, 1);
    copy(0, 1, 0, 1000);
    const char *const err = replay_error();
    ck_assert_msg(strstr(err, "place 0 to place 1000") != NULL, "%s", err);
    graph_free(g);
    graph_close(s.rank[0]);
    s.rank[0] = graph_open(0, 1, s.dir);
    coll(0, 1, 0);
    SYNTHETIC(
        &s, 0,
        .node = {.kind = GRAPH_KERNEL, .queue = 1, .place = 99, .flops = 1});
    ck_assert_ptr_nonnull(strstr(replay_error(), "no device 99"));
}
END_TEST

START_TEST(times_do_not_depend_on_the_order_of_recording)
{
    // Four ranks that copy, compute and reduce; recorded rank by rank, then in
    // a shuffled order.
    enum { N = 4, STEPS = 20 };
    uint64_t end[2][N][3 * STEPS + 1];
    for (int pass = 0; pass < 2; pass++) {
        synthetic_init(&s, N);
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
            SYNTHETIC(&s, rank,
                      .node = {.kind = GRAPH_KERNEL,
                               .queue = 3,
                               .place = rank,
                               .flops = 1e9 * (1 + i)},
                      .moves = {{rank, rank, 1000000}});
            SYNTHETIC(&s, rank,
                      .node = {.kind = GRAPH_COLL,
                               .queue = 1,
                               .place = rank,
                               .op = GRAPH_OP_ALLREDUCE,
                               .match = 100 + i,
                               .match_kind = GRAPH_MATCH_ALL,
                               .match_size = N,
                               .match_rank = rank,
                               .bytes = 1 << 20});
        }
        replay();
        for (uint32_t rank = 0; rank < N; rank++)
            for (uint32_t i = 1; i <= 3 * STEPS; i++)
                end[pass][rank][i] = at((struct graph_ref){rank, i}).end_ps;
        if (pass == 0)
            synthetic_release(&s);
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
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, host_calls_follow_one_another);
    tcase_add_test(t, a_queue_runs_its_operations_in_order);
    tcase_add_test(t, an_operation_waits_for_its_deps_in_other_queues);
    tcase_add_test(t, a_synchronisation_ends_after_what_it_waits_for);
    tcase_add_test(t, a_thread_begins_where_its_creator_is);
    tcase_add_test(t, a_base_shifts_every_time_by_as_much);
    tcase_add_test(t, a_copy_takes_latency_and_bytes_by_rate);
    tcase_add_test(t, two_copies_over_one_link_take_twice_as_long);
    tcase_add_test(t, both_directions_of_a_link_hardly_share);
    tcase_add_test(t, a_copy_speeds_up_when_the_other_has_ended);
    tcase_add_test(t, a_kernel_takes_the_longer_of_compute_and_memory);
    tcase_add_test(t, two_kernels_on_one_device_share_its_compute_by_halves);
    tcase_add_test(t, a_collective_waits_for_the_last_rank);
    tcase_add_test(t, a_running_collective_takes_its_share_of_compute);
    tcase_add_test(t, a_send_and_its_receive_end_together);
    tcase_add_test(t, an_exchange_in_one_group_runs_both_ways_at_once);
    tcase_add_test(t, an_exchange_without_a_group_never_ends_and_says_so);
    tcase_add_test(t, a_barrier_takes_log2_steps_after_the_last_rank);
    tcase_add_test(t, an_eager_message_does_not_hold_up_its_sender);
    tcase_add_test(t, a_sender_that_waits_stays_while_its_bytes_are_sent);
    tcase_add_test(t, a_broadcast_waits_for_its_root_and_no_other);
    tcase_add_test(t, a_reduction_holds_up_its_root_only);
    tcase_add_test(t, a_match_without_a_rank_is_named);
    tcase_add_test(t, a_place_that_the_machine_lacks_is_named);
    tcase_add_test(t, times_do_not_depend_on_the_order_of_recording);
    tcase_set_timeout(t, 60);
    suite_add_tcase(suite, t);
    SRunner *const runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
