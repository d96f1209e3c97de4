/*
 * One verdict: what a student's own `mpirun build/labN` says of a visible case
 * is what the grader says. Each patch of tests/mutants and tests/mistakes is
 * graded, and is built and run as a student does it, on the ranks and machines
 * of the plan. The worst of a case's runs has to earn what
 * the grading gives.
 *
 * AGREE=all compares all patches, AGREE=lab3 those of a lab, and AGREE=SEED/N
 * one in N; without it, it is one in 24.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h> /* json_load_file */
#include <math.h>    /* fabs */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* getenv */
#include <string.h>  /* strcmp */

#include "base/mix.h"
#include "child.h"
#include "judge/plan.h"
#include "labtest.h" /* labtest_root */
#include "mutant.h"
#include "suite.h"

enum {
    MAX_PATCHES = 2 * MUTANT_MAX,
    MAX_LIST = 8192,
    RUN_SEC = 600,
    EVERY = 24
};

static struct patch {
    const char *path; /* "FILE NAME", for tests/section.sh */
    char *lab;
} patches[MAX_PATCHES];
static int npatches;

/* ---- which patches ------------------------------------------------------- */

static int is_chosen(const char *lab, const char *path)
{
    unsigned long long seed = 1, every = EVERY;
    const char *const set = getenv("AGREE");
    if (set && strcmp(set, "all") == 0)
        return 1;
    if (set && strncmp(set, "lab", 3) == 0)
        return strncmp(lab, set, strcspn(lab, "-")) == 0;
    if (set && sscanf(set, "%llu/%llu", &seed, &every) != 2)
        return strstr(path, set) != NULL;
    return mix_text(seed, strrchr(path, '/')) % every == 0;
}

static void add_patches(const char *kind)
{
    const char *found[MUTANT_MAX];
    const int n = mutant_find(kind, "*", found);
    for (int i = 0; i < n; i++) {
        const struct patch p = {found[i], mutant_lab(found[i])};
        if (is_chosen(p.lab, p.path))
            patches[npatches++] = p;
    }
}

/* The text of the patch's line "WORD: ...", or "". */
static void read_line(const char *patch, const char *word, char text[MAX_LIST])
{
    struct child c = child_run(
        30,
        "%s/tests/section.sh %s | sed -n '/^--- /q; s/^%s: //p' | tr -d ' "
        "\\n'",
        labtest_root(), patch, word);
    snprintf(text, MAX_LIST, "%s", c.out);
    child_clear(&c);
}

/* ---- the cases of both --------------------------------------------------- */

static struct plan *visible_plan(const char *lab)
{
    char path[4200], err[512];
    snprintf(path, sizeof path, "%s/grader/plans/%s.yaml", labtest_root(), lab);
    struct plan *const p = plan_load(path, NULL, err, sizeof err);
    ck_assert_msg(p != NULL, "%s", err);
    return p;
}

static int has_name(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
        if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == 0))
            return 1;
    return 0;
}

/* The visible cases that a patch reaches, "A,B". Questions need no run. */
static void shared_cases(const struct plan *p, const char *patch,
                         char list[MAX_LIST])
{
    char of[MAX_LIST], one[MAX_LIST];
    size_t at = 0;
    read_line(patch, "of", of);
    read_line(patch, "case", one);
    list[0] = 0;
    for (int i = 0; i < p->ncases; i++) {
        const struct plan_case *const c = &p->cases[i];
        const char *const some = *of ? of : one;
        if (strcmp(c->kind, "answer") != 0 &&
            (!*some || has_name(some, c->name)))
            at += (size_t)snprintf(list + at, MAX_LIST - at, "%s%s",
                                   at ? "," : "", c->name);
    }
}

/* ---- both verdicts ------------------------------------------------------- */

static const json_t *test_of(const json_t *j, const char *name)
{
    size_t i;
    const json_t *test;
    json_array_foreach(json_object_get(j, "tests"), i, test)
    {
        if (strcmp(json_string_value(json_object_get(test, "name")), name) == 0)
            return test;
    }
    return NULL;
}

static const char *text(const json_t *test, const char *key)
{
    const char *const t = json_string_value(json_object_get(test, key));
    return t ? t : "";
}

static double score(const json_t *test)
{
    return json_number_value(json_object_get(test, "score"));
}

/* Make the patched solution in dir/src, and grade it in dir/work. NULL if one
 * of its files does not compile. */
static json_t *grade(const struct patch *p, const char *dir, const char *list)
{
    char path[4200];
    struct child c =
        child_run(30,
                  "cd %s && mkdir src && cp %s/solutions/%s/* src && "
                  "%s/tests/section.sh %s | patch -d src -p1 --quiet",
                  dir, labtest_root(), p->lab, labtest_root(), p->path);
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
    c = child_run(RUN_SEC,
                  "cd %s && mkdir -p -m 700 tests/objects && ./grade run "
                  "--objects tests/objects --seed 1 --lab %s --case %s --json "
                  "%s/grade.json %s/src",
                  child_build(), p->lab, list, dir, dir);
    snprintf(path, sizeof path, "%s/grade.json", dir);
    json_t *const j = json_load_file(path, 0, NULL);
    ck_assert_msg(j != NULL, "%s: %s%s", p->path, c.out, c.err);
    child_clear(&c);
    if (!*text(j, "message") && !strstr(text(j, "notes"), "does not compile"))
        return j;
    json_decref(j);
    return NULL;
}

