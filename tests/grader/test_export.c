/*
 * Exports: what each format asks for (its own documentation), of a class whose
 * names and messages are as bad as they come.
 */
#define _GNU_SOURCE
#include <check.h>
#include <expat.h>
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* mkdtemp */
#include <string.h> /* strstr */

#include "child.h"
#include "grader/base/csv.h"
#include "grader/base/folder.h"
#include "grader/intake/roster.h"
#include "grader/ledger/ledger.h"
#include "suite.h"

static char dir[64], err[512];

static const char *const names[] = {"Ada",
                                    "=cmd|' /C calc'!A0",
                                    "<script>alert(1)</script>",
                                    "\x1B[31mred\x1B]0;title\x07",
                                    "\xFF\xFE\xC3(",
                                    "a,\"b\"\n,c",
                                    "\xE2\x80\xAEright to left",
                                    "]]> --> &amp; '\"",
                                    "-1+1",
                                    "\t@SUM(A1)"};
enum { NSTUDENTS = 12, NNAMES = sizeof names / sizeof *names };

static char long_name[10001];

/* A roster as a course's system would send it. */
static struct roster *roster(void)
{
    char *text = NULL;
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    fprintf(f, "student,name,email,section,id,sis_id\n");
    for (int i = 0; i < NSTUDENTS; i++) {
        const char *const name = i < NNAMES ? names[i] : long_name;
        fprintf(f, "s%02d,\"", i);
        for (const char *p = name; *p; p++) {
            if (*p == '"')
                fputc('"', f);
            fputc(*p, f);
        }
        fprintf(f, "\",s%d@x.org,A,%d,%d\n", i, 100 + i, 200 + i);
    }
    fclose(f);
    struct roster *const r =
        roster_parse(text, nbytes, "lab1", err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
    free(text);
    return r;
}

static json_t *case_of(const char *name, int hidden, double score,
                       const char *message)
{
    return json_pack("{s:s, s:i, s:f, s:f, s:s, s:s, s:f, s:i, s:s, s:b}",
                     "name", name, "part", 1, "score", score, "max_score", 5.0,
                     "outcome", score == 5 ? "pass" : "fail", "message",
                     message, "time_us", 12.5, "ranks", 4, "rerun",
                     "mpirun -n 4 build/lab1 --case x", "hidden", hidden);
}

/* Student i: 0 passes, 1 fails with bad words, 2 is infra, 3 is suspected, 4
 * has not handed in, others fail. */
static char *body(int i)
{
    static const char *const outcomes[] = {"pass", "fail", "infra",
                                           "suspected"};
    static const char bad[] = "element 3 is \x1B[2J<img src=x "
                              "onerror=alert(1)>, should be =HYPERLINK(1)";
    json_t *const tests = json_array();
    const double score = i == 0 ? 5 : i == 5 ? 2.345 : 0;
    if (i != 2 && i != 3) {
        json_array_append_new(tests, case_of("ring", 0, score, bad));
        json_array_append_new(
            tests, case_of("secret-case", 1, score, "the secret message"));
    }
    json_t *const j = json_pack(
        "{s:{s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:o}, s:I, s:i}", "result",
        "lab", "lab1-collectives", "title", "Collectives", "outcome",
        outcomes[i < 4 ? i : 1], "message",
        i == 2   ? "the disk is full"
        : i == 3 ? bad
                 : "",
        "seed", "1", "score", 2 * score, "max_score", 10.0, "tests", tests,
        "submitted", (json_int_t)1000, "days_late", i == 5 ? 1 : 0);
    char *const text = json_dumps(j, 0);
    json_decref(j);
    return text;
}

/* A ledger of the class; gradings in the order from, from + 1 ... */
static void make_ledger(const char *name, int from)
{
    char path[128], *text;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    struct ledger *const l =
        ledger_open(path, NULL, LEDGER_WRITE, err, sizeof err);
    ck_assert_msg(l != NULL, "%s", err);
    struct roster *const r = roster();
    json_t *const j =
        json_pack("{s:s, s:o}", "seed", "", "roster", roster_json(r));
    text = json_dumps(j, 0);
    struct ledger_entry e = {.kind = "batch",
                             .student = "",
                             .digest = "",
                             .lab = "lab1-collectives",
                             .body = text};
    ck_assert_int_eq(ledger_append(l, &e), 1);
    free(text);
    for (int k = 0; k < NSTUDENTS; k++) {
        const int i = (from + k) % NSTUDENTS;
        if (i == 4)
            continue;
        char digest[LEDGER_DIGEST];
        ledger_keep(l, "x", 1, digest);
        e = (struct ledger_entry){.kind = "grading",
                                  .student = r->student[i].key,
                                  .lab = "lab1-collectives",
                                  .attempt = 1,
                                  .digest = digest,
                                  .body = text = body(i)};
        ck_assert_int_gt(ledger_append(l, &e), 1);
        free(text);
    }
    json_decref(j);
    roster_free(r);
    ledger_close(l);
}

static void make_class(void)
{
    memset(long_name, 'x', sizeof long_name - 1);
    strcpy(dir, "/tmp/commlab-export-XXXXXX");
    ck_assert(mkdtemp(dir) != NULL);
    make_ledger("L.db", 0);
}

static void remove_class(void)
{
    folder_remove(dir);
}

/* Export to DIR/OUT; what is printed is returned. */
static struct child export_from(const char *ledger, const char *format,
                                const char *out, const char *more)
{
    struct child c =
        child_run(60,
                  "%s/tests/grader/grade export --ledger %s/%s --lab lab1 "
                  "--format %s -o %s/%s %s",
                  child_build(), dir, ledger, format, dir, out, more);
    ck_assert_msg(c.status == 0, "%s: %s%s", format, c.out, c.err);
    return c;
}

static char *read_out(const char *name, size_t *nbytes)
{
    static char text[1 << 20];
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *const f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s is missing", path);
    *nbytes = fread(text, 1, sizeof text - 1, f);
    text[*nbytes] = 0;
    fclose(f);
    return text;
}

static char *exported(const char *format, const char *more)
{
    size_t nbytes;
    struct child c = export_from("L.db", format, format, more);
    child_clear(&c);
    return read_out(format, &nbytes);
}

/* ---- tables -------------------------------------------------------------- */

/* No line of more or fewer fields, no cell that is a formula, no controls. */
static struct csv table(char *text, int columns)
{
    struct csv c;
    ck_assert_msg(csv_parse(&c, text, strlen(text), err, sizeof err) == 0, "%s",
                  err);
    for (int i = 0; i < c.nrows; i++) {
        ck_assert_int_eq(c.row[i].nfields, columns);
        for (int k = 0; k < columns; k++) {
            const char *const cell = c.row[i].field[k];
            char *end;
            strtod(cell, &end);
            ck_assert_msg(!*cell || !strchr("=+@\t", *cell), "%s", cell);
            ck_assert_msg(*cell != '-' || !*end || !cell[1], "%s", cell);
            ck_assert(strlen(cell) < 5000 && !strchr(cell, '\x1B'));
        }
    }
    ck_assert_msg(json_string(text) != NULL, "it is no UTF-8");
    return c;
}

START_TEST(canvas_gets_its_columns)
{
    struct csv c = table(exported("canvas", "--assignment 12345"), 6);
    static const char *const header[] = {"Student",     "ID",
                                         "SIS User ID", "SIS Login ID",
                                         "Section",     "Collectives (12345)"};
    for (int k = 0; k < 6; k++)
        ck_assert_str_eq(c.row[0].field[k], header[k]);
    ck_assert_str_eq(c.row[1].field[0], "Points Possible");
    ck_assert_str_eq(c.row[1].field[5], "10.00");
    ck_assert_int_eq(c.nrows, 2 + NSTUDENTS);
    ck_assert_str_eq(c.row[2].field[5], "10.00");
    ck_assert_str_eq(c.row[2].field[3], "s00");
    ck_assert_str_eq(c.row[2].field[1], "100");
    ck_assert_str_eq(c.row[3].field[5], "0.00");
    ck_assert_str_eq(c.row[4].field[5], ""); // infra is no zero
    ck_assert_str_eq(c.row[5].field[5], ""); // nor is suspected
    ck_assert_str_eq(c.row[6].field[5], ""); // nor is missing
    csv_release(&c);
}
END_TEST

START_TEST(moodle_gets_numbers_or_a_dash)
{
    struct csv c = table(exported("moodle", "--late-percent 10"), 5);
    ck_assert_str_eq(c.row[0].field[0], "Email address");
    ck_assert_str_eq(c.row[0].field[3], "Collectives (points)");
    for (int i = 1; i < c.nrows; i++) {
        char *end;
        strtod(c.row[i].field[3], &end);
        ck_assert_msg(!*end || !strcmp(c.row[i].field[3], "-"), "%s",
                      c.row[i].field[3]);
        ck_assert_str_ne(c.row[i].field[4], "");
    }
    ck_assert_str_eq(c.row[3].field[3], "-");
    ck_assert_str_eq(c.row[6].field[3], "4.22"); // 4.69 less 10 % for a day
    csv_release(&c);
}
END_TEST

START_TEST(csv_has_everything)
{
    struct csv c = table(exported("csv", ""), 14);
    ck_assert_int_eq(c.nrows, 1 + NSTUDENTS);
    ck_assert_str_eq(c.row[0].field[13], "secret-case");
    ck_assert_str_eq(c.row[3].field[5], "infra");
    ck_assert_str_eq(c.row[3].field[6], "");
    ck_assert_str_eq(c.row[5].field[5], "missing");
    csv_release(&c);
}
END_TEST

START_TEST(the_leaderboard_names_nobody)
{
    char *const text = exported("leaderboard", "");
    struct csv c = table(text, 4);
    ck_assert_int_eq(c.nrows, 1 + NSTUDENTS - 3); // infra, suspected, missing
    ck_assert_str_eq(c.row[1].field[2], "10.00");
    int shared = 0;
    for (int i = 1; i < c.nrows; i++) {
        const char **const now = c.row[i].field,
                           **const before = c.row[i - 1].field;
        const int same =
            strcmp(now[2], before[2]) == 0 && strcmp(now[3], before[3]) == 0;
        ck_assert_int_eq(strncmp(now[1], "anon-", 5), 0);
        ck_assert_int_eq(atoi(now[0]), same ? atoi(before[0]) : i);
        shared += same;
    }
    ck_assert_int_gt(shared, 0);
    csv_release(&c);
}
END_TEST

/* ---- JUnit --------------------------------------------------------------- */

struct junit {
    int suites, tests, declared, failures, errors, skipped;
    int results; /* of the testcase that is open */
};

static int attribute(const char **a, const char *name)
{
    for (; *a; a += 2)
        if (strcmp(a[0], name) == 0)
            return atoi(a[1]);
    ck_abort_msg("an element lacks %s", name);
}

static void begin(void *arg, const char *name, const char **a)
{
    struct junit *const j = arg;
    if (strcmp(name, "testsuite") == 0) {
        j->suites++;
        j->declared += attribute(a, "tests");
        j->failures -= attribute(a, "failures");
        j->errors -= attribute(a, "errors");
        j->skipped -= attribute(a, "skipped");
    } else if (strcmp(name, "testcase") == 0) {
        attribute(a, "name"), attribute(a, "classname"), attribute(a, "time");
        j->tests++;
        j->results = 0;
    }
    int *const count = !strcmp(name, "failure")   ? &j->failures
                       : !strcmp(name, "error")   ? &j->errors
                       : !strcmp(name, "skipped") ? &j->skipped
                                                  : NULL;
    if (count) {
        ++*count;
        ck_assert_int_eq(++j->results, 1); // at most one of them
    }
}

START_TEST(junit_is_well_formed_and_counts_right)
{
    char *const text = exported("junit", "");
    struct junit j = {0};
    const XML_Parser p = XML_ParserCreate(NULL);
    XML_SetUserData(p, &j);
    XML_SetStartElementHandler(p, begin);
    ck_assert_msg(XML_Parse(p, text, (int)strlen(text), 1) == XML_STATUS_OK,
                  "line %lu: %s", (unsigned long)XML_GetCurrentLineNumber(p),
                  XML_ErrorString(XML_GetErrorCode(p)));
    XML_ParserFree(p);
    ck_assert_int_eq(j.suites, NSTUDENTS);
    ck_assert_int_eq(j.tests, j.declared);
    ck_assert_int_eq(j.failures, 0); // as many as the suites declare
    ck_assert_int_eq(j.errors, 0);
    ck_assert_int_eq(j.skipped, 0);
}
END_TEST

/* ---- one file a student -------------------------------------------------- */

static json_t *student_json(const char *format, const char *name)
{
    char file[64];
    size_t nbytes;
    struct child c = export_from("L.db", format, format, "");
    child_clear(&c);
    snprintf(file, sizeof file, "%s/%s", format, name);
    json_error_t error;
    json_t *const j = json_loads(read_out(file, &nbytes), 0, &error);
    ck_assert_msg(j != NULL, "%s: %s", name, error.text);
    return j;
}

START_TEST(gradescope_gets_results)
{
    json_t *j = student_json("gradescope", "s05/results.json");
    const json_t *const tests = json_object_get(j, "tests");
    ck_assert_uint_eq(json_array_size(tests), 2);
    ck_assert_double_eq_tol(json_number_value(json_object_get(j, "score")),
                            4.69, 1e-9);
    for (size_t i = 0; i < 2; i++) {
        const json_t *const t = json_array_get(tests, i);
        const char *const status =
            json_string_value(json_object_get(t, "status"));
        ck_assert(!strcmp(status, "passed") || !strcmp(status, "failed"));
        ck_assert_str_eq(json_string_value(json_object_get(t, "visibility")),
                         "visible"); // a hidden one would hide the total
        ck_assert(json_is_number(json_object_get(t, "score")));
        ck_assert(json_is_number(json_object_get(t, "max_score")));
        const char *const name = json_string_value(json_object_get(t, "name"));
        ck_assert_str_ne(name, "secret-case");
    }
    json_decref(j);
    j = student_json("gradescope", "s02/results.json");
    ck_assert(!json_object_get(j, "score")); // infra
    ck_assert_uint_eq(json_array_size(json_object_get(j, "tests")), 0);
    json_decref(j);
}
END_TEST

START_TEST(classroom_gets_base64)
{
    char plain[8192];
    size_t n, nbytes;
    struct child c = export_from("L.db", "classroom", "classroom", "");
    child_clear(&c);
    char *const text = read_out("classroom/s01.txt", &nbytes);
    ck_assert_int_eq(strncmp(text, "result=", 7), 0);
    ck_assert_int_eq(sodium_base642bin((unsigned char *)plain, sizeof plain,
                                       text + 7, nbytes - 7, "\n", &n, NULL,
                                       sodium_base64_VARIANT_ORIGINAL),
                     0);
    json_t *const j = json_loadb(plain, n, 0, NULL);
    ck_assert_int_eq(json_integer_value(json_object_get(j, "version")), 1);
    ck_assert_str_eq(json_string_value(json_object_get(j, "status")), "fail");
    const json_t *const t = json_array_get(json_object_get(j, "tests"), 0);
    static const char *const keys[] = {"name",           "status",   "message",
                                       "test_code",      "filename", "line_no",
                                       "execution_time", "score"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ck_assert_msg(json_object_get(t, keys[i]) != NULL, "%s", keys[i]);
    json_decref(j);
}
END_TEST

START_TEST(autolabs_last_line_is_its_scores)
{
    size_t nbytes;
    struct child c = export_from("L.db", "autolab", "autolab", "");
    child_clear(&c);
    char *const text = read_out("autolab/s00.txt", &nbytes);
    ck_assert_int_eq(text[nbytes - 1], '\n');
    text[nbytes - 1] = 0;
    json_t *const j = json_loads(strrchr(text, '\n') + 1, 0, NULL);
    const json_t *const scores = json_object_get(j, "scores");
    ck_assert_double_eq_tol(
        json_number_value(json_object_get(scores, "lab1-collectives")), 10,
        1e-9);
    ck_assert(json_is_array(json_object_get(j, "scoreboard")));
    json_decref(j);
    c = child_run(10, "ls %s/autolab | grep -c -e s02 -e s04", dir);
    ck_assert_str_eq(c.out, "0\n"); // infra and missing: no score at all
    child_clear(&c);
}
END_TEST

/* ---- pages --------------------------------------------------------------- */

static int count_of(const char *text, const char *what)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p++)
        n++;
    return n;
}

