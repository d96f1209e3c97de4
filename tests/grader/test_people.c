/*
 * After a grading: what people change, deadlines that move, sections, plans.
 * The ledgers are planted, so that nothing has to be graded.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h>
#include <math.h>   /* isnan */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* atof */
#include <string.h> /* strstr */

#include "child.h"
#include "grader/base/csv.h"
#include "grader/intake/roster.h"
#include "grader/ledger/ledger.h"
#include "planted.h"
#include "suite.h"

#define LAB PLANTED_LAB
static char dir[CHILD_FOLDER], err[512];

static void make_folder(void)
{
    child_folder(dir, "people");
}

static void remove_folder(void)
{
    child_remove(dir);
}

/* ---- commands ------------------------------------------------------------ */

/* grade VERB --ledger L.db --lab lab1 ...; it has to end in that status. */
static struct child grade(int status, const char *verb, const char *more)
{
    struct child c = child_run(
        60, "cd %s && %s/tests/grader/grade %s --ledger L.db --lab lab1 %s",
        dir, child_build(), verb, more);
    ck_assert_msg(c.status == status, "%s %s: %d: %s%s", verb, more, c.status,
                  c.out, c.err);
    return c;
}

static void change(int status, const char *verb, const char *more)
{
    char all[512];
    snprintf(all, sizeof all, "--by 'Dr. X' --reason 'a recount' %s", more);
    struct child c = grade(status, verb, all);
    child_clear(&c);
}

/* A student's cell in an export as CSV; "" also if there is no such student. */
static const char *cell(const char *student, const char *column,
                        const char *options)
{
    static char text[1000];
    char more[256];
    struct csv csv;
    snprintf(more, sizeof more, "--format csv -o - %s", options);
    struct child c = grade(0, "export", more);
    ck_assert_int_eq(csv_parse(&csv, c.out, strlen(c.out), err, sizeof err), 0);
    const int at = csv_column(&csv, column);
    ck_assert_msg(at >= 0, "no column %s", column);
    text[0] = 0;
    for (int i = 1; i < csv.nrows; i++)
        if (strcmp(csv_field(&csv.row[i], 0), student) == 0)
            snprintf(text, sizeof text, "%s", csv_field(&csv.row[i], at));
    csv_release(&csv);
    child_clear(&c);
    return text;
}

#define CELL(student, column, options, want)                                   \
    ck_assert_str_eq(cell(student, column, options), want)

static const char two_students[] = "student,email\nada,a@x\nbob,b@x\n";
static const struct planted_grading good = {
    "bob", 1,   {"pass", "pass"}, {5, 5}, "2026-03-01T12:00Z", NULL, NULL,
    0,     NULL};
static const struct planted_grading doubtful = {
    "ada", 1,   {"pass", "suspected"}, {5, 0}, "2026-03-01T12:00Z", NULL, NULL,
    0,     NULL};

/* ---- the TA's cases ------------------------------------------------------ */

START_TEST(a_suspected_grade_is_empty_until_it_is_cleared)
{
    static const char *const formats[] = {"csv", "canvas", "moodle"};
    planted_roster(dir, two_students);
    planted_grading(dir, &doubtful);
    planted_grading(dir, &good);
    for (int i = 0; i < 3; i++) {
        char more[64];
        snprintf(more, sizeof more, "--format %s -o -", formats[i]);
        struct child c = grade(0, "export", more);
        const char *const ada = strstr(c.out, "ada");
        ck_assert(ada && !strstr(ada, "0.00,\"a person") &&
                  !strstr(ada, "5.00\n\"bob"));
        ck_assert(strstr(c.err, "1 suspected, without a score") != NULL);
        child_clear(&c);
    }
    CELL("ada", "final", "", "");
    change(0, "clear", "--student ada");
    CELL("ada", "final", "", "8.00"); // the verdict beneath, not all points
    CELL("ada", "outcome", "", "partial");
    ck_assert(strstr(cell("ada", "feedback", ""),
                     "suspicion cleared by Dr. X: a recount") != NULL);
    change(1, "clear", "--student ada"); // nothing is left of it
    change(1, "clear", "--student bob");
    struct child c =
        child_run(60, "%s/tests/grader/grade verify --ledger %s/L.db",
                  child_build(), dir);
    ck_assert_msg(c.status == 0, "%s", c.out);
    child_clear(&c);
}
END_TEST

