/* Verdicts on runs whose graph was recorded: graphs made by hand. */
#include <check.h>
#include <math.h>   /* isnan */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* size_t */
#include <string.h> /* strstr */

#include "fds.h"
#include "judge/graph/spans.h"
#include "judge/judge.h"
#include "suite.h"
#include "synthetic.h"

enum { US = 1000000, NRANKS = 2, MIB = 1 << 20 }; /* ps; bytes */
enum { NBYTES = 8, WHOLE = NBYTES + 2 * JUDGE_RED_ZONE };

/* ---- labs ---------------------------------------------------------------- */

static double limit_us;

static double limit_of(const struct judge_task *t)
{
    (void)t;
    return limit_us;
}

static void right(const struct judge_task *t, struct judge_verdict *v)
{
    (void)t, (void)v;
}

static void wrong(const struct judge_task *t, struct judge_verdict *v)
{
    (void)t;
    judge_fail(v, "it is wrong");
}

static void suspect(const struct judge_task *t, struct judge_verdict *v)
{
    wrong(t, v);
    v->suspected = 1;
}

/* The case can't be judged on so few ranks. */
static void skip(const struct judge_task *t, struct judge_verdict *v)
{
    wrong(t, v);
    v->skipped = 1;
}

/* Rank 0's output has to come from rank 1's input. */
static void from_peer(const struct judge_task *t, struct judge_verdict *v)
{
    judge_descent(t, 0, 0, "out", 0, NBYTES, rank_set_of(1), v);
}

static const struct judge_kind kinds[] = {
    {.name = "right", .judge = right, .limit_us = limit_of},
    {.name = "free", .judge = right},
    {.name = "wrong", .judge = wrong},
    {.name = "suspect", .judge = suspect},
    {.name = "skip", .judge = skip},
    {.name = "peer", .judge = from_peer},
    {.name = NULL}};
static const struct judge_student students[] = {
    {"wrong", "f() in f.c", NULL, NULL},
    {"skip", "f() in f.c", NULL, NULL},
    {NULL, NULL, NULL, NULL}};
static const struct judge_lab lab = {
    .lab = "lab", .kinds = kinds, .students = students};
const struct judge_lab *const judge_labs[] = {&lab, NULL};

/* ---- runs ---------------------------------------------------------------- */

static struct synthetic s;
static struct graph *g;
static struct spans *spans;
static struct evidence *evidence;

static void setup(void)
{
    synthetic_init(&s, NRANKS);
    g = NULL;
    spans = NULL;
    evidence = NULL;
    limit_us = NAN;
}

static void teardown(void)
{
    spans_free(spans);
    graph_free(g);
    evidence_free(evidence);
    synthetic_release(&s);
}

static void kernel(uint32_t rank, const char *name, uint32_t queue, uint64_t us)
{
    SYNTHETIC(&s, rank, .name = name,
              .node = {.kind = GRAPH_KERNEL,
                       .queue = queue,
                       .place = (int)rank,
                       .latency_ps = us * US});
}

/* A kernel on each rank, in an iteration that begins with it. */
static void iteration(const char *kernels, uint64_t us, uint64_t more_on_1)
{
    for (uint32_t r = 0; r < NRANKS; r++) {
        synthetic_range(&s, r, "ring #0");
        SYNTHETIC(&s, r,
                  .node = {.kind = GRAPH_MARK, .queue = 1, .place = (int)r});
        kernel(r, kernels, 1, us + r * more_on_1);
    }
    synthetic_range(&s, 0, NULL);
}

static void collective(const char *name, uint32_t queue)
{
    for (uint32_t r = 0; r < NRANKS; r++) {
        synthetic_range(&s, r, name);
        SYNTHETIC(&s, r,
                  .node = {.kind = GRAPH_COLL,
                           .queue = queue,
                           .place = (int)r,
                           .op = TOPO_OP_ALLREDUCE,
                           .match_kind = GRAPH_MATCH_ALL,
                           .match = 1,
                           .match_size = NRANKS,
                           .match_rank = r,
                           .bytes = MIB});
    }
    synthetic_range(&s, 0, NULL);
}

/* Two kernels of rank 0 that write the same bytes, in no order. */
static void race(const char *name)
{
    for (uint32_t queue = 1; queue <= 2; queue++)
        SYNTHETIC(&s, 0, .name = name,
                  .node = {.kind = GRAPH_KERNEL, .queue = queue},
                  .accesses = {{1, 0, 100, GRAPH_WRITE, 0}});
}

/* What all ranks show: they got to the end, rank 1 after a call that failed,
 * unless that is NULL. */
