/*
 * What the verbs of grade print, to the letter: each part of sessions.txt is a
 * session in a shell.
 *
 *     # a comment
 *     $ a command, in one line; $L is the ledger and the lab
 *     what it prints, errors too, with digests as HEX
 *     = 2, unless its exit status is 0
 *
 * The grade that they run complains if it has not freed all of its memory or
 * has left a file open (tidy.c). UPDATE_GOLDEN=1 writes what the commands print
 * anew. Nothing is compiled: what is graded is no archive.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcspn */

#include "child.h"
#include "golden.h"
#include "grader/ledger/grading.h"
#include "grader/ledger/ledger.h"
#include "planted.h"
#include "suite.h"

#define GOLDEN "tests/grader/sessions.txt"

static char dir[CHILD_FOLDER];

static void make_folder(void)
{
    child_folder(dir, "sessions");
}

static void remove_folder(void)
{
    child_remove(dir);
}

static FILE *write_file(const char *name)
{
    char path[CHILD_FOLDER + 64];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *const f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    return f;
}

/* ---- ledgers ------------------------------------------------------------- */

static void plant(const char *student, int attempt, const char *first,
                  const char *second, double ring, double tree)
{
    const struct planted_grading g = {.student = student,
                                      .attempt = attempt,
                                      .outcome = {first, second},
                                      .score = {ring, tree},
                                      .submitted = "2026-03-01T12:00Z",
                                      .message = "it is\nwrong"};
    planted_grading(dir, &g);
}

/* A grading of these bytes, with this result. */
static void plant_bytes(const char *student, const char *bytes,
                        const char *result)
{
    char body[1024];
    snprintf(body, sizeof body,
             "{\"result\": {\"lab\": \"" PLANTED_LAB "\", \"seed\": \"7\", "
             "\"isolation\": {\"level\": 0}, %s}, \"submitted\": 1000, "
             "\"days_late\": 0, \"versions\": {\"plan\": \"old\"}}",
             result);
    planted_body(dir, student, bytes, body);
}

#define FAILED "\"outcome\": \"fail\", \"score\": 0, \"max_score\": 100"

static void nothing(void) {}

/* Entries 2 to 8: two attempts, a group, all outcomes, no archives. */
static void make_class(void)
{
    planted_roster(dir, "student,name,group\nada,Ada,\nbob,,g\ncyd,,\ndan,,g\n"
                        "eve,,\nfay,,\n");
    plant("ada", 1, "pass", "fail", 5, 2.5);
    plant("ada", 2, "pass", "pass", 5, 5);
    plant("bob", 1, "pass", "fail", 5, 1);
    plant("cyd", 1, NULL, NULL, 0, 0);
    plant("eve", 1, "infra", "pass", 0, 5);
    plant_bytes("fay", "hello", FAILED ", \"tests\": []");
    plant_bytes("fay", "hallo",
                "\"outcome\": \"pass\", \"score\": 5, \"max_score\": 100, "
                "\"tests\": []");
}

#define RESULT(outcome, score, tests)                                          \
    "{\"outcome\": \"" outcome "\", \"score\": " score                         \
    ", \"max_score\": 10, \"message\": \"the reason\", \"tests\": [" tests     \
    "]}"
#define CASE(name, score)                                                      \
    "{\"name\": \"" name "\", \"outcome\": \"pass\", \"score\": " score        \
    ", \"max_score\": 5}"

/* The same, and a preview of most of a regrading, by a plan of this digest. */
static void preview(const char *file, const char *plan, const char *cases)
{
    FILE *const f = write_file(file);
    fprintf(f,
            "{\"plan\": \"%s\", \"cases\": \"%s\", \"results\": {"
            "\"2\": " RESULT("fail", "7.502", "") ", \"3\": " RESULT(
                "fail", "9.5",
                CASE("ring", "4.5") ", " CASE(
                    "tree",
                    "5.003")) ", "
                              "\"4\": " RESULT(
                                  "pass", "10",
                                  CASE("ring", "5") ", " CASE(
                                      "tree",
                                      "5")) ", "
                                            "\"5\": " RESULT(
                                                "suspected", "0",
                                                "") ", "
                                                    "\"6\": " RESULT(
                                                        "infra", "5",
                                                        "") ", "
                                                            "\"8\": " RESULT(
                                                                "fail", "5",
                                                                CASE("new",
                                                                     "5")) "}}",
            plan, cases);
    fclose(f);
}

