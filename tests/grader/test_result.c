/*
 * What comes of a grading: which verdict on a case is kept, what they come to,
 * and how a person and a program read it.
 */
#define _GNU_SOURCE
#include <check.h>
#include <math.h>   /* NAN */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* memset */
#include <unistd.h> /* access */

#include "child.h"
#include "golden.h"
#include "grader/base/room.h"
#include "grader/job/result.h"
#include "grader/run/grade.h"
#include "grader/run/rounds.h"
#include "grader/run/run.h"
#include "heap.h"
#include "judge/prediction.h"
#include "suite.h"

static struct plan_case cases[] = {
    {.name = "ring", .kind = "sum", .part = 1, .points = 4, .topo = PLAN_TOPO},
    {.name = "tree",
     .kind = JUDGE_ANSWER,
     .part = 2,
     .points = 2.5,
     .topo = "2x-dgx-h100"},
    {.name = "none", .kind = "sum", .part = 2, .points = 8, .topo = PLAN_TOPO},
    {.name = "odd",
     .kind = "sum",
     .part = 3,
     .points = 3,
     .topo = PLAN_TOPO,
     .hidden = 1},
    {.name = "even",
     .kind = "sum",
     .part = 3,
     .points = 5,
     .topo = PLAN_TOPO,
     .hidden = 1},
};
enum { NCASES = sizeof cases / sizeof *cases };
static struct plan plan = {
    .title = "Title", .cases = cases, .ncases = NCASES, .student = "ada"};
static struct result result;
static struct place place;

static void make_result(void)
{
    result_init(&result, NCASES);
    place = (struct place){.lab = "lab1-x", .plan = &plan};
    place.machine.backend = backend_find("sim");
}

static void release_result(void)
{
    result_release(&result);
}

static struct judge_verdict verdict(double score, const char *message)
{
    struct judge_verdict v = JUDGE_VERDICT_NONE;
    v.score = score;
    v.pass = score >= 1;
    snprintf(v.message, sizeof v.message, "%s", message);
    return v;
}

static void keep(int case_no, int nranks, struct judge_verdict v)
{
    result_keep(&result, case_no, nranks, &v);
}

/* ---- results ------------------------------------------------------------- */

START_TEST(the_first_of_the_lowest_verdicts_is_kept)
{
    static const struct {
        double score;
        int suspected, kept;
    } steps[] = {{1, 0, 1},   {0.5, 0, 1}, {0.5, 0, 0}, {0.7, 0, 0},
                 {0.2, 0, 1}, {0.9, 1, 1}, {0, 0, 0},   {0, 1, 0}};
    int kept = 0;
    for (int i = 0; i < (int)(sizeof steps / sizeof *steps); i++) {
        struct judge_verdict v = verdict(steps[i].score, "");
        v.suspected = steps[i].suspected;
        keep(1, i + 1, v);
        kept = steps[i].kept ? i : kept;
        ck_assert_int_eq(result.cases[1].ranks, kept + 1);
        ck_assert_double_eq(result.cases[1].verdict.score, steps[kept].score);
        ck_assert_int_eq(result.cases[1].judged, 1);
    }
    ck_assert_int_eq(result.cases[0].judged, 0);
    ck_assert_int_eq(result.cases[2].judged, 0);
}
END_TEST

/* A case is right if it is on all numbers of ranks. */
START_TEST(a_wrong_result_counts_whichever_verdict_is_kept)
{
    for (int wrong = 0; wrong < 3; wrong++) {
        for (int i = 0; i < 2; i++) {
            struct judge_verdict v = verdict(0.5 * i, "");
            v.right = i != wrong;
            keep(wrong, i + 1, v);
        }
        ck_assert_int_eq(result.cases[wrong].verdict.right, wrong == 2);
    }
}
END_TEST

/* What a person who clears the suspicion restores: the lowest of the verdicts
 * without it. */
