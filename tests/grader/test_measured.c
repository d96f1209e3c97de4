/*
 * Grading by measured times, and for real GPUs.
 *
 * simgpu taken for a machine of its own (--measured) has times that never vary,
 * so what is measured there has to come to what is modelled. A submission for
 * GPUs is compiled and audited wherever the toolkit is; it is not run without a
 * GPU.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h> /* json_load_file */
#include <math.h>    /* fabs */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* setenv */
#include <string.h>  /* strstr */
#include <unistd.h>  /* access */

#include "child.h"
#include "suite.h"

enum { DEADLINE = 600 };

static char dir[CHILD_FOLDER]; /* this test's own */

static void make_folder(void)
{
    child_folder(dir, "commlab-measured");
}

static void remove_folder(void)
{
    child_remove(dir);
}

/* A copy of a lab's solution in DIR/NAME, patched with a mutant of it or
 * not. */
static void submit(const char *name, const char *lab, const char *mutant)
{
    struct child c = child_run(
        30,
        "cp -r solutions/%s %s/%s && if [ -n '%s' ]; then tests/section.sh "
        "tests/mutants/%s.patch '%s' | patch -s -p1 -d %s/%s; fi",
        lab, dir, name, mutant, lab, mutant, dir, name);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}

/* grade run with these options on DIR/NAME; its JSON. */
static json_t *grade(const char *name, int status, const char *options)
{
    char path[5000];
    json_error_t error;
    struct child c =
        child_run(DEADLINE, "%s/grade run %s --json %s/%s.json %s/%s",
                  child_build(), options, dir, name, dir, name);
    ck_assert_msg(c.status == status, "status %d, not %d\n%s%s", c.status,
                  status, c.out, c.err);
    snprintf(path, sizeof path, "%s/%s.json", dir, name);
    json_t *const j = json_load_file(path, 0, &error);
    ck_assert_msg(j != NULL, "%s", error.text);
    child_clear(&c);
    return j;
}

static const char *text(const json_t *j, const char *key)
{
    const char *const s = json_string_value(json_object_get(j, key));
    return s ? s : "";
}

static double number(const json_t *j, const char *key)
{
    return json_number_value(json_object_get(j, key));
}

static const json_t *test_of(const json_t *j, const char *name)
{
    size_t i;
    json_t *test;
    json_array_foreach(json_object_get(j, "tests"), i, test)
    {
        if (strcmp(text(test, "name"), name) == 0)
            return test;
    }
    ck_abort_msg("no case %s", name);
}

START_TEST(what_is_measured_comes_to_what_is_modelled)
{
    setenv("SIMGPU_TOPO", "pcie-4090", 1); // which these cases ask for
    submit("slow", "lab1-collectives", "choice-is-always-the-ring");
    static const char *const names[] = {"choice-small-time",
                                        "choice-large-time"};
    json_t *const modelled = grade(
        "slow", 1, "--lab lab1 --case choice-small-time,choice-large-time");
    json_t *const measured = grade("slow", 1,
                                   "--lab lab1 --measured --case "
                                   "choice-small-time,choice-large-time");
    for (int i = 0; i < 2; i++) {
        const json_t *const a = test_of(modelled, names[i]);
        const json_t *const b = test_of(measured, names[i]);
        const double low = number(b, "ratio_low");
        ck_assert_msg(fabs(number(a, "score") - number(b, "score")) < 0.02,
                      "%s: %g points modelled, %g measured", names[i],
                      number(a, "score"), number(b, "score"));
        ck_assert_double_eq(low, number(b, "ratio_high"));
        ck_assert_double_eq_tol(
            low, number(b, "time_us") / number(b, "reference_us"), 1e-9);
        ck_assert(json_is_null(json_object_get(a, "ratio_low")));
    }
    for (int i = 0; i < 2; i++) { // wrong for the small one alone
        const json_t *const t = test_of(measured, names[i]);
        ck_assert_int_eq(number(t, "score") < number(t, "max_score"), i == 0);
    }
    ck_assert(json_is_true(json_object_get(measured, "measured")));
    json_decref(modelled);
    json_decref(measured);
}
END_TEST

START_TEST(what_needs_more_gpus_is_skipped_by_name)
{
    setenv("SIMGPU_TOPO", "tests/labs/one-gpu.xml", 1);
    submit("whole", "lab1-collectives", "");
    json_t *const j = grade("whole", 3,
                            "--lab lab1 --measured --case "
                            "communicator,broadcast-odd,answer-beta");
    ck_assert_str_eq(text(j, "outcome"), "infra");
    ck_assert(strstr(text(j, "message"), "3 cases skipped, since this "
                                         "machine has 1 GPU:") != NULL);
    ck_assert_str_eq(text(test_of(j, "communicator"), "message"),
                     "skipped: it needs 4 GPUs, and this machine has 1");
    ck_assert_str_eq(text(test_of(j, "communicator"), "outcome"), "infra");
    ck_assert_double_eq(number(j, "score"), 0);
    ck_assert_double_gt(number(j, "max_score"), 0);
    json_decref(j);
}
END_TEST

