/* Counts of iterations, in graphs made by hand. */
#include <check.h>
#include <math.h>   /* isnan */
#include <stdlib.h> /* EXIT_SUCCESS */
#include <string.h> /* strstr */

#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "suite.h"
#include "synthetic.h"

const struct judge_lab *const judge_labs[] = {NULL};

enum { NRANKS = 3, KIB = 1024 };

static struct synthetic s;
static struct graph *g;
static struct spans *spans;
static uint64_t nmatches;
static const struct plan_case c = {.name = "ring"};

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

/* ---- what ranks do ------------------------------------------------------- */

static struct graph_ref mark(uint32_t rank)
{
    return SYNTHETIC(
        &s, rank, .node = {.kind = GRAPH_MARK, .queue = 1, .place = (int)rank});
}

static void marked(uint32_t rank, const char *name)
{
    synthetic_range(&s, rank, name);
    mark(rank);
    synthetic_range(&s, rank, NULL);
}

/* The first and the last operation of iteration 0, on all ranks. */
static void bound(void)
{
    for (uint32_t r = 0; r < NRANKS; r++)
        marked(r, "ring #0");
}

/* A message, in these groups of its sender and its receiver. */
static void message(uint32_t from, uint32_t to, uint64_t nbytes,
                    uint32_t from_group, uint32_t to_group)
{
    const struct graph_node n = {.queue = 1,
                                 .match_kind = GRAPH_MATCH_PAIR,
                                 .match = ++nmatches,
                                 .match_size = 2,
                                 .bytes = nbytes};
    struct graph_node send = n, recv = n;
    send.kind = GRAPH_SEND;
    send.group = from_group;
    send.place = recv.peer_place = (int)from;
    recv.kind = GRAPH_RECV;
    recv.group = to_group;
    recv.place = send.peer_place = (int)to;
    recv.match_rank = 1;
    SYNTHETIC(&s, to, .name = "ncclRecv", .node = recv);
    SYNTHETIC(&s, from, .name = "ncclSend", .node = send);
}

static void allreduce(const char *name)
{
    nmatches++;
    for (uint32_t r = 0; r < NRANKS; r++)
        SYNTHETIC(&s, r, .name = name,
                  .node = {.kind = GRAPH_COLL,
                           .queue = 1,
                           .place = (int)r,
                           .op = TOPO_OP_ALLREDUCE,
                           .match_kind = GRAPH_MATCH_ALL,
                           .match = nmatches,
                           .match_size = NRANKS,
                           .match_rank = r,
                           .bytes = 4});
}

static void host(uint32_t rank, const char *name)
{
    SYNTHETIC(&s, rank, .name = name,
              .node = {.kind = GRAPH_HOST, .place = TOPO_HOST_PLACE(0)});
}

static uint64_t id(uint32_t rank, uint32_t number)
{
    return (uint64_t)rank << 32 | number;
}

static void take(uint32_t rank, uint32_t number, uint64_t nbytes)
{
    graph_note_alloc(s.rank[rank], id(rank, number), (int)rank, nbytes, 0);
}

static void give(uint32_t rank, uint32_t number, uint64_t nbytes)
{
    SYNTHETIC(&s, rank, .name = "cudaFree",
              .node = {.kind = GRAPH_HOST, .place = TOPO_HOST_PLACE(0)},
              .accesses = {{id(rank, number), 0, nbytes, GRAPH_FREE, 0}});
}

/* ---- what the judge finds ------------------------------------------------ */

static struct judge_task task(void)
{
    char err[256] = "";
    g = synthetic_load(&s);
    spans = spans_new(g, NULL, err, sizeof err);
    ck_assert_msg(spans != NULL, "%s", err);
    return (struct judge_task){
        .c = &c, .nranks = NRANKS, .iterations = 1, .graph = g, .spans = spans};
}

static double count(const struct judge_task *t, int rank, const char *name)
{
    struct judge_verdict v = JUDGE_VERDICT_NONE;
    const double n = judge_count(t, rank, 0, name, &v);
    ck_assert_str_eq(v.message, "");
    return n;
}

