/*
 * Jobs that ended early, and messages between devices that no rendezvous holds
 * up.
 */
#include <check.h>
#include <stdlib.h>

#include "fds.h"
#include "graph/explain/path.h"
#include "graph/replay/agenda.h"
#include "replayed.h"
#include "suite.h"

enum { US = 1000000 }; /* ps */

static struct replayed run;

static void teardown(void)
{
    replayed_release(&run);
}

static struct graph_ref kernel(uint32_t r, uint32_t queue, uint64_t us)
{
    return SYNTHETIC(&run.s, r, .name = "kernel",
                     .node = {.kind = GRAPH_KERNEL,
                              .queue = queue,
                              .place = (int32_t)r,
                              .host_ps = US,
                              .latency_ps = us * US});
}

static struct graph_ref coll(uint32_t r, uint32_t nranks, uint64_t key)
{
    return SYNTHETIC(&run.s, r, .name = "ncclAllReduce",
                     .node = {.kind = GRAPH_COLL,
                              .op = TOPO_OP_ALLREDUCE,
                              .queue = 1,
                              .place = (int32_t)r,
                              .host_ps = US,
                              .match = key,
                              .match_kind = GRAPH_MATCH_ALL,
                              .match_size = nranks,
                              .match_rank = r,
                              .bytes = 4096});
}

static struct graph_ref call(uint32_t r, struct graph_ref dep)
{
    return SYNTHETIC(&run.s, r, .name = "call",
                     .node = {.kind = GRAPH_HOST, .host_ps = US},
                     .deps = {dep});
}

static void expect(uint32_t rank, uint32_t index, uint64_t issue,
                   uint64_t ready, uint64_t start, uint64_t end)
{
    const struct replay_time t =
        replayed_at(&run, (struct graph_ref){rank, index});
    const uint64_t is[] = {t.issue_ps, t.ready_ps, t.start_ps, t.end_ps};
    const uint64_t was[] = {issue, ready, start, end};
    for (int i = 0; i < 4; i++)
        ck_assert_msg(is[i] == was[i] * US, "%u %u: time %d is %g us, not %g",
                      rank, index, i, (double)is[i] * 1e-6, (double)was[i]);
}

/*
 * Rank 0 waits for a collective that rank 1 never called, since it is in a call
 * of its own until the job ends, 10 us after what ended last.
 */
START_TEST(what_never_ended_lasts_to_the_end_of_the_picture)
{
    replayed_init(&run, "dgx-h100", 2);
    kernel(0, 1, 10);
    const struct graph_ref c = coll(0, 2, 1);
    kernel(0, 1, 5);
    call(0, c);
    call(0, (struct graph_ref){0});
    kernel(1, 1, 20);
    replayed_run(&run, &(struct replay_options){.unfinished = 1});
    const uint64_t end = 21 + REPLAY_OPEN_PS / US;
    expect(0, 1, 1, 1, 1, 11);
    expect(0, 2, 2, 11, end, end);
    expect(0, 3, 3, end, end, end);
    expect(0, 4, 4, end, end, end);
    expect(0, 5, end, end, end, end);
    expect(1, 1, 1, 1, 1, 21);
    ck_assert_int_eq(replayed_at(&run, c).bound, -1);
    ck_assert_uint_eq(replay_end_ps(run.r), end * US);
    struct path p; // which is no chain then, but ends
    ck_assert_int_eq(path_find(&p, run.g, replay_times(run.r)), 0);
    path_release(&p);
}
END_TEST