/* Older ledgers don't say what is beneath a suspicion. */
START_TEST(what_is_beneath_a_suspicion_is_not_guessed)
{
    planted_roster(dir, two_students);
    planted_body(dir, "ada", "x",
                 "{\"result\": {\"outcome\": \"suspected\", \"score\": 0, "
                 "\"max_score\": 10, \"tests\": [{\"name\": \"ring\", "
                 "\"outcome\": \"suspected\", \"score\": 0, \"max_score\": "
                 "10}]}}");
    struct child c =
        grade(1, "clear", "--student ada --by X --reason 'own allocator'");
    ck_assert_str_eq(c.err,
                     "grade clear: ada: this grading does not say what the "
                     "verdict would have been: grade it again (grade regrade), "
                     "or say how many points each suspected case has "
                     "(--score)\n");
    child_clear(&c);
    change(0, "clear", "--student ada --score 6");
    CELL("ada", "final", "", "6.00");
}
END_TEST

START_TEST(a_submission_that_was_not_run_is_cleared_with_points)
{
    static const struct planted_grading refused = {
        "ada", 1, {NULL, NULL}, {0, 0}, "2026-03-01T12:00Z", NULL,
        NULL,  0, NULL};
    planted_roster(dir, two_students);
    planted_grading(dir, &refused);
    change(1, "clear", "--student ada");
    CELL("ada", "final", "", "");
    change(0, "clear", "--student ada --score 7");
    CELL("ada", "final", "", "7.00");
}
END_TEST

START_TEST(points_are_overridden_by_case_or_in_total)
{
    planted_roster(dir, two_students);
    planted_grading(dir, &good);
    change(0, "override", "--student bob --case tree --score 2.5");
    CELL("bob", "final", "", "7.50");
    CELL("bob", "tree", "", "2.50");
    CELL("bob", "outcome", "", "partial");
    change(0, "override", "--student bob --score 9");
    CELL("bob", "final", "", "9.00");
    change(1, "override", "--student bob --score 11");
    change(0, "override", "--student bob --score 11 --bonus");
    CELL("bob", "final", "", "11.00");
    change(1, "override", "--student bob --case no-such --score 1");
    change(2, "override", "--student bob --score many");
    change(2, "override", "--student bobo --score 1");
    change(0, "override", "--student ada --score 4"); // on paper
    CELL("ada", "final", "", "4.00");
}
END_TEST

START_TEST(what_is_handed_in_later_is_not_overridden)
{
    planted_roster(dir, two_students);
    planted_grading(dir, &good);
    change(0, "override", "--student bob --score 3");
    static const struct planted_grading later = {
        "bob", 2,   {"pass", "fail"}, {5, 1}, "2026-03-02T12:00Z", NULL, NULL,
        0,     NULL};
    planted_grading(dir, &later);
    CELL("bob", "final", "", "6.00");
    CELL("bob", "final", "--attempt best", "6.00");
    change(0, "override", "--student bob --attempt 1 --score 8");
    CELL("bob", "final", "--attempt best", "8.00");
    planted_grading(dir, &good); // graded again: the person's word stands
    CELL("bob", "final", "--attempt best", "8.00");
}
END_TEST

START_TEST(the_excused_have_no_score_in_any_export)
{
    planted_roster(dir, two_students);
    planted_grading(dir, &good);
    change(0, "excuse", "--student bob");
    struct child c = grade(0, "export", "--format canvas -o -");
    ck_assert_msg(strstr(c.out, "\"bob\",\"\",EX\n") != NULL, "%s", c.out);
    child_clear(&c);
    c = grade(0, "export", "--format moodle -o -");
    ck_assert_msg(strstr(c.out, "\"bob\",-,\"excused") != NULL, "%s", c.out);
    child_clear(&c);
    CELL("bob", "outcome", "", "excused");
    change(0, "excuse", "--student bob --undo");
    CELL("bob", "final", "", "10.00");
}
END_TEST

