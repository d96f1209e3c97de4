/*
 * Which case's operations a student's page shows, of graphs made by hand.
 *
 * Each kernel is named after its case and iteration, so that a picture's text
 * tells what is in it.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* open_memstream */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

#include "grader/run/picture.h"
#include "judge/evidence.h"
#include "judge/graph/spans.h"
#include "judge/judge.h"
#include "judge/plan.h"
#include "scarce.h"
#include "suite.h"
#include "synthetic.h"
#include "topo/topo.h"

enum { US = 1000000, NRANKS = 2, NITERATIONS = 2, MOST_CASES = 4 }; /* ps */

static const char topo[] = "dgx-h100";
static struct plan_case cases[MOST_CASES];
static struct plan plan = {.cases = cases};
static const struct place place = {.plan = &plan};
static struct run_batch batch;
static enum run_status status[MOST_CASES][NRANKS];
static struct synthetic graph;
static struct result result;

static void setup(void)
{
    synthetic_init(&graph, NRANKS);
    plan.ncases = 0;
    batch = (struct run_batch){
        .nranks = NRANKS, .topo = topo, .iterations = NITERATIONS};
    result_init(&result, MOST_CASES);
}

static void teardown(void)
{
    result_release(&result);
    synthetic_release(&graph);
}

static void kernel(uint32_t rank, const char *name, uint64_t us)
{
    SYNTHETIC(&graph, rank, .name = name,
              .node = {.kind = GRAPH_KERNEL,
                       .queue = 1,
                       .place = (int)rank,
                       .latency_ps = us * US});
}

static void mark(uint32_t rank)
{
    SYNTHETIC(&graph, rank,
              .node = {.kind = GRAPH_MARK, .queue = 1, .place = (int)rank});
}

/* A case that is in the batch, and lasts this long in each iteration. It ends
 * well, until a test changes its status. */
static struct plan_case *add(const char *name, uint64_t us)
{
    const int no = plan.ncases++;
    for (uint32_t r = 0; r < NRANKS; r++) {
        status[no][r] = RUN_OK;
        for (int i = 0; i < NITERATIONS; i++) {
            char label[64];
            snprintf(label, sizeof label, "%s #%d", name, i);
            kernel(r, "between", 1); // at the edge of what is shown
            synthetic_range(&graph, r, label);
            mark(r);
            snprintf(label, sizeof label, "%s_%d", name, i);
            kernel(r, label, us + 1000 * (uint64_t)i); // the first counts
            mark(r);
            synthetic_range(&graph, r, NULL);
        }
    }
    batch.case_no[batch.n++] = no;
    cases[no] = (struct plan_case){.name = (char *)name};
    return &cases[no];
}

static struct evidence *evidence_of_all(void)
{
    struct evidence *const all = evidence_new(NRANKS, 1);
    for (int r = 0; r < NRANKS; r++) {
        char *data;
        size_t nbytes;
        struct evidence_out *const e = evidence_memory(&data, &nbytes, 1);
        for (int i = 0; i < plan.ncases; i++)
            evidence_put_status(e, (unsigned)i, status[i][r], NULL);
        ck_assert_int_eq(evidence_finish(e), 0);
        evidence_give(all, r, data, nbytes);
    }
    return all;
}

/* ---- pictures ------------------------------------------------------------ */

static struct shown shown_of_all(void)
{
    return (struct shown){.place = &place,
                          .batch = &batch,
                          .evidence = evidence_of_all(),
                          .graph = synthetic_load(&graph)};
}

/* Keep a picture of a run that ended well. */
static void keep(void)
{
    char err[256] = "";
    struct shown s = shown_of_all();
    s.topo = topo_load(topo, err, sizeof err);
    s.spans = spans_new(s.graph, s.topo, err, sizeof err);
    ck_assert_msg(s.spans != NULL, "%s", err);
    picture_keep(&s, &result);
    shown_release(&s);
}

/* Keep one of a run that ended in this case. */
static void keep_end(int position)
{
    char err[256] = "";
    struct shown s = shown_of_all();
    s.topo = topo_load(topo, err, sizeof err);
    s.early = replay_run(s.graph, s.topo, &shown_unfinished, err, sizeof err);
    ck_assert_msg(s.early != NULL, "%s", err);
    picture_keep_end(&s, position, &result);
    shown_release(&s);
}

/* Both pictures have this title, and of the cases' kernels these alone. */
static void expect(const char *title, const char *kernels)
{
    const char *const pictures[] = {result.svg, result.view};
    for (int i = 0; i < 2; i++) {
        char found[256] = "", whole[128];
        ck_assert_ptr_nonnull(pictures[i]);
        snprintf(whole, sizeof whole, i ? "\"title\":\"%s\"" : ">%s</text>",
                 title);
        ck_assert_msg(strstr(pictures[i], whole) != NULL, "%s", pictures[i]);
        for (int no = 0; no < plan.ncases; no++)
            for (int k = 0; k < NITERATIONS; k++) {
                char name[64];
                snprintf(name, sizeof name, "%s_%d", cases[no].name, k);
                if (strstr(pictures[i], name))
                    strcat(strcat(found, name), " ");
            }
        ck_assert_str_eq(found, kernels);
    }
}

