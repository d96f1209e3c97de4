/*
 * The recorder: what it takes, and what it refuses. The test is the rank.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strcmp */
#include <sys/mman.h> /* mmap */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* access */

#include "child.h"
#include "graph/format.h"
#include "graph/record.h"
#include "judge/evidence.h"
#include "recorder.h"
#include "suite.h"

enum { NCASES = 2, NAME = 4096 + 16 };
static const uint64_t NONCE = 0x123456789abcdef;
static const int numbers[NCASES] = {5, 3};
static char dir[CHILD_FOLDER], seen[NAME], kept[NAME];
static struct recorder *recorder;
static struct recorder_job job;

static char *text_of(const void *arg, int rank, int i)
{
    char *text = NULL;
    (void)arg;
    ck_assert_int_ge(asprintf(&text, "rank %d case %d", rank, i), 0);
    return text;
}

static void start(int nranks, int graphs)
{
    child_folder(dir, "commlab-recorder");
    snprintf(seen, sizeof seen, "%s/seen", dir);
    snprintf(kept, sizeof kept, "%s/kept", dir);
    ck_assert_int_eq(mkdir(seen, 0700) | mkdir(kept, 0700), 0);
    job = (struct recorder_job){.seen = seen,
                                .kept = kept,
                                .nranks = nranks,
                                .ncases = NCASES,
                                .case_no = numbers,
                                .graphs = graphs,
                                .nonce = NONCE,
                                .text = text_of};
    recorder = recorder_start(&job);
    ck_assert(recorder != NULL);
}

/* Ends the recording; what was forged has to hold this text, "": nothing. */
static void stop(const char *forged)
{
    struct recorder_end end;
    recorder_stop(recorder, &end);
    ck_assert_str_eq(end.failed, "");
    ck_assert_msg(*forged ? strstr(end.forged, forged) != NULL : !*end.forged,
                  "\"%s\", should be \"%s\"", end.forged, forged);
}

static void expect_next(struct evidence_out *e, const char *text)
{
    char *const got = evidence_next(e);
    ck_assert_str_eq(got, text);
    free(got);
}

static void put(struct evidence_out *e, unsigned case_no, unsigned iteration,
                double value)
{
    evidence_put(e, EVIDENCE_METRIC, case_no, iteration, "m", &value,
                 sizeof value);
}

static struct evidence_out *join(unsigned rank)
{
    struct evidence_out *const e = evidence_join(seen, rank);
    ck_assert(e != NULL);
    return e;
}

START_TEST(evidence_arrives_and_a_case_comes_after_the_one_before)
{
    char format[NAME + 16];
    start(1, 0);
    struct evidence_out *const e = join(0);
    for (unsigned i = 0; i < NCASES; i++) {
        const unsigned no = (unsigned)numbers[i];
        char text[32];
        snprintf(text, sizeof text, "rank 0 case %u", i);
        expect_next(e, text);
        evidence_put_status(e, no, RUN_MISSING, NULL);
        put(e, no, 0, 1 + i);
        put(e, no, 1, 3 + i);
        evidence_put_status(e, no, RUN_OK, NULL);
    }
    expect_next(e, "rank 0 case 2");
    evidence_key(e, NONCE);
    ck_assert_int_eq(evidence_finish(e), 0);
    stop("");
    snprintf(format, sizeof format, "%s/evidence-%%d", kept);
    struct evidence *const got = evidence_load(format, 1, NONCE, 1 << 20);
    ck_assert(evidence_done(got, 0));
    ck_assert(evidence_metric(got, 0, 3, 0, "m") == 2);
    ck_assert(evidence_metric(got, 0, 5, 1, "m") == 3);
    evidence_free(got);
    child_remove(dir);
}
END_TEST

static const struct {
    const char *says;
    unsigned case_no, iteration; /* of a second metric "m" of case 5, #1 */
} refused[] = {
    {"two outputs or metrics of one name", 5, 1},
    {"an iteration that is over", 5, 0},
    {"another case than the current one", 3, 1},
};

START_TEST(what_the_kit_does_not_send_is_refused)
{
    start(1, 0);
    struct evidence_out *const e = join(0);
    expect_next(e, "rank 0 case 0");
    put(e, 5, 1, 1);
    put(e, refused[_i].case_no, refused[_i].iteration, 2);
    evidence_finish(e);
    stop(refused[_i].says);
    child_remove(dir);
}
END_TEST

START_TEST(a_case_that_has_ended_gets_no_more_evidence)
{
    start(1, 0);
    struct evidence_out *const e = join(0);
    expect_next(e, "rank 0 case 0");
    evidence_put_status(e, 5, RUN_OK, NULL);
    put(e, 5, 1, 1);
    evidence_finish(e);
    stop("another case than the current one");
    child_remove(dir);
}
END_TEST

START_TEST(a_final_record_before_the_last_case_is_refused)
{
    start(1, 0);
    struct evidence_out *const e = join(0);
    expect_next(e, "rank 0 case 0");
    evidence_key(e, NONCE);
    evidence_finish(e);
    stop("final record before its last case");
    child_remove(dir);
}
END_TEST

/* A graph of one operation: its file is there if it was left as it was. */
static void record_graph(int edit, const char *forged)
{
    char path[NAME + 16];
    start(1, 1);
    struct graph_segment *const g = graph_open(0, 1, seen);
    ck_assert(g != NULL);
    const struct graph_node n = {.kind = GRAPH_KERNEL, .host_ps = 7};
    graph_add(g, &n, NULL, NULL, NULL);
    struct format_header *const h =
        mmap(NULL, 2 * FORMAT_DATA, PROT_READ | PROT_WRITE, MAP_SHARED,
             graph_fd(g), 0);
    ck_assert(h != MAP_FAILED);
    if (edit)
        ((struct graph_node *)((char *)h + FORMAT_DATA + 8))->host_ps = 0;
    ck_assert_int_eq(graph_save(g), edit ? -1 : 0);
    graph_close(g);
    stop(forged);
    snprintf(path, sizeof path, "%s/rank-0.graph", kept);
    ck_assert_int_eq(access(path, F_OK), edit ? -1 : 0);
    child_remove(dir);
}

START_TEST(a_graph_is_kept_as_it_was_recorded)
{
    record_graph(0, "");
}
END_TEST

START_TEST(a_graph_that_was_changed_is_noticed)
{
    record_graph(1, "changed its execution graph after it was recorded");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("recorder");
    TCase *const t = tcase_create("recorder");
    tcase_add_test(t, evidence_arrives_and_a_case_comes_after_the_one_before);
    tcase_add_loop_test(t, what_the_kit_does_not_send_is_refused, 0,
                        (int)(sizeof refused / sizeof *refused));
    tcase_add_test(t, a_case_that_has_ended_gets_no_more_evidence);
    tcase_add_test(t, a_final_record_before_the_last_case_is_refused);
    tcase_add_test(t, a_graph_is_kept_as_it_was_recorded);
    tcase_add_test(t, a_graph_that_was_changed_is_noticed);
    suite_add_tcase(s, t);
    return suite_run(s);
}