START_TEST(a_comment_reaches_the_student_in_each_format)
{
    static const char *const where[] = {
        "--format moodle -o -", "--format gradescope -o g && cat g/bob/*",
        "--format html -o h && cat h/students/bob.html",
        "--format autolab -o a && cat a/bob.txt",
        "--format classroom -o c && cut -c8- c/bob.txt | base64 -d"};
    planted_roster(dir, two_students);
    planted_grading(dir, &good);
    struct child c =
        grade(0, "comment", "--student bob --by Eve --reason 'nice <rings>'");
    child_clear(&c);
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        c = grade(0, "export", where[i]);
        ck_assert_msg(strstr(c.out, "comment by Eve: nice") != NULL, "%s: %s",
                      where[i], c.out);
        ck_assert(strstr(where[i], "html") == NULL ||
                  strstr(c.out, "<rings>") == NULL);
        child_clear(&c);
    }
}
END_TEST

START_TEST(an_extension_reaches_what_is_graded_already)
{
    planted_roster(dir, "student,deadline,late_days\nada,,\n"
                        "bob,2026-02-27T12:00Z,1\n");
    planted_grading(dir, &good); // two days late, one of them free
    CELL("bob", "final", "--late-percent 10", "9.00");
    CELL("bob", "days_late", "", "1");
    change(0, "extend", "--student bob --until 2026-03-01T12:00Z");
    CELL("bob", "final", "--late-percent 10", "10.00");
    planted_roster(dir,
                   "student,deadline,late_days\nbob,2026-02-20T12:00Z,4\n");
    CELL("bob", "days_late", "", "0"); // the person's word is the later one
    change(2, "extend", "--student bob --until soon");
}
END_TEST

START_TEST(the_later_deadline_counts)
{
    planted_roster(dir, "student,deadline\nbob,2026-02-27T12:00Z\n");
    planted_grading(dir, &good); // two days late
    change(0, "extend", "--student bob --until 2026-02-28T12:00Z");
    CELL("bob", "days_late", "", "1");
    struct child c = grade(1, "extend",
                           "--student bob --by X --reason ill --until "
                           "2026-02-27T11:00Z");
    ck_assert_msg(strstr(c.err, "bob: the roster's deadline, 2026-02-27 12:00 "
                                "UTC, is later than 2026-02-27 11:00 UTC"),
                  "%s", c.err);
    child_clear(&c);
    CELL("bob", "days_late", "", "1"); // nothing was appended
    change(0, "extend", "--student bob --until 2026-02-27T12:00Z");
    CELL("bob", "days_late", "", "2"); // the extension is taken back
    planted_roster(dir, "student,deadline\nbob,2026-03-02T12:00Z\n");
    CELL("bob", "days_late", "", "0");
}
END_TEST

START_TEST(points_that_no_longer_count_are_told)
{
    static const char want[] =
        "grade export: lab1-collectives: the 50 points that bob was given no "
        "longer count: attempt 1 was graded\n";
    planted_roster(dir, two_students);
    change(0, "override", "--student bob --score 50 --bonus");
    struct child c = grade(0, "export", "--format csv -o -");
    ck_assert_str_eq(c.err, "");
    child_clear(&c);
    planted_grading(dir, &good);
    c = grade(0, "export", "--format csv -o -");
    ck_assert_msg(strncmp(c.err, want, strlen(want)) == 0 &&
                      strstr(c.out, "the 50 points without a submission no "
                                    "longer count"),
                  "%s%s", c.err, c.out);
    child_clear(&c);
    change(0, "override", "--student bob --score 50 --bonus");
    c = grade(0, "export", "--format csv -o -");
    ck_assert_str_eq(c.err, "");
    CELL("bob", "final", "", "50.00");
    child_clear(&c);
}
END_TEST

