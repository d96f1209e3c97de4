/* What an iteration moves, and where its output came from: graphs by hand. */
#include <check.h>
#include <math.h>   /* isnan */
#include <stdlib.h> /* size_t */
#include <string.h> /* memset */

#include "judge/graph/spans.h"
#include "judge/judge.h"
#include "judge/origin/origin.h"
#include "suite.h"
#include "synthetic.h"

const struct judge_lab *const judge_labs[] = {NULL};

enum { NRANKS = 2, NBYTES = 16, WHOLE = NBYTES + 2 * JUDGE_RED_ZONE };

static struct synthetic s;
static struct graph *g;
static struct spans *spans;
static struct evidence *evidence;
static uint64_t nmatches;
static const struct plan_case c = {.name = "ring"};

static void setup(void)
{
    synthetic_init(&s, NRANKS);
    g = NULL;
    spans = NULL;
    evidence = NULL;
}

static void teardown(void)
{
    spans_free(spans);
    graph_free(g);
    evidence_free(evidence);
    synthetic_release(&s);
}

/* ---- what ranks do ------------------------------------------------------- */

/* Begin and end iteration 0 on all ranks. */
static void bound(void)
{
    for (uint32_t r = 0; r < NRANKS; r++) {
        synthetic_range(&s, r, "ring #0");
        SYNTHETIC(&s, r,
                  .node = {.kind = GRAPH_MARK, .queue = 1, .place = (int)r});
        synthetic_range(&s, r, NULL);
    }
}

static uint64_t memory(uint32_t rank, uint32_t n)
{
    return (uint64_t)rank << 32 | n;
}

static struct graph_access touch(uint64_t alloc, uint64_t begin, uint64_t end,
                                 uint32_t how)
{
    return (struct graph_access){
        .alloc = alloc, .begin = begin, .end = end, .write = how};
}

static void copy(uint32_t rank, uint32_t thread, struct graph_access from,
                 struct graph_access to)
{
    SYNTHETIC(&s, rank,
              .node = {.kind = GRAPH_COPY,
                       .thread = thread,
                       .queue = 1 + thread,
                       .place = (int)rank,
                       .latency_ps = 1000},
              .moves = {{(int)rank, (int)rank, 2 * (to.end - to.begin)}},
              .accesses = {from, to});
}

static void upload(uint32_t rank, uint64_t begin, uint64_t end)
{
    copy(rank, 0, touch(memory(rank, 0), 4096, 4096 + end - begin, GRAPH_READ),
         touch(memory(rank, 1), begin, end, GRAPH_WRITE));
}

static void download(uint32_t rank, uint32_t thread, uint64_t nbytes)
{
    copy(rank, thread, touch(memory(rank, 1), 0, nbytes, GRAPH_READ),
         touch(memory(rank, 0), 4096, 4096 + nbytes, GRAPH_WRITE));
}

/* A message of bytes [begin, end) of the ranks' memory. */
static void message(uint32_t from, uint32_t to, uint64_t begin, uint64_t end)
{
    struct graph_node n = {.kind = GRAPH_SEND,
                           .queue = 1,
                           .group = from == to ? 9 : 0, // or it would hang
                           .place = (int)from,
                           .peer_place = (int)to,
                           .match_kind = GRAPH_MATCH_PAIR,
                           .match = ++nmatches,
                           .match_size = 2,
                           .bytes = end - begin};
    SYNTHETIC(&s, from, .node = n,
              .accesses = {touch(memory(from, 1), begin, end, GRAPH_READ)});
    n.kind = GRAPH_RECV;
    n.place = (int)to;
    n.peer_place = (int)from;
    n.match_rank = 1;
    SYNTHETIC(&s, to, .node = n,
              .accesses = {touch(memory(to, 1), begin, end, GRAPH_WRITE)});
}

