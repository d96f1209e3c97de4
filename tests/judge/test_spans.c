/* Operations and times of iterations, in graphs made by hand. */
#include <check.h>
#include <math.h>   /* isnan */
#include <stdlib.h> /* EXIT_SUCCESS */
#include <string.h> /* strstr */

#include "judge/graph/links.h"
#include "judge/graph/sections.h"
#include "judge/graph/spans.h"
#include "suite.h"
#include "synthetic.h"

const struct judge_lab *const judge_labs[] = {NULL};

enum { US = 1000000, NRANKS = 2, MIB = 1 << 20 }; /* ps; bytes */

static struct synthetic s;
static struct graph *g;
static struct spans *spans;
static const struct plan_case c = {.name = "ring", .timed = 1};

static void setup(void)
{
    synthetic_init(&s, NRANKS);
    g = NULL;
    spans = NULL;
}

static void teardown(void)
{
    spans_free(spans);
    graph_free(g);
    synthetic_release(&s);
}

/* The graph recorded so far, as a task of the case "ring". */
static struct judge_task task(void)
{
    char err[256] = "";
    g = synthetic_load(&s);
    spans = spans_new(g, NULL, err, sizeof err);
    ck_assert_msg(spans != NULL, "%s", err);
    return (struct judge_task){
        .c = &c, .nranks = NRANKS, .iterations = 2, .graph = g, .spans = spans};
}

static void mark(uint32_t rank)
{
    SYNTHETIC(&s, rank,
              .node = {.kind = GRAPH_MARK, .queue = 1, .place = (int)rank});
}

static void kernel(uint32_t rank, uint64_t us)
{
    SYNTHETIC(&s, rank,
              .node = {.kind = GRAPH_KERNEL,
                       .queue = 1,
                       .place = (int)rank,
                       .latency_ps = us * US});
}

/* An iteration with one kernel, as the runner marks it. */
static void iteration(uint32_t rank, const char *name, uint64_t us)
{
    synthetic_range(&s, rank, name);
    mark(rank);
    kernel(rank, us);
    mark(rank);
    synthetic_range(&s, rank, NULL);
}

/* A message of nbytes between two ranks, on both. */
static void message(uint64_t key, uint32_t from, uint32_t to, uint64_t nbytes)
{
    const struct graph_node n = {.queue = 1,
                                 .match_kind = GRAPH_MATCH_PAIR,
                                 .match = key,
                                 .match_size = 2,
                                 .bytes = nbytes};
    struct graph_node send = n, recv = n;
    send.kind = GRAPH_SEND;
    send.place = recv.peer_place = (int)from;
    recv.kind = GRAPH_RECV;
    recv.place = send.peer_place = (int)to;
    recv.match_rank = 1;
    synthetic_range(&s, from, "ring #0");
    SYNTHETIC(&s, from, .node = send);
    synthetic_range(&s, to, "ring #0");
    SYNTHETIC(&s, to, .node = recv);
    synthetic_range(&s, to, NULL);
}

/* Work that a thread other than the runner's issues. */
static void work_of_another_thread(uint32_t rank)
{
    SYNTHETIC(&s, rank,
              .node = {.kind = GRAPH_KERNEL, .thread = 1, .queue = 2});
}

static void call(uint32_t rank, uint32_t thread)
{
    SYNTHETIC(&s, rank, .node = {.kind = GRAPH_HOST, .thread = thread});
}

/* ---- windows ------------------------------------------------------------- */

START_TEST(an_iteration_lasts_from_its_first_to_its_last_operation)
{
    for (uint32_t r = 0; r < NRANKS; r++) {
        kernel(r, 100); // before
        iteration(r, "ring #0", 10 + 5 * r);
        kernel(r, 100);
        iteration(r, "ring #1", 30);
        iteration(r, "other #0", 70);
    }
    const struct judge_task t = task();
    struct spans_window w;
    ck_assert_int_eq(spans_window(&t, 0, 0, &w), 0);
    ck_assert_uint_eq(w.first, 1);
    ck_assert_uint_eq(w.last, 3);
    ck_assert_uint_eq(w.begin_ps, 100 * US);
    ck_assert_uint_eq(w.end_ps, 110 * US);
    ck_assert(spans_time_us(&t, 0) == 15); // of the slowest rank
    ck_assert(spans_time_us(&t, 1) == 30);
}
END_TEST

