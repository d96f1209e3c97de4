#define _GNU_SOURCE
#include "labtest.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* exit */
#include <string.h> /* strstr */

#include "answertest.h"
#include "child.h"
#include "judge/plan.h"
#include "mutant.h"
#include "suite.h"

enum { RUN_SEC = 240 };

static const struct labtest *lab;
static int ranks[16], nranks;

const char *labtest_root(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s", child_build());
    *strrchr(path, '/') = 0;
    return path;
}

struct plan *labtest_plan(const char *name)
{
    char visible[4200], hidden[4200], err[512];
    const char *const root = labtest_root();
    snprintf(visible, sizeof visible, "%s/grader/plans/%s.yaml", root, name);
    snprintf(hidden, sizeof hidden, "%s/grader/plans/hidden/%s.yaml", root,
             name);
    struct plan *const p = plan_load(visible, hidden, err, sizeof err);
    if (!p) { // no assertion, since main() calls this, too
        fprintf(stderr, "%s\n", err);
        exit(EXIT_FAILURE);
    }
    return p;
}

/* "lab1" for "lab1-collectives" */
static const char *stem(void)
{
    static char text[32];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(lab->lab, "-"), lab->lab);
    return text;
}

/* ---- the lab's own program ----------------------------------------------- */

static void expect(const char *program, int n, const char *schedule, int full)
{
    struct child c = child_run(RUN_SEC, "SIMGPU_SCHEDULE=%s mpirun -n %d %s/%s",
                               schedule, n, child_build(), program);
    const char *const total = strstr(c.out, "\ntotal ");
    double points = -1, of = 0;
    if (total)
        sscanf(total, " total %lf of %lf points", &points, &of);
    ck_assert_msg(!c.timed_out && c.status == !full && of > 0 &&
                      points == (full ? of : 0),
                  "%s on %d ranks, schedule %s: status %d%s\n%s\n%.2000s",
                  program, n, schedule, c.status,
                  c.timed_out ? ", timed out" : "", c.out, c.err);
    child_clear(&c);
}

void labtest_expect_full(const char *program, int n, const char *schedule)
{
    expect(program, n, schedule, 1);
}

void labtest_expect_nothing(const char *program, int n, const char *schedule)
{
    expect(program, n, schedule, 0);
}

static void expect_solution(int i, const char *schedule)
{
    char program[64];
    snprintf(program, sizeof program, "solutions/%s", stem());
    expect(program, ranks[i % nranks], schedule, 1);
}

START_TEST(the_solution_is_full_on_any_ranks)
{
    expect_solution(_i, child_schedule());
}
END_TEST

START_TEST(the_solution_is_full_under_a_late_schedule)
{
    expect_solution(_i, "late");
}
END_TEST

START_TEST(the_solution_is_full_under_random_schedules)
{
    char schedule[32];
    snprintf(schedule, sizeof schedule, "random:%d", _i);
    expect_solution(_i, schedule);
}
END_TEST