/* Build the same as `make labN` does. */
static void make(const struct patch *p, const char *dir)
{
    struct child c = child_run(
        RUN_SEC,
        "cd %s && mkdir build && ln -s %s/simgpu build/simgpu && touch "
        "build/program && %s/tests/grader/agree.sh %s src %s build/program",
        dir, child_build(), labtest_root(), p->lab, child_build());
    ck_assert_msg(c.status == 0, "%s: %s%s", p->path, c.out, c.err);
    child_clear(&c);
}

/* Run it as a student does. */
static json_t *run(const char *dir, const char *list, int nranks,
                   const char *topo)
{
    char path[4200];
    struct child c = child_run(
        RUN_SEC,
        "cd %s && COMMLAB_PLANS=%s/grader/plans SIMGPU_TOPO=%s mpirun -n %d "
        "build/program --case %s --json=run.json > /dev/null",
        dir, labtest_root(), topo, nranks, list);
    snprintf(path, sizeof path, "%s/run.json", dir);
    json_t *const j = json_load_file(path, 0, NULL);
    ck_assert_msg(j != NULL, "%d ranks: %s%s", nranks, c.out, c.err);
    child_clear(&c);
    remove(path);
    return j;
}

/* The case's worst run, in `worst`, after runs on all its ranks. */
static void run_all(const struct plan *p, const char *dir, const char *list,
                    json_t *worst[])
{
    char part[MAX_LIST];
    for (int i = 0; i < p->ncases; i++)
        for (int k = 0; k < p->cases[i].nranks; k++) {
            const char *const topo = p->cases[i].topo;
            const int n = p->cases[i].ranks[k];
            size_t at = 0;
            int is_first = 1;
            for (int c = 0; c < p->ncases; c++) {
                const struct plan_case *const of = &p->cases[c];
                int wanted = 0;
                for (int r = 0; r < of->nranks; r++)
                    wanted |= of->ranks[r] == n;
                if (!wanted || strcmp(of->topo, topo) != 0 ||
                    !has_name(list, of->name))
                    continue;
                is_first &= c >= i;
                at += (size_t)snprintf(part + at, sizeof part - at, "%s%s",
                                       at ? "," : "", of->name);
            }
            if (at == 0 || !is_first || !has_name(list, p->cases[i].name))
                continue;
            json_t *const j = run(dir, part, n, topo);
            for (int c = 0; c < p->ncases; c++) {
                json_t *const test = (json_t *)test_of(j, p->cases[c].name);
                if (!test || (worst[c] && score(worst[c]) <= score(test)))
                    continue;
                json_decref(worst[c]);
                worst[c] = json_incref(test);
            }
            json_decref(j);
        }
}

START_TEST(a_students_run_and_the_grader_agree)
{
    const struct patch *const of = &patches[_i];
    char dir[CHILD_FOLDER], list[MAX_LIST], said[1 << 16] = "";
    size_t at = 0;
    struct plan *const p = visible_plan(of->lab);
    json_t **const worst = calloc((size_t)p->ncases, sizeof(json_t *));
    child_folder(dir, "commlab-agree");
    shared_cases(p, of->path, list);
    json_t *const graded = *list ? grade(of, dir, list) : NULL;
    if (graded) {
        make(of, dir);
        run_all(p, dir, list, worst);
    }
    for (int i = 0; graded && i < p->ncases; i++) {
        const json_t *const g = test_of(graded, p->cases[i].name);
        if (!g || at > sizeof said - 8192)
            continue;
        if (worst[i] && fabs(score(g) - score(worst[i])) < 0.005 &&
            strcmp(text(g, "outcome"), text(worst[i], "outcome")) == 0)
            continue;
        at += (size_t)snprintf(
            said + at, sizeof said - at,
            "%s: graded %s, %g points: %.1500s\n  run: %s, %g points: "
            "%.1500s\n",
            p->cases[i].name, text(g, "outcome"), score(g), text(g, "message"),
            worst[i] ? text(worst[i], "outcome") : "not run",
            worst[i] ? score(worst[i]) : 0,
            worst[i] ? text(worst[i], "message") : "");
    }
    for (int i = 0; i < p->ncases; i++)
        json_decref(worst[i]);
    free(worst);
    json_decref(graded);
    plan_free(p);
    child_remove(dir);
    ck_assert_msg(!said[0], "%s:\n%s", of->path, said);
}
END_TEST

int main(void)
{
    add_patches("mutants");
    add_patches("mistakes");
    Suite *const s = suite_create("grader: agree");
    TCase *const t = tcase_create("agree");
    tcase_set_timeout(t, 1200);
    tcase_add_loop_test(t, a_students_run_and_the_grader_agree, 0, npatches);
    suite_add_tcase(s, t);
    return suite_run(s);
}
