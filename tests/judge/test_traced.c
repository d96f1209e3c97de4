/* Where results without contents come from, and what a case's stream waits for,
 * in graphs made by hand. */
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

#include "judge/graph/contract.h"
#include "judge/graph/spans.h"
#include "judge/graph/trace.h"
#include "suite.h"
#include "synthetic.h"

const struct judge_lab *const judge_labs[] = {NULL};

enum { RANKS = 2, NBYTES = 64 * 1024, ROW = 1024 };
enum { CASES = 1, OTHER = 2 }; /* streams */

static struct synthetic s;
static struct graph *g;
static struct spans *spans;
static struct judge_verdict v;
static uint64_t seed[RANKS];
static int niterations;
static const struct plan_case c = {.name = "ring", .timed = 1};

static void setup(void)
{
    synthetic_init(&s, RANKS);
    g = NULL;
    spans = NULL;
    v = JUDGE_VERDICT_NONE;
    v.pass = 1;
    seed[0] = 1;
    niterations = 1;
}

static void teardown(void)
{
    spans_free(spans);
    graph_free(g);
    synthetic_release(&s);
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

static void range(uint32_t rank, const char *what, int iteration)
{
    char name[80];
    snprintf(name, sizeof name, "ring %s%d", what, iteration);
    synthetic_range(&s, rank, name);
}

/* Mark a source or a result, as "source k ", of NBYTES. */
static void mark(uint32_t rank, const char *what, int iteration, uint64_t alloc)
{
    range(rank, what, iteration);
    SYNTHETIC(
        &s, rank,
        .node = {.kind = GRAPH_MEMSET, .queue = CASES, .place = (int)rank},
        .accesses = {touch(alloc, 0, NBYTES, GRAPH_WRITE)});
    synthetic_range(&s, rank, NULL);
}

static void event(uint32_t rank)
{
    SYNTHETIC(&s, rank,
              .node = {.kind = GRAPH_MARK, .queue = CASES, .place = (int)rank});
}

static void begin(uint32_t rank, int iteration)
{
    range(rank, "#", iteration);
    event(rank);
}

/* As lab_end() does. */
static void end(uint32_t rank)
{
    event(rank);
    SYNTHETIC(&s, rank, .name = "cudaDeviceSynchronize",
              .node = {.kind = GRAPH_HOST});
    event(rank);
    SYNTHETIC(&s, rank, .name = "cudaEventSynchronize",
              .node = {.kind = GRAPH_HOST});
    synthetic_range(&s, rank, NULL);
}

/* Copy bytes [begin, end) within a rank, on a stream. */
static struct graph_ref copy(uint32_t rank, uint32_t queue, uint64_t from,
                             uint64_t to, uint64_t begin, uint64_t end)
{
    return SYNTHETIC(
        &s, rank, .name = "cudaMemcpyAsync",
        .node = {.kind = GRAPH_COPY, .queue = queue, .place = (int)rank},
        .moves = {{(int)rank, (int)rank, end - begin}},
        .accesses = {touch(from, begin, end, GRAPH_READ),
                     touch(to, begin, end, GRAPH_WRITE)});
}

static struct judge_task task(void)
{
    char err[256] = "";
    g = synthetic_load(&s);
    spans = spans_new(g, NULL, err, sizeof err);
    ck_assert_msg(spans != NULL, "%s", err);
    return (struct judge_task){.c = &c,
                               .nranks = 1,
                               .iterations = niterations,
                               .seed = seed,
                               .graph = g,
                               .spans = spans};
}

static const struct trace_buffer k = {0, "k"}, o = {0, "o"};

static void need(int iteration, trace_fn *where, const void *arg)
{
    const struct judge_task t = task();
    const struct trace trace = {&t, iteration, 1, &v};
    trace_need(&trace, o, k, where, arg);
}

static void passes(void)
{
    ck_assert_msg(v.pass, "%s", v.message);
}

static void fails(const char *why)
{
    ck_assert(!v.pass);
    ck_assert_msg(strstr(v.message, why) != NULL, "%s", v.message);
}

/* An iteration that copies bytes [0, n) of the source to the result. */
static void iteration(int i, uint64_t n)
{
    mark(0, "source k ", i, memory(0, 1));
    begin(0, i);
    if (n)
        copy(0, CASES, memory(0, 1), memory(0, 2), 0, n);
    end(0);
    mark(0, "result o ", i, memory(0, 2));
}

/* ---- origins ------------------------------------------------------------- */

START_TEST(a_copy_has_all_probes_at_their_places)
{
    static const uint64_t first = 0;
    iteration(0, NBYTES);
    need(0, trace_by_bytes, &first);
    passes();
}
END_TEST

START_TEST(half_a_copy_lacks_a_probe)
{
    static const uint64_t first = 0;
    iteration(0, NBYTES / 2);
    need(0, trace_by_bytes, &first);
    fails("of o don't descend from byte");
}
END_TEST

START_TEST(a_copy_is_not_what_a_product_makes)
{
    iteration(0, NBYTES); // each byte descends from one of the source only
    need(0, NULL, NULL);
    fails("don't descend from byte");
}
END_TEST

START_TEST(a_kernel_gives_all_that_it_reads_to_all_that_it_writes)
{
    mark(0, "source k ", 0, memory(0, 1));
    begin(0, 0);
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_KERNEL, .queue = CASES},
              .accesses = {touch(memory(0, 1), 0, NBYTES, GRAPH_READ),
                           touch(memory(0, 2), 0, NBYTES, GRAPH_WRITE)});
    end(0);
    mark(0, "result o ", 0, memory(0, 2));
    need(0, NULL, NULL);
    passes();
}
END_TEST