START_TEST(the_lowest_verdict_beneath_a_suspicion_is_kept)
{
    struct judge_verdict v = verdict(1, ""), trusted = verdict(0.75, "slow");
    keep(1, 1, v);
    ck_assert_double_eq(result.cases[1].beneath, 1);
    v = verdict(0, "too fast");
    v.suspected = 1;
    judge_beneath(&v, &trusted);
    keep(1, 2, v);
    ck_assert_double_eq(result.cases[1].beneath, 0.75);
    ck_assert_str_eq(result.cases[1].beneath_message, "slow");
    keep(1, 4, verdict(0.5, "slower"));
    keep(1, 8, verdict(0.6, ""));
    ck_assert_double_eq(result.cases[1].beneath, 0.5);
    ck_assert_str_eq(result.cases[1].beneath_message, "slower");
    ck_assert_int_eq(result.cases[1].verdict.suspected, 1);
    struct judge_verdict forged = verdict(0, "forged");
    judge_beneath(&forged, &v); // a suspicion upon another
    ck_assert_double_eq(forged.beneath, 0.75);
}
END_TEST

START_TEST(points_are_those_of_the_judged_cases)
{
    struct judge_verdict skipped = verdict(0, "");
    skipped.skipped = 1;
    result_total(&result, &plan);
    ck_assert_int_eq(result.outcome, OUTCOME_PASS);
    ck_assert_double_eq(result.max_score, 0);
    keep(0, 4, verdict(1, ""));
    keep(1, 4, verdict(0.5, ""));
    keep(4, 4, skipped);
    result_total(&result, &plan);
    ck_assert_double_eq(result.score, 5.25);
    ck_assert_double_eq(result.max_score, 11.5);
    ck_assert_int_eq(result.nskipped, 1);
    ck_assert_int_eq(result.outcome, OUTCOME_INFRA);
    ck_assert_int_eq(result.cases[0].outcome, OUTCOME_PASS);
    ck_assert_int_eq(result.cases[1].outcome, OUTCOME_FAIL);
    ck_assert_double_eq(result.cases[1].score, 1.25);
}
END_TEST

START_TEST(the_gravest_outcome_is_the_whole_ones)
{
    struct judge_verdict suspected = verdict(0, "");
    suspected.suspected = 1;
    keep(0, 4, suspected);
    keep(1, 4, verdict(0.5, ""));
    result_total(&result, &plan);
    ck_assert_int_eq(result.outcome, OUTCOME_SUSPECTED);
}
END_TEST

START_TEST(notes_are_put_one_behind_the_other)
{
    result_note(&result, "%s is empty", "a.c");
    ck_assert_str_eq(result.notes, "a.c is empty");
    result_note(&result, "b");
    result_note(&result, "c");
    ck_assert_str_eq(result.notes, "a.c is empty; b; c");
    ck_assert_int_eq(result_stop(&result, OUTCOME_INFRA, "no %d", 3), -1);
    ck_assert_int_eq(result.outcome, OUTCOME_INFRA);
    ck_assert_str_eq(result.message, "no 3");
}
END_TEST

START_TEST(a_log_has_the_first_and_the_last_of_each_sandbox)
{
    static struct sandbox_end end;
    end = (struct sandbox_end){.status = 7,
                               .missing = "memory",
                               .limits = "watchdog only",
                               .refused = 9};
    log_add(&end.log, "one\ntwo\n", 8);
    ck_assert_int_eq(result_log(&result, "run", &end), 0);
    ck_assert_str_eq(result.log.head, "== run: status 7\none\ntwo\n");
    ck_assert_str_eq(result.missing, "memory");
    ck_assert_str_eq(result.message, "");
    ck_assert_str_eq(result.limits, "watchdog only");
    ck_assert_int_eq(result.refused, 9);
    end.infra = 1;
    end.refused = 0;
    ck_assert_int_eq(result_log(&result, "build", &end), -1);
    ck_assert_int_eq(result.refused, 9);
    ck_assert_int_eq(result.outcome, OUTCOME_INFRA);
    ck_assert_str_eq(result.message, "the sandbox cannot build: one");
    ck_assert_str_eq(result.log.head, "== run: status 7\none\ntwo\n"
                                      "== build: status 7\none\ntwo\n");
}
END_TEST

START_TEST(of_a_long_log_8192_and_2048_bytes_are_kept)
{
    static struct sandbox_end end;
    static char text[LOG_HEAD + LOG_TAIL];
    static const char title[] = "== run: status 0\n";
    const size_t ntitle = sizeof title - 1;
    memset(text, 'x', sizeof text);
    text[8191] = 'e', text[8192] = 'f';
    text[sizeof text - 2049] = 'b', text[sizeof text - 2048] = 'a';
    text[sizeof text - 1] = 'z';
    end = (struct sandbox_end){.status = 0};
    log_add(&end.log, text, sizeof text);
    ck_assert_int_eq(result_log(&result, "run", &end), 0);
    ck_assert_uint_eq(result.log.nhead, ntitle + 8192 + 2048);
    ck_assert_int_eq(result.log.head[ntitle + 8191], 'e');
    ck_assert_int_eq(result.log.head[ntitle + 8192], 'a');
    ck_assert_int_eq(result.log.head[ntitle + 8192 + 2047], 'z');
}
END_TEST

