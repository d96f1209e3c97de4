/*
 * grade replay: what is graded again, and which verdicts are other ones now.
 * The grading is the test's own.
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h> /* open */
#include <jansson.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strcmp */
#include <unistd.h> /* dup2 */

#include "child.h"
#include "fds.h"
#include "grader/run/grade.h"
#include "grader/verbs/verbs.h"
#include "planted.h"
#include "suite.h"

static char dir[CHILD_FOLDER], ledger[CHILD_FOLDER + 8];

/* ---- grading ------------------------------------------------------------- */

static struct {
    enum outcome outcome, of_case;
    double score, case_score;
    const char *message;
} now;

static char asked[512], submission[CHILD_FOLDER];

/* Instead of the library's: the first of the plan's cases has the points. */
void grade_submission(const struct request *q, struct place *p,
                      struct result *r)
{
    char bytes[64] = "";
    FILE *const f = fopen(q->submission, "r");
    ck_assert(f != NULL && fgets(bytes, sizeof bytes, f) != NULL);
    fclose(f);
    snprintf(submission, sizeof submission, "%s", q->submission);
    snprintf(asked, sizeof asked,
             "%s, %s, seed %llu, level %d, measured %d, backend %s: %s", q->lab,
             getenv("COMMLAB_STUDENT"), (unsigned long long)q->seed,
             q->isolation, q->measured, q->backend ? q->backend : "any", bytes);
    result_init(r, p->plan->ncases);
    r->outcome = now.outcome;
    r->score = now.score;
    r->max_score = 10;
    snprintf(r->message, sizeof r->message, "%s", now.message);
    r->cases[0].outcome = now.of_case;
    r->cases[0].score = now.case_score;
    snprintf(r->cases[0].verdict.message, sizeof r->cases[0].verdict.message,
             "so it is");
}

/* ---- the verb ------------------------------------------------------------ */

static void setup(void)
{
    child_folder(dir, "replay");
    snprintf(ledger, sizeof ledger, "%s/L.db", dir);
    setenv("TMPDIR", dir, 1);
}

static void teardown(void)
{
    unsetenv("TMPDIR");
    child_remove(dir);
}

/* The ledger's next entry: bytes that were graded, with these cases. */
static void plant(const char *student, const char *bytes, const char *more,
                  const char *cases)
{
    char body[1024];
    snprintf(body, sizeof body,
             "{\"result\": {\"lab\": \"" PLANTED_LAB "\", \"outcome\": "
             "\"fail\", \"score\": 5.5, %s, \"tests\": [%s]}}",
             more, cases);
    planted_body(dir, student, bytes, body);
}

/* What grade replay prints, which the caller frees. */
static char *replay(const char *id, int status)
{
    char path[CHILD_FOLDER + 8], *text = NULL;
    size_t room = 0;
    const char *const argv[] = {"replay", "--ledger", ledger, id, NULL};
    snprintf(path, sizeof path, "%s/out", dir);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO),
              fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(fd, STDOUT_FILENO);
    optind = 1;
    const int got = verb_replay(4, (char **)argv);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(fd);
    ck_assert_int_eq(got, status);
    FILE *const f = fopen(path, "r");
    if (getdelim(&text, &room, 0, f) < 0)
        *text = 0;
    fclose(f);
    return text;
}

#define SEED "\"seed\": \"18446744073709551615\""
#define CASE(name, outcome, score)                                             \
    "{\"name\": \"" name "\", \"outcome\": \"" outcome "\", \"score\": " score \
    "}"
#define FIRST "communicator"