static void make_previews(void)
{
    char plan[33], kit[CHILD_FOLDER + 8];
    make_class();
    snprintf(kit, sizeof kit, "%s/..", child_build());
    grading_plan_digest(kit, PLANTED_LAB, plan);
    preview("preview", plan, "");
    preview("of-case", plan, "ring,tree");
    preview("old", "of another plan", "");
}

#define LOOP(op)                                                               \
    "    for (int i = 0; i < n; i++) { a[i] " op " b[i] * (i + 2); }\n"        \
    "    while (a[n] > 3 || b[n] < 5) { n = a[n] - b[n]; send(a, n); }\n"
#define OTHER                                                                  \
    "    do { wait(x, 4 * y); if (x != y) { x = y / 2; } else { y--; } } "     \
    "while (x);\n    return merge(x + y, x & y, !x, y << 3);\n"

/* A group has one submission. */
static void make_similar(void)
{
    planted_roster(dir, "student,group\nada,\nbob,\ncyd,\ndan,\neve,g\nfay,"
                        "g\ngil,\nhal,\n");
    planted_source(dir, "ada", "int f(int n)\n{\n" LOOP("+=") "}\n");
    planted_source(dir, "bob", "int <g>(int m)\n{\n" LOOP("+=") "}\n");
    planted_source(dir, "cyd", "// nothing\n");
    planted_source(dir, "dan", "int f(int n)\n{\n" LOOP("+=") OTHER "}\n");
    planted_source(dir, "fay", "int g(int n)\n{\n" OTHER "}\n");
    planted_source(dir, "gil", "long f(int n)\n{\n" LOOP("+=") "}\n");
    planted_source(dir, "hal", "long f(int n)\n{\n" LOOP("-=") "}\n");
}

/* ---- sessions ------------------------------------------------------------ */

/* The session's commands as a script that prints all of the part again. */
static void write_script(const char *part)
{
    char *const text = golden_part(GOLDEN, part);
    FILE *const script = write_file("session.sh");
    fprintf(script,
            "grade() { %s/tests/grader/grade \"$@\"; }\nkit=%s/..\n"
            "L='--ledger L.db --lab lab1' LC_ALL=C.UTF-8 TZ=UTC\nexport LC_ALL "
            "TZ\n",
            child_build(), child_build());
    for (const char *line = text; *line;) {
        const int n = (int)strcspn(line, "\n");
        if (line[0] == '#' || line[0] == '$')
            fprintf(script, "cat << 'END OF LINE'\n%.*s\nEND OF LINE\n", n,
                    line);
        if (line[0] == '$')
            fprintf(script,
                    "{ %.*s\n} 2>&1; was=$?; [ $was = 0 ] || echo \"= $was\"\n",
                    n - 2, line + 2);
        line += n + (line[n] == '\n');
    }
    free(text);
    fclose(script);
}

static const struct {
    const char *name;
    void (*make)(void);
} sessions[] = {
    {"batch", nothing},         {"doctor", nothing},
    {"export", make_class},     {"intake", nothing},
    {"ledger", make_class},     {"predict", nothing},
    {"regrade", make_previews}, {"run", nothing},
    {"serve", make_class},      {"similarity", make_similar},
};

START_TEST(a_session_prints_the_same)
{
    sessions[_i].make();
    write_script(sessions[_i].name);
    struct child c =
        child_run(240,
                  "cd %s && unset SIMGPU_TOPO && bash session.sh | sed -E "
                  "-e 's,%s,DIR,g' -e 's/[0-9a-f]{32,}/HEX/g' -e 's/[ \t]+$//' "
                  "-e 's, [0-9.]+/min +[0-9]+ s left, SPEED,' -e 's/(graded "
                  "in) [0-9]+/\\1 N/'",
                  dir, dir);
    ck_assert_str_eq(c.err, "");
    golden_expect_part(GOLDEN, sessions[_i].name, c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("sessions");
    TCase *const t = tcase_create("sessions");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_loop_test(t, a_session_prints_the_same, 0,
                        sizeof sessions / sizeof *sessions);
    suite_add_tcase(s, t);
    return suite_run(s);
}