START_TEST(rows_depend_on_their_rows_only)
{
    static const struct trace_rows own = {ROW, ROW, 0}, next = {ROW, ROW, 1};
    mark(0, "source k ", 0, memory(0, 1));
    begin(0, 0);
    for (uint64_t at = 0; at < NBYTES; at += ROW)
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_KERNEL, .queue = CASES},
                  .accesses = {touch(memory(0, 1), at, at + ROW, GRAPH_READ),
                               touch(memory(0, 2), at, at + ROW, GRAPH_WRITE)});
    end(0);
    mark(0, "result o ", 0, memory(0, 2));
    const struct judge_task t = task();
    const struct trace trace = {&t, 0, 1, &v};
    trace_need(&trace, o, k, trace_by_rows, &own);
    passes();
    trace_need(&trace, o, k, trace_by_rows, &next);
    fails("don't descend from byte");
}
END_TEST

START_TEST(what_the_iteration_before_left_is_old)
{
    niterations = 2;
    iteration(0, NBYTES);
    iteration(1, 0);
    need(1, trace_by_bytes, &(uint64_t){0});
    fails("don't descend from byte");
}
END_TEST

START_TEST(a_source_that_the_program_marks_too_is_refused)
{
    mark(0, "source k ", 0, memory(0, 3));
    iteration(0, NBYTES);
    need(0, trace_by_bytes, &(uint64_t){0});
    fails("k of the case is marked 2 times, not once");
}
END_TEST

START_TEST(marks_inside_an_iteration_are_ordinary_fills)
{
    mark(0, "source k ", 0, memory(0, 1));
    begin(0, 0);
    range(0, "source k ", 0);
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_MEMSET, .queue = CASES},
              .accesses = {touch(memory(0, 2), 0, NBYTES, GRAPH_WRITE)});
    range(0, "#", 0);
    end(0);
    mark(0, "result o ", 0, memory(0, 2));
    need(0, trace_by_bytes, &(uint64_t){0});
    fails("don't descend from byte");
}
END_TEST

START_TEST(a_result_without_a_mark_is_refused)
{
    mark(0, "source k ", 0, memory(0, 1));
    begin(0, 0);
    end(0);
    need(0, NULL, NULL);
    fails("o of the case is not marked");
}
END_TEST

