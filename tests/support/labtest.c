#define _GNU_SOURCE
#include "labtest.h"

#include <dirent.h>  /* opendir */
#include <jansson.h> /* json_load_file */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* qsort */
#include <string.h>  /* strstr */

#include "child.h"
#include "suite.h"

enum { MAX_NAMES = 256, RUN_SEC = 240, GRADE_SEC = 600 };

static const struct labtest *lab;
static int ranks[16], nranks;

const char *labtest_root(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s", child_build());
    *strrchr(path, '/') = 0;
    return path;
}

/* "lab1" of "lab1-collectives" */
static const char *stem(void)
{
    static char text[32];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(lab->lab, "-"), lab->lab);
    return text;
}

/* ---- the lab's own program -------------------------------------------------- */

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
    expect_solution(_i, "eager");
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

START_TEST(the_skeleton_scores_nothing)
{
    expect(stem(), ranks[_i], "eager", 0);
}
END_TEST

/* ---- mutants ---------------------------------------------------------------- */

struct names { /* of cases, sorted */
    char *name[MAX_NAMES];
    int n;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_sort(struct names *s)
{
    qsort(s->name, (size_t)s->n, sizeof *s->name, by_name);
}

static void names_text(const struct names *s, char *out, size_t nbytes)
{
    size_t at = 0;
    out[0] = 0;
    for (int i = 0; i < s->n && at < nbytes; i++)
        at += (size_t)snprintf(out + at, nbytes - at, "%s ", s->name[i]);
}

/* Names of a text, separated by commas or white space; the text is cut up. */
static void names_split(struct names *s, char *text)
{
    s->n = 0;
    for (char *w = strtok(text, ", \n"); w; w = strtok(NULL, ", \n")) {
        ck_assert_int_lt(s->n, MAX_NAMES);
        s->name[s->n++] = w;
    }
    names_sort(s);
}

/* Grade a folder, by these cases ("A,B"; "": all); the names of those that did
 * not pass, which are part of the result. */
static json_t *grade(const char *dir, const char *cases, struct names *failed)
{
    struct child c = child_run(
        GRADE_SEC, "%s/grade run --lab %s %s %s --json %s/grade.json %s",
        child_build(), stem(), *cases ? "--case" : "", cases, dir, dir);
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
    names_sort(failed);
    child_clear(&c);
    return j;
}

/* What a patch's line that begins so says, without spaces; "": there is none. */
static void read_line(const char *patch, const char *begin, char *out,
                      size_t nbytes)
{
    struct child c =
        child_run(30, "sed -n 's/^%s: //p' %s | tr -d ' \\n'", begin, patch);
    ck_assert_msg(strlen(c.out) < nbytes, "%s: %s", patch, c.out);
    snprintf(out, nbytes, "%s", c.out);
    child_clear(&c);
}

static void check_mutant(const char *patch)
{
    char text[8192], cases[2048];
    char dir[] = "/tmp/commlab-mutant-XXXXXX", want[8192], got[8192];
    struct names says, failed;
    ck_assert(mkdtemp(dir) != NULL);
    struct child p = child_run(
        30, "cp %s/solutions/%s/* %s && cd %s && patch -p1 --quiet < %s",
        labtest_root(), lab->lab, dir, dir, patch);
    ck_assert_msg(p.status == 0, "%s does not apply: %s%s", patch, p.out,
                  p.err);
    read_line(patch, "fails", text, sizeof text);
    read_line(patch, "of", cases, sizeof cases);
    names_split(&says, text);
    json_t *const j = grade(dir, cases, &failed);
    names_text(&says, want, sizeof want);
    names_text(&failed, got, sizeof got);
    ck_assert_msg(strcmp(want, got) == 0, "%s should fail: %s\nit fails: %s",
                  patch, want, got);
    json_decref(j);
    child_clear(&p);
    p = child_run(30, "rm -r %s", dir);
    child_clear(&p);
}

START_TEST(each_mutant_fails_what_it_names)
{
    char path[4200], patch[4600];
    int n = 0;
    snprintf(path, sizeof path, "%s/tests/mutants/%s", labtest_root(),
             lab->lab);
    DIR *const dir = opendir(path);
    ck_assert_msg(dir != NULL, "there is no %s", path);
    for (struct dirent *d; (d = readdir(dir)) != NULL;)
        if (strstr(d->d_name, ".patch")) {
            snprintf(patch, sizeof patch, "%s/%s", path, d->d_name);
            check_mutant(patch);
            n++;
        }
    closedir(dir);
    ck_assert_int_ge(n, lab->nmutants);
}
END_TEST

/* ---- the suite -------------------------------------------------------------- */

static void set_lab(const struct labtest *l)
{
    static const int usual[] = {1, 2, 3, 4, 5, 8, 0};
    lab = l;
    for (const int *n = l->ranks ? l->ranks : usual; *n; n++)
        ranks[nranks++] = *n;
}

int labtest_main(const struct labtest *l, void (*add)(TCase *t))
{
    set_lab(l);
    Suite *const s = suite_create(stem());
    TCase *const t = tcase_create(stem());
    tcase_set_timeout(t, 1800);
    tcase_add_loop_test(t, the_solution_is_full_on_any_ranks, 0, nranks);
    tcase_add_loop_test(t, the_solution_is_full_under_a_late_schedule, 0,
                        nranks);
    tcase_add_loop_test(t, the_solution_is_full_under_random_schedules, 0, 10);
    tcase_add_loop_test(t, the_skeleton_scores_nothing, 0, nranks);
    tcase_add_test(t, each_mutant_fails_what_it_names);
    if (add)
        add(t);
    suite_add_tcase(s, t);
    return suite_run(s);
}