START_TEST(an_iteration_that_a_rank_does_not_show_has_no_time)
{
    struct spans_window w;
    iteration(0, "ring #0", 10);
    kernel(1, 10);
    const struct judge_task t = task();
    ck_assert_int_eq(spans_window(&t, 0, 0, &w), 0);
    ck_assert_int_eq(spans_window(&t, 1, 0, &w), -1);
    ck_assert(isnan(spans_time_us(&t, 0)));
}
END_TEST

START_TEST(ranges_inside_hide_nothing)
{
    for (uint32_t r = 0; r < NRANKS; r++) {
        synthetic_range(&s, r, "ring #0");
        mark(r);
        synthetic_range(&s, r, "mine");
        kernel(r, 10);
        synthetic_range(&s, r, "ring #1"); // a name of another iteration
        kernel(r, 20);
        synthetic_range(&s, r, NULL);
        kernel(r, 5);
        synthetic_range(&s, r, "ring #0");
        mark(r);
        synthetic_range(&s, r, NULL);
    }
    const struct judge_task t = task();
    ck_assert(spans_time_us(&t, 0) == 35);
    ck_assert_uint_eq(spans_count(&t, 1, 0, GRAPH_KERNEL, TOPO_OP_NONE), 3);
}
END_TEST

START_TEST(work_in_another_queue_counts_until_it_is_done)
{
    for (uint32_t r = 0; r < NRANKS; r++) {
        synthetic_range(&s, r, "ring #0");
        mark(r);
        kernel(r, 10);
        SYNTHETIC(&s, r,
                  .node = {.kind = GRAPH_KERNEL,
                           .queue = 2,
                           .place = (int)r,
                           .latency_ps = 50 * US});
        mark(r);
        synthetic_range(&s, r, NULL);
    }
    const struct judge_task t = task();
    ck_assert(spans_time_us(&t, 0) == 50);
}
END_TEST

/* ---- counts, overlap, links ---------------------------------------------- */

START_TEST(what_a_thread_does_during_an_iteration_is_not_late)
{
    int rank;
    for (uint32_t r = 0; r < NRANKS; r++) {
        synthetic_range(&s, r, "ring #0");
        mark(r);
        work_of_another_thread(r);
        mark(r);
        synthetic_range(&s, r, NULL);
        call(r, 1); // no work
        call(r, 0);
        work_of_another_thread(r); // the runner is somewhere else
    }
    const struct judge_task t = task();
    ck_assert(spans_late(&t, &rank) == NULL);
}
END_TEST

START_TEST(what_a_thread_does_right_after_an_iteration_is_late)
{
    int rank;
    for (uint32_t r = 0; r < NRANKS; r++) {
        iteration(r, "ring #0", 10);
        call(r, 0);
        iteration(r, "ring #1", 10);
        call(r, 1);
        if (r == 1)
            work_of_another_thread(r);
        call(r, 0);
    }
    const struct judge_task t = task();
    const struct graph_view *const late = spans_late(&t, &rank);
    ck_assert(late != NULL);
    ck_assert_int_eq(rank, 1);
    ck_assert_uint_eq(late->node.kind, GRAPH_KERNEL);
    ck_assert_uint_eq(late->node.thread, 1);
}
END_TEST

START_TEST(operations_are_counted_by_kind)
{
    for (uint32_t r = 0; r < NRANKS; r++)
        iteration(r, "ring #0", 10);
    message(1, 0, 1, MIB);
    message(2, 0, 1, MIB);
    const struct judge_task t = task();
    ck_assert_uint_eq(spans_count(&t, 0, 0, GRAPH_SEND, TOPO_OP_NONE), 2);
    ck_assert_uint_eq(spans_count(&t, 1, 0, GRAPH_SEND, TOPO_OP_NONE), 0);
    ck_assert_uint_eq(spans_count(&t, 1, 0, GRAPH_RECV, TOPO_OP_NONE), 2);
    ck_assert_uint_eq(spans_count(&t, 0, 0, GRAPH_COLL, TOPO_OP_ALLREDUCE), 0);
}
END_TEST