/* A collective that all called ends as in a whole run. */
START_TEST(what_ended_ended_when_it_did)
{
    uint64_t end_ps[2];
    for (int unfinished = 0; unfinished < 2; unfinished++) {
        replayed_init(&run, "dgx-h100", 2);
        for (uint32_t r = 0; r < 2; r++) {
            kernel(r, 1, 10);
            coll(r, 2, 1);
        }
        if (unfinished)
            coll(0, 2, 2);
        replayed_run(&run, &(struct replay_options){.unfinished = unfinished});
        end_ps[unfinished] = replayed_at(&run, (struct graph_ref){1, 2}).end_ps;
        if (!unfinished)
            replayed_release(&run);
    }
    ck_assert_uint_eq(end_ps[0], end_ps[1]);
    ck_assert_uint_eq(replayed_at(&run, (struct graph_ref){0, 3}).end_ps,
                      end_ps[0] + REPLAY_OPEN_PS);
}
END_TEST

/* Rank 0 sends to rank 1's queue 2 as soon as it can. */
static void message(uint32_t r)
{
    SYNTHETIC(&run.s, r, .name = r ? "recv" : "send",
              .node = {.kind = r ? GRAPH_RECV : GRAPH_SEND,
                       .op = TOPO_OP_SENDRECV,
                       .queue = 1,
                       .place = (int32_t)r,
                       .peer_place = (int32_t)(1 - r),
                       .match = 7,
                       .match_kind = GRAPH_MATCH_MESSAGE,
                       .match_size = 2,
                       .match_rank = r,
                       .bytes = 1 << 20});
}

/* `late`: the receiver's queue is busy for 100 us, or the sender's is. */
START_TEST(a_message_waits_for_its_receiver_not_its_sender)
{
    const uint32_t late = (uint32_t)_i;
    replayed_init(&run, "dgx-h100", 2);
    kernel(late, 1, 100);
    for (uint32_t r = 0; r < 2; r++)
        message(r);
    replayed_run(&run, NULL);
    const struct replay_time sent =
        replayed_at(&run, (struct graph_ref){0, 1 + (late == 0)});
    const struct replay_time got =
        replayed_at(&run, (struct graph_ref){1, 1 + (late == 1)});
    ck_assert_uint_eq(sent.start_ps, sent.ready_ps);
    ck_assert_uint_gt(sent.end_ps, sent.start_ps);
    ck_assert_uint_eq(sent.ready_ps, late == 0 ? 101 * US : 0);
    ck_assert_uint_eq(got.ready_ps, late == 1 ? 101 * US : 0);
    ck_assert_uint_eq(got.start_ps, got.ready_ps);
    ck_assert_uint_eq(got.end_ps, late == 1 ? got.ready_ps : sent.end_ps);
}
END_TEST

/* ---- groups on the path -------------------------------------------------- */

/* Two groups of two kernels in one queue: the second waits for the slower one
 * of the first, whatever their order. */
START_TEST(the_path_leads_through_the_slower_one_of_a_group)
{
    replayed_init(&run, "dgx-h100", 1);
    for (uint32_t i = 0; i < 4; i++)
        SYNTHETIC(&run.s, 0, .name = "kernel",
                  .node = {.kind = GRAPH_KERNEL,
                           .queue = 1,
                           .group = 1 + i / 2,
                           .latency_ps = (i == (uint32_t)_i       ? 50
                                          : i == 2 + (uint32_t)_i ? 20
                                                                  : 5) *
                                         (uint64_t)US});
    replayed_run(&run, NULL);
    struct path p;
    ck_assert_int_eq(path_find(&p, run.g, replay_times(run.r)), 0);
    ck_assert_uint_eq(p.n, 2);
    ck_assert_uint_eq(p.step[0].node, (uint32_t)_i);
    ck_assert_uint_eq(p.step[1].node, 2 + (uint32_t)_i);
    ck_assert_uint_eq(p.step[1].end_ps, 70 * US);
    ck_assert_uint_eq(path_awaited(run.g, replay_times(run.r), 3),
                      (uint32_t)_i);
    ck_assert_uint_eq(path_awaited(run.g, replay_times(run.r), 1),
                      GRAPH_NOWHERE);
    path_release(&p);
}
END_TEST