static void show(const char *failed)
{
    char out[WHOLE];
    const double us = 777; // what a rank says is not asked for
    memset(out, JUDGE_RED, sizeof out);
    evidence = evidence_new(NRANKS, 1);
    for (int r = 0; r < NRANKS; r++) {
        char *data;
        size_t n;
        struct evidence_out *const e = evidence_memory(&data, &n, 1);
        evidence_put_status(e, 0, RUN_OK, r ? failed : NULL);
        evidence_put(e, EVIDENCE_OUTPUT, 0, 0, "out", out, sizeof out);
        evidence_put(e, EVIDENCE_METRIC, 0, 0, "time_us", &us, sizeof us);
        ck_assert_int_eq(evidence_finish(e), 0);
        evidence_give(evidence, r, data, n);
    }
}

static struct judge_task task_of(const struct plan_case *c)
{
    char err[256] = "";
    if (!g)
        g = synthetic_load(&s);
    if (!spans)
        spans = spans_new(g, NULL, err, sizeof err);
    ck_assert_msg(spans != NULL, "%s", err);
    if (!evidence)
        show(NULL);
    return (struct judge_task){.c = c,
                               .nranks = NRANKS,
                               .iterations = 1,
                               .graph = g,
                               .spans = spans,
                               .evidence = evidence};
}

/* The verdict on the graph recorded so far, as a case "ring" of this kind. */
static struct judge_verdict verdict_on(const char *kind)
{
    struct judge_verdict v;
    const struct plan_case c = {.name = "ring", .kind = (char *)kind};
    const struct judge_task t = task_of(&c);
    judge_case(&lab, &t, &v);
    return v;
}

/* ---- times --------------------------------------------------------------- */

static const struct {
    const char *kind;
    int timed;
    double limit_us, time_us, reference_us, limit, score;
    const char *says;
} times[] = {
    {"right", 1, 21, 21, 20, 21, 1, ""},
    {"right", 1, NAN, 21, 20, NAN, 1, ""},
    {"free", 1, 21, 21, 20, NAN, 1, ""}, // this kind has no limit
    {"right", 0, 21, 21, NAN, NAN, 1, ""},
    {"right", 1, 22, 21, 20, 22, 0,
     "work is missing: what this case has to move and compute takes this "
     "machine at least 22 us, and the run took 21 us.\nAll ranks together ran "
     "2 kernels and library calls, made 0 copies, and moved\n0 bytes by 0 "
     "messages and 0 calls of collectives. Which is left out, or too small?"},
    {"wrong", 1, 22, 21, 20, NAN, 0, "it is wrong\nLook at f() in f.c."},
};

START_TEST(a_recorded_run_is_timed_on_the_modelled_machine)
{
    const struct plan_case c = {.name = "ring",
                                .kind = (char *)times[_i].kind,
                                .timed = times[_i].timed,
                                .ranks = {4, NRANKS},
                                .nranks = 2,
                                .us = {1, 20},
                                .full = 1.2,
                                .none = 10};
    struct judge_verdict v;
    iteration("k", 20, 1); // 21 us on rank 1
    limit_us = times[_i].limit_us;
    const struct judge_task t = task_of(&c);
    judge_case(&lab, &t, &v);
    ck_assert_str_eq(v.message, times[_i].says);
    ck_assert_double_eq(v.score, times[_i].score);
    ck_assert_double_eq(v.time_us, times[_i].time_us);
    const double other[2][2] = {{v.reference_us, times[_i].reference_us},
                                {v.limit_us, times[_i].limit}};
    for (int i = 0; i < 2; i++)
        ck_assert(isnan(other[i][1]) ? isnan(other[i][0])
                                     : other[i][0] == other[i][1]);
}
END_TEST

/* ---- what a graph shows beyond the result -------------------------------- */

#define RACE(a, b)                                                             \
    "race on bytes 0 to 99 of the 1000-byte allocation made at ?\n  " a        \
    " writes them at ? (rank 0, stream 1 of device 0)\n  " b                   \
    " writes them at ? (rank 0, stream 2 of device 0)\n  Nothing orders " a    \
    " before " b ": an event recorded on stream 1 after\n  " a                 \
    ", and waited on by stream 2 before " b ", would."
#define LATE                                                                   \
    "rank 0: a thread that your code started still runs after its function "   \
    "has returned: it calls thread at %s.\nJoin it before you return "         \
    "(pthread_join), or wait for its work"
#define WRONG "it is wrong\nLook at f() in f.c."

