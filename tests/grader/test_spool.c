/*
 * What a batch puts into its spool, and what becomes of a result there; the
 * executor is the test.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* free */
#include <string.h>   /* strcmp */
#include <sys/stat.h> /* stat */
#include <time.h>     /* clock_gettime */

#include "batches.h"
#include "fds.h"
#include "suite.h"

static struct batch *const b = &batches.batch;

/* ---- the spool ----------------------------------------------------------- */

/* Write SPOOL/NAME. */
static void put(const char *name, const char *text)
{
    char path[CHILD_FOLDER + 64];
    snprintf(path, sizeof path, "%s/%s", batches.spool, name);
    FILE *const f = fopen(path, "w");
    ck_assert(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void ck_kept(const char *digest, const char *bytes)
{
    size_t n = 0;
    char *const data = ledger_kept(b->ledger, digest, &n);
    ck_assert_uint_eq(n, strlen(bytes));
    ck_assert_mem_eq(data, bytes, n);
    free(data);
}

/* Also what was changed since the batch was opened. */
START_TEST(a_staged_submission_is_in_spool_and_ledger)
{
    char path[PATH_MAX], digest[LEDGER_DIGEST];
    struct stat st;
    batches_open();
    put("ada@1.sub", "longer than it");
    batches_sh("mkdir -p L.db.spool/ada@1.work/x; printf changed > in/ada");
    ck_assert_msg(batch_stage(b, &b->task[0]) == 0, "%s", b->err);
    batch_path(b, &b->task[0], "sub", path);
    batches_says(path, "DIR/L.db.spool/ada@1.sub");
    ck_assert(stat(path, &st) == 0 && st.st_size == 7);
    ck_assert_int_eq(batches_nfiles(batches.spool), 1); // no work
    batches_sh("rm L.db.spool/*; printf changed | cmp - in/ada");
    ck_assert_int_eq(batch_stage(b, &b->task[0]), 0);
    ck_assert(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600);
    batches_sh("printf changed | cmp - L.db.spool/ada@1.sub");
    ledger_digest("changed", 7, digest);
    ck_assert_str_eq(b->task[0].digest, digest);
    ck_kept(digest, "changed");
    batch_release(b);
}
END_TEST

START_TEST(why_it_cannot_be_staged_is_told)
{
    batches_open();
    batches_sh("rm in/ada@2; mkdir L.db.spool/ada@1.sub");
    ck_assert_int_eq(batch_stage(b, &b->task[1]), -1);
    batches_says(b->err, "DIR/in/ada@2: No such file or directory");
    ck_assert_int_eq(batch_stage(b, &b->task[0]), -1);
    batches_says(b->err, "DIR/L.db.spool: Is a directory");
    batches_lose_ledger();
    ck_assert_int_eq(batch_stage(b, &b->task[2]), -1);
    ck_assert_str_eq(b->err, ledger_error(b->ledger));
    ck_assert_str_ne(b->err, "");
    batch_release(b);
}
END_TEST

#define RESULT(seed, outcome)                                                  \
    "{\"seed\": \"" seed "\", \"outcome\": \"" outcome                         \
    "\", \"score\": 3.5, \"max_score\": 10}"
#define BATCHES_ADA_1 "14070420082539625952"
#define BATCHES_ADA_2 "11722546251624933913"

/* All the files that grading a submission leaves in the spool. */
static void leave(const char *name, const char *json)
{
    char file[64];
    static const char *const others[] = {"sub", "json.new", "err"};
    for (int i = 0; i < 3; i++) {
        snprintf(file, sizeof file, "%s.%s", name, others[i]);
        put(file, "x");
    }
    snprintf(file, sizeof file, "%s.json", name);
    put(file, json);
    batches_sh("mkdir -p L.db.spool/%s.work/x", name);
}

static int number_of(const json_t *j, const char *key)
{
    return (int)json_integer_value(json_object_get(j, key));
}

/* Take task i; what is said of it as it is done, up to its speed. */
static void take(int i, const char *why, char line[100])
{
    char *said = NULL;
    size_t n;
    b->progress.out = open_memstream(&said, &n);
    ck_assert_msg(batch_take(b, &b->task[i], why) == 0, "%s", b->err);
    fclose(b->progress.out);
    b->progress.out = stderr;
    snprintf(line, 100, "%.*s", (int)strcspn(said, "("), said);
    free(said);
}

START_TEST(a_result_is_taken_into_the_ledger)
{
    char line[100];
    batches_open();
    leave("ada@1", RESULT(BATCHES_ADA_1, "fail"));
    b->task[0].tries = 2;
    const int64_t begin = time(NULL);
    take(0, NULL, line);
    ck_assert_str_eq(line, "ada@1                partial   3.5/10  ");
    ck_assert_int_eq(b->task[0].state, TASK_DONE);
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_FAIL], 1);
    json_t *const j = batches_last_grading();
    ck_assert_int_eq(number_of(j, "n"), 1);
    ck_assert_str_eq(batches_text(j, "student"), "ada");
    ck_assert_int_eq(number_of(j, "attempt"), 1);
    ck_assert_str_eq(batches_text(j, "digest"), b->task[0].digest);
    ck_assert_int_eq(number_of(j, "submitted"), 1772370000); // 13:00
    ck_assert_int_eq(number_of(j, "days_late"), 1);
    ck_assert_int_eq(number_of(j, "try"), 2);
    ck_assert_int_ge(number_of(j, "graded"), begin);
    ck_assert_int_le(number_of(j, "graded"), time(NULL));
    ck_assert_ptr_nonnull(batches_text(json_object_get(j, "versions"), "plan"));
    ck_assert_str_eq(batches_text(json_object_get(j, "result"), "seed"),
                     BATCHES_ADA_1);
    ck_assert_int_eq(batches_nfiles(batches.spool), 0);
    json_decref(j);
    batch_release(b);
}
END_TEST

