/*
 * grade regrade: what it runs, and what it makes of the results. This program
 * itself is what it runs: `test_regrade run ...` leaves the result that a test
 * has prepared.
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h> /* open */
#include <jansson.h>
#include <libgen.h>   /* basename */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* getenv */
#include <string.h>   /* strcmp */
#include <sys/stat.h> /* stat */
#include <time.h>     /* time */
#include <unistd.h>   /* unlink */

#include "batches.h"
#include "fds.h"
#include "grader/ledger/grading.h"
#include "grader/verbs/verbs.h"
#include "planted.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

/* ---- as `grade run` ------------------------------------------------------ */

static const char *option(char **argv, const char *name)
{
    for (int i = 1; argv[i]; i++)
        if (strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return "none";
}

/* One of so many places to run in; -1: there are more runs than that. */
static int take_slot(int most)
{
    char name[16];
    for (int i = 0; i < most; i++) {
        snprintf(name, sizeof name, "slot%d", i);
        const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (fd >= 0) {
            close(fd);
            return i;
        }
    }
    return -1;
}

/* How many runs have begun. */
static int nbegun(void)
{
    int n = 0;
    FILE *const f = fopen("log", "r");
    for (int c; f && (c = fgetc(f)) != EOF;)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

/* The result is the test's NAME.json, if as many run at a time as there should
 * be: no more, and none ends before as many have begun. */
static int fake_run(int argc, char **argv)
{
    enum { SUB = 18 }; // run_command.h
    char line[CHILD_FOLDER + 512], bytes[64] = "";
    char *const sub = argc > SUB ? argv[SUB] : "";
    FILE *const in = fopen(sub, "r");
    const int most = atoi(getenv("REGRADE_MOST"));
    if (!in || !fgets(bytes, sizeof bytes, in) || chdir(getenv("REGRADE_DIR")))
        return 3;
    fclose(in);
    const int slot = take_slot(most);
    FILE *const log = fopen("log", "a");
    fprintf(log, "%s of %s, seed %s, isolation %s, cases %s: %s\n",
            option(argv, "--student"), option(argv, "--lab"),
            option(argv, "--seed"), option(argv, "--isolation"),
            option(argv, "--case"), bytes);
    fclose(log);
    for (int i = 0; i < 1000 && nbegun() < most; i++)
        usleep(20000);
    snprintf(line, sizeof line, "cp '%.*s.json' '%s' 2> /dev/null",
             (int)strlen(basename(sub)) - 4, basename(sub),
             option(argv, "--json"));
    const int status = slot < 0 || nbegun() < most ? 1 : system(line);
    snprintf(line, sizeof line, "slot%d", slot);
    unlink(line);
    return status != 0;
}

/* ---- the ledger ---------------------------------------------------------- */

#define CASE(name, outcome, score)                                             \
    "{\"max_score\": 5, \"name\": \"" name "\", \"outcome\": \"" outcome       \
    "\", \"score\": " score "}"
#define RESULT(outcome, score, tests)                                          \
    "{\"isolation\": {\"level\": 2}, \"max_score\": 10, \"outcome\": "         \
    "\"" outcome "\", \"score\": " score ", \"seed\": "                        \
    "\"18446744073709551615\", \"tests\": [" tests "]}"
#define OLD                                                                    \
    RESULT("fail", "7.5",                                                      \
           CASE("ring", "pass", "5") ", " CASE("tree", "fail", "2.5"))

/* Entry 2, 3 ...: what a student has handed in, NULL if it was not kept. */
static void plant(const char *student, int attempt, const char *bytes)
{
    char digest[LEDGER_DIGEST] = "00", body[1024];
    struct ledger *const l = planted_ledger(dir);
    if (bytes)
        ck_assert_int_eq(ledger_keep(l, bytes, strlen(bytes), digest), 0);
    snprintf(body, sizeof body,
             "{\"days_late\": 3, \"submitted\": %d, \"result\": " OLD "}",
             1000 + attempt);
    const struct ledger_entry e = {.kind = "grading",
                                   .student = student,
                                   .lab = PLANTED_LAB,
                                   .attempt = attempt,
                                   .digest = digest,
                                   .body = body};
    ck_assert_int_gt(ledger_append(l, &e), 0);
    ledger_close(l);
}

/* What a run of NAME leaves. */
static void leave(const char *name, const char *result)
{
    char path[CHILD_FOLDER + 32];
    snprintf(path, sizeof path, "%s/%s.json", dir, name);
    FILE *const f = fopen(path, "w");
    ck_assert(f != NULL && fputs(result, f) >= 0 && fclose(f) == 0);
}

static void setup(void)
{
    child_folder(dir, "regrade");
    setenv("REGRADE_DIR", dir, 1);
    setenv("REGRADE_MOST", "1", 1);
    planted_roster(dir, "student\nada\nbob\n");
    plant("ada", 1, "bytes of ada");
    plant("bob", 2, "bytes of bob");
    leave("ada@1",
          RESULT("pass", "10",
                 CASE("ring", "pass", "5") ", " CASE("tree", "pass", "5")));
    leave("bob@2", OLD);
}

static void teardown(void)
{
    child_remove(dir);
}

/* A file in the folder, which is then removed; "": there is none. */
static const char *text_in(const char *name)
{
    static char text[4096];
    char path[CHILD_FOLDER + 32];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *const f = fopen(path, "r");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = 0;
    if (f)
        fclose(f);
    unlink(path);
    return text;
}

/* grade regrade with these options, up to the first NULL; what it prints. */
static const char *regrade(int status, const char *a, const char *b,
                           const char *c)
{
    char ledger[CHILD_FOLDER + 16], out[CHILD_FOLDER + 16];
    snprintf(ledger, sizeof ledger, "%s/L.db", dir);
    snprintf(out, sizeof out, "%s/out", dir);
    const char *const argv[] = {"grade", "--ledger", ledger, "--lab", "lab1",
                                a,       b,          c,      NULL};
    int argc = 5;
    while (argv[argc])
        argc++;
    fflush(stdout);
    optind = 1;
    const int kept = dup(STDOUT_FILENO),
              fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, STDOUT_FILENO);
    const int got = verb_regrade(argc, (char **)argv);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(fd);
    ck_assert_int_eq(got, status);
    return text_in("out");
}

/* The last grading; its JSON is the caller's to release. */
static int keep_last(const struct ledger_entry *e, void *arg)
{
    json_t **const last = arg;
    json_decref(*last);
    *last = json_pack("{s:I, s:s, s:i, s:s, s:o}", "id", (json_int_t)e->id,
                      "student", e->student, "attempt", e->attempt, "digest",
                      e->digest, "body", json_loads(e->body, 0, NULL));
    return 0;
}

static json_t *last_grading(void)
{
    json_t *last = NULL;
    struct ledger *const l = planted_ledger(dir);
    ledger_each(l, "grading", PLANTED_LAB, keep_last, &last);
    ledger_close(l);
    return last;
}

static int id_of_last(void)
{
    json_t *const last = last_grading();
    const int id = (int)json_integer_value(json_object_get(last, "id"));
    json_decref(last);
    return id;
}

/* ---- the verb ------------------------------------------------------------ */

#define RUN(student, cases)                                                    \
    student " of " PLANTED_LAB ", seed 18446744073709551615, isolation 2, "    \
            "cases " cases ": bytes of " student "\n"
#define ADA                                                                    \
    "ada@1                partial     7.50 -> pass       10.00  +2.50: "       \
    "tree +2.50\n"

/* The second time, nothing is run: what was shown is appended. */
START_TEST(what_was_shown_is_appended)
{
    struct stat st;
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/L.db.regrade", dir);
    ck_assert_str_eq(regrade(0, NULL, NULL, NULL),
                     ADA "1 of 2 submissions change; --yes appends this to the "
                         "ledger\n");
    ck_assert_str_eq(text_in("log"), RUN("ada", "none") RUN("bob", "none"));
    ck_assert_int_eq(id_of_last(), 3);
    ck_assert(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    const mode_t mask = umask(022);
    umask(mask);
    ck_assert_int_eq(mask & 077, 022);
    ck_assert_str_eq(regrade(0, "--yes", NULL, NULL),
                     ADA "1 of 2 submissions change\n");
    ck_assert_str_eq(text_in("log"), "");
    ck_assert_int_eq(stat(path, &st), -1);
    ck_assert_int_eq(id_of_last(), 5);
    // and now it is so
    ck_assert_str_eq(regrade(0, NULL, NULL, NULL),
                     "0 of 2 submissions change; --yes appends this to the "
                     "ledger\n");
    ck_assert_str_eq(text_in("log"), RUN("ada", "none") RUN("bob", "none"));
}
END_TEST

static const struct {
    const char *result, *cases, *says, *kept;
} merged[] = {
    {RESULT("fail", "4",
            CASE("ring", "fail", "3") ", " CASE("new", "pass", "1")),
     "ring",
     "ada@1                partial     7.50 -> partial     6.50  -1.00: ring "
     "-2.00 new +1.00\n1 of 1 submissions change\n",
     "{\"isolation\": {\"level\": 2}, \"max_score\": 15.0, \"outcome\": "
     "\"fail\", \"score\": 6.5, \"seed\": \"18446744073709551615\", "
     "\"tests\": [" CASE("ring", "fail", "3") ", " CASE(
         "tree", "fail", "2.5") ", " CASE("new", "pass", "1") "]}"},
    {RESULT("fail", "4", CASE("tree", "pass", "5")), "tree",
     "ada@1                partial     7.50 -> pass       10.00  +2.50: tree "
     "+2.50\n1 of 1 submissions change\n",
     "{\"isolation\": {\"level\": 2}, \"max_score\": 10.0, \"outcome\": "
     "\"pass\", \"score\": 10.0, \"seed\": \"18446744073709551615\", "
     "\"tests\": [" CASE("ring", "pass", "5") ", " CASE("tree", "pass",
                                                        "5") "]}"},
    {RESULT("fail", "4", CASE("ring", "suspected", "0")), "ring",
     "ada@1                partial     7.50 -> suspected   2.50  -5.00: ring "
     "-5.00\n1 of 1 submissions change\n",
     "{\"isolation\": {\"level\": 2}, \"max_score\": 10.0, \"outcome\": "
     "\"suspected\", \"score\": 2.5, \"seed\": \"18446744073709551615\", "
     "\"tests\": [" CASE("ring", "suspected", "0") ", " CASE("tree", "fail",
                                                             "2.5") "]}"},
    // what would be printed as no change is none
    {RESULT("fail", "4",
            CASE("ring", "pass", "5.003") ", " CASE("tree", "fail", "2.506")),
     "ring,tree",
     "ada@1                partial     7.50 -> partial     7.51  +0.01: tree "
     "+0.01\n1 of 1 submissions change\n",
     "{\"isolation\": {\"level\": 2}, \"max_score\": 10.0, \"outcome\": "
     "\"fail\", \"score\": 7.509, \"seed\": \"18446744073709551615\", "
     "\"tests\": [" CASE("ring", "pass", "5.003") ", " CASE("tree", "fail",
                                                            "2.506") "]}"},
    {RESULT("fail", "4", CASE("tree", "fail", "2.503")), "tree",
     "0 of 1 submissions change\n",
     "{\"isolation\": {\"level\": 2}, \"max_score\": 10.0, \"outcome\": "
     "\"fail\", \"score\": 7.503, \"seed\": \"18446744073709551615\", "
     "\"tests\": [" CASE("ring", "pass", "5") ", " CASE("tree", "fail",
                                                        "2.503") "]}"},
    {RESULT("fail", "4", CASE("tree", "fail", "2.506")), "tree",
     "ada@1                partial     7.50 -> partial     7.51  +0.01: tree "
     "+0.01\n1 of 1 submissions change\n",
     "{\"isolation\": {\"level\": 2}, \"max_score\": 10.0, \"outcome\": "
     "\"fail\", \"score\": 7.506, \"seed\": \"18446744073709551615\", "
     "\"tests\": [" CASE("ring", "pass", "5") ", " CASE("tree", "fail",
                                                        "2.506") "]}"},
    // it could not be judged at all
    {RESULT("suspected", "0", ""), "ring",
     "ada@1                partial     7.50 -> suspected   0.00  -7.50:\n1 of "
     "1 submissions change\n",
     RESULT("suspected", "0", "")},
};

/* As a number, 6.5 and 6.50 are equal. */
static void ck_json(const json_t *got, const char *want)
{
    json_t *const j = json_loads(want, JSON_DECODE_INT_AS_REAL, NULL);
    char *const text = json_dumps(got, JSON_SORT_KEYS);
    json_t *const reals = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    ck_assert_msg(json_equal(reals, j), "not %s, but %s", want, text);
    free(text);
    json_decref(reals);
    json_decref(j);
}

START_TEST(other_cases_stay_as_they_were)
{
    leave("ada@1", merged[_i].result);
    char cases[64];
    snprintf(cases, sizeof cases, "--case=%s", merged[_i].cases);
    const int64_t begin = time(NULL);
    ck_assert_str_eq(regrade(0, "--student=ada", cases, "--yes"),
                     merged[_i].says);
    json_t *const e = last_grading(), *const body = json_object_get(e, "body");
    ck_json(json_object_get(body, "result"), merged[_i].kept);
    const json_int_t when = json_integer_value(json_object_get(body, "graded"));
    ck_assert(when >= begin && when <= time(NULL));
    ck_assert_ptr_nonnull(
        batches_text(json_object_get(body, "versions"), "plan"));
    json_object_del(body, "graded");
    json_object_del(body, "versions");
    json_object_del(body, "result");
    char digest[LEDGER_DIGEST], want[512];
    ledger_digest("bytes of ada", 12, digest);
    snprintf(want, sizeof want,
             "{\"id\": 4, \"student\": \"ada\", \"attempt\": 1, \"digest\": "
             "\"%s\", \"body\": {\"days_late\": 3, \"submitted\": 1001, "
             "\"try\": 1, \"regraded\": 2}}",
             digest);
    ck_json(e, want);
    json_decref(e);
}
END_TEST

/* A preview of other cases is not used. */
START_TEST(a_preview_is_of_its_cases)
{
    regrade(0, "--student=bob", NULL, NULL);
    ck_assert_str_eq(text_in("log"), RUN("bob", "none"));
    regrade(0, "--student=bob", "--case=tree", NULL);
    ck_assert_str_eq(text_in("log"), RUN("bob", "tree"));
    regrade(0, "--student=bob", "--case=tree", NULL);
    ck_assert_str_eq(text_in("log"), "");
    regrade(0, "--student=bob", NULL, NULL);
    ck_assert_str_eq(text_in("log"), RUN("bob", "none"));
}
END_TEST

START_TEST(without_a_result_a_grading_stays)
{
    text_in("ada@1.json");
    leave("bob@2", "{\"outcome\": \"infra\", \"message\": \"no disk\"}");
    ck_assert_str_eq(
        regrade(1, "--yes", NULL, NULL),
        "ada@1                stays as it was: infra: grade run left no "
        "result\nbob@2                stays as it was: infra: no disk\n0 of 2 "
        "submissions change\n");
    ck_assert_int_eq(id_of_last(), 3);
}
END_TEST

/* What runs is waited for. */
START_TEST(what_is_not_kept_cannot_be_graded_again)
{
    plant("bob", 3, NULL);
    ck_assert_str_eq(regrade(3, NULL, NULL, NULL), "");
    ck_assert_str_eq(text_in("log"), RUN("ada", "none"));
    ck_assert_str_eq(text_in("L.db.regrade"), "");
}
END_TEST

START_TEST(what_cannot_be_written_is_told)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/L.db.regrade", dir);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_str_eq(regrade(3, NULL, NULL, NULL),
                     ADA "1 of 2 submissions change; --yes appends this to the "
                         "ledger\n");
}
END_TEST

/* Earlier attempts, too. */
START_TEST(some_are_graded_at_a_time)
{
    plant("bob", 1, "bytes of bob");
    leave("bob@1", OLD);
    setenv("REGRADE_MOST", "2", 1);
    ck_assert_str_eq(regrade(0, "--all", "-j", "2"),
                     ADA "1 of 3 submissions change; --yes appends this to the "
                         "ledger\n");
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "run") == 0)
        return fake_run(argc, argv);
    Suite *const s = suite_create("regrade");
    TCase *const t = tcase_create("regrade");
    fds_watch(t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, what_was_shown_is_appended);
    SUITE_LOOP(t, other_cases_stay_as_they_were, merged);
    tcase_add_test(t, a_preview_is_of_its_cases);
    tcase_add_test(t, without_a_result_a_grading_stays);
    tcase_add_test(t, what_is_not_kept_cannot_be_graded_again);
    tcase_add_test(t, what_cannot_be_written_is_told);
    tcase_add_test(t, some_are_graded_at_a_time);
    suite_add_tcase(s, t);
    return suite_run(s);
}
