/* How ranks came to their results, in graphs made by hand. */
#include <check.h>
#include <stdlib.h> /* EXIT_SUCCESS */
#include <string.h> /* strstr */

#include "judge/graph/calls.h"
#include "judge/graph/spans.h"
#include "suite.h"
#include "synthetic.h"

const struct judge_lab *const judge_labs[] = {NULL};

enum { NRANKS = 2 };

static struct synthetic s;
static struct graph *g;
static struct spans *spans;
static struct judge_verdict v;
static uint64_t nmatches;
static const struct plan_case c = {.name = "case"};

static void setup(void)
{
    synthetic_init(&s, NRANKS);
    g = NULL;
    spans = NULL;
    v = JUDGE_VERDICT_NONE;
    v.pass = 1;
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

/* The first and the last operation of iteration 0, on all ranks. */
static void bound(void)
{
    for (uint32_t r = 0; r < NRANKS; r++) {
        synthetic_range(&s, r, "case #0");
        mark(r);
        synthetic_range(&s, r, NULL);
    }
}

static struct graph_ref kernel(uint32_t queue, struct graph_ref after)
{
    return SYNTHETIC(
        &s, 0, .name = "kernel",
        .node = {.kind = GRAPH_KERNEL, .queue = queue, .latency_ps = 5000000},
        .deps = {after});
}

static void wait_on(struct graph_ref what)
{
    SYNTHETIC(&s, 0, .name = "cudaStreamSynchronize",
              .node = {.kind = GRAPH_HOST, .place = TOPO_HOST_PLACE(0)},
              .deps = {what});
}

static void collective(enum topo_op op, uint64_t nbytes)
{
    nmatches++;
    for (uint32_t r = 0; r < NRANKS; r++)
        SYNTHETIC(&s, r, .name = "ncclAny",
                  .node = {.kind = GRAPH_COLL,
                           .queue = 1,
                           .place = (int)r,
                           .op = (uint8_t)op,
                           .match_kind = GRAPH_MATCH_ALL,
                           .match = nmatches,
                           .match_size = NRANKS,
                           .match_rank = r,
                           .bytes = nbytes});
}

static void mpi(const char *name, uint64_t nbytes)
{
    nmatches++;
    for (uint32_t r = 0; r < NRANKS; r++)
        SYNTHETIC(&s, r, .name = name,
                  .node = {.kind = GRAPH_MPI,
                           .place = TOPO_HOST_PLACE(0),
                           .match_kind = GRAPH_MATCH_ALL,
                           .match = nmatches,
                           .match_size = NRANKS,
                           .match_rank = r,
                           .bytes = nbytes});
}

static struct judge_task task(void)
{
    char err[256] = "";
    g = synthetic_load(&s);
    spans = spans_new(g, NULL, err, sizeof err);
    ck_assert_msg(spans != NULL, "%s", err);
    return (struct judge_task){
        .c = &c, .nranks = NRANKS, .iterations = 1, .graph = g, .spans = spans};
}

static const struct graph_ref nothing = {0};

/* ---- waits --------------------------------------------------------------- */

START_TEST(a_wait_counts_if_more_work_follows)
{
    const char *site;
    bound();
    const struct graph_ref first = kernel(1, nothing);
    wait_on(first);
    const struct graph_ref second = kernel(1, nothing);
    wait_on(second); // the end: nothing follows but the runner's mark
    bound();
    const struct judge_task t = task();
    ck_assert_int_eq(calls_waits(&t, 0, 0, &site), 1);
    ck_assert_int_eq(calls_waits(&t, 1, 0, &site), 0);
    judge_no_waits(&t, "do not", &v);
    ck_assert_int_eq(v.pass, 0);
    ck_assert_ptr_nonnull(strstr(v.message, "rank 0's host waits 1 times"));
}
END_TEST

START_TEST(a_wait_before_all_work_does_not_count)
{
    const char *site;
    const struct graph_ref before = mark(0);
    bound();
    wait_on(before);
    kernel(1, nothing);
    bound();
    const struct judge_task t = task();
    ck_assert_int_eq(calls_waits(&t, 0, 0, &site), 0);
    judge_no_waits(&t, "do not", &v);
    ck_assert_int_eq(v.pass, 1);
}
END_TEST

static int from_queue(const struct graph_node *later,
                      const struct graph_node *earlier, const void *arg)
{
    (void)later;
    return earlier->queue == *(const uint32_t *)arg;
}

START_TEST(events_join_two_streams)
{
    const uint32_t one = 1, two = 2;
    bound();
    const struct graph_ref a = kernel(1, nothing);
    kernel(1, a); // on its own stream
    const struct graph_ref b = kernel(2, a);
    wait_on(b); // the host's
    kernel(1, b);
    kernel(1, b);
    bound();
    const struct judge_task t = task();
    ck_assert_int_eq(calls_events(&t, 0, 0, from_queue, &one), 1);
    ck_assert_int_eq(calls_events(&t, 0, 0, from_queue, &two), 2);
    ck_assert_int_eq(calls_events(&t, 1, 0, from_queue, &one), 0);
}
END_TEST

/* ---- MPI ----------------------------------------------------------------- */

START_TEST(mpi_may_order_but_not_carry)
{
    bound();
    mpi("MPI_Barrier", 0);
    mpi("MPI_Comm_split", 8);
    bound();
    const struct judge_task t = task();
    judge_no_mpi(&t, "use NCCL", &v);
    ck_assert_int_eq(v.pass, 1);
}
END_TEST

START_TEST(what_mpi_carries_is_named)
{
    mpi("MPI_Bcast", 8); // before
    bound();
    mpi("MPI_Allreduce", 8);
    bound();
    const struct judge_task t = task();
    judge_no_mpi(&t, "use NCCL", &v);
    ck_assert_int_eq(v.pass, 0);
    ck_assert_ptr_nonnull(strstr(v.message, "MPI_Allreduce"));
    ck_assert_ptr_nonnull(strstr(v.message, "use NCCL"));
}
END_TEST

/* ---- collectives --------------------------------------------------------- */

static const struct {
    struct calls_coll made[3];
    const char *message; /* NULL: it passes */
} runs[] = {
    {{{TOPO_OP_BROADCAST, 64}, {TOPO_OP_ALLREDUCE, 8}}, NULL},
    {{{TOPO_OP_ALLREDUCE, 8}, {TOPO_OP_BROADCAST, 64}}, NULL},
    {{{TOPO_OP_ALLREDUCE, 8}}, "one is missing: a broadcast of 64 bytes"},
    {{{TOPO_OP_ALLREDUCE, 8}, {TOPO_OP_BROADCAST, 4}},
     "a broadcast of 4 bytes"},
    {{{TOPO_OP_ALLREDUCE, 8}, {TOPO_OP_ALLREDUCE, 64}},
     "an all-reduce of 64 bytes"},
    {{{TOPO_OP_BROADCAST, 64}, {TOPO_OP_ALLREDUCE, 8}, {TOPO_OP_REDUCE, 1}},
     "should not: a reduce of 1 bytes"},
    {{{0}}, "one is missing: an all-reduce of 8 bytes"},
};

START_TEST(collectives_are_those_that_were_asked_for)
{
    struct calls_coll want[] = {{TOPO_OP_BROADCAST, 64},
                                {TOPO_OP_ALLREDUCE, 8}};
    collective(TOPO_OP_REDUCE, 3); // before
    bound();
    for (int i = 0; i < 3 && runs[_i].made[i].op; i++)
        collective(runs[_i].made[i].op, runs[_i].made[i].nbytes);
    bound();
    const struct judge_task t = task();
    judge_collectives(&t, want, 2, &v);
    ck_assert_int_eq(v.pass, !runs[_i].message);
    ck_assert_msg(!runs[_i].message || strstr(v.message, runs[_i].message),
                  "%s", v.message);
}
END_TEST

START_TEST(bytes_of_collectives_are_those_of_the_iteration)
{
    collective(TOPO_OP_REDUCE, 3); // before
    bound();
    collective(TOPO_OP_BROADCAST, 64);
    collective(TOPO_OP_ALLREDUCE, 8);
    bound();
    collective(TOPO_OP_REDUCE, 5); // after
    const struct judge_task t = task();
    ck_assert_double_eq(judge_collective_bytes(&t, 0, 0), 72);
    const struct judge_task real = {.c = &c, .nranks = NRANKS};
    ck_assert_double_eq(judge_collective_bytes(&real, 0, 0), 0);
}
END_TEST

/* ---- measured times ------------------------------------------------------ */

static int has_a_kernel(const struct judge_task *t, uint32_t a, uint32_t b,
                        const void *arg)
{
    (void)arg;
    for (uint32_t at = a; at <= b; at++)
        if (t->graph->nodes[at].node.kind == GRAPH_KERNEL)
            return 1;
    return 0;
}

START_TEST(a_time_lies_between_two_events)
{
    bound();
    kernel(1, nothing); // 5 us
    mark(0);
    kernel(1, nothing);
    kernel(1, nothing);
    mark(0);
    bound();
    const struct judge_task t = task();
    ck_assert(calls_measured(&t, 0, 5, has_a_kernel, NULL));
    ck_assert(calls_measured(&t, 0, 10, has_a_kernel, NULL));
    ck_assert(calls_measured(&t, 0, 15, has_a_kernel, NULL));
    ck_assert(!calls_measured(&t, 0, 7, has_a_kernel, NULL));
    ck_assert(!calls_measured(&t, 0, 0, has_a_kernel, NULL)); // no work
    const struct judge_task real = {.c = &c, .nranks = NRANKS};
    ck_assert(calls_measured(&real, 0, 7, has_a_kernel, NULL));
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("calls");
    TCase *const t = tcase_create("calls");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_wait_counts_if_more_work_follows);
    tcase_add_test(t, a_wait_before_all_work_does_not_count);
    tcase_add_test(t, events_join_two_streams);
    tcase_add_test(t, mpi_may_order_but_not_carry);
    tcase_add_test(t, what_mpi_carries_is_named);
    SUITE_LOOP(t, collectives_are_those_that_were_asked_for, runs);
    tcase_add_test(t, bytes_of_collectives_are_those_of_the_iteration);
    tcase_add_test(t, a_time_lies_between_two_events);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