START_TEST(pages_hold_no_code_and_no_secrets)
{
    size_t nbytes;
    struct child c = export_from("L.db", "html", "html", "");
    child_clear(&c);
    static const char *const pages[] = {
        "html/index.html", "html/students/s01.html", "html/students/s02.html",
        "html/students/s03.html", "html/students/s11.html"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char *const text = read_out(pages[i], &nbytes);
        ck_assert_uint_eq(strlen(text), nbytes);
        ck_assert_msg(json_string(text) != NULL, "%s: no UTF-8", pages[i]);
        ck_assert(!strstr(text, "<script>alert") &&
                  !strstr(text, "<img src=x"));
        // its data and its script, which its policy names
        ck_assert_int_eq(count_of(text, "<script"), 2);
        ck_assert_int_eq(count_of(text, "</script"), 2);
        ck_assert(!strchr(text, '\x1B') && !strchr(text, '\x07'));
        ck_assert(strstr(text, "<meta name=\"viewport\"") != NULL);
        if (i > 0)
            ck_assert_msg(!strstr(text, "secret"), "%s", text);
    }
    char *const page = read_out(pages[1], &nbytes);
    ck_assert(strstr(page, "\\u003cimg src=x onerror=alert(1)>") != NULL);
    ck_assert(strstr(page, "0 of 1 pass") && !strstr(page, "\"time_us\":0.0"));
    ck_assert(strstr(page, "mpirun -n 4 build/lab1 --case x") != NULL);
    ck_assert(strstr(read_out(pages[2], &nbytes), "no score") != NULL);
}
END_TEST