START_TEST(communication_beside_a_kernel_is_hidden)
{
    for (uint32_t r = 0; r < NRANKS; r++) {
        synthetic_range(&s, r, "ring #0");
        mark(r);
        SYNTHETIC(&s, r, // long enough for the whole message
                  .node = {.kind = GRAPH_KERNEL,
                           .queue = 2,
                           .place = (int)r,
                           .latency_ps = 1000 * US});
    }
    message(1, 0, 1, MIB);
    const struct judge_task t = task();
    struct spans_hidden o;
    ck_assert_int_eq(spans_hidden(&t, 0, 0, HIDDEN_ALL, "", &o), 0);
    ck_assert(o.comm_us > 5 && o.comm_us < 1000);
    ck_assert(o.hidden_us == o.comm_us && o.exposed_us == 0);
    ck_assert(o.most_us > 0.8 * o.comm_us && o.most_us < o.comm_us);
}
END_TEST

/* On each rank two kernels of 100 us in one queue, with a message between them
 * in this queue, and host_us between the calls. */
static void two_kernels_and_a_message(uint32_t queue, uint64_t host_us)
{
    for (uint32_t r = 0; r < NRANKS; r++) {
        synthetic_range(&s, r, "ring #0");
        mark(r);
        kernel(r, 100);
        const struct graph_node n = {.kind = r ? GRAPH_RECV : GRAPH_SEND,
                                     .queue = queue,
                                     .place = (int)r,
                                     .peer_place = (int)!r,
                                     .match_kind = GRAPH_MATCH_PAIR,
                                     .match = 1,
                                     .match_size = 2,
                                     .match_rank = r,
                                     .bytes = MIB};
        SYNTHETIC(&s, r, .node = n);
        SYNTHETIC(&s, r, .node = {.kind = GRAPH_HOST, .host_ps = host_us * US});
        kernel(r, 100);
        synthetic_range(&s, r, NULL);
    }
}

/* What rank 0 hides of the message, in all cases the same one. */
static double hidden_us(uint32_t queue, uint64_t host_us)
{
    two_kernels_and_a_message(queue, host_us);
    const struct judge_task t = task();
    struct spans_hidden o;
    ck_assert_int_eq(spans_hidden(&t, 0, 0, HIDDEN_ALL, "", &o), 0);
    ck_assert(o.comm_us > 5 && o.comm_us < 100);
    ck_assert_double_eq_tol(o.hidden_us + o.exposed_us, o.comm_us, 1e-6);
    return o.hidden_us;
}

START_TEST(communication_between_kernels_of_a_queue_hides_nothing)
{
    ck_assert(hidden_us(1, 0) == 0);
}
END_TEST

START_TEST(a_device_that_waits_for_its_host_hides_nothing)
{
    ck_assert(hidden_us(1, 500) == 0);
}
END_TEST

START_TEST(the_same_message_in_a_queue_of_its_own_is_hidden)
{
    ck_assert(hidden_us(2, 0) > 5);
}
END_TEST

/* The message reads what the last kernel writes, so nothing is left to hide it
 * behind; of a message that reads what the first one writes, everything. */
START_TEST(what_can_be_hidden_follows_from_what_communication_reads)
{
    static const uint64_t written[] = {0, 64};
    for (uint32_t r = 0; r < NRANKS; r++) {
        synthetic_range(&s, r, "ring #0");
        mark(r);
        for (int k = 0; k < 2; k++)
            SYNTHETIC(&s, r,
                      .node = {.kind = GRAPH_KERNEL,
                               .queue = 1,
                               .place = (int)r,
                               .latency_ps = 100 * US},
                      .accesses = {{.alloc = (uint64_t)r << 32 | 1,
                                    .begin = written[k],
                                    .end = written[k] + 64,
                                    .write = GRAPH_WRITE}});
        const struct graph_node n = {.kind = r ? GRAPH_RECV : GRAPH_SEND,
                                     .queue = 1,
                                     .place = (int)r,
                                     .peer_place = (int)!r,
                                     .match_kind = GRAPH_MATCH_PAIR,
                                     .match = 1,
                                     .match_size = 2,
                                     .match_rank = r,
                                     .bytes = MIB};
        SYNTHETIC(&s, r, .node = n,
                  .accesses = {{.alloc = (uint64_t)r << 32 | 1,
                                .begin = _i ? 64 : 0,
                                .end = _i ? 128 : 64,
                                .write = GRAPH_READ}});
        synthetic_range(&s, r, NULL);
    }
    const struct judge_task t = task();
    struct spans_hidden o;
    ck_assert_int_eq(spans_hidden(&t, 0, 0, HIDDEN_ALL, "", &o), 0);
    ck_assert(o.hidden_us == 0);
    ck_assert(_i ? o.most_us == 0 : o.most_us > 5);
}
END_TEST