START_TEST(messages_go_to_other_ranks_and_in_rounds)
{
    message(0, 1, 7, 0, 0); // before
    bound();
    message(0, 1, 100, 5, 9); // a group of rank 0's sends
    message(0, 2, 20, 5, 0);
    message(0, 2, 3, 0, 8);    // alone
    message(0, 0, 1000, 6, 6); // stays there
    message(1, 0, 0, 9, 0);    // empty
    bound();
    message(0, 1, 7, 0, 0); // after
    const struct judge_task t = task();
    ck_assert(count(&t, 0, "messages") == 3);
    ck_assert(count(&t, 0, "sent_bytes") == 123);
    ck_assert(count(&t, 0, "sent_to.1") == 100);
    ck_assert(count(&t, 0, "sent_to.2") == 23);
    ck_assert(count(&t, 0, "sent_to.0") == 0);
    ck_assert(count(&t, 0, "rounds") == 3); // 5, alone, and what arrives
    ck_assert(count(&t, 1, "messages") == 1);
    ck_assert(count(&t, 1, "sent_bytes") == 0);
    ck_assert(count(&t, 1, "rounds") == 1); // 9: there and back
    ck_assert(count(&t, 2, "messages") == 0);
    ck_assert(count(&t, 2, "rounds") == 2);
}
END_TEST

START_TEST(a_put_is_a_message)
{
    bound();
    SYNTHETIC(&s, 0, .name = "ncclPutSignal",
              .node = {.kind = GRAPH_COPY, .queue = 1, .place = 0, .bytes = 40},
              .moves = {{0, 2, 40}});
    SYNTHETIC(&s, 0, .name = "cudaMemcpyAsync",
              .node = {.kind = GRAPH_COPY, .queue = 1, .place = 0, .bytes = 40},
              .moves = {{0, 2, 40}});
    bound();
    const struct judge_task t = task();
    ck_assert(count(&t, 0, "messages") == 1);
    ck_assert(count(&t, 0, "sent_to.2") == 40);
    ck_assert(count(&t, 0, "rounds") == 1);
}
END_TEST

START_TEST(calls_of_nccl_are_counted_and_no_other_librarys)
{
    host(1, "ncclCommInitRank"); // before
    bound();
    allreduce("ncclAllReduce");
    allreduce("ncclAllReduce");
    allreduce("nvshmemx_float_sum_reduce_on_stream");
    host(1, "ncclCommInitRankConfig");
    host(1, "ncclCommSplit");
    host(1, "ncclCommDestroy");
    bound();
    const struct judge_task t = task();
    ck_assert(count(&t, 1, "collectives") == 2);
    ck_assert(count(&t, 1, "comms") == 2);
    ck_assert(count(&t, 0, "comms") == 0);
}
END_TEST

START_TEST(device_memory_is_followed_through_an_iteration)
{
    mark(1);
    take(1, 1, 100 * KIB);
    take(1, 2, 10 * KIB);
    give(1, 2, 10 * KIB);
    bound();
    SYNTHETIC(&s, 1, .name = "reads", // which is not the end of it
              .node = {.kind = GRAPH_KERNEL, .queue = 1, .place = 1},
              .accesses = {{id(1, 1), 0, KIB, GRAPH_READ, 0}});
    take(1, 3, 5 * KIB);
    graph_note_alloc(s.rank[1], id(1, 4), TOPO_HOST_PLACE(0), KIB, 0);
    mark(1);
    give(1, 3, 5 * KIB);
    take(1, 5, 3 * KIB);
    give(1, 1, 100 * KIB);
    bound();
    take(1, 6, 1000 * KIB); // the case's, to show something
    const struct judge_task t = task();
    ck_assert(count(&t, 1, "peak_bytes") == 105 * KIB);
    ck_assert(count(&t, 1, "device_bytes") == 3 * KIB);
    ck_assert(count(&t, 0, "peak_bytes") == 0);
}
END_TEST