START_TEST(ranks_that_may_share_a_gpu_do)
{
    setenv("SIMGPU_TOPO", "tests/labs/one-gpu.xml", 1);
    submit("shared", "lab5-symmetric-memory", "");
    json_t *const j =
        grade("shared", 0, "--lab lab5 --measured --case put,chain");
    ck_assert_str_eq(text(j, "outcome"), "pass");
    ck_assert_int_eq((int)json_array_size(json_object_get(
                         json_object_get(j, "gpus"), "devices")),
                     1);
    json_decref(j);
}
END_TEST

/* Grade DIR/NAME for GPUs, with the kit that is built for them; NULL where
 * there is no toolkit. */
static json_t *grade_for_gpus(const char *name, int status, const char *options)
{
    char built[5000], path[5000];
    json_error_t error;
    snprintf(built, sizeof built, "%s/with-cuda/grade", child_build());
    if (access(built, X_OK) != 0 || access("/dev/nvidia0", F_OK) == 0) {
        puts("skipped: submissions for GPUs (no toolkit here, or a GPU)");
        return NULL;
    }
    struct child c =
        child_run(DEADLINE,
                  "cd %s && mkdir -p -m 700 tests/objects && %s run --backend "
                  "cuda --objects tests/objects %s --json %s/%s.json %s/%s",
                  child_build(), built, options, dir, name, dir, name);
    ck_assert_msg(c.status == status, "status %d, not %d\n%s%s", c.status,
                  status, c.out, c.err);
    snprintf(path, sizeof path, "%s/%s.json", dir, name);
    json_t *const j = json_load_file(path, 0, &error);
    child_clear(&c);
    return j;
}

static const struct {
    const char *lab, *number;
} graded[] = {{"lab1-collectives", "lab1"},
              {"lab4-tensor-pipeline", "lab4"},
              {"lab5-symmetric-memory", "lab5"}};

START_TEST(a_submission_for_gpus_is_compiled_and_needs_one)
{
    char options[64];
    submit("real", graded[_i].lab, "");
    snprintf(options, sizeof options, "--lab %s", graded[_i].number);
    json_t *const j = grade_for_gpus("real", 3, options);
    if (!j)
        return;
    ck_assert_str_eq(text(j, "outcome"), "infra");
    ck_assert_str_eq(text(j, "backend"), "cuda");
    ck_assert_msg(strstr(text(j, "message"), "no GPU can be used here") != NULL,
                  "%s", text(j, "message"));
    json_decref(j);
}
END_TEST

/* Edits of lab 5's device code, and what becomes of them. */
static const struct {
    const char *line, *says;
} cheats[] = {
    {"volatile int one = 1;\\nint ran = one;", "runs code before main"},
    {"volatile int ran;\\n"
     "__attribute__((constructor)) static void early(void) { ran = 1; }",
     "attribute constructor is not available in labs"},
    {"#include <stdlib.h>\\nstatic void late(void) {}\\n"
     "extern \"C\" void arm(void) { atexit(late); }",
     "it uses atexit, which is not available in labs"},
};
enum { CHEATS = sizeof cheats / sizeof *cheats };

START_TEST(what_nvcc_runs_before_main_is_all_that_may)
{
    submit("cheat", "lab5-symmetric-memory", "");
    struct child c = child_run(10, "printf '%s\\n' >> %s/cheat/allreduce.cu",
                               cheats[_i].line, dir);
    child_clear(&c);
    json_t *const j = grade_for_gpus("cheat", 1, "--lab lab5");
    if (!j)
        return;
    ck_assert_str_eq(text(j, "outcome"), "fail");
    ck_assert_msg(strstr(text(j, "message"), cheats[_i].says) != NULL, "%s",
                  text(j, "message"));
    json_decref(j);
}
END_TEST

START_TEST(a_backend_that_is_not_there_is_named)
{
    submit("any", "lab1-collectives", "");
    struct child c = child_run(30, "%s/grade run --lab lab1 --backend hip %s",
                               child_build(), dir);
    ck_assert_int_eq(c.status, 2);
    ck_assert(strstr(c.err, "--backend is sim or cuda, not hip") != NULL);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("grader: measured");
    TCase *const t = tcase_create("measured");
    tcase_set_timeout(t, DEADLINE + 60);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, what_is_measured_comes_to_what_is_modelled);
    tcase_add_test(t, what_needs_more_gpus_is_skipped_by_name);
    tcase_add_test(t, ranks_that_may_share_a_gpu_do);
    tcase_add_loop_test(t, a_submission_for_gpus_is_compiled_and_needs_one, 0,
                        (int)(sizeof graded / sizeof *graded));
    tcase_add_loop_test(t, what_nvcc_runs_before_main_is_all_that_may, 0,
                        CHEATS);
    tcase_add_test(t, a_backend_that_is_not_there_is_named);
    suite_add_tcase(s, t);
    return suite_run(s);
}
