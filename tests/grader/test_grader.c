/*
 * The grader from outside: what it says of submissions, and to its user.
 *
 * tests/cheats/LAB.patch has submissions: tests/cheats/cheat.sh turns a copy of
 * the lab's solution into one. Each begins with
 *
 *     class: TEXT                 a line for each class (tests/cheat-table.sh);
 *                                 honest-* have none
 *     expect: OUTCOME SCORE TEXT  TEXT, if any, is in the printed table
 *     case: A,B                   run these cases only; without it all
 *
 * and then says what the submission does. "refused" is an outcome of its own: a
 * fail before anything was run.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h> /* json_load_file */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* free, atoi */
#include <string.h>  /* strstr */
#include <unistd.h>  /* unlink */

#include "child.h"
#include "mutant.h"
#include "suite.h"

static const char *root(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s", child_build());
    *strrchr(path, '/') = 0;
    return path;
}

static const char *cheats[MUTANT_MAX]; /* "SERIES NAME" */

struct deserved {
    char outcome[32], lab[16], only[128], text[256];
    double score;
};

/* The rest of a cheat's line that begins with the word, "" without one. */
static void read_line(const char *cheat, const char *word, char *text,
                      size_t size)
{
    struct child c = child_run(
        10, "%s/tests/section.sh %s | sed -nE '/^--- /q; s/^(# )?%s: //p'",
        root(), cheat, word);
    c.out[strcspn(c.out, "\n")] = '\0';
    ck_assert_uint_lt(strlen(c.out), size);
    strcpy(text, c.out);
    child_clear(&c);
}

static struct deserved expected(const char *cheat)
{
    struct deserved d = {.text = ""};
    char line[512];
    read_line(cheat, "expect", line, sizeof line);
    ck_assert_msg(
        sscanf(line, "%31s %lf %255[^\n]", d.outcome, &d.score, d.text) >= 2,
        "%s: expects \"%s\"", cheat, line);
    read_line(cheat, "case", d.only, sizeof d.only);
    ck_assert_int_eq(
        sscanf(strstr(cheat, "/tests/cheats/"), "/tests/cheats/%15[^-]", d.lab),
        1);
    return d;
}

/* The outcome of a result, or that it was refused before anything ran. */
static const char *outcome_of(const json_t *result)
{
    const char *const is =
        json_string_value(json_object_get(result, "outcome"));
    const char *const why =
        json_string_value(json_object_get(result, "message"));
    return strcmp(is, "fail") == 0 && *why ? "refused" : is;
}

static void make_submission(const char *cheat, const char *lab, const char *dir)
{
    struct child c = child_run(
        30, "cp %s/solutions/%s-*/* %s && %s/tests/cheats/cheat.sh %s %s %s",
        root(), lab, dir, root(), cheat, dir, child_build());
    ck_assert_msg(c.status == 0, "%s: %s%s", cheat, c.out, c.err);
    child_clear(&c);
}

START_TEST(a_submission_gets_what_it_deserves)
{
    const char *const cheat = cheats[_i];
    const char *const name = strrchr(cheat, '/') + 1;
    char dir[] = "/tmp/commlab-cheat-XXXXXX", path[4200];
    ck_assert(mkdtemp(dir) != NULL);
    const struct deserved d = expected(cheat);
    make_submission(cheat, d.lab, dir);
    // files that are as the solution has them are compiled once for all
    struct child c = child_run(600,
                               "cd %s && mkdir -p -m 700 tests/objects && "
                               "./grade run --objects tests/objects --lab %s "
                               "--json %s.json %s%s %s",
                               child_build(), d.lab, dir,
                               d.only[0] ? "--case " : "", d.only, dir);
    json_error_t error;
    snprintf(path, sizeof path, "%s.json", dir);
    json_t *const j = json_load_file(path, 0, &error);
    ck_assert_msg(j != NULL, "%s: no JSON: %s%s", name, c.out, c.err);
    const char *const got = outcome_of(j);
    const double points = json_number_value(json_object_get(j, "score"));
    ck_assert_msg(strcmp(got, d.outcome) == 0 && points == d.score &&
                      strstr(c.out, d.text) != NULL,
                  "%s: %s with %g points, should be %s with %g and \"%s\"\n%s",
                  name, got, points, d.outcome, d.score, d.text, c.out);
    ck_assert_int_eq(c.status, strcmp(d.outcome, "pass") != 0);
    json_decref(j);
    child_clear(&c);
    c = child_run(30, "rm -rf %s %s.json", dir, dir);
    child_clear(&c);
}
END_TEST