START_TEST(bytes_of_the_host_are_refused)
{
    mark(0, "source k ", 0, memory(0, 1));
    begin(0, 0);
    SYNTHETIC(&s, 0, .node = {.kind = GRAPH_COPY, .queue = CASES},
              .moves = {{0, 0, NBYTES}},
              .accesses = {touch(memory(0, 0), 0, NBYTES, GRAPH_READ),
                           touch(memory(0, 2), 0, NBYTES, GRAPH_WRITE)});
    end(0);
    mark(0, "result o ", 0, memory(0, 2));
    need(0, NULL, NULL);
    fails("came through the host's memory");
}
END_TEST

START_TEST(probes_are_where_the_secret_says)
{
    uint64_t at[2][ORIGIN_PROBES];
    iteration(0, NBYTES);
    for (int i = 0; i < 2; i++) {
        seed[0] = (uint64_t)i + 1;
        if (i)
            spans_free(spans), graph_free(g);
        const struct judge_task t = task();
        const struct origin_source *const found = spans_source(&t, 0, 0, "k");
        ck_assert(found != NULL);
        memcpy(at[i], found->probe, sizeof at[i]);
        ck_assert_uint_lt(at[i][0], NBYTES / 2);
        ck_assert_uint_ge(at[i][1], NBYTES / 2);
        ck_assert_uint_eq(at[i][2], NBYTES - ORIGIN_PROBE);
    }
    ck_assert_uint_ne(at[0][0], at[1][0]);
    ck_assert_uint_ne(at[0][1], at[1][1]);
}
END_TEST

/* ---- the case's stream --------------------------------------------------- */

/* A copy on another stream writes the result; the case's stream waits for it if
 * `event`, the host if `host`. */
static void on_another_stream(int event, int host)
{
    mark(0, "source k ", 0, memory(0, 1));
    begin(0, 0);
    const struct graph_ref last =
        copy(0, OTHER, memory(0, 1), memory(0, 2), 0, NBYTES);
    if (event)
        SYNTHETIC(&s, 0, .node = {.kind = GRAPH_MARK, .queue = CASES},
                  .deps = {last});
    if (host)
        SYNTHETIC(&s, 0, .name = "cudaStreamSynchronize",
                  .node = {.kind = GRAPH_HOST}, .deps = {last});
    end(0);
    mark(0, "result o ", 0, memory(0, 2));
    const struct judge_task t = task();
    contract_judge_awaited(&t, &v);
}

START_TEST(work_that_the_stream_does_not_wait_for_is_no_result)
{
    on_another_stream(0, 0);
    fails("cudaMemcpyAsync at ");
    fails("stream 2, which the case's stream doesn't wait for");
}
END_TEST

START_TEST(a_stream_may_wait_for_an_event)
{
    on_another_stream(1, 0);
    passes();
}
END_TEST

START_TEST(the_host_may_wait)
{
    on_another_stream(0, 1);
    passes();
}
END_TEST

START_TEST(work_beside_the_result_may_be_under_way)
{
    iteration(0, NBYTES);
    begin(0, 1);
    copy(0, OTHER, memory(0, 1), memory(0, 9), 0, NBYTES);
    end(0);
    niterations = 2;
    const struct judge_task t = task();
    contract_judge_awaited(&t, &v);
    passes();
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("traced");
    TCase *const t = tcase_create("traced");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_copy_has_all_probes_at_their_places);
    tcase_add_test(t, half_a_copy_lacks_a_probe);
    tcase_add_test(t, a_copy_is_not_what_a_product_makes);
    tcase_add_test(t, a_kernel_gives_all_that_it_reads_to_all_that_it_writes);
    tcase_add_test(t, rows_depend_on_their_rows_only);
    tcase_add_test(t, what_the_iteration_before_left_is_old);
    tcase_add_test(t, a_source_that_the_program_marks_too_is_refused);
    tcase_add_test(t, marks_inside_an_iteration_are_ordinary_fills);
    tcase_add_test(t, a_result_without_a_mark_is_refused);
    tcase_add_test(t, bytes_of_the_host_are_refused);
    tcase_add_test(t, probes_are_where_the_secret_says);
    tcase_add_test(t, work_that_the_stream_does_not_wait_for_is_no_result);
    tcase_add_test(t, a_stream_may_wait_for_an_event);
    tcase_add_test(t, the_host_may_wait);
    tcase_add_test(t, work_beside_the_result_may_be_under_way);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