START_TEST(a_downloads_times_are_told_where_they_cost_points)
{
    static const struct {
        const char *roster, *options, *says;
    } ways[] = {
        {"student,deadline\nada,\nbob,2026-02-27T12:00Z\ncyd,\n",
         "--late-percent 10",
         "grade export: lab1-collectives: 1 lose points for lateness"},
        {"student,deadline\nada,\nbob,2026-02-27T12:00Z\ncyd,\n", "", ""},
        {"student,deadline,submitted\nada,,\nbob,2026-02-27T12:00Z,2026-02-28"
         "\ncyd,,\n",
         "--late-percent 10", ""},
    };
    static const char *const students[] = {"ada", "bob", "cyd"};
    for (int i = 0; i < 3; i++) {
        struct planted_grading g = good;
        g.student = students[i];
        planted_grading(dir, &g);
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char more[100];
        planted_roster(dir, ways[i].roster);
        snprintf(more, sizeof more, "--format csv -o - %s", ways[i].options);
        struct child c = grade(0, "export", more);
        ck_assert_msg(strncmp(c.err, ways[i].says, strlen(ways[i].says)) == 0 &&
                          !c.err[0] == !ways[i].says[0],
                      "%zu: %s", i, c.err);
        child_clear(&c);
    }
}
END_TEST

START_TEST(a_change_has_a_reason)
{
    static const char *const reasons[] = {"''", "' '"};
    planted_roster(dir, two_students);
    for (int i = 0; i < 2; i++) {
        char more[128];
        snprintf(more, sizeof more, "--student bob --by X --reason %s",
                 reasons[i]);
        struct child c = grade(2, "excuse", more);
        ck_assert_str_eq(c.err,
                         "grade excuse: --reason is empty: the student reads "
                         "it\n");
        child_clear(&c);
    }
}
END_TEST

