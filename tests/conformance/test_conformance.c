/*
 * The rules that programs rely on (prog_ruleNN.c, one each) hold on simgpu
 * under every schedule: a program prints what is in expected.txt, and what it
 * printed on each machine with real GPUs whose expected-GPU-VERSIONS.txt is
 * here. Enumerators and structures are those of CUDA 13.0's headers.
 */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "expected.h"
#include "labtest.h"
#include "suite.h"

static const char *const schedules[] = {"eager", "late", "random:1"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules, ERR = 1000 };

/* ---- simgpu against a file ----------------------------------------------- */

/* A machine that has, to programs, as many GPUs as the file's. */
static const char *machine_for(const struct expected *e)
{
    return e->ngpus == 1 ? "tests/labs/one-gpu.xml" : "dgx-h100";
}

/* Run a rule's program on simgpu: 0, or -1 with the difference in err. */
static int hold_rule(const struct expected *e, const struct expected_rule *r,
                     const char *schedule, char *err)
{
    if (r->skipped)
        return 0;
    struct child c = child_run(60,
                               "cd %s && SIMGPU_TOPO=%s SIMGPU_SCHEDULE=%s "
                               "mpirun -n %d %s/tests/conformance/prog_rule%s",
                               labtest_root(), machine_for(e), schedule,
                               r->nranks, child_build(), r->number);
    int status = expected_compare(e, r, c.out, err, ERR);
    if (c.status != 0) {
        const size_t n = status ? strlen(err) : 0;
        snprintf(err + n, ERR - n, "%srule %s: status %d%s\n%s", n ? "\n" : "",
                 r->number, c.status, c.timed_out ? ", timed out" : "", c.err);
        status = -1;
    }
    child_clear(&c);
    return status;
}

static struct expected documented; /* expected.txt, of all tests here */

START_TEST(a_rule_holds_under_every_schedule)
{
    const struct expected_rule *const r = &documented.rule[_i / SCHEDULES];
    const char *const schedule = schedules[_i % SCHEDULES];
    char err[ERR];
    ck_assert_msg(hold_rule(&documented, r, schedule, err) == 0,
                  "schedule %s: %s", schedule, err);
}
END_TEST

static void hold_all(const char *path)
{
    static struct expected e;
    char err[ERR];
    ck_assert_msg(expected_load(&e, path, err, sizeof err) == 0, "%s", err);
    for (int i = 0; i < e.nrules; i++)
        ck_assert_msg(hold_rule(&e, &e.rule[i], "eager", err) == 0, "%s", err);
    expected_release(&e);
}

START_TEST(simgpu_prints_what_every_machine_that_was_tried_printed)
{
    char pattern[4200];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/tests/conformance/expected-*.txt",
             labtest_root());
    if (glob(pattern, 0, NULL, &files) != 0)
        return; // there are no files of machines yet
    for (size_t i = 0; i < files.gl_pathc; i++)
        hold_all(files.gl_pathv[i]);
    globfree(&files);
}
END_TEST

/* ---- the comparison itself ----------------------------------------------- */

static char dir[CHILD_FOLDER], file[CHILD_FOLDER + 32];

static void setup(void)
{
    child_folder(dir, "commlab-conformance");
    snprintf(file, sizeof file, "%s/expected-made-up.txt", dir);
}

static void teardown(void)
{
    child_remove(dir);
}

static void write_file(const char *text)
{
    FILE *const f = fopen(file, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

START_TEST(what_a_machine_prints_becomes_a_file_that_it_is_equal_to)
{
    struct child c = child_run(
        120,
        "SIMGPU_TOPO=%s/tests/labs/one-gpu.xml %s/tests/gpu/conformance.sh %s "
        "> %s",
        labtest_root(), labtest_root(), child_build(), file);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
    struct expected e;
    char err[ERR];
    ck_assert_msg(expected_load(&e, file, err, sizeof err) == 0, "%s", err);
    ck_assert_int_eq(e.ngpus, 1);
    ck_assert_int_eq(e.nrules, documented.nrules);
    for (int i = 0; i < e.nrules; i++)
        ck_assert_msg(e.rule[i].nlines > 0, "rule %s", e.rule[i].number);
    expected_release(&e);
    hold_all(file);
}
END_TEST

/* Files of one rule, and the result of comparing simgpu with them. */
static const struct {
    const char *text, *says; /* says NULL: simgpu agrees */
} made_up[] = {
    {"rule 03\na new stream reads 7\na new thread reads 7\n", NULL},
    {"# of one GPU\ngpus 1\n\nrule 03\na new stream reads 7\n\n"
     "a new thread reads 7\n",
     NULL},
    {"rule 03 skipped: no such program there\n", NULL},
    {"rule 03\na new stream reads 7\na new thread reads 8\n",
     "rule 03, line 2: printed is \"a new thread reads 7\", "},
    {"rule 03\na new stream reads 7\na new thread reads 8\n",
     "expected-made-up.txt:3 says \"a new thread reads 8\""},
    {"rule 03\na new stream reads 7\n",
     "rule 03, line 2: printed is \"a new thread reads 7\", in "},
    {"rule 03\na new stream reads 7\na new thread reads 7\nand more\n",
     "rule 03, line 3: printed is \"\", "},
    {"rule 3x\n", "expected-made-up.txt:1: \"rule 3x\" is not of the format"},
    {"# nothing\n", "there is no rule in it"},
};

START_TEST(a_difference_is_found_and_told)
{
    static struct expected e;
    char err[ERR] = "";
    write_file(made_up[_i].text);
    int status = expected_load(&e, file, err, sizeof err);
    for (int i = 0; status == 0 && i < e.nrules; i++)
        status = hold_rule(&e, &e.rule[i], "eager", err);
    if (made_up[_i].says)
        ck_assert_msg(status == -1 && strstr(err, made_up[_i].says),
                      "status %d: %s", status, err);
    else
        ck_assert_msg(status == 0, "%s", err);
    expected_release(&e);
}
END_TEST

/* ---- the headers --------------------------------------------------------- */

START_TEST(values_and_layouts_are_those_of_cudas_headers)
{
    struct child c = child_run(30,
                               "cd %s && %s/tests/conformance/prog_headers | "
                               "diff tests/conformance/headers.txt -",
                               labtest_root(), child_build());
    ck_assert_msg(c.status == 0, "CUDA's, and simgpu's:\n%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    char path[4200], err[ERR];
    snprintf(path, sizeof path, "%s/tests/conformance/expected.txt",
             labtest_root());
    if (expected_load(&documented, path, err, sizeof err) != 0) {
        fprintf(stderr, "%s\n", err);
        return EXIT_FAILURE;
    }
    Suite *const s = suite_create("conformance");
    TCase *const t = tcase_create("rules");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_rule_holds_under_every_schedule, 0,
                        documented.nrules * SCHEDULES);
    tcase_add_test(t, simgpu_prints_what_every_machine_that_was_tried_printed);
    tcase_add_test(t, what_a_machine_prints_becomes_a_file_that_it_is_equal_to);
    tcase_add_loop_test(t, a_difference_is_found_and_told, 0,
                        sizeof made_up / sizeof *made_up);
    tcase_add_test(t, values_and_layouts_are_those_of_cudas_headers);
    suite_add_tcase(s, t);
    const int status = suite_run(s);
    expected_release(&documented);
    return status;
}