START_TEST(the_busiest_link_is_named)
{
    const char *name;
    message(1, 0, 1, MIB);
    message(2, 0, 1, MIB);
    message(3, 1, 0, MIB);
    const struct judge_task t = task();
    ck_assert(links_busiest(&t, 0, "", &name) == 2 * MIB);
    ck_assert_str_eq(name, "nvlink G0 up");
    ck_assert(links_busiest(&t, 0, "out ", &name) == 0);
    ck_assert_str_eq(name, "");
}
END_TEST

START_TEST(a_gpu_sends_as_fast_as_its_links)
{
    iteration(0, "ring #0", 1);
    iteration(1, "ring #0", 1);
    const struct judge_task t = task();
    const struct topo *const topo = spans_topo(spans);
    double up = 0;
    for (int i = 0; i < topo_nresources(topo); i++)
        if (strcmp(topo_resource(topo, i)->name, "nvlink G0 up") == 0)
            up = topo_resource(topo, i)->rate;
    ck_assert(up > 0 && links_out_rate(&t) == up);
}
END_TEST

/* ---- hazards ------------------------------------------------------------- */

enum { A = 1 }; /* an allocation of rank 0 */

/* Two kernels in different queues write the same 100 bytes of A. */
static void race(const char *name, uint64_t begin)
{
    for (uint32_t queue = 1; queue <= 2; queue++)
        SYNTHETIC(&s, 0, .name = name,
                  .node = {.kind = GRAPH_KERNEL, .queue = queue},
                  .accesses = {{A, begin, begin + 100, GRAPH_WRITE, 0}});
}

START_TEST(hazards_are_those_of_the_case_that_asks)
{
    static const struct {
        const char *name;
        uint64_t begin;
        size_t more;
        int found;
    } cases[] = {{"ring", 100, 1, 1}, {"other", 400, 0, 1}, {"rin", 0, 0, 0}};
    graph_note_alloc(s.rank[0], A, 0, 1000, 0);
    race("before", 0);
    synthetic_range(&s, 0, "ring #0");
    mark(0);
    synthetic_range(&s, 0, "mine #1b"); // the student's, within the iteration
    race("first", 100);
    synthetic_range(&s, 0, "ring #0");
    mark(0);
    synthetic_range(&s, 0, NULL);
    race("between", 200);
    synthetic_range(&s, 0, "ring #1");
    race("second", 300);
    synthetic_range(&s, 0, "other #0");
    race("third", 400);
    synthetic_range(&s, 0, NULL);
    struct judge_task t = task();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct plan_case asked = {.name = (char *)cases[i].name};
        size_t more = 9;
        t.c = &asked;
        const struct hazard *const h = spans_hazard(&t, &more);
        ck_assert_int_eq(h != NULL, cases[i].found);
        ck_assert_uint_eq(more, cases[i].more);
        if (h)
            ck_assert_uint_eq(h->begin, cases[i].begin);
    }
}
END_TEST

START_TEST(what_may_be_ordered_by_host_code_is_no_hazard_of_a_case)
{
    size_t more;
    graph_note_alloc(s.rank[0], A, 0, 1000, 0);
    synthetic_range(&s, 0, "ring #0");
    SYNTHETIC(&s, 0, .name = "kernel",
              .node = {.kind = GRAPH_KERNEL, .queue = 1},
              .accesses = {{A, 0, 100, GRAPH_WRITE, 0}});
    SYNTHETIC(&s, 0, .name = "callback",
              .node = {.kind = GRAPH_HOSTFN, .queue = 1});
    SYNTHETIC(&s, 0, .name = "host", .node = {.kind = GRAPH_HOST},
              .accesses = {{A, 0, 100, GRAPH_READ, 0}});
    synthetic_range(&s, 0, NULL);
    const struct judge_task t = task();
    ck_assert_ptr_null(spans_hazard(&t, &more));
    ck_assert_uint_eq(more, 0);
}
END_TEST

/* ---- without a graph ----------------------------------------------------- */

/* What sections_mark() makes of the graph recorded so far: a letter for each
 * operation of rank 0, x if it is marked; "-" if none may be. */