static const struct {
    enum outcome outcome;
    double score;
    enum outcome of_case;
    double case_score;
    const char *message, *cases, *says;
} again[] = {
    {OUTCOME_FAIL, 5.5, OUTCOME_FAIL, 1, "", CASE(FIRST, "fail", "1"),
     "the same: fail, 5.5 of 10 points\n"},
    {OUTCOME_FAIL, 5.5, OUTCOME_FAIL, 1, "", "",
     "the same: fail, 5.5 of 10 points\n"},
    {OUTCOME_PASS, 5.5, OUTCOME_FAIL, 1, "", CASE(FIRST, "fail", "1"),
     "was fail with 5.5 points, is pass with 5.5: \n"},
    {OUTCOME_FAIL, 6, OUTCOME_FAIL, 1, "", CASE(FIRST, "fail", "1"),
     "was fail with 5.5 points, is fail with 6: \n"},
    {OUTCOME_FAIL, 5.5, OUTCOME_PASS, 1, "", CASE(FIRST, "fail", "1"),
     FIRST ": was fail with 1 points, is pass with 1: so it is\n"},
    {OUTCOME_FAIL, 5.5, OUTCOME_FAIL, 2, "", CASE(FIRST, "fail", "1"),
     FIRST ": was fail with 1 points, is fail with 2: so it is\n"},
    {OUTCOME_FAIL, 5.5, OUTCOME_FAIL, 1, "",
     CASE("none", "pass", "2") ", " CASE(FIRST, "fail", "1.5"),
     "none: was pass with 2 points, is gone with 0: \n" FIRST
     ": was fail with 1.5 points, is fail with 1: so it is\n"},
    // a submission that was not run has no verdicts on cases
    {OUTCOME_SUSPECTED, 0, OUTCOME_PASS, 9, "it asks for system()",
     CASE(FIRST, "fail", "1"),
     "was fail with 5.5 points, is suspected with 0: it asks for system()\n"},
};

START_TEST(other_verdicts_are_listed)
{
    now.outcome = again[_i].outcome;
    now.score = again[_i].score;
    now.of_case = again[_i].of_case;
    now.case_score = again[_i].case_score;
    now.message = again[_i].message;
    plant("ada", "bytes", SEED, again[_i].cases);
    const int same = strncmp(again[_i].says, "the same", 8) == 0;
    char *const text = replay("1", !same);
    ck_assert_str_eq(text, again[_i].says);
    free(text);
}
END_TEST

/* As it was then; of a backend that is unknown here, as the kit is built. */
START_TEST(it_is_graded_as_it_was)
{
    now.outcome = OUTCOME_FAIL;
    now.score = 5.5;
    now.message = "";
    plant("ada", "bytes of ada",
          SEED ", \"isolation\": {\"level\": 2}, \"backend\": \"sim\"", "");
    plant("bob", "bytes of bob", "\"seed\": \"7\", \"backend\": \"abacus\"",
          "");
    free(replay("2", 0));
    ck_assert_str_eq(asked, PLANTED_LAB ", bob, seed 7, level 0, measured 0, "
                                        "backend any: bytes of bob");
    free(replay("1", 0));
    ck_assert_str_eq(asked,
                     PLANTED_LAB ", ada, seed 18446744073709551615, level 2, "
                                 "measured 0, backend sim: bytes of ada");
    ck_assert_int_eq(strncmp(submission, dir, strlen(dir)), 0);
    ck_assert_int_eq(access(submission, F_OK), -1); // it is removed
}
END_TEST

/* In a lab that is none, or without room for the submission. */
START_TEST(what_cannot_be_graded_is_the_machines_fault)
{
    now.message = "";
    plant("ada", "bytes",
          SEED
          ", \"backend\": \"cuda\", \"measured\": true, \"lab\": \"lab77\"",
          "");
    char *text = replay("1", 3);
    ck_assert_str_eq(text, "");
    free(text);
    setenv("TMPDIR", "/no/such/folder", 1);
    text = replay("1", 3);
    ck_assert_str_eq(text, "");
    free(text);
    text = replay("9", 2);
    ck_assert_str_eq(text, "");
    free(text);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("replay");
    TCase *const t = tcase_create("replay");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    SUITE_LOOP(t, other_verdicts_are_listed, again);
    tcase_add_test(t, it_is_graded_as_it_was);
    tcase_add_test(t, what_cannot_be_graded_is_the_machines_fault);
    suite_add_tcase(s, t);
    return suite_run(s);
}