START_TEST(the_rosters_time_counts_more_than_the_files)
{
    char line[100];
    batches_open();
    leave("ada@2", RESULT(BATCHES_ADA_2, "pass"));
    take(1, "why", line);
    ck_assert_str_eq(line, "ada@2                pass      3.5/10  ");
    json_t *const j = batches_last_grading();
    ck_assert_int_eq(number_of(j, "submitted"), 1772625600);
    ck_assert_int_eq(number_of(j, "days_late"), 3);
    json_decref(j);
    batch_release(b);
}
END_TEST

/* Results of another seed, or of none, are as none. */
START_TEST(without_a_result_a_task_waits_or_is_infra)
{
    static const char *const others[] = {
        "{", "{}", RESULT("1407042008253962595", "pass"),
        RESULT("140704200825396259522", "pass")};
    char line[100];
    batches_open();
    b->task[0].state = TASK_RUNNING;
    for (int i = 0; i < 4; i++) {
        leave("ada@1", others[i]);
        take(0, NULL, line);
        ck_assert_str_eq(line, "");
        ck_assert_int_eq(b->task[0].state, TASK_RUNNING);
        ck_assert_int_eq(batches_nfiles(batches.spool), 5);
    }
    b->task[0].tries = 2; // one more than it may
    take(0, "it is gone", line);
    ck_assert_str_eq(line, "ada@1                infra     0/0  ");
    ck_assert_int_eq(b->task[0].state, TASK_DONE);
    ck_assert_int_eq(batches_nfiles(batches.spool), 0);
    json_t *const j = batches_last_grading(), *const r =
                                                  json_object_get(j, "result");
    ck_assert_int_eq(number_of(j, "n"), 1);
    ck_assert_str_eq(batches_text(r, "message"), "it is gone");
    ck_assert_str_eq(batches_text(r, "seed"), BATCHES_ADA_1);
    ck_assert_str_eq(batches_text(r, "lab"), BATCHES_LAB);
    json_decref(j);
    batch_release(b);
}
END_TEST

static const struct {
    int tries, retries, wait_ms; /* 0: it is done */
} tries[] = {{1, 1, 1000}, {2, 2, 2000}, {1, 3, 1000},
             {2, 1, 0},    {1, 0, 0},    {4, 3, 0}};

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