/* Nor does the kit, which SIMGPU_CHECK would hold against the student. */
START_TEST(the_solution_leaks_nothing)
{
    struct child c =
        child_run(RUN_SEC, "SIMGPU_CHECK=1 mpirun -n %d %s/solutions/%s",
                  ranks[_i], child_build(), stem());
    ck_assert_msg(strstr(c.err, "simgpu: check: 0 hazards") &&
                      !strstr(c.err, "leak"),
                  "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

START_TEST(the_skeleton_scores_nothing)
{
    expect(stem(), ranks[_i], child_schedule(), 0);
}
END_TEST

/* ---- mutants ------------------------------------------------------------- */

static const char *mutant[MUTANT_MAX];

START_TEST(a_mutant_fails_what_it_names)
{
    mutant_check(lab->lab, mutant[_i]);
}
END_TEST

START_TEST(there_are_enough_mutants)
{
    ck_assert_int_ge(mutant_find("mutants", lab->lab, mutant), lab->nmutants);
}
END_TEST

/* ---- twins --------------------------------------------------------------- */

static const char *twin[MUTANT_MAX];
static int ntwins;

START_TEST(a_twin_of_the_solution_gets_all_points)
{
    static const char *const schedules[] = {"eager", "late", "random:5"};
    twin_check(lab->lab, twin[_i / 3], schedules[_i % 3]);
}
END_TEST

/* ---- questions ----------------------------------------------------------- */

START_TEST(the_solutions_answers_are_the_hidden_plans)
{
    answertest_solution(lab->lab);
}
END_TEST

START_TEST(a_neighbours_answers_fail)
{
    answertest_neighbour(lab->lab);
}
END_TEST

START_TEST(few_students_share_answers)
{
    answertest_students(lab->lab);
}
END_TEST

/* ---- the suite ----------------------------------------------------------- */

static void set_lab(const struct labtest *l)
{
    static const int usual[] = {1, 2, 3, 4, 5, 8, 0};
    lab = l;
    for (const int *n = l->ranks ? l->ranks : usual; *n; n++)
        ranks[nranks++] = *n;
}

/* The number of ranks that the quick tests run on: 4, or the next that the lab
 * is tested on, as an index. */
static int usual_ranks(void)
{
    int i = 0;
    while (i < nranks - 1 && ranks[i] < 4)
        i++;
    return i;
}

static TCase *new_case(Suite *s, const char *name)
{
    TCase *const t = tcase_create(name);
    tcase_set_timeout(t, 1800);
    suite_add_tcase(s, t);
    return t;
}

/* A test case of a parted suite (suites.mk) that `make test` runs. */
static TCase *quick_case(Suite *s, const char *name)
{
    TCase *const t = new_case(s, name);
    tcase_set_tags(t, "quick");
    return t;
}

/* Add a loop test for 0 to n - 1 to `rest`, but for entry `at`, which is
 * quick's. */
static void part(TCase *quick, TCase *rest, const TTest *test, int at, int n)
{
    if (at < n)
        tcase_add_loop_test(quick, test, at, at + 1);
    for (int i = 0; i < n; i++)
        if (i != at)
            tcase_add_loop_test(rest, test, i, i + 1);
}

static void add_program(Suite *s, void (*add)(TCase *t))
{
    TCase *const quick = quick_case(s, stem()), *const t = new_case(s, stem());
    const int at = usual_ranks();
    part(quick, t, the_solution_is_full_on_any_ranks, at, nranks);
    tcase_add_loop_test(t, the_solution_is_full_under_a_late_schedule, 0,
                        nranks);
    tcase_add_loop_test(t, the_solution_is_full_under_random_schedules, 0, 10);
    tcase_add_loop_test(t, the_solution_leaks_nothing, at, at + 1);
    part(quick, t, the_skeleton_scores_nothing, at, nranks);
    if (add)
        add(t);
}

static void add_questions(Suite *s)
{
    TCase *const t = new_case(s, "questions");
    if (answertest_applies(lab->lab)) {
        tcase_add_test(t, the_solutions_answers_are_the_hidden_plans);
        tcase_add_test(t, a_neighbours_answers_fail);
        tcase_add_test(t, few_students_share_answers);
    }
}

static void add_patches(Suite *s)
{
    TCase *const quick = quick_case(s, "mutants"),
                 *const t = new_case(s, "mutants"),
                 *const twins = new_case(s, "twins");
    part(quick, t, a_mutant_fails_what_it_names, 0,
         mutant_find("mutants", lab->lab, mutant));
    tcase_add_test(t, there_are_enough_mutants);
    ntwins = mutant_find("twins", lab->lab, twin);
    tcase_add_loop_test(twins, a_twin_of_the_solution_gets_all_points, 0,
                        3 * ntwins);
}

int labtest_main(const struct labtest *l, void (*add)(TCase *t))
{
    set_lab(l);
    Suite *const s = suite_create(stem());
    add_program(s, add);
    add_questions(s);
    add_patches(s);
    return suite_run(s);
}