/* ---- what is read -------------------------------------------------------- */

/* Verdicts of every kind; of hidden cases, one of two passes. */
static void judge_all(void)
{
    struct judge_verdict timed = verdict(0.5, "is\nslow");
    timed.time_us = 12.5;
    keep(0, 4, timed);
    keep(1, 8, verdict(1, ""));
    keep(3, 2, verdict(1, ""));
    keep(4, 3, verdict(0.2, "odd"));
    result_total(&result, &plan);
}

static void print_some(const char *cases, const char *part)
{
    char *text = NULL;
    size_t nbytes;
    FILE *const own = stdout;
    stdout = open_memstream(&text, &nbytes);
    grade_print(&(struct request){.seed = 5, .cases = cases}, &place, &result);
    fclose(stdout);
    stdout = own;
    golden_expect_part("tests/grader/golden.txt#results", part, text);
    free(text);
}

static void print(const char *part)
{
    print_some(NULL, part);
}

START_TEST(a_table_has_visible_cases_and_the_sum_of_the_hidden)
{
    judge_all();
    result_note(&result, "a.c is empty");
    print("a table");
    result.nskipped = 1;
    place.machine.ngpus = 1;
    print("one is skipped");
    result.nskipped = 2;
    place.machine.ngpus = 4;
    print("two are skipped");
    result_stop(&result, OUTCOME_FAIL, "it does\nnot compile");
    print("stopped");
    result_stop(&result, OUTCOME_INFRA, "no disk");
    print("of this machine");
}
END_TEST

START_TEST(texts_may_be_short)
{
    keep(0, 4, verdict(0, "x"));
    result_total(&result, &plan);
    result_note(&result, "y");
    print("short texts");
    result_stop(&result, OUTCOME_SUSPECTED, "z");
    print("stopped in short");
}
END_TEST

START_TEST(without_questions_there_are_no_numbers)
{
    keep(2, 4, verdict(1, ""));
    result_total(&result, &plan);
    print("one case");
}
END_TEST

static void written(const struct request *q, const char *part)
{
    char dir[CHILD_FOLDER], path[CHILD_FOLDER + 8];
    child_folder(dir, "result");
    snprintf(path, sizeof path, "%s/r", dir);
    ck_assert_int_eq(grade_write_json(path, q, &place, &result), 0);
    struct child c = child_run(10, "cat %s; ls %s", path, dir);
    golden_expect_part("tests/grader/golden.txt#results", part, c.out);
    child_clear(&c);
    child_remove(dir);
}

/* Two cases of the plan, whose times it is about. */
static void predict(const char *over, const char *answers)
{
    char *named[] = {(char *)"ring", (char *)over};
    memcpy(plan.predict, named, sizeof named);
    plan.rubric[0] = (char *)"why";
    result.answers = strdup(answers);
}

START_TEST(a_prediction_is_next_to_what_was_measured)
{
    char *const made = prediction_write(
        "prediction =\nin_words = It\nis so. \n", 4.5, 1772375400);
    struct judge_verdict v = verdict(1, "");
    v.time_us = 30;
    keep(0, 4, v);
    result_total(&result, &plan);
    predict(NULL, made);
    print("a prediction of a time");
    plan.predict[1] = (char *)"none";
    print("a prediction that waits for a case");
    v.time_us = 12;
    keep(2, 4, v);
    result_total(&result, &plan);
    print("a prediction of a ratio");
    result.worklog = strdup("I asked\ta friend.\n");
    written(&(struct request){.seed = 1}, "a file with a prediction");
    memcpy(strstr(result.answers, "4.5"), "2.5", 3);
    print("a prediction that was changed");
    *strstr(result.answers, "=") = 0;
    print("no prediction");
    print_some("ring,none", "no prediction, some cases");
    free(made);
}
END_TEST