START_TEST(after_infra_it_is_tried_again_later)
{
    char line[100];
    const int wait = tries[_i].wait_ms;
    batches.options.retries = tries[_i].retries;
    batches_open();
    leave("ada@1", RESULT(BATCHES_ADA_1, "infra"));
    b->task[0].state = TASK_RUNNING;
    b->task[0].tries = tries[_i].tries;
    const uint64_t before = now_ms();
    take(0, NULL, line);
    const uint64_t after = now_ms(), at = b->task[0].not_before_ms;
    ck_assert_int_eq(b->task[0].state, wait ? TASK_WAITING : TASK_DONE);
    ck_assert_uint_ge(at, wait ? before + (uint64_t)wait : 0);
    ck_assert_uint_le(at, wait ? after + (uint64_t)wait : 0);
    ck_assert_int_eq(line[0] != 0, !wait);
    ck_assert_int_eq(b->progress.outcomes.of[OUTCOME_INFRA], !wait);
    ck_assert_int_eq(batches_nfiles(batches.spool), 0);
    batch_release(b);
}
END_TEST

START_TEST(a_failure_may_not_be_tried_again)
{
    char line[100];
    batches_open();
    leave("ada@1", RESULT(BATCHES_ADA_1, "suspected"));
    take(0, NULL, line);
    ck_assert_int_eq(b->task[0].state, TASK_DONE);
    batch_release(b);
}
END_TEST

START_TEST(what_cannot_be_written_stays_in_the_spool)
{
    batches_open();
    leave("ada@1", RESULT(BATCHES_ADA_1, "pass"));
    batches_lose_ledger();
    ck_assert_int_eq(batch_take(b, &b->task[0], NULL), -1);
    ck_assert_str_eq(b->err, ledger_error(b->ledger));
    ck_assert_str_ne(b->err, "");
    ck_assert_int_eq(b->progress.done, 0);
    ck_assert_int_eq(batches_nfiles(batches.spool), 5);
    batch_release(b);
    ck_assert_int_eq(batches_nfiles(batches.spool), 5);
}
END_TEST

/* The result may be by the old plan or the new one, so it is neither's. */
START_TEST(a_plan_that_is_edited_ends_the_batch)
{
    batches_open();
    leave("ada@1", RESULT(BATCHES_ADA_1, "fail"));
    json_object_set_new(b->versions, "plan", json_string("another"));
    ck_assert_int_eq(batch_take(b, &b->task[0], NULL), -1);
    ck_assert_str_eq(b->err, "the plan of lab1-collectives was edited while "
                             "the batch ran: the same command grades the rest "
                             "by the new one, and grade regrade those before");
    ck_assert_int_eq(batches_nfiles(batches.spool), 0);
    json_t *const j = batches_last_grading();
    ck_assert_int_eq(number_of(j, "n"), 0);
    json_decref(j);
    batch_release(b);
}
END_TEST

START_TEST(what_a_killed_batch_has_left_is_taken)
{
    batches_sh("mkdir L.db.spool");
    leave("ada@2", RESULT(BATCHES_ADA_2, "pass"));
    put("bob@1.json", RESULT(BATCHES_ADA_2, "pass"));
    batches_open();
    ck_assert_int_eq(b->ntasks, 3);
    ck_assert_int_eq(b->task[1].state, TASK_DONE);
    ck_assert_int_eq(batch_left(b), 2);
    ck_assert_int_eq(b->progress.done, 1);
    ck_assert_int_eq(batches_nfiles(batches.spool), 1);
    batch_release(b);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("spool");
    TCase *const t = tcase_create("spool");
    fds_watch(t);
    tcase_add_checked_fixture(t, batches_setup, batches_teardown);
    tcase_add_test(t, a_staged_submission_is_in_spool_and_ledger);
    tcase_add_test(t, why_it_cannot_be_staged_is_told);
    tcase_add_test(t, a_result_is_taken_into_the_ledger);
    tcase_add_test(t, the_rosters_time_counts_more_than_the_files);
    tcase_add_test(t, without_a_result_a_task_waits_or_is_infra);
    SUITE_LOOP(t, after_infra_it_is_tried_again_later, tries);
    tcase_add_test(t, a_failure_may_not_be_tried_again);
    tcase_add_test(t, what_cannot_be_written_stays_in_the_spool);
    tcase_add_test(t, a_plan_that_is_edited_ends_the_batch);
    tcase_add_test(t, what_a_killed_batch_has_left_is_taken);
    suite_add_tcase(s, t);
    return suite_run(s);
}
