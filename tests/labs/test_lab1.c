/* Lab 1: the solution earns everything, the skeleton nothing, and each mistake
 * costs what its patch says it does. */
#define _GNU_SOURCE
#include <check.h>
#include <dirent.h>  /* opendir */
#include <jansson.h> /* json_loads */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* qsort */
#include <string.h>  /* strstr */

#include "child.h"

enum { MAX_NAMES = 128 };

struct names { /* of cases, sorted */
    char *name[MAX_NAMES];
    int n;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_text(const struct names *s, char *out, size_t nbytes)
{
    size_t at = 0;
    out[0] = 0;
    for (int i = 0; i < s->n && at < nbytes; i++)
        at += (size_t)snprintf(out + at, nbytes - at, "%s ", s->name[i]);
}

/* The tree that the build folder belongs to. */
static const char *root(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s", child_build());
    *strrchr(path, '/') = 0;
    return path;
}

static void expect_total(const char *program, int nranks, const char *schedule,
                         const char *total, int status)
{
    struct child c = child_run(120, "SIMGPU_SCHEDULE=%s mpirun -n %d %s/%s",
                               schedule, nranks, child_build(), program);
    ck_assert_msg(!c.timed_out && c.status == status &&
                      strstr(c.out, total) != NULL,
                  "%s on %d ranks, schedule %s: status %d%s\n%s\n%.2000s",
                  program, nranks, schedule, c.status,
                  c.timed_out ? ", timed out" : "", c.out, c.err);
    child_clear(&c);
}

static const int rank_counts[] = {1, 2, 3, 4, 5, 8};
enum { RANK_COUNTS = sizeof rank_counts / sizeof *rank_counts };

START_TEST(the_solution_is_full_on_any_ranks)
{
    expect_total("solutions/lab1", rank_counts[_i], "eager",
                 "total 84 of 84 points", 0);
}
END_TEST

START_TEST(the_solution_is_full_under_a_late_schedule)
{
    expect_total("solutions/lab1", rank_counts[_i], "late",
                 "total 84 of 84 points", 0);
}
END_TEST

START_TEST(the_solution_is_full_under_random_schedules)
{
    char schedule[32];
    snprintf(schedule, sizeof schedule, "random:%d", _i);
    expect_total("solutions/lab1", rank_counts[_i % RANK_COUNTS], schedule,
                 "total 84 of 84 points", 0);
}
END_TEST

START_TEST(the_skeleton_scores_nothing)
{
    expect_total("lab1", _i, "eager", "total 0 of 84 points", 1);
}
END_TEST

START_TEST(labs_are_what_the_solutions_generate)
{
    struct child c = child_run(30, "%s/common/skeletons.sh --check", root());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(an_unknown_case_is_a_usage_error)
{
    struct child c =
        child_run(30, "mpirun -n 1 %s/solutions/lab1 --case no", child_build());
    ck_assert_int_eq(c.status, 2);
    ck_assert_msg(strstr(c.err, "there is no case \"no\"") != NULL, "%s",
                  c.err);
    child_clear(&c);
}
END_TEST

START_TEST(one_case_runs_alone_with_another_seed)
{
    struct child c =
        child_run(30, "mpirun -n 2 %s/solutions/lab1 --case ring --seed 77",
                  child_build());
    ck_assert_msg(c.status == 0 && strstr(c.out, "seed 77") &&
                      strstr(c.out, "total 5 of 5 points"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(a_foreign_mpirun_is_an_error)
{
    struct child c = child_run(30, "OMPI_COMM_WORLD_SIZE=4 %s/solutions/lab1",
                               child_build());
    ck_assert_int_ne(c.status, 0);
    ck_assert_msg(strstr(c.err, "belongs to another MPI") != NULL, "%s", c.err);
    child_clear(&c);
}
END_TEST

/* ---- mutants ---------------------------------------------------------------- */

/* Names of a text, separated by commas or white space. */
static void split(char *text, struct names *out)
{
    out->n = 0;
    for (char *w = strtok(text, ", \n"); w; w = strtok(NULL, ", \n"))
        out->name[out->n++] = w;
    qsort(out->name, (size_t)out->n, sizeof *out->name, by_name);
}

/* Grade a folder; the names of the cases that did not pass. */
static json_t *grade(const char *dir, struct names *failed)
{
    struct child c =
        child_run(300, "%s/grade run --lab lab1 --json %s/grade.json %s",
                  child_build(), dir, dir);
    char path[4096];
    json_error_t error;
    snprintf(path, sizeof path, "%s/grade.json", dir);
    json_t *const j = json_load_file(path, 0, &error), *test;
    ck_assert_msg(j != NULL, "status %d\n%s%s", c.status, c.out, c.err);
    size_t i;
    failed->n = 0;
    json_array_foreach(json_object_get(j, "tests"), i, test)
    {
        const char *const outcome =
            json_string_value(json_object_get(test, "outcome"));
        if (strcmp(outcome, "pass") != 0)
            failed->name[failed->n++] =
                (char *)json_string_value(json_object_get(test, "name"));
    }
    qsort(failed->name, (size_t)failed->n, sizeof *failed->name, by_name);
    child_clear(&c);
    return j;
}

static void check_mutant(const char *name)
{
    char dir[] = "/tmp/commlab-mutant-XXXXXX", want[4096], got[4096];
    struct names says, failed;
    ck_assert(mkdtemp(dir) != NULL);
    struct child p = child_run(
        30,
        "cp %s/solutions/lab1-collectives/* %s && cd %s && patch -p1 --quiet "
        "< %s/tests/mutants/lab1-collectives/%s && "
        "sed -n 's/^fails: //p' %s/tests/mutants/lab1-collectives/%s",
        root(), dir, dir, root(), name, root(), name);
    ck_assert_msg(p.status == 0, "%s does not apply: %s%s", name, p.out, p.err);
    split(p.out, &says);
    json_t *const j = grade(dir, &failed);
    names_text(&says, want, sizeof want);
    names_text(&failed, got, sizeof got);
    ck_assert_msg(strcmp(want, got) == 0, "%s should fail: %s\nit fails: %s",
                  name, want, got);
    json_decref(j);
    child_clear(&p);
    p = child_run(30, "rm -r %s", dir);
    child_clear(&p);
}

START_TEST(each_mutant_fails_what_it_names)
{
    char path[4200];
    int n = 0;
    snprintf(path, sizeof path, "%s/tests/mutants/lab1-collectives", root());
    DIR *const dir = opendir(path);
    ck_assert(dir != NULL);
    for (struct dirent *d; (d = readdir(dir)) != NULL;)
        if (strstr(d->d_name, ".patch")) {
            check_mutant(d->d_name);
            n++;
        }
    closedir(dir);
    ck_assert_int_ge(n, 6);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("lab1");
    TCase *const t = tcase_create("lab1");
    tcase_set_timeout(t, 900);
    tcase_add_loop_test(t, the_solution_is_full_on_any_ranks, 0, RANK_COUNTS);
    tcase_add_loop_test(t, the_solution_is_full_under_a_late_schedule, 0,
                        RANK_COUNTS);
    tcase_add_loop_test(t, the_solution_is_full_under_random_schedules, 0, 10);
    tcase_add_loop_test(t, the_skeleton_scores_nothing, 1, 9);
    tcase_add_test(t, labs_are_what_the_solutions_generate);
    tcase_add_test(t, an_unknown_case_is_a_usage_error);
    tcase_add_test(t, one_case_runs_alone_with_another_seed);
    tcase_add_test(t, a_foreign_mpirun_is_an_error);
    tcase_add_test(t, each_mutant_fails_what_it_names);
    suite_add_tcase(s, t);
    SRunner *const r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    const int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