START_TEST(a_file_has_all_of_it)
{
    struct request q = {.seed = UINT64_MAX, .isolation = 3};
    judge_all();
    result.sec = 1.5;
    log_add(&result.log, "a\033b\n", 4);
    written(&q, "a file");
    result.nskipped = 1;
    place.machine.measured = 1;
    place.machine.gpus = json_pack("[s]", "H100");
    result.clocks[0] = json_string("cold");
    result.clocks[1] = json_string("hot");
    result.svg = strdup("<svg/>");
    result.view = strdup("{}");
    written(&q, "a measured one");
    result_stop(&result, OUTCOME_FAIL, "stopped");
    result.nskipped = 0;
    written(&q, "a file of what was stopped");
    json_decref(place.machine.gpus);
}
END_TEST

/* It is said why, and nothing else happens. */
static void not_written(const char *path, const char *why)
{
    const struct request q = {.seed = 1};
    char *text = NULL, *want = NULL;
    size_t nbytes;
    FILE *const own = stderr;
    stderr = open_memstream(&text, &nbytes);
    const int err = grade_write_json(path, &q, &place, &result);
    fclose(stderr);
    stderr = own;
    ck_assert_int_eq(err, -1);
    ck_assert_int_gt(asprintf(&want, "grade: cannot write %s: %s\n", path, why),
                     0);
    ck_assert_str_eq(text, want);
    free(text);
    free(want);
}

START_TEST(what_cannot_be_written_leaves_nothing)
{
    char dir[CHILD_FOLDER], path[CHILD_FOLDER + 8];
    static char longer[PATH_MAX];
    child_folder(dir, "result");
    snprintf(path, sizeof path, "%s/no/r", dir);
    not_written(path, "No such file or directory");
    not_written(dir, "Is a directory");
    snprintf(path, sizeof path, "%s.new", dir);
    ck_assert_int_eq(access(path, F_OK), -1);
    memset(longer, '/', sizeof longer - 4);
    not_written(longer, "File name too long");
    child_remove(dir);
}
END_TEST

/* ---- runs ---------------------------------------------------------------- */

static const struct {
    struct run run;
    const char *log, *says;
    int measured;
} ends[] = {
    {{.end = {.loud = 1, .timed_out = 1}},
     "",
     "it prints more than 8 MiB: a loop that prints? Print on one rank, and "
     "not in loops.",
     0},
    {{.end = {.timed_out = 1, .out_of_memory = 1}},
     "",
     "the run hangs: stopped after 30 s without progress. Look for a wait or a "
     "loop\nthat doesn't end.",
     0},
    {{.end = {.out_of_memory = 1, .flooded = 1}},
     "",
     "the run took more than 65536 MiB of memory",
     1},
    {{.end = {.refused = 3}},
     "simgpu: rank 1: lost\n",
     "the run started more than 512 processes and threads: a loop that starts "
     "them?",
     0},
    {{.end = {.flooded = 1}},
     "simgpu: rank 1: lost\n",
     "the run wrote more than 4294967296 bytes",
     0},
    {{.left = "rank 0 left"}, "x\nsimgpu: rank 1: lost\n", "lost", 0},
    {{.left = "rank 0 left"}, "rank 1 lost\n", "rank 0 left", 0},
    {{.end = {.status = 139}}, "", "the run ended early, with status 139", 0},
    {{.end = {.status = 1, .log = {.dropped = 1}}},
     "",
     "the run ended early, with status 1, after a flood of output",
     0},
};

START_TEST(the_last_words_are_of_what_ended_it)
{
    static struct run run;
    char says[512] = "before";
    run = ends[_i].run;
    log_add(&run.end.log, ends[_i].log, strlen(ends[_i].log));
    place.machine.measured = ends[_i].measured;
    run_last_words(&place, &run, says, sizeof says);
    ck_assert_str_eq(says, ends[_i].says);
}
END_TEST