static void collective(enum topo_op op, uint64_t nbytes)
{
    nmatches++;
    for (uint32_t r = 0; r < NRANKS; r++)
        SYNTHETIC(&s, r,
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

/* ---- what the judge finds ------------------------------------------------ */

/* Evidence of rank 0 with an output of WHOLE bytes. */
static void show(void)
{
    char *data, out[WHOLE];
    size_t nbytes;
    struct evidence_out *const e = evidence_memory(&data, &nbytes, 1);
    memset(out, JUDGE_RED, sizeof out);
    evidence_put(e, EVIDENCE_OUTPUT, 0, 0, "out", out, sizeof out);
    ck_assert_int_eq(evidence_finish(e), 0);
    evidence = evidence_new(NRANKS, 1);
    evidence_give(evidence, 0, data, nbytes);
}

static struct judge_task task(void)
{
    char err[256] = "";
    g = synthetic_load(&s);
    spans = spans_new(g, NULL, err, sizeof err);
    ck_assert_msg(spans != NULL, "%s", err);
    show();
    return (struct judge_task){.c = &c,
                               .nranks = NRANKS,
                               .iterations = 1,
                               .graph = g,
                               .spans = spans,
                               .evidence = evidence};
}

/* Both have their inputs. Rank 1's first 8 bytes go to rank 0, which then gets
 * two of the host's. */
static struct judge_task received(void)
{
    for (uint32_t r = 0; r < NRANKS; r++)
        upload(r, 0, WHOLE);
    bound();
    message(1, 0, JUDGE_RED_ZONE, JUDGE_RED_ZONE + 8);
    synthetic_range(&s, 0, "ring #0");
    upload(0, JUDGE_RED_ZONE + 12, JUDGE_RED_ZONE + 14);
    synthetic_range(&s, 0, NULL);
    bound();
    download(0, 1, WHOLE); // by a thread of the student's
    download(0, 0, WHOLE - 4);
    download(0, 0, WHOLE);
    return task();
}

#define LACKS(rank, byte)                                                      \
    "the result is right, but no operation on the devices brought rank " rank  \
    "'s data to byte " byte " of rank 0's output"
#define NEED(bits) ((struct rank_set){{bits}})
#define HOST(byte)                                                             \
    "the result is right, but byte " byte " of rank 0's output came through "  \
    "the host's memory; keep the data on the devices"

static const struct {
    size_t begin, end;
    uint64_t need;
    const char *descent, *origin;
} outputs[] = {
    {0, 8, 2, "", ""},
    {0, 9, 2, LACKS("1", "8"), LACKS("1", "8")},
    {8, 12, 1, "", ""},
    {7, 12, 1, LACKS("0", "7"), LACKS("0", "7")},
    {9, 13, 0, "", HOST("12")},
    {13, 16, 0, "", HOST("13")},
    {14, 16, 1, "", ""},
    {12, 14, 1, LACKS("0", "12"), HOST("12")},
    {8, 12, 2, LACKS("1", "8"), LACKS("1", "8")},
    {12, 12, 3, "", ""}, // nothing
};

START_TEST(an_output_descends_from_whom_it_needs)
{
    const struct judge_task t = received();
    struct judge_verdict v = {.pass = 1};
    judge_descent(&t, 0, 0, "out", outputs[_i].begin, outputs[_i].end,
                  NEED(outputs[_i].need), &v);
    ck_assert_str_eq(v.message, outputs[_i].descent);
    v = (struct judge_verdict){.pass = 1};
    judge_origin(&t, 0, 0, "out", outputs[_i].begin, outputs[_i].end,
                 NEED(outputs[_i].need), &v);
    ck_assert_str_eq(v.message, outputs[_i].origin);
    ck_assert_int_eq(v.pass, !*outputs[_i].origin);
}
END_TEST

START_TEST(an_output_that_no_copy_brought_comes_from_nowhere)
{
    struct judge_task t = received();
    struct judge_verdict v = {.pass = 1};
    size_t n = 9;
    judge_descent(&t, 0, 0, "other", 2, 4, NEED(1), &v);
    ck_assert_str_eq(v.message, LACKS("0", "2"));
    judge_descent(&t, 0, 0, "out", 0, 9, NEED(2), &v); // the first reason stays
    ck_assert_str_eq(v.message, LACKS("0", "2"));
    ck_assert_ptr_null(spans_origin(&t, 0, 0, WHOLE, 1, &n));
    ck_assert_uint_eq(n, 0);
    ck_assert_ptr_null(spans_origin(&t, 0, 1, WHOLE, 0, &n));
    ck_assert_ptr_null(spans_origin(&t, 0, 0, WHOLE + 1, 0, &n));
    ck_assert_uint_eq(n, 0);
    const struct origin *const o = spans_origin(&t, 0, 0, WHOLE - 4, 0, &n);
    ck_assert(o && n > 0 && o[n - 1].end == WHOLE - 4);
    t.spans = NULL; // real GPUs: nothing is known
    v = (struct judge_verdict){.pass = 1};
    judge_origin(&t, 0, 0, "out", 0, 16, NEED(3), &v);
    ck_assert_int_eq(v.pass, 1);
}
END_TEST

START_TEST(traffic_is_what_a_rank_sends_at_least)
{
    bound();
    message(0, 1, 0, 100);
    message(0, 0, 0, 7); // stays there
    collective(TOPO_OP_ALLREDUCE, 1000);
    collective(TOPO_OP_ALLGATHER, 10);
    bound();
    message(0, 1, 0, 3); // too late
    const struct judge_task t = task();
    ck_assert_double_eq(spans_traffic_bytes(&t, 0, 0), 100 + 1000 + 5);
    ck_assert_double_eq(spans_traffic_bytes(&t, 1, 0), 1000 + 5);
    ck_assert(isnan(spans_traffic_bytes(&t, 1, 1)));
    ck_assert_uint_eq(spans_count(&t, 0, 0, GRAPH_COLL, TOPO_OP_ALLREDUCE), 1);
    ck_assert_uint_eq(spans_count(&t, 0, 0, GRAPH_COLL, TOPO_OP_NONE), 2);
}
END_TEST

START_TEST(steps_are_messages_that_wait_for_each_other)
{
    bound();
    message(0, 1, 0, 100);
    message(1, 0, 0, 100);
    message(0, 1, 0, 100);
    bound();
    struct judge_task t = task();
    ck_assert_int_eq(spans_steps(&t, 0), 3);
    ck_assert_int_eq(spans_steps(&t, 1), -1);
    t.spans = NULL;
    ck_assert_int_eq(spans_steps(&t, 0), -1);
}
END_TEST

static const struct {
    struct graph_access access;
    struct graph_move move;
    int is_host;
} touched[] = {
    {{.alloc = 1, .end = 8, .write = GRAPH_READ}, {0, 1, 8}, 0},
    {{.alloc = 2, .end = 8, .write = GRAPH_READ}, {0, 1, 8}, 1}, // pinned
    {{.alloc = 2, .end = 8, .write = GRAPH_ATOMIC}, {0, 1, 8}, 1},
    {{.alloc = 2, .end = 8, .write = GRAPH_FREE}, {0, 1, 8}, 0},
    {{.alloc = 1, .end = 8, .write = GRAPH_READ},
     {TOPO_HOST_PLACE(0), 0, 8},
     1},
    {{.alloc = 1, .end = 8, .write = GRAPH_READ},
     {0, TOPO_HOST_PLACE(0), 8},
     0},
    {{.alloc = 2, .end = 8, .write = GRAPH_WRITE}, {0, 1, 8}, 0},
};

START_TEST(what_reads_the_hosts_memory_is_found)
{
    graph_note_alloc(s.rank[0], 1, 0, 64, 0);
    graph_note_alloc(s.rank[0], 2, TOPO_HOST_PLACE(0), 64, 0);
    bound();
    SYNTHETIC(&s, 0, .name = "it",
              .node = {.kind = GRAPH_COPY, .queue = 1, .place = 0},
              .moves = {touched[_i].move}, .accesses = {touched[_i].access});
    bound();
    const struct judge_task t = task();
    const struct graph_view *const v = spans_from_host(&t, 0, 0);
    ck_assert_int_eq(v != NULL, touched[_i].is_host);
    ck_assert(!v || strcmp(v->name, "it") == 0);
    ck_assert_ptr_null(spans_from_host(&t, 1, 0));
    ck_assert_ptr_null(spans_from_host(&t, 0, 1));
}
END_TEST

/* The host waits for the device: by a dependence, or a join. */
static void wait_by(uint32_t flags, uint32_t site)
{
    const struct graph_ref last =
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_MARK, .queue = 1, .place = 0});
    const struct graph_node n = {
        .kind = GRAPH_HOST, .flags = (uint8_t)flags, .site = site};
    if (flags)
        SYNTHETIC(&s, 0, .node = n);
    else
        SYNTHETIC(&s, 0, .node = n, .deps = {last});
}