static void expect_none(void)
{
    ck_assert_ptr_null(result.svg);
    ck_assert_ptr_null(result.view);
}

/* ---- of a run that ended well -------------------------------------------- */

START_TEST(the_longest_case_is_shown_for_one_iteration)
{
    add("short", 10);
    add("long", 30);
    add("middle", 20);
    keep();
    expect("long: 2 ranks on dgx-h100", "long_0 ");
}
END_TEST

START_TEST(a_hidden_case_is_never_shown)
{
    add("seen", 1);
    add("hidden", 30)->hidden = 1;
    keep();
    expect("seen: 2 ranks on dgx-h100", "seen_0 ");
}
END_TEST

START_TEST(a_case_without_an_end_is_not_shown)
{
    add("seen", 10);
    add("hung", 30);
    status[1][1] = RUN_MISSING;
    add("empty", 40);
    status[2][0] = RUN_NOT_IMPLEMENTED;
    keep();
    expect("seen: 2 ranks on dgx-h100", "seen_0 ");
}
END_TEST

START_TEST(without_a_case_there_is_no_picture)
{
    add("hidden", 30)->hidden = 1;
    keep();
    expect_none();
    keep_end(0);
    expect_none();
}
END_TEST

/* A batch need not begin with the plan's first case. */
START_TEST(a_case_of_another_batch_is_not_shown)
{
    add("elsewhere", 90);
    add("here", 10);
    batch.n = 1;
    batch.case_no[0] = 1;
    keep();
    expect("here: 2 ranks on dgx-h100", "here_0 ");
}
END_TEST

/* Of all runs of a submission. */
START_TEST(a_larger_picture_replaces_a_smaller_one)
{
    result.svg = strdup("<svg/>");
    result.view = strdup("{}");
    add("seen", 10);
    keep();
    expect("seen: 2 ranks on dgx-h100", "seen_0 ");
    char *const before = strdup(result.svg);
    keep(); // one as large
    ck_assert_str_eq(result.svg, before);
    const size_t room = strlen(before) + 100;
    char *const larger = malloc(room);
    memset(larger, 'x', room - 1);
    larger[room - 1] = 0;
    free(result.svg);
    result.svg = larger;
    keep();
    ck_assert_ptr_eq(result.svg, larger);
    free(before);
}
END_TEST

/* ---- of a run that ended early ------------------------------------------- */

START_TEST(the_case_that_ended_the_run_is_shown_whole)
{
    add("before", 30);
    add("ended", 10);
    batch.iterations = NITERATIONS + 1; // it did not get to the last one
    keep_end(1);
    expect("ended: 2 ranks on dgx-h100, up to where the run ended",
           "ended_0 ended_1 ");
    ck_assert_int_eq(result.svg_of_end, 1);
    keep();
    keep_end(0); // the first one stays
    expect("ended: 2 ranks on dgx-h100, up to where the run ended",
           "ended_0 ended_1 ");
}
END_TEST

START_TEST(the_end_replaces_a_larger_picture)
{
    char *const large = malloc(1 << 20);
    memset(large, 'x', (1 << 20) - 1);
    large[(1 << 20) - 1] = 0;
    result.svg = large;
    add("ended", 10);
    keep_end(0);
    expect("ended: 2 ranks on dgx-h100, up to where the run ended",
           "ended_0 ended_1 ");
}
END_TEST

/* The runner's marks are missing: the case had not begun. */
START_TEST(a_case_that_did_nothing_has_no_picture)
{
    add("before", 10);
    batch.case_no[0] = plan.ncases++;
    cases[1] = (struct plan_case){.name = (char *)"after"};
    status[1][0] = status[1][1] = RUN_MISSING;
    keep_end(0);
    expect_none();
    ck_assert_int_eq(result.svg_of_end, 0);
    struct shown s = shown_of_all();
    picture_keep(&s, &result);        // there is no time of anything
    picture_keep_end(&s, 0, &result); // nor of its beginning
    shown_release(&s);
    expect_none();
}
END_TEST

/* ---- either -------------------------------------------------------------- */

static int keep_all(void)
{
    keep(); // and then a larger one
    result.svg[1] = 0;
    keep();
    keep(); // and then none
    keep_end(0);
    result_release(&result);
    result_init(&result, MOST_CASES);
    return 0;
}

START_TEST(what_is_not_kept_is_freed)
{
    add("seen", 10);
    scarce_just(keep_all);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("picture");
    TCase *const t = tcase_create("picture");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, the_longest_case_is_shown_for_one_iteration);
    tcase_add_test(t, a_hidden_case_is_never_shown);
    tcase_add_test(t, a_case_without_an_end_is_not_shown);
    tcase_add_test(t, without_a_case_there_is_no_picture);
    tcase_add_test(t, a_case_of_another_batch_is_not_shown);
    tcase_add_test(t, a_larger_picture_replaces_a_smaller_one);
    tcase_add_test(t, the_case_that_ended_the_run_is_shown_whole);
    tcase_add_test(t, the_end_replaces_a_larger_picture);
    tcase_add_test(t, a_case_that_did_nothing_has_no_picture);
    tcase_add_test(t, what_is_not_kept_is_freed);
    suite_add_tcase(s, t);
    return suite_run(s);
}