START_TEST(memory_that_is_given_back_twice_counts_once)
{
    take(0, 1, 8 * KIB);
    bound();
    give(0, 1, 8 * KIB);
    give(0, 1, 8 * KIB);
    take(0, 2, KIB);
    bound();
    const struct judge_task t = task();
    ck_assert(count(&t, 0, "device_bytes") == KIB);
}
END_TEST

START_TEST(what_is_given_is_what_was_held_at_the_mark)
{
    take(0, 1, 2 * KIB);
    marked(0, "ring given 0");
    take(0, 2, 7 * KIB); // the student's
    bound();
    take(0, 3, KIB);
    bound();
    const struct judge_task t = task();
    ck_assert(count(&t, 0, "before_bytes") == 2 * KIB);
    ck_assert(count(&t, 0, "peak_bytes") == 10 * KIB);
    ck_assert(isnan(count(&t, 1, "before_bytes"))); // no mark
}
END_TEST

START_TEST(marks_of_the_students_gain_nothing)
{
    take(0, 1, 2 * KIB);
    marked(0, "ring given 0");
    take(0, 2, 90 * KIB);
    marked(0, "ring given 0"); // pretends that these were given
    bound();
    marked(0, "ring held 0"); // before the state is there
    take(0, 3, 50 * KIB);
    marked(0, "ring held 0");
    give(0, 3, 50 * KIB);
    marked(0, "ring held 0"); // and after it has gone
    bound();
    const struct judge_task t = task();
    ck_assert(count(&t, 0, "before_bytes") == 2 * KIB);
    ck_assert(count(&t, 0, "state_nbytes") == 50 * KIB);
}
END_TEST

START_TEST(an_iteration_that_is_not_there_has_no_counts)
{
    marked(0, "ring #0");
    mark(1);
    const struct judge_task t = task();
    ck_assert(count(&t, 0, "messages") == 0);
    ck_assert(isnan(count(&t, 1, "messages")));
    ck_assert(isnan(count(&t, 0, "of_no_such_name")));
}
END_TEST

/* Evidence of one rank that claims five collectives in its second case. */
static struct evidence *claims(void)
{
    char *data;
    size_t nbytes;
    const double five = 5;
    struct evidence *const e = evidence_new(NRANKS, 2);
    struct evidence_out *const out = evidence_memory(&data, &nbytes, 1);
    evidence_put(out, EVIDENCE_METRIC, 1, 0, "collectives", &five, sizeof five);
    ck_assert_int_eq(evidence_finish(out), 0);
    evidence_give(e, 0, data, nbytes);
    return e;
}

START_TEST(only_real_gpus_are_believed)
{
    struct judge_verdict v = JUDGE_VERDICT_NONE;
    struct evidence *const e = claims();
    bound();
    allreduce("ncclAllReduce");
    bound();
    struct judge_task t = task();
    t.evidence = e;
    ck_assert(count(&t, 0, "collectives") == 1);
    t.graph = NULL;
    t.spans = NULL;
    t.case_no = 1;
    ck_assert(count(&t, 0, "collectives") == 5); // there is no graph
    t.graph_problem = "the graph has gone";
    v.pass = 1;
    ck_assert(isnan(judge_count(&t, 0, 0, "collectives", &v)));
    ck_assert_int_eq(v.pass, 0);
    ck_assert_str_eq(v.message, "cannot be judged: the graph has gone");
    evidence_free(e);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("counts");
    TCase *const t = tcase_create("counts");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, messages_go_to_other_ranks_and_in_rounds);
    tcase_add_test(t, a_put_is_a_message);
    tcase_add_test(t, calls_of_nccl_are_counted_and_no_other_librarys);
    tcase_add_test(t, device_memory_is_followed_through_an_iteration);
    tcase_add_test(t, memory_that_is_given_back_twice_counts_once);
    tcase_add_test(t, what_is_given_is_what_was_held_at_the_mark);
    tcase_add_test(t, marks_of_the_students_gain_nothing);
    tcase_add_test(t, an_iteration_that_is_not_there_has_no_counts);
    tcase_add_test(t, only_real_gpus_are_believed);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