static const char *const all[] = {"csv",       "canvas",      "moodle",
                                  "junit",     "leaderboard", "gradescope",
                                  "classroom", "autolab",     "html"};

START_TEST(the_order_of_grading_changes_nothing)
{
    struct child c = child_run(10, "cp %s/L.db.key %s/M.db.key", dir, dir);
    child_clear(&c); // the leaderboard's names follow from the key
    make_ledger("M.db", 7);
    c = export_from("L.db", all[_i], "one", "");
    child_clear(&c);
    c = export_from("M.db", all[_i], "two", "");
    child_clear(&c);
    c = child_run(30, "diff -r %s/one %s/two", dir, dir);
    ck_assert_msg(c.status == 0, "%s: %.2000s", all[_i], c.out);
    child_clear(&c);
}
END_TEST

START_TEST(a_ledger_that_was_changed_is_not_exported)
{
    struct child c = child_run(
        60,
        "cd %s && sqlite3 L.db 'DROP TRIGGER entry_update; UPDATE entry SET "
        "student = \"s01\" WHERE student = \"s00\"' && %s/tests/grader/grade "
        "export "
        "--ledger L.db --lab lab1 --format csv -o -",
        dir, child_build());
    ck_assert_int_eq(c.status, 1);
    ck_assert_str_eq(c.out, "");
    ck_assert(strstr(c.err, "was tampered with") != NULL);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("export");
    TCase *const t = tcase_create("export");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, make_class, remove_class);
    tcase_add_test(t, canvas_gets_its_columns);
    tcase_add_test(t, moodle_gets_numbers_or_a_dash);
    tcase_add_test(t, csv_has_everything);
    tcase_add_test(t, the_leaderboard_names_nobody);
    tcase_add_test(t, junit_is_well_formed_and_counts_right);
    tcase_add_test(t, gradescope_gets_results);
    tcase_add_test(t, classroom_gets_base64);
    tcase_add_test(t, autolabs_last_line_is_its_scores);
    tcase_add_test(t, pages_hold_no_code_and_no_secrets);
    tcase_add_test(t, a_ledger_that_was_changed_is_not_exported);
    tcase_add_loop_test(t, the_order_of_grading_changes_nothing, 0,
                        (int)(sizeof all / sizeof *all));
    suite_add_tcase(s, t);
    return suite_run(s);
}