START_TEST(times_are_in_the_zone_of_the_batch)
{
    struct child c = child_run(
        60,
        "cd %s && mkdir in && printf 'student,deadline\nbob,2026-11-20\n' > "
        "r.csv "
        "&& %s/tests/grader/grade batch --roster r.csv --submissions in "
        "--ledger L.db --lab "
        "lab1 --timezone Europe/Berlin",
        dir, child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    c = grade(0, "extend",
              "--student bob --by X --reason ill --until 2026-11-30");
    ck_assert_msg(strstr(c.out, "to 2026-11-30 23:59 CET by X") != NULL, "%s",
                  c.out);
    child_clear(&c);
    ck_assert(strstr(cell("bob", "feedback", ""), "23:59 CET") != NULL);
    ck_assert(strstr(cell("bob", "feedback", "--timezone UTC"), "22:59 UTC") !=
              NULL);
}
END_TEST

START_TEST(a_later_batch_keeps_the_ledgers_zone)
{
    static const char batch[] = "%s/tests/grader/grade batch --roster r.csv "
                                "--submissions in --ledger L.db --lab "
                                "lab1";
    char command[4096];
    int n = snprintf(command, sizeof command,
                     "cd %s && mkdir in && printf 'student,deadline\nbob,"
                     "2026-11-20T10:00\n' > r.csv && ",
                     dir);
    n +=
        snprintf(command + n, sizeof command - (size_t)n, batch, child_build());
    n += snprintf(command + n, sizeof command - (size_t)n,
                  " --timezone Europe/Berlin && sed -i s/10:00/11:00/ r.csv "
                  "&& ");
    snprintf(command + n, sizeof command - (size_t)n, batch, child_build());
    struct child c = child_run(60, "%s", command);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    c = grade(0, "extend",
              "--student bob --by X --reason ill --until "
              "2026-11-30T12:00");
    ck_assert_msg(strstr(c.out, "to 2026-11-30 12:00 CET by X") != NULL, "%s",
                  c.out);
    child_clear(&c);
}
END_TEST

START_TEST(status_shows_the_points_that_people_gave)
{
    planted_roster(dir, two_students);
    planted_grading(dir, &good);
    change(0, "override", "--student bob --score 7");
    struct child c = grade(0, "status", "");
    ck_assert_msg(strstr(c.out, " 7/10 ") != NULL &&
                      strstr(c.out, "points set to 7 by Dr. X: a recount"),
                  "%s", c.out);
    child_clear(&c);
    change(0, "override", "--student bob --score 10");
    c = grade(0, "status", "");
    ck_assert_msg(strstr(c.out, " pass ") && strstr(c.out, " 10/10 ") &&
                      strstr(c.out, "1 pass, 0 partial"),
                  "%s", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(a_later_rosters_deadline_and_late_days_count)
{
    planted_roster(dir, "student,deadline\nbob,2026-02-27T12:00Z\n");
    planted_grading(dir, &good);
    CELL("bob", "days_late", "", "2");
    planted_roster(dir,
                   "student,deadline,late_days\nbob,2026-02-27T12:00Z,2\n");
    CELL("bob", "days_late", "", "0");
    planted_roster(dir, "student,deadline,submitted\n"
                        "bob,2026-02-27T12:00Z,2026-03-05T12:00Z\n");
    CELL("bob", "days_late", "", "6");
}
END_TEST

START_TEST(sections_add_up)
{
    planted_roster(dir, "student,section\nbob,A\n");
    planted_grading(dir, &good);
    planted_roster(dir, "student,section\nada,B\n");
    CELL("bob", "final", "", "10.00");
    CELL("bob", "section", "", "A");
    CELL("ada", "outcome", "", "missing");
}
END_TEST

START_TEST(a_group_has_one_submission)
{
    planted_roster(dir, "student,group\nada,g\nbob,g\ncyd,h\n");
    planted_grading(dir, &good);
    CELL("ada", "final", "", "10.00");
    CELL("cyd", "outcome", "", "missing");
    change(0, "override", "--student bob --score 6 --group");
    CELL("ada", "final", "", "6.00");
    change(0, "override", "--student bob --score 5");
    CELL("ada", "final", "", "6.00");
    struct child c = grade(0, "status", "");
    ck_assert_msg(strstr(c.out, "ada ") && strstr(c.out, " 6/10 ") &&
                      strstr(c.out, "bob ") && strstr(c.out, " 5/10 ") &&
                      !strstr(c.out, "cyd "),
                  "%s", c.out);
    child_clear(&c);
    c = grade(0, "status", "--student ada");
    ck_assert_msg(strstr(c.out, " 6/10 ") && !strstr(c.out, "bob "), "%s",
                  c.out);
    child_clear(&c);
    CELL("bob", "final", "", "5.00");
}
END_TEST

START_TEST(who_leaves_a_group_keeps_the_grade)
{
    static const struct planted_grading of_cyd = {
        "cyd", 1,   {"pass", "fail"}, {5, 1}, "2026-03-01T12:00Z", NULL, NULL,
        0,     NULL};
    planted_roster(dir, "student,group\nada,g\nbob,g\ncyd,h\ndan,h\n");
    planted_grading(dir, &good);   // ada and bob: 10
    planted_grading(dir, &of_cyd); // cyd and dan: 6
    planted_roster(dir, "student,group\nada,\nbob,g\ncyd,g\ndan,g\neve,h\n");
    CELL("ada", "final", "", "10.00"); // left
    CELL("bob", "final", "", "10.00");
    CELL("cyd", "final", "", "6.00"); // brought their own
    CELL("dan", "final", "", "6.00");
    CELL("eve", "outcome", "", "missing");
    planted_roster(dir, "student,group\neve,g\n");
    CELL("eve", "final", "", "6.00"); // joined: the group's last word
    planted_roster(dir, "student,group\nada,\nbob,\ncyd,\ndan,\neve,\n");
    planted_grading(dir, &good); // graded again: for bob alone
    change(0, "override", "--student bob --score 2");
    CELL("ada", "final", "", "10.00");
    CELL("bob", "final", "", "2.00");
}
END_TEST

START_TEST(a_plans_grace_is_the_ledgers)
{
    struct ledger *l;
    static const char *const graces[][2] = {
        {"", "1"}, {", \"grace\": 1", "1"}, {", \"grace\": 2", "0"}};
    static const struct planted_grading late = {"bob",
                                                1,
                                                {"pass", "pass"},
                                                {5, 5},
                                                "2026-03-01T12:02:59Z",
                                                NULL,
                                                NULL,
                                                0,
                                                NULL};
    planted_roster(dir, two_students);
    planted_grading(dir, &late);
    for (int i = 0; i < 3; i++) {
        char body[512];
        int64_t deadline;
        ck_assert_int_eq(roster_deadline("2026-03-01T12:00Z", &deadline), 0);
        snprintf(body, sizeof body,
                 "{\"roster\": [{\"student\": \"bob\", \"deadline\": %lld}], "
                 "\"seed\": \"\"%s}",
                 (long long)deadline, graces[i][0]);
        l = planted_ledger(dir);
        ck_assert_int_gt(
            ledger_append(l, &(struct ledger_entry){.kind = "batch",
                                                    .student = "",
                                                    .lab = LAB,
                                                    .digest = "",
                                                    .body = body}),
            0);
        ledger_close(l);
        CELL("bob", "days_late", "", graces[i][1]);
    }
}
END_TEST

START_TEST(a_login_is_exported_as_it_is)
{
    static const char *const formats[] = {"csv", "canvas", "moodle"};
    planted_roster(dir, "student,name\n+ada,=1+1\n@bob,\n+1x,+1x\n");
    for (int i = 0; i < 3; i++) {
        char more[64];
        snprintf(more, sizeof more, "--format %s -o -", formats[i]);
        struct child c = grade(0, "export", more);
        ck_assert_msg(strstr(c.out, "\"+ada\"") && strstr(c.out, "\"@bob\"") &&
                          strstr(c.out, "\"+1x\"") &&
                          (i == 2 || strstr(c.out, "\"'=1+1\"")) &&
                          (i == 2 || strstr(c.out, "\"'+1x\"")),
                      "%s", c.out);
        child_clear(&c);
    }
}
END_TEST

START_TEST(a_few_lost_points_are_no_fail)
{
    static const struct planted_grading nearly = {
        "bob", 1,   {"pass", "fail"}, {5, 4.7}, "2026-03-01T12:00Z", NULL, NULL,
        0,     NULL};
    planted_roster(dir, two_students);
    planted_grading(dir, &nearly);
    CELL("bob", "outcome", "", "partial");
    struct child c =
        grade(0, "export", "--format html -o h && cat h/*.html h/*/bob.html");
    ck_assert_msg(strstr(c.out, "\"outcome\":\"fail\"") == NULL &&
                      strstr(c.out, "\"outcome\":\"partial\"") != NULL &&
                      strstr(c.out, ".partial, .infra, .missing, .pending {") !=
                          NULL,
                  "%s", c.out);
    child_clear(&c);
    c = grade(0, "status", "");
    ck_assert_msg(strstr(c.out, " partial ") != NULL, "%s", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(an_export_that_mixes_plans_says_so)
{
    static const struct planted_grading other = {
        "ada", 1,   {"pass", "fail"}, {5, 1}, "2026-03-01T12:00Z", "two", NULL,
        0,     NULL};
    planted_roster(dir, two_students);
    planted_grading(dir, &good);
    struct child c = grade(0, "export", "--format csv -o -");
    ck_assert_str_eq(c.err, "");
    child_clear(&c);
    planted_grading(dir, &other);
    c = grade(0, "export", "--format csv -o -");
    ck_assert_msg(strstr(c.err, "mix 2 versions of the plan") != NULL, "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

/* The solution, graded by a plan in which one case did not pass. */
static void plant_solution(void)
{
    enum { MOST = 1 << 20 };
    char digest[LEDGER_DIGEST], *const bytes = malloc(MOST);
    struct child c =
        child_run(10, "tar -cf %s/s.tar -C %s/../solutions/lab1-collectives .",
                  dir, child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/s.tar", dir);
    FILE *const f = fopen(path, "r");
    const size_t n = fread(bytes, 1, MOST, f);
    fclose(f);
    struct ledger *const l = planted_ledger(dir);
    ck_assert_int_eq(ledger_keep(l, bytes, n, digest), 0);
    const struct ledger_entry e = {
        .kind = "grading",
        .student = "bob",
        .lab = LAB,
        .attempt = 1,
        .digest = digest,
        .body =
            "{\"result\": {\"lab\": \"" LAB "\", \"outcome\": \"fail\", "
            "\"score\": 9, \"max_score\": 10, \"seed\": \"7\", \"isolation\": "
            "{\"level\": 2}, \"tests\": [{\"name\": \"communicator\", "
            "\"score\": 4, \"max_score\": 5, \"outcome\": \"fail\"}, "
            "{\"name\": "
            "\"first-all-reduce\", \"score\": 5, \"max_score\": 5, "
            "\"outcome\": \"pass\"}]}, \"submitted\": 1000, \"days_late\": 0, "
            "\"versions\": {\"plan\": \"old\"}}"};
    ck_assert_int_gt(ledger_append(l, &e), 0);
    ledger_close(l);
    free(bytes);
}

START_TEST(a_regrade_is_shown_before_it_counts)
{
    planted_roster(dir, two_students);
    plant_solution();
    struct child c = grade(0, "regrade", "--student bob --case communicator");
    ck_assert_msg(strstr(c.out, "+1.00: communicator +1.00\n1 of 1 submissions "
                                "change; --yes") != NULL,
                  "%s", c.out);
    child_clear(&c);
    CELL("bob", "final", "", "9.00");
    change(0, "override", "--student bob --score 4");
    c = grade(0, "regrade", "--student bob --case communicator");
    ck_assert_msg(strstr(c.out,
                         "partial     4.00 -> partial     4.00  +0.00: "
                         "communicator +1.00 (its points were overridden, and "
                         "stay)\n0 of 1 submissions change; --yes") != NULL,
                  "%s", c.out);
    child_clear(&c);
    change(0, "override", "--student bob --undo");
    change(0, "override", "--student bob --case first-all-reduce --score 2");
    c = grade(0, "regrade", "--student bob --case communicator");
    ck_assert_msg(strstr(c.out, "partial     6.00 -> partial     7.00  +1.00: "
                                "communicator +1.00") != NULL,
                  "%s", c.out);
    child_clear(&c);
    change(0, "override", "--student bob --undo");
    c = grade(0, "regrade", "--student bob --case communicator --yes");
    ck_assert_msg(c.sec < 2 || strstr(c.out, "1 of 1") != NULL, "%s", c.out);
    child_clear(&c);
    CELL("bob", "final", "", "10.00");
    CELL("bob", "outcome", "", "pass");
    c = grade(0, "regrade", "--student bob --case communicator");
    ck_assert(strstr(c.out, "0 of 1 submissions change") != NULL);
    child_clear(&c);
    c = grade(2, "regrade", "--case no-such");
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("people");
    TCase *const t = tcase_create("people");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, a_suspected_grade_is_empty_until_it_is_cleared);
    tcase_add_test(t, what_is_beneath_a_suspicion_is_not_guessed);
    tcase_add_test(t, a_submission_that_was_not_run_is_cleared_with_points);
    tcase_add_test(t, who_leaves_a_group_keeps_the_grade);
    tcase_add_test(t, a_plans_grace_is_the_ledgers);
    tcase_add_test(t, a_login_is_exported_as_it_is);
    tcase_add_test(t, a_few_lost_points_are_no_fail);
    tcase_add_test(t, points_are_overridden_by_case_or_in_total);
    tcase_add_test(t, what_is_handed_in_later_is_not_overridden);
    tcase_add_test(t, the_excused_have_no_score_in_any_export);
    tcase_add_test(t, a_comment_reaches_the_student_in_each_format);
    tcase_add_test(t, an_extension_reaches_what_is_graded_already);
    tcase_add_test(t, the_later_deadline_counts);
    tcase_add_test(t, a_change_has_a_reason);
    tcase_add_test(t, points_that_no_longer_count_are_told);
    tcase_add_test(t, a_downloads_times_are_told_where_they_cost_points);
    tcase_add_test(t, times_are_in_the_zone_of_the_batch);
    tcase_add_test(t, a_later_batch_keeps_the_ledgers_zone);
    tcase_add_test(t, status_shows_the_points_that_people_gave);
    tcase_add_test(t, a_later_rosters_deadline_and_late_days_count);
    tcase_add_test(t, sections_add_up);
    tcase_add_test(t, a_group_has_one_submission);
    tcase_add_test(t, an_export_that_mixes_plans_says_so);
    tcase_add_test(t, a_regrade_is_shown_before_it_counts);
    suite_add_tcase(s, t);
    return suite_run(s);
}