/* Names, rounds, ranks and the grading's seed make another one each. */
START_TEST(each_ranks_seed_is_its_own)
{
    struct request q = {.seed = 5};
    struct run_batch b = {.round = 0};
    const uint64_t one = run_seed(&q, &place, &b, 0, 0);
    ck_assert_uint_eq(run_seed(&q, &place, &b, 0, 0), one);
    ck_assert_uint_eq(one, 9121585357180073363u); // replays need it
    ck_assert_uint_eq(judge_key_seed(run_key(&q, &cases[0], 0), 0), one);
    ck_assert_uint_ne(judge_key_seed(run_key(&q, &cases[3], 0), 0),
                      run_seed(&q, &place, &b, 3, 0)); // which is hidden
    ck_assert_uint_ne(run_seed(&q, &place, &b, 1, 0), one);
    ck_assert_uint_ne(run_seed(&q, &place, &b, 0, 1), one);
    b.round = 1;
    ck_assert_uint_ne(run_seed(&q, &place, &b, 0, 0), one);
    ck_assert_uint_ne(run_seed(&q, &place, &b, 0, 0),
                      run_seed(&q, &place, &(struct run_batch){0}, 0, 1));
    b.round = 0;
    q.seed = 6;
    ck_assert_uint_ne(run_seed(&q, &place, &b, 0, 0), one);
}
END_TEST

START_TEST(times_are_measured_where_the_reference_is)
{
    char dir[CHILD_FOLDER];
    child_folder(dir, "rounds");
    snprintf(place.build, sizeof place.build, "%s", dir);
    ck_assert_int_eq(rounds_possible(&place), 0);
    struct child c = child_run(
        10, "mkdir %s/solutions && install /bin/true %s/solutions/lab1", dir,
        dir);
    ck_assert_int_eq(rounds_possible(&place), 1);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

START_TEST(cases_are_asked_for_by_name)
{
    struct request q = {.cases = NULL};
    ck_assert_int_eq(request_has_case(&q, "ring"), 1);
    q.cases = "tree,ring,,x";
    ck_assert_int_eq(request_has_case(&q, "ring"), 1);
    ck_assert_int_eq(request_has_case(&q, "tree"), 1);
    ck_assert_int_eq(request_has_case(&q, "x"), 1);
    ck_assert_int_eq(request_has_case(&q, ""), 1);
    ck_assert_int_eq(request_has_case(&q, "rin"), 0);
    ck_assert_int_eq(request_has_case(&q, "tree,ring"), 0);
}
END_TEST

START_TEST(a_list_doubles_when_it_is_full)
{
    void *list = NULL;
    size_t cap = 0;
    ck_assert_int_eq(room_make(&list, 0, &cap, 8), 0);
    ck_assert_uint_eq(cap, 64);
    void *const first = list;
    ck_assert_int_eq(room_make(&list, 63, &cap, 8), 0);
    ck_assert_ptr_eq(list, first);
    ck_assert_uint_eq(cap, 64);
    ck_assert_int_eq(room_make(&list, 64, &cap, 8), 0);
    ck_assert_uint_eq(cap, 128);
    memset(list, 1, 128 * 8);
    ck_assert_int_eq(room_make(&list, 128, &cap, SIZE_MAX / 256), -1);
    ck_assert_uint_eq(cap, 128);
    free(list);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("result");
    TCase *const t = tcase_create("result");
    heap_watch(t);
    tcase_add_checked_fixture(t, make_result, release_result);
    tcase_add_test(t, the_first_of_the_lowest_verdicts_is_kept);
    tcase_add_test(t, a_wrong_result_counts_whichever_verdict_is_kept);
    tcase_add_test(t, the_lowest_verdict_beneath_a_suspicion_is_kept);
    tcase_add_test(t, points_are_those_of_the_judged_cases);
    tcase_add_test(t, the_gravest_outcome_is_the_whole_ones);
    tcase_add_test(t, notes_are_put_one_behind_the_other);
    tcase_add_test(t, a_log_has_the_first_and_the_last_of_each_sandbox);
    tcase_add_test(t, of_a_long_log_8192_and_2048_bytes_are_kept);
    tcase_add_test(t, a_table_has_visible_cases_and_the_sum_of_the_hidden);
    tcase_add_test(t, texts_may_be_short);
    tcase_add_test(t, without_questions_there_are_no_numbers);
    tcase_add_test(t, a_prediction_is_next_to_what_was_measured);
    tcase_add_test(t, a_file_has_all_of_it);
    tcase_add_test(t, what_cannot_be_written_leaves_nothing);
    tcase_add_loop_test(t, the_last_words_are_of_what_ended_it, 0,
                        sizeof ends / sizeof *ends);
    tcase_add_test(t, each_ranks_seed_is_its_own);
    tcase_add_test(t, times_are_measured_where_the_reference_is);
    tcase_add_test(t, cases_are_asked_for_by_name);
    tcase_add_test(t, a_list_doubles_when_it_is_full);
    suite_add_tcase(s, t);
    return suite_run(s);
}