/* What `grade run` with options makes of a folder's lab 1. */
static json_t *result_of(const char *options, const char *folder, int status)
{
    char path[] = "/tmp/commlab-result-XXXXXX";
    const int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    struct child c = child_run(600,
                               "%s/grade run --lab lab1 --quiet %s --json %s "
                               "%s/%s/lab1-collectives",
                               child_build(), options, path, root(), folder);
    ck_assert_msg(c.status == status, "%s%s", c.out, c.err);
    child_clear(&c);
    json_t *const j = json_load_file(path, 0, NULL);
    close(fd);
    unlink(path);
    return j;
}

/* How often a skeleton is run for a case that asks for 3 and 4 ranks. */
static int runs_of_skeleton(const char *options)
{
    int runs = 0;
    json_t *const j = result_of(options, "labs", 1);
    const char *log =
        json_string_value(json_object_get(json_object_get(j, "log"), "head"));
    for (; log && (log = strstr(log, "== run: ")) != NULL; log++)
        runs++;
    json_decref(j);
    return runs;
}

START_TEST(what_has_lost_all_is_not_run_again)
{
    ck_assert_int_eq(runs_of_skeleton("--case all-gather"), 1);
    ck_assert_int_eq(runs_of_skeleton("--case all-gather --timeline"), 2);
}
END_TEST

static json_t *pictures_of(const char *cases)
{
    char options[128];
    snprintf(options, sizeof options, "--timeline --case %s", cases);
    return result_of(options, "solutions", 0);
}

/* The spans and names in a result's view (graph/draw/view.h), a line each. */
static void strings_of(const json_t *result, char *out)
{
    json_t *const view =
        json_loads(json_string_value(json_object_get(result, "view")), 0, NULL);
    const json_t *const strings = json_object_get(view, "strings");
    ck_assert_ptr_nonnull(strings);
    for (size_t i = 0; i < json_array_size(strings); i++)
        out += sprintf(out, "%.100s\n",
                       json_string_value(json_array_get(strings, i)));
    json_decref(view);
}

START_TEST(the_timeline_shows_one_iteration_of_a_case)
{
    char strings[1 << 16];
    json_t *const j = pictures_of("ring-time");
    const char *const svg = json_string_value(json_object_get(j, "timeline"));
    ck_assert(svg && strstr(svg, ">ring-time: 8 ranks on dgx-h100</text>"));
    ck_assert(strstr(svg, "ncclRecv") && !strstr(svg, "ncclCommInitRank"));
    strings_of(j, strings);
    ck_assert_msg(strstr(strings, "ring-time #0\n") &&
                      strstr(strings, "ncclRecv\n") &&
                      strstr(strings, "allreduce.c:") &&
                      !strstr(strings, "ring-time #1") &&
                      !strstr(strings, "ncclCommInitRank"),
                  "%s", strings);
    json_decref(j);
}
END_TEST

/* The name of the visible case is in that of a hidden one, which runs beside
 * it. */
START_TEST(pictures_show_nothing_of_hidden_cases)
{
    char strings[1 << 16];
    json_t *const j = pictures_of("broadcast,hidden-broadcast");
    const char *const svg = json_string_value(json_object_get(j, "timeline"));
    ck_assert(svg && strstr(svg, ">broadcast: "));
    strings_of(j, strings);
    ck_assert_msg(strstr(strings, "\nbroadcast #0\n") &&
                      !strstr(strings, "hidden"),
                  "%s", strings);
    int nbars = 0; // of one case, some for each of a few ranks
    for (const char *p = svg; (p = strstr(p, "ncclSend")) != NULL; p++)
        nbars++;
    ck_assert_int_gt(nbars, 0);
    ck_assert_int_lt(nbars, 100);
    json_decref(j);
}
END_TEST