static const struct {
    const char *kind;
    int races, late;
    const char *failed; // what rank 1 says of a call
    const char *says;
} seen[] = {
    {"right", 0, 0, "no", ""},
    {"wrong", 0, 0, NULL, WRONG},
    {"wrong", 0, 0, "", WRONG},
    {"wrong", 0, 0, "f.c:3: no", WRONG "\nrank 1: f.c:3: no"},
    {"right", 1, 0, NULL, RACE("r0", "r0")},
    {"wrong", 1, 0, NULL, RACE("r0", "r0")}, // why it is wrong
    {"right", 1, 0, "no", RACE("r0", "r0") "\nrank 1: no"},
    {"wrong", 0, 1, NULL, LATE},
    {"right", 1, 1, NULL, LATE},
    {"suspect", 1, 1, "no", "it is wrong"}, // a person will see
    {"skip", 0, 0, NULL, "it is wrong"},    // f() is not to blame
};

START_TEST(what_a_graph_shows_comes_before_a_wrong_result)
{
    char want[2048], site[256];
    const uint32_t at = graph_site(s.rank[0], (char *)&setup + 1);
    graph_note_alloc(s.rank[0], 1, 0, 1000, 0);
    iteration("k", 20, 1);
    synthetic_range(&s, 0, "ring #0");
    if (seen[_i].races)
        race("r0");
    synthetic_range(&s, 0, NULL);
    if (seen[_i].late)
        SYNTHETIC(
            &s, 0, .name = "thread",
            .node = {
                .kind = GRAPH_KERNEL, .thread = 1, .queue = 3, .site = at});
    show(seen[_i].failed);
    const struct judge_verdict v = verdict_on(seen[_i].kind);
    graph_site_text_of(g, 0, at, site, sizeof site);
    snprintf(want, sizeof want, strcmp(seen[_i].says, LATE) ? "%.0s%s" : LATE,
             site, seen[_i].says);
    ck_assert_str_eq(v.message, want);
    ck_assert_int_eq(v.pass, !*seen[_i].says);
    ck_assert_double_eq(v.score, !*seen[_i].says);
}
END_TEST

START_TEST(the_hazards_behind_the_first_are_counted)
{
    graph_note_alloc(s.rank[0], 1, 0, 1000, 0);
    iteration("k", 20, 1);
    synthetic_range(&s, 0, "ring #0");
    race("r0");
    race("r1"); // two kinds of pairs more: r0 and r1, r1 and r1
    synthetic_range(&s, 0, NULL);
    const struct judge_verdict v = verdict_on("right");
    const size_t first = strlen(RACE("r0", "r0"));
    ck_assert_msg(strncmp(v.message, RACE("r0", "r0"), first) == 0, "%s",
                  v.message);
    ck_assert_str_eq(v.message + first, "\n(and 2 more)");
}
END_TEST

START_TEST(a_long_text_of_a_rank_is_cut)
{
    char text[600], want[600];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    iteration("k", 20, 1);
    show(text);
    snprintf(want, sizeof want, WRONG "\nrank 1: %.500s", text);
    ck_assert_str_eq(verdict_on("wrong").message, want);
}
END_TEST

/* ---- memory of peers ----------------------------------------------------- */

static struct graph_access touch(uint32_t rank, uint32_t n, uint32_t how)
{
    return (struct graph_access){
        .alloc = (uint64_t)rank << 32 | n, .end = WHOLE, .write = how};
}

static void copy(uint32_t rank, struct graph_access from,
                 struct graph_access to)
{
    SYNTHETIC(&s, rank,
              .node = {.kind = GRAPH_COPY,
                       .queue = 1,
                       .place = (int)rank,
                       .latency_ps = 1000},
              .moves = {{(int)rank, (int)rank, 2 * WHOLE}},
              .accesses = {from, to});
}

/* Rank 0's kernel reads rank 1's input. */
static void read_peer(void)
{
    for (uint32_t r = 0; r < NRANKS; r++)
        copy(r, touch(r, 0, GRAPH_READ), touch(r, 1, GRAPH_WRITE));
    iteration("k", 20, 1);
    collective(NULL, 1); // both are complete
    synthetic_range(&s, 0, "ring #0");
    SYNTHETIC(&s, 0,
              .node = {.kind = GRAPH_KERNEL, .queue = 1, .latency_ps = 1000},
              .accesses = {touch(1, 1, GRAPH_READ), touch(0, 1, GRAPH_WRITE)});
    synthetic_range(&s, 0, NULL);
    copy(0, touch(0, 1, GRAPH_READ), touch(0, 0, GRAPH_WRITE));
}

