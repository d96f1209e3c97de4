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
#include "csv.h"
#include "ledger.h"
#include "roster.h"
#include "suite.h"

#define LAB "lab1-collectives"
static char dir[CHILD_FOLDER], err[512];

/* ---- planting ------------------------------------------------------------ */

static struct ledger *open_ledger(void)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/L.db", dir);
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_msg(l != NULL, "%s", err);
    return l;
}

static void plant_roster(const char *csv)
{
    struct ledger *const l = open_ledger();
    struct roster *const r =
        roster_parse(csv, strlen(csv), LAB, err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
    json_t *const j =
        json_pack("{s:s, s:o}", "seed", "", "roster", roster_json(r));
    char *const body = json_dumps(j, 0);
    const struct ledger_entry e = {
        .kind = "batch", .student = "", .digest = "", .lab = LAB, .body = body};
    ck_assert_int_gt(ledger_append(l, &e), 0);
    free(body);
    json_decref(j);
    roster_free(r);
    ledger_close(l);
}

struct planted {
    const char *student;
    int attempt;
    const char *outcome[2]; /* of two cases of 5 points; NULL: not run */
    double score[2];
    const char *submitted, *plan;
};

static void plant(const struct planted *p)
{
    static const char *const names[] = {"ring", "tree"};
    struct ledger *const l = open_ledger();
    char digest[LEDGER_DIGEST];
    int64_t when = 0;
    const char *worst = p->outcome[0] ? p->outcome[0] : "suspected";
    json_t *const tests = json_array();
    for (int i = 0; i < 2 && p->outcome[i]; i++) {
        worst = strcmp(p->outcome[i], "suspected") == 0 ||
                        strcmp(worst, "pass") == 0
                    ? p->outcome[i]
                    : worst;
        json_array_append_new(
            tests,
            json_pack("{s:s, s:i, s:f, s:f, s:s, s:s, s:i, s:s, s:b}", "name",
                      names[i], "part", 1, "score", p->score[i], "max_score",
                      5.0, "outcome", p->outcome[i], "message", "", "ranks", 4,
                      "rerun", "mpirun", "hidden", 0));
    }
    if (p->submitted)
        ck_assert_int_eq(roster_time(p->submitted, &when), 0);
    json_t *const j = json_pack(
        "{s:{s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:o}, s:I, s:i, s:{s:s}}",
        "result", "lab", LAB, "title", "Collectives", "outcome", worst,
        "message", p->outcome[0] ? "" : "it asks for system()", "seed", "1",
        "score", p->score[0] + p->score[1], "max_score", 10.0, "tests", tests,
        "submitted", (json_int_t)when, "days_late", 0, "versions", "plan",
        p->plan ? p->plan : "one");
    char *const body = json_dumps(j, 0);
    ck_assert_int_eq(ledger_keep(l, p->student, strlen(p->student), digest), 0);
    const struct ledger_entry e = {.kind = "grading",
                                   .student = p->student,
                                   .lab = LAB,
                                   .attempt = p->attempt,
                                   .digest = digest,
                                   .body = body};
    ck_assert_int_gt(ledger_append(l, &e), 0);
    free(body);
    json_decref(j);
    ledger_close(l);
}

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
    struct child c =
        child_run(60, "cd %s && %s/grade %s --ledger L.db --lab lab1 %s", dir,
                  child_build(), verb, more);
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
static const struct planted good = {
    "bob", 1, {"pass", "pass"}, {5, 5}, "2026-03-01T12:00Z", NULL};
static const struct planted doubtful = {
    "ada", 1, {"pass", "suspected"}, {5, 0}, "2026-03-01T12:00Z", NULL};

/* ---- the TA's cases ------------------------------------------------------ */

START_TEST(a_suspected_grade_is_empty_until_it_is_cleared)
{
    static const char *const formats[] = {"csv", "canvas", "moodle"};
    plant_roster(two_students);
    plant(&doubtful);
    plant(&good);
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
    CELL("ada", "final", "", "10.00");
    CELL("ada", "outcome", "", "pass");
    ck_assert(strstr(cell("ada", "feedback", ""),
                     "suspicion cleared by Dr. X: a recount") != NULL);
    change(1, "clear", "--student ada"); // nothing is left of it
    change(1, "clear", "--student bob");
    struct child c =
        child_run(60, "%s/grade verify --ledger %s/L.db", child_build(), dir);
    ck_assert_msg(c.status == 0, "%s", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(a_submission_that_was_not_run_is_cleared_with_points)
{
    static const struct planted refused = {
        "ada", 1, {NULL, NULL}, {0, 0}, "2026-03-01T12:00Z", NULL};
    plant_roster(two_students);
    plant(&refused);
    change(1, "clear", "--student ada");
    CELL("ada", "final", "", "");
    change(0, "clear", "--student ada --score 7");
    CELL("ada", "final", "", "7.00");
}
END_TEST

START_TEST(points_are_overridden_by_case_or_in_total)
{
    plant_roster(two_students);
    plant(&good);
    change(0, "override", "--student bob --case tree --score 2.5");
    CELL("bob", "final", "", "7.50");
    CELL("bob", "tree", "", "2.50");
    CELL("bob", "outcome", "", "fail");
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
    plant_roster(two_students);
    plant(&good);
    change(0, "override", "--student bob --score 3");
    static const struct planted later = {
        "bob", 2, {"pass", "fail"}, {5, 1}, "2026-03-02T12:00Z", NULL};
    plant(&later);
    CELL("bob", "final", "", "6.00");
    CELL("bob", "final", "--attempt best", "6.00");
    change(0, "override", "--student bob --attempt 1 --score 8");
    CELL("bob", "final", "--attempt best", "8.00");
    plant(&good); // graded again: the person's word stands
    CELL("bob", "final", "--attempt best", "8.00");
}
END_TEST

START_TEST(the_excused_have_no_score_in_any_export)
{
    plant_roster(two_students);
    plant(&good);
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
    plant_roster(two_students);
    plant(&good);
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
    plant_roster("student,deadline,late_days\nada,,\n"
                 "bob,2026-02-27T12:00Z,1\n");
    plant(&good); // two days late, one of them free
    CELL("bob", "final", "--late-percent 10", "9.00");
    CELL("bob", "days_late", "", "1");
    change(0, "extend", "--student bob --until 2026-03-01T12:00Z");
    CELL("bob", "final", "--late-percent 10", "10.00");
    plant_roster("student,deadline,late_days\nbob,2026-02-20T12:00Z,4\n");
    CELL("bob", "days_late", "", "0"); // the person's word is the later one
    change(2, "extend", "--student bob --until soon");
}
END_TEST

START_TEST(a_later_rosters_deadline_and_late_days_count)
{
    plant_roster("student,deadline\nbob,2026-02-27T12:00Z\n");
    plant(&good);
    CELL("bob", "days_late", "", "2");
    plant_roster("student,deadline,late_days\nbob,2026-02-27T12:00Z,2\n");
    CELL("bob", "days_late", "", "0");
    plant_roster("student,deadline,submitted\n"
                 "bob,2026-02-27T12:00Z,2026-03-05T12:00Z\n");
    CELL("bob", "days_late", "", "6");
}
END_TEST

START_TEST(sections_add_up)
{
    plant_roster("student,section\nbob,A\n");
    plant(&good);
    plant_roster("student,section\nada,B\n");
    CELL("bob", "final", "", "10.00");
    CELL("bob", "section", "", "A");
    CELL("ada", "outcome", "", "missing");
}
END_TEST

START_TEST(a_group_has_one_submission)
{
    plant_roster("student,group\nada,g\nbob,g\ncyd,h\n");
    plant(&good);
    CELL("ada", "final", "", "10.00");
    CELL("cyd", "outcome", "", "missing");
    change(0, "override", "--student bob --score 6 --group");
    CELL("ada", "final", "", "6.00");
    change(0, "override", "--student bob --score 5");
    CELL("ada", "final", "", "6.00");
    CELL("bob", "final", "", "5.00");
}
END_TEST

START_TEST(an_export_that_mixes_plans_says_so)
{
    static const struct planted other = {
        "ada", 1, {"pass", "fail"}, {5, 1}, "2026-03-01T12:00Z", "two"};
    plant_roster(two_students);
    plant(&good);
    struct child c = grade(0, "export", "--format csv -o -");
    ck_assert_str_eq(c.err, "");
    child_clear(&c);
    plant(&other);
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
    struct ledger *const l = open_ledger();
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
    plant_roster(two_students);
    plant_solution();
    struct child c = grade(0, "regrade", "--student bob --case communicator");
    ck_assert_msg(strstr(c.out, "+1.00: communicator +1.00\n1 of 1 submissions "
                                "change; --yes") != NULL,
                  "%s", c.out);
    child_clear(&c);
    CELL("bob", "final", "", "9.00");
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
    tcase_add_test(t, a_submission_that_was_not_run_is_cleared_with_points);
    tcase_add_test(t, points_are_overridden_by_case_or_in_total);
    tcase_add_test(t, what_is_handed_in_later_is_not_overridden);
    tcase_add_test(t, the_excused_have_no_score_in_any_export);
    tcase_add_test(t, a_comment_reaches_the_student_in_each_format);
    tcase_add_test(t, an_extension_reaches_what_is_graded_already);
    tcase_add_test(t, a_later_rosters_deadline_and_late_days_count);
    tcase_add_test(t, sections_add_up);
    tcase_add_test(t, a_group_has_one_submission);
    tcase_add_test(t, an_export_that_mixes_plans_says_so);
    tcase_add_test(t, a_regrade_is_shown_before_it_counts);
    suite_add_tcase(s, t);
    return suite_run(s);
}