/* What a submission does in the middle of its ring of messages, and operations
 * that its timeline shows. */
static const struct {
    const char *edit, *first, *last;
} ends[] = {
    {"%s/tests/section.sh %s/tests/mutants/lab1-collectives.patch "
     "all-gather-without-group | patch -s -p1",
     "cudaMemcpyAsync", "ncclSend"},
    {": %s %s; sed -i '/^ncclResult_t p2p_all_gather/,/^}/s/    for (int /    "
     "if (c->rank == 1)\\n        *(volatile int *)8 = 1;\\n&/' p2p.c",
     "cudaMemcpyAsync", "cudaMemcpyAsync"},
};

START_TEST(a_timeline_goes_up_to_the_end_of_a_run)
{
    char dir[CHILD_FOLDER], path[CHILD_FOLDER + 16];
    child_folder(dir, "commlab-end");
    snprintf(path, sizeof path, "%s/r.json", dir);
    struct child c =
        child_run(30, "cp %s/solutions/lab1-collectives/* %s", root(), dir);
    child_clear(&c);
    char edit[8192];
    snprintf(edit, sizeof edit, ends[_i].edit, root(), root());
    c = child_run(600,
                  "cd %s && %s && %s/grade run --lab lab1 --timeline "
                  "--case broadcast,all-gather --json %s .",
                  dir, edit, child_build(), path);
    ck_assert_msg(c.status == 1, "%s%s", c.out, c.err);
    json_t *const j = json_load_file(path, 0, NULL);
    ck_assert_msg(j != NULL, "%s%s", c.out, c.err);
    const char *const svg = json_string_value(json_object_get(j, "timeline"));
    ck_assert_msg(svg && strstr(svg, ">all-gather: 3 ranks on dgx-h100, up to "
                                     "where the run ended</text>"),
                  "%s", svg ? svg : "no timeline");
    ck_assert_msg(strstr(svg, ends[_i].first) && strstr(svg, ends[_i].last) &&
                      !strstr(svg, "ncclCommInitRank"),
                  "%s", svg);
    char strings[1 << 16];
    strings_of(j, strings);
    ck_assert_msg(strstr(strings, ends[_i].last) &&
                      !strstr(strings, "broadcast #"),
                  "%s", strings);
    json_decref(j);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

static const struct {
    const char *args, *says;
} mistakes[] = {
    {"", "usage:"},
    {"walk", "usage:"},
    {"run /tmp", "grade run: --lab is missing"},
    {"run --lab lab1", "grade run: SUBMISSION is missing"},
    {"run --lab lab1 /tmp /tmp", "grade run: one operand only"},
    {"run --lab lab99 /tmp", "there is no lab \"lab99\""},
    {"run --lab lab1 /nowhere", "/nowhere cannot be read"},
    {"run --lab lab1 --case no /tmp", "has no case \"no\""},
    {"run --lab lab1 --seed x /tmp", "--seed x is not a number"},
    {"run --lab lab1 --schedule random /tmp",
     "--schedule is eager, late or random:SEED with a number, not random"},
    {"run --lab lab1 --schedule random:4x /tmp", "not random:4x"},
    {"run --lab lab1 --backend hip /tmp", "--backend is sim or cuda, not hip"},
    {"run --lab lab1 --isolation 4 /tmp",
     "--isolation is a whole number from 0 to 3, not 4"},
    {"run --lab lab1 --isolation 2x /tmp", "from 0 to 3, not 2x"},
    {"run --speed 3 /tmp", "--speed is no option"},
    {"run --lab", "--lab needs a value"},
    {"batch --roster r.csv", "grade batch: --submissions is missing"},
    {"batch --only worst", "--only is new, failed, latest or best, not worst"},
    {"batch -j 0", "--jobs is a whole number from 1 to 1024, not 0"},
    {"batch --executor cloud", "--executor is local or slurm, not cloud"},
    {"export --ledger L.db --lab lab1 --format doc -o x",
     "there is no format doc"},
    {"export --late-percent 101", "--late-percent is a number from 0 to 100"},
    {"status --ledger L.db 17", "grade status: options only"},
    {"replay --ledger L.db", "grade replay: ID is missing"},
    {"verify --ledger /nowhere/L.db", "grade verify: "},
    {"audit --nvcc", "grade audit: OBJECT is missing"},
    {"work", "grade work: --spool is missing"},
};

START_TEST(mistakes_on_the_command_line_are_named)
{
    struct child c =
        child_run(30, "%s/grade %s", child_build(), mistakes[_i].args);
    ck_assert_msg(c.status == 2 && strstr(c.err, mistakes[_i].says) != NULL,
                  "grade %s: status %d\n%s%s", mistakes[_i].args, c.status,
                  c.out, c.err);
    child_clear(&c);
}
END_TEST

static const char *const verbs[] = {"run",    "batch",      "status",
                                    "export", "verify",     "replay",
                                    "audit",  "similarity", "work"};

START_TEST(each_verb_has_a_help_that_fits_a_terminal)
{
    char usage[64];
    struct child c = child_run(30,
                               "%s/grade %s --help | awk 'NR > 1 && "
                               "length > 79 { print \"too long: \" $0 } 1'",
                               child_build(), verbs[_i]);
    snprintf(usage, sizeof usage, "usage: grade %s ", verbs[_i]);
    ck_assert_msg(strncmp(c.out, usage, strlen(usage)) == 0 && !*c.err, "%s%s",
                  c.out, c.err);
    ck_assert_msg(!strstr(c.out, "too long"), "%s", c.out);
    ck_assert(strstr(c.out, "\n  --help            this text\n"));
    child_clear(&c);
}
END_TEST

START_TEST(a_machine_without_a_sandbox_is_not_the_students_fault)
{
    // a bwrap that fails, before the real one on the path
    char dir[] = "/tmp/commlab-path-XXXXXX";
    ck_assert(mkdtemp(dir) != NULL);
    struct child c = child_run(
        30,
        "printf '#!/bin/sh\\necho \"bwrap: No permissions\" >&2; exit 1\\n' > "
        "%s/bwrap && chmod +x %s/bwrap && PATH=%s:$PATH %s/grade run --lab "
        "lab1 %s/solutions/lab1-collectives",
        dir, dir, dir, child_build(), root());
    ck_assert_msg(c.status == 3 && strstr(c.out, "infra: the sandbox") != NULL,
                  "status %d\n%s%s", c.status, c.out, c.err);
    child_clear(&c);
    c = child_run(10, "rm -r %s", dir);
    child_clear(&c);
}
END_TEST

START_TEST(grading_leaves_nothing_in_tmp)
{
    char dir[CHILD_FOLDER]; // others grade in /tmp meanwhile
    child_folder(dir, "commlab-tmp");
    struct child c = child_run(120,
                               "TMPDIR=%s %s/grade run --lab lab1 --case fit "
                               "%s/solutions/lab1-collectives",
                               dir, child_build(), root());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
    c = child_run(10, "ls -A %s", dir);
    ck_assert_str_eq(c.out, "");
    child_clear(&c);
    child_remove(dir);
}
END_TEST

int main(void)
{
    const int ncheats = mutant_find("cheats", "*", cheats);
    Suite *const s = suite_create("grader");
    TCase *const t = tcase_create("grader");
    tcase_set_timeout(t, 700);
    tcase_add_test(t, the_timeline_shows_one_iteration_of_a_case);
    tcase_add_test(t, pictures_show_nothing_of_hidden_cases);
    SUITE_LOOP(t, mistakes_on_the_command_line_are_named, mistakes);
    SUITE_LOOP(t, each_verb_has_a_help_that_fits_a_terminal, verbs);
    tcase_add_test(t, a_machine_without_a_sandbox_is_not_the_students_fault);
    tcase_add_test(t, grading_leaves_nothing_in_tmp);
    tcase_add_test(t, what_has_lost_all_is_not_run_again);
    tcase_add_loop_test(t, a_submission_gets_what_it_deserves, 0, ncheats);
    suite_add_tcase(s, t);
    TCase *const e = tcase_create("end");
    tcase_set_timeout(e, 700);
    SUITE_LOOP(e, a_timeline_goes_up_to_the_end_of_a_run, ends);
    suite_add_tcase(s, e);
    return suite_run(s);
}