START_TEST(waits_between_messages_are_counted)
{
    const char *site = NULL;
    char want[256];
    const uint32_t here = graph_site(s.rank[0], (char *)&bound + 1),
                   other = graph_site(s.rank[0], (char *)&upload + 1);
    bound();
    wait_by(0, other); // before the first
    wait_by(GRAPH_JOIN, other);
    message(0, 1, 0, 100);
    wait_by(GRAPH_JOIN, here);
    wait_by(0, other);
    message(0, 1, 0, 100);
    message(0, 1, 0, 100);
    wait_by(0, other);
    message(0, 1, 0, 100);
    wait_by(0, other); // after the last
    bound();
    const struct judge_task t = task();
    ck_assert_int_eq(spans_host_waits(&t, 0, 0, &site), 3);
    graph_site_text_of(g, 0, here, want, sizeof want);
    ck_assert_str_eq(site, want);
    ck_assert_int_eq(spans_host_waits(&t, 1, 0, &site), 0);
    ck_assert_str_eq(site, "");
    ck_assert_int_eq(spans_host_waits(&t, 0, 1, &site), 0);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("moved");
    TCase *const t = tcase_create("moved");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, an_output_descends_from_whom_it_needs, 0,
                        sizeof outputs / sizeof *outputs);
    tcase_add_test(t, an_output_that_no_copy_brought_comes_from_nowhere);
    tcase_add_test(t, traffic_is_what_a_rank_sends_at_least);
    tcase_add_test(t, steps_are_messages_that_wait_for_each_other);
    tcase_add_loop_test(t, what_reads_the_hosts_memory_is_found, 0,
                        sizeof touched / sizeof *touched);
    tcase_add_test(t, waits_between_messages_are_counted);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