/* ---- ages ---------------------------------------------------------------- */

/* Work that would take longer than time has numbers ends at the last of them,
 * and so does what follows it. */
START_TEST(time_ends_before_its_numbers_do)
{
    static const struct {
        uint64_t host_ps, latency_ps, nbytes, end_ps;
    } row[] = {
        {0, AGENDA_NEVER - 1, 0, AGENDA_NEVER - 1},
        {0, AGENDA_NEVER, 0, AGENDA_NEVER},
        {0, UINT64_MAX, 0, AGENDA_NEVER},
        {AGENDA_NEVER - 5, 4, 0, AGENDA_NEVER - 1},
        {AGENDA_NEVER - 5, 6, 0, AGENDA_NEVER},
        {UINT64_MAX, UINT64_MAX, 1, AGENDA_NEVER},
        {0, 0, UINT64_MAX, AGENDA_NEVER},
        {AGENDA_NEVER, 0, UINT64_MAX, AGENDA_NEVER},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        replayed_init(&run, "dgx-h100", 1);
        SYNTHETIC(&run.s, 0,
                  .node = {.kind = GRAPH_KERNEL,
                           .queue = 1,
                           .host_ps = row[i].host_ps,
                           .latency_ps = row[i].latency_ps},
                  .moves = {{0, 0, row[i].nbytes}});
        kernel(0, 1, 10);
        replayed_run(&run, NULL);
        const uint64_t end_ps =
            replayed_at(&run, (struct graph_ref){0, 1}).end_ps;
        ck_assert_msg(end_ps == row[i].end_ps, "row %zu: %llu", i,
                      (unsigned long long)end_ps);
        ck_assert_uint_ge(replayed_at(&run, (struct graph_ref){0, 2}).end_ps,
                          end_ps);
        ck_assert_uint_le(replay_end_ps(run.r), AGENDA_NEVER);
        if (i + 1 < sizeof row / sizeof *row)
            replayed_release(&run);
    }
}
END_TEST

START_TEST(the_host_is_where_its_last_call_left_it)
{
    replayed_init(&run, "dgx-h100", 2);
    kernel(0, 1, 10);
    replayed_run(&run, &(struct replay_options){.base_ps = 5 * US});
    ck_assert_uint_eq(replay_host_ps(run.r, 0, 0), 6 * US);
    ck_assert_uint_eq(replay_host_ps(run.r, 0, 1), 5 * US); // no such thread
    ck_assert_uint_eq(replay_host_ps(run.r, 1, 0), 5 * US); // no calls
    ck_assert_uint_eq(replay_host_ps(run.r, 2, 0), 5 * US); // no such rank
    SYNTHETIC(&run.s, 0, .name = "kernel",
              .node = {.kind = GRAPH_KERNEL,
                       .queue = 1,
                       .flags = GRAPH_JOIN,
                       .latency_ps = 3 * US});
    replayed_run(&run, &(struct replay_options){.base_ps = 5 * US});
    ck_assert_uint_eq(replay_host_ps(run.r, 0, 0), 19 * US);
    replayed_run(&run, &(struct replay_options){.fast_host = 1});
    ck_assert_uint_eq(replay_host_ps(run.r, 0, 0), 13 * US);
    ck_assert_ptr_null(replay_node(run.r, (struct graph_ref){0, 3}));
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("open");
    TCase *const t = tcase_create("open");
    fds_watch(t);
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_test(t, what_never_ended_lasts_to_the_end_of_the_picture);
    tcase_add_test(t, what_ended_ended_when_it_did);
    tcase_add_loop_test(t, a_message_waits_for_its_receiver_not_its_sender, 0,
                        2);
    tcase_add_loop_test(t, the_path_leads_through_the_slower_one_of_a_group, 0,
                        2);
    tcase_add_test(t, time_ends_before_its_numbers_do);
    tcase_add_test(t, the_host_is_where_its_last_call_left_it);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