static void expect_marks(const char *name, const char *want)
{
    char in[32] = "", got[32] = "-";
    g = synthetic_load(&s);
    struct sections *const h = sections_new(g);
    ck_assert_ptr_nonnull(h);
    if (sections_mark(h, name, in) >= 0)
        for (uint32_t at = 0; at < g->first[1]; at++)
            strcpy(&got[at], in[at] ? "x" : ".");
    ck_assert_str_eq(got, want);
    sections_free(h);
    graph_free(g);
    g = NULL;
}

START_TEST(a_range_is_marked_unless_a_rank_comes_back_to_it)
{
    iteration(0, "ring #0", 1);
    iteration(1, "ring #0", 1);
    iteration(0, "hidden-ring #0", 1);
    expect_marks("ring #0", "xxx...");
    expect_marks("ring #1", "......");
    expect_marks("ing #0", "......");
    synthetic_range(&s, 0, "ring #0"); // a student's, in a case that is hidden
    kernel(0, 1);
    synthetic_range(&s, 0, "hidden-ring #0");
    mark(0);
    expect_marks("ring #0", "-");
    expect_marks("hidden-ring #0", "-");
}
END_TEST

START_TEST(without_a_graph_there_is_nothing_to_say)
{
    const struct judge_task t = {.c = &c, .nranks = NRANKS};
    struct spans_hidden o;
    const char *name;
    ck_assert(isnan(spans_time_us(&t, 0)));
    ck_assert_uint_eq(spans_count(&t, 0, 0, GRAPH_KERNEL, TOPO_OP_NONE), 0);
    ck_assert_int_eq(spans_hidden(&t, 0, 0, HIDDEN_ALL, "", &o), -1);
    ck_assert(isnan(links_busiest(&t, 0, "", &name)));
    ck_assert(isnan(links_out_rate(&t)));
    size_t more = 9;
    ck_assert_ptr_null(spans_hazard(&t, &more));
    ck_assert_uint_eq(more, 0);
}
END_TEST

START_TEST(a_graph_that_cannot_be_replayed_is_an_error)
{
    char err[256] = "";
    iteration(0, "ring #0", 1);
    SYNTHETIC(&s, 0, // its receiver never arrived
              .node = {.kind = GRAPH_SEND,
                       .queue = 1,
                       .peer_place = 1,
                       .match_kind = GRAPH_MATCH_PAIR,
                       .match = 9,
                       .match_size = 2,
                       .bytes = 1});
    g = synthetic_load(&s);
    ck_assert_ptr_null(spans_new(g, NULL, err, sizeof err));
    ck_assert_msg(err[0] != 0, "no reason");
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("spans");
    TCase *const t = tcase_create("spans");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, an_iteration_lasts_from_its_first_to_its_last_operation);
    tcase_add_test(t, an_iteration_that_a_rank_does_not_show_has_no_time);
    tcase_add_test(t, ranges_inside_hide_nothing);
    tcase_add_test(t, work_in_another_queue_counts_until_it_is_done);
    tcase_add_test(t, what_a_thread_does_during_an_iteration_is_not_late);
    tcase_add_test(t, what_a_thread_does_right_after_an_iteration_is_late);
    tcase_add_test(t, operations_are_counted_by_kind);
    tcase_add_test(t, communication_beside_a_kernel_is_hidden);
    tcase_add_test(t, communication_between_kernels_of_a_queue_hides_nothing);
    tcase_add_test(t, a_device_that_waits_for_its_host_hides_nothing);
    tcase_add_test(t, the_same_message_in_a_queue_of_its_own_is_hidden);
    tcase_add_loop_test(
        t, what_can_be_hidden_follows_from_what_communication_reads, 0, 2);
    tcase_add_test(t, the_busiest_link_is_named);
    tcase_add_test(t, a_gpu_sends_as_fast_as_its_links);
    tcase_add_test(t, hazards_are_those_of_the_case_that_asks);
    tcase_add_test(t, what_may_be_ordered_by_host_code_is_no_hazard_of_a_case);
    tcase_add_test(t, a_range_is_marked_unless_a_rank_comes_back_to_it);
    tcase_add_test(t, without_a_graph_there_is_nothing_to_say);
    tcase_add_test(t, a_graph_that_cannot_be_replayed_is_an_error);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