START_TEST(kernels_reach_peers_in_labs_that_want_it)
{
    struct judge_lab reaching = lab;
    struct judge_verdict v;
    const struct plan_case c = {.name = "ring", .kind = "peer"};
    read_peer();
    const struct judge_task t = task_of(&c);
    reaching.reaches_peers = _i;
    judge_case(&reaching, &t, &v);
    ck_assert_int_eq(v.pass, _i);
    ck_assert_str_eq(v.message,
                     _i ? ""
                        : "the result is right, but no operation on the "
                          "devices brought rank 1's data to byte 0 of rank 0's "
                          "output");
}
END_TEST

START_TEST(an_answer_needs_no_run_and_no_graph)
{
    struct judge_verdict v;
    struct plan_case c = {.name = "ring", .kind = JUDGE_ANSWER, .nwith = 1};
    c.with[0] = (struct plan_param){"question", "q"};
    iteration("k", 20, 1);
    struct judge_task t = task_of(&c);
    t.answers = "q = 3\n";
    judge_case(&lab, &t, &v);
    ck_assert_msg(v.pass && v.answered, "%s", v.message);
    ck_assert(isnan(v.time_us));
}
END_TEST

/* ---- communication that has to be hidden --------------------------------- */

#define HIDES(hidden, shorter, most, percent)                                  \
    "rank 0 hides " hidden " of 14.0 us of communication: without any, the "   \
    "step would be " shorter " us shorter. " most                              \
    " can be hidden, and " percent " % of that is required"

static const struct {
    uint32_t queue;   // of the collective; the kernels' is 1
    const char *work; // the kernels' name
    double part;      // that is required
    const char *says;
} hides[] = {
    {2, "cublasSgemm", 1, ""},
    {1, "cublasSgemm", 0, ""},
    {1, "cublasSgemm", .25, HIDES("0.0", "14.0", "11.9", "25")},
    {2, "other", 0, HIDES("14.0", "0.0", "0.0", "0")}, // behind nothing
};

/* Two kernels on all ranks, with a collective between the calls. */
static void step(const char *kernels, uint64_t us, uint32_t queue)
{
    iteration(kernels, us, 0);
    collective("ring #0", queue);
    iteration(kernels, us, 0);
}

START_TEST(a_step_has_to_hide_its_part_of_communication)
{
    struct judge_verdict v = {.pass = 1};
    const struct plan_case c = {.name = "ring"};
    step(hides[_i].work, 100, hides[_i].queue);
    const struct judge_task t = task_of(&c);
    spans_judge_hidden(&t, hides[_i].part, &v);
    ck_assert_str_eq(v.message, hides[_i].says);
    ck_assert_int_eq(v.pass, !*hides[_i].says);
}
END_TEST

START_TEST(the_part_to_hide_is_a_limit)
{
    struct judge_verdict v = {.pass = 1};
    const struct plan_case c = {.name = "ring"};
    struct spans_hidden h;
    step("cublasSgemm", 5, 2);
    struct judge_task t = task_of(&c);
    ck_assert_int_eq(spans_hidden(&t, 0, 0, 1u << GRAPH_COLL, "cublas", &h), 0);
    spans_judge_hidden(&t, h.hidden_us / h.most_us * .999, &v);
    ck_assert_str_eq(v.message, "");
    spans_judge_hidden(&t, h.hidden_us / h.most_us * 1.001, &v);
    ck_assert_str_eq(v.message, HIDES("10.0", "4.0", "8.5", "118"));
    spans_judge_hidden(&t, 0, &v); // the first reason stays
    ck_assert_int_eq(v.pass, 0);
    v = (struct judge_verdict){.pass = 1};
    t.spans = NULL; // real GPUs
    spans_judge_hidden(&t, 1, &v);
    ck_assert_int_eq(v.pass, 1);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("recorded");
    TCase *const t = tcase_create("recorded");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_recorded_run_is_timed_on_the_modelled_machine, 0,
                        sizeof times / sizeof *times);
    tcase_add_loop_test(t, what_a_graph_shows_comes_before_a_wrong_result, 0,
                        sizeof seen / sizeof *seen);
    tcase_add_test(t, the_hazards_behind_the_first_are_counted);
    tcase_add_test(t, a_long_text_of_a_rank_is_cut);
    tcase_add_loop_test(t, kernels_reach_peers_in_labs_that_want_it, 0, 2);
    tcase_add_test(t, an_answer_needs_no_run_and_no_graph);
    tcase_add_loop_test(t, a_step_has_to_hide_its_part_of_communication, 0,
                        sizeof hides / sizeof *hides);
    tcase_add_test(t, the_part_to_hide_is_a_limit);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
