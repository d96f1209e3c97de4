#define _GNU_SOURCE
#include "mutant.h"

#include <check.h>
#include <glob.h>
#include <jansson.h> /* json_load_file */
#include <stdio.h>   /* asprintf */
#include <stdlib.h>  /* qsort */
#include <string.h>  /* memrchr */

#include "child.h"
#include "judge/plan.h"
#include "labtest.h" /* labtest_root */

enum { MAX_NAMES = 256, MAX_TEXT = 8192, GRADE_SEC = 600 };

/* Every mistake must cost enough points to be worth a student's time. One that
 * lacks a part's idea must cost this share of the part. */
static const double LEAST_POINTS = 3, LEAST_SHARE = 0.5;
static const double HUNDREDTH = 0.01; /* points are rounded to this */

struct loss {
    double all, part[PLAN_MAX_PARTS];
    char wrong[MAX_TEXT]; /* the cases with wrong results, "A: why" in lines */
};

/* ---- patches ------------------------------------------------------------- */

/* Add the patches of a file to the `n` that are there. Returns their number. */
static int add_series(const char *path, const char *patch[MUTANT_MAX], int n)
{
    char *line = NULL, *found;
    size_t size = 0;
    FILE *const f = fopen(path, "re");
    while (f && getline(&line, &size, f) > 0) {
        if (strncmp(line, "== ", 3) != 0)
            continue;
        line[strcspn(line, "\n")] = 0;
        if (n == MUTANT_MAX) {
            fprintf(stderr, "%s: too many patches\n", path);
            exit(EXIT_FAILURE);
        }
        if (asprintf(&found, "%s %s", path, line + 3) < 0)
            abort();
        patch[n++] = found;
    }
    free(line);
    if (f)
        fclose(f);
    return n;
}

int mutant_find(const char *kind, const char *lab,
                const char *patch[MUTANT_MAX])
{
    char pattern[4200];
    glob_t g;
    int n = 0;
    snprintf(pattern, sizeof pattern, "%s/tests/%s/%s.patch", labtest_root(),
             kind, lab);
    if (glob(pattern, 0, NULL, &g) != 0)
        return 0;
    for (size_t i = 0; i < g.gl_pathc; i++)
        n = add_series(g.gl_pathv[i], patch, n);
    globfree(&g);
    return n;
}

char *mutant_lab(const char *patch)
{
    const size_t npath = strcspn(patch, " ");
    const char *const name = memrchr(patch, '/', npath) + 1;
    return strndup(name, npath - strlen(".patch") - (size_t)(name - patch));
}

static const char *name_of(const char *patch)
{
    return strrchr(patch, ' ') + 1;
}

/* Read the rest of the patch's line that starts with "WORD: "; "" if there
 * is no such line. */
static void read_line(const char *patch, const char *word, char text[MAX_TEXT])
{
    struct child c = child_run(
        30, "%s/tests/section.sh %s | sed -n 's/^%s: //p' | tr -d '\\n'",
        labtest_root(), patch, word);
    ck_assert_msg(strlen(c.out) < MAX_TEXT, "%s: %s", patch, c.out);
    strcpy(text, c.out);
    child_clear(&c);
}

/* The slices of a suite may do this to the same file at the same time. */
static void write_line(const char *patch, const char *word, const char *text)
{
    struct child c = child_run(
        30, "flock %s/tests sed -i '/^== %s$/,/^--- /s/^%s: .*/%s: %s/' %.*s",
        labtest_root(), name_of(patch), word, word, text,
        (int)strcspn(patch, " "), patch);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

/* ---- lists of cases ------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* True if both lists, "A, B", have the same names. */
static int same_names(const char *a, const char *b)
{
    char text[2][MAX_TEXT], *name[2][MAX_NAMES];
    int n[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        strcpy(text[k], k ? b : a);
        for (char *w = strtok(text[k], ", "); w && n[k] < MAX_NAMES;
             w = strtok(NULL, ", "))
            name[k][n[k]++] = w;
        qsort(name[k], (size_t)n[k], sizeof *name[k], by_name);
    }
    int same = n[0] == n[1];
    for (int i = 0; same && i < n[0]; i++)
        same = strcmp(name[0][i], name[1][i]) == 0;
    return same;
}

static int has_name(const char *list, const char *name)
{
    char text[MAX_TEXT];
    strcpy(text, list);
    for (char *w = strtok(text, ", "); w; w = strtok(NULL, ", "))
        if (strcmp(w, name) == 0)
            return 1;
    return 0;
}

/* Add the names of `more` that a list lacks. Returns 0 if it lacks none. */
static int add_names(char list[MAX_TEXT], const char *more)
{
    char text[MAX_TEXT], *next;
    int added = 0;
    strcpy(text, more);
    for (char *w = strtok_r(text, ", ", &next); w;
         w = strtok_r(NULL, ", ", &next))
        if (!has_name(list, w)) {
            ck_assert_uint_lt(strlen(list) + strlen(w) + 3, MAX_TEXT);
            strcat(strcat(list, ", "), w);
            added++;
        }
    return added;
}

/* ---- grading ------------------------------------------------------------- */

/* List the cases of a graded submission that did not pass, as "A, B" in
 * the plan's order. */
static void list_failed(const json_t *graded, char text[MAX_TEXT])
{
    size_t i, at = 0;
    const json_t *test;
    text[0] = 0;
    json_array_foreach(json_object_get(graded, "tests"), i, test)
    {
        const char *const outcome =
            json_string_value(json_object_get(test, "outcome"));
        const char *const name =
            json_string_value(json_object_get(test, "name"));
        if (strcmp(outcome, "pass") != 0)
            at += (size_t)snprintf(text + at, MAX_TEXT - at, "%s%s",
                                   at ? ", " : "", name);
        ck_assert_uint_lt(at, MAX_TEXT);
    }
}

/* Print why cases failed that were expected to pass. */
static void print_unexpected(const json_t *graded, const char *says)
{
    size_t i;
    const json_t *test;
    json_array_foreach(json_object_get(graded, "tests"), i, test)
    {
        const char *outcome = NULL, *name = NULL, *message = NULL;
        json_unpack((json_t *)test, "{s?s, s?s, s?s}", "outcome", &outcome,
                    "name", &name, "message", &message);
        if (outcome && name && strcmp(outcome, "pass") != 0 &&
            !has_name(says, name))
            printf("%s: %s: %s\n", name, outcome, message ? message : "");
    }
}

static void add_losses(const json_t *graded, struct loss *loss)
{
    size_t i, at = 0;
    const json_t *test;
    *loss = (struct loss){0};
    json_array_foreach(json_object_get(graded, "tests"), i, test)
    {
        const double lost =
            json_number_value(json_object_get(test, "max_score")) -
            json_number_value(json_object_get(test, "score"));
        const json_int_t part =
            json_integer_value(json_object_get(test, "part"));
        ck_assert(part > 0 && part < PLAN_MAX_PARTS);
        loss->all += lost;
        loss->part[part] += lost;
        if (lost > 0 && !json_is_true(json_object_get(test, "right")))
            at += (size_t)snprintf(
                loss->wrong + at, MAX_TEXT - at, "%s: %.300s\n",
                json_string_value(json_object_get(test, "name")),
                json_string_value(json_object_get(test, "message")));
        ck_assert_uint_lt(at, MAX_TEXT);
    }
}

/*
 * Grade the solution with the patch applied, on the cases `of` or, if that is
 * "", on all. dir is an empty folder. The failed cases go to text; those that
 * aren't in `says` are explained.
 */
static void grade(const char *lab, const char *patch, const char *schedule,
                  const char *of, const char *says, const char *dir,
                  char text[MAX_TEXT], struct loss *loss)
{
    struct child c =
        child_run(30,
                  "cp %s/solutions/%s/* %s && "
                  "%s/tests/section.sh %s | patch -d %s -p1 --quiet",
                  labtest_root(), lab, dir, labtest_root(), patch, dir);
    ck_assert_msg(c.status == 0, "%s does not apply: %s%s", patch, c.out,
                  c.err);
    child_clear(&c);
    char *path;
    ck_assert(asprintf(&path, "%s/grade.json", dir) > 0);
    // only the changed file is compiled: mutants share the other objects
    c = child_run(GRADE_SEC,
                  "cd %s && mkdir -p -m 700 tests/objects && ./grade run "
                  "--objects tests/objects --seed 1 --schedule %s --lab %s "
                  "%s$(echo %s | tr -d ' ') --json %s %s",
                  child_build(), schedule, lab, *of ? "--case " : "", of, path,
                  dir);
    json_t *const j = json_load_file(path, 0, NULL);
    const char *const problem =
        json_string_value(json_object_get(j, "message"));
    ck_assert_msg(j && problem && !*problem, "%s: status %d\n%s%s", patch,
                  c.status, c.out, c.err);
    list_failed(j, text);
    print_unexpected(j, says);
    add_losses(j, loss);
    json_decref(j);
    free(path);
    child_clear(&c);
}

/* ---- points -------------------------------------------------------------- */

/* The points of a part in the lab's plans. */
static double part_points(const char *lab, int part)
{
    struct plan *const p = labtest_plan(lab);
    double points = 0;
    for (int i = 0; i < p->ncases; i++)
        points += p->cases[i].part == part ? p->cases[i].points : 0;
    plan_free(p);
    return points;
}

/* Append a row of `make mutant-table`. */
static void add_row(const char *lab, const char *patch, int part, double lost,
                    double of, double all)
{
    char row[512], share[64] = "";
    const char *const path = getenv("MUTANT_TABLE");
    FILE *const f = path ? fopen(path, "ae") : NULL;
    if (!f)
        return;
    if (part)
        snprintf(share, sizeof share, "part %d: %.2f of %g", part, lost, of);
    // a single write, since suites run in parallel
    snprintf(row, sizeof row, "%-5.*s %-42s %-22s %6.2f of 100\n",
             (int)strcspn(lab, "-"), lab, name_of(patch), share, all);
    fputs(row, f);
    fclose(f);
}

/* `parts` is "part 2, part 4", or "" if the mistake lacks no part's idea.
 * Returns their number. */
static int check_parts(const char *lab, const char *patch, char *parts,
                       const struct loss *loss)
{
    int nparts = 0;
    for (const char *w = strtok(parts, ","); w; w = strtok(NULL, ",")) {
        int part = 0;
        ck_assert_msg(sscanf(w, " part %d", &part) == 1 && part > 0 &&
                          part < PLAN_MAX_PARTS,
                      "%s: lacks or breaks:%s", patch, w);
        const double of = part_points(lab, part);
        add_row(lab, patch, part, loss->part[part], of, loss->all);
        ck_assert_msg(loss->part[part] >= LEAST_SHARE * of - HUNDREDTH,
                      "%s lacks the idea of part %d, but loses only %.2f of "
                      "its %g points: give them to cases that it fails",
                      patch, part, loss->part[part], of);
        nparts++;
    }
    return nparts;
}

static void check_points(const char *lab, const char *patch, char *lacks,
                         char *breaks, const struct loss *loss)
{
    ck_assert_msg(!*lacks || *breaks || !*loss->wrong,
                  "%s lacks an idea, but its results are to be right "
                  "(\"breaks:\" if they can't be):\n%s",
                  patch, loss->wrong);
    ck_assert_msg(!*breaks || *loss->wrong,
                  "%s breaks an idea, but its results are right: \"lacks:\"",
                  patch);
    const int nparts = check_parts(lab, patch, lacks, loss) +
                       check_parts(lab, patch, breaks, loss);
    if (nparts == 0)
        add_row(lab, patch, 0, 0, 0, loss->all);
    ck_assert_msg(loss->all >= LEAST_POINTS - HUNDREDTH,
                  "%s loses only %.2f of 100 points; %g is the least that a "
                  "mistake should cost",
                  patch, loss->all, LEAST_POINTS);
}

void mutant_check(const char *lab, const char *patch)
{
    char says[MAX_TEXT], of[MAX_TEXT], failed[MAX_TEXT], lacks[MAX_TEXT];
    char breaks[MAX_TEXT];
    char dir[CHILD_FOLDER];
    struct loss loss;
    const char *const lists = getenv("MUTANT_LISTS");
    const int rewrite = lists && strcmp(lists, "1") == 0;
    read_line(patch, "fails", says);
    read_line(patch, "of", of);
    read_line(patch, "lacks", lacks);
    read_line(patch, "breaks", breaks);
    if (getenv("MUTANT_IDEAS") && !*lacks && !*breaks)
        return;
    child_folder(dir, "commlab-mutant");
    // rewriting the lists takes all cases
    grade(lab, patch, "late", rewrite ? "" : of, says, dir, failed, &loss);
    child_remove(dir);
    ck_assert_msg(*failed, "%s: no case catches this mistake", patch);
    if (rewrite && *of && add_names(of, failed))
        write_line(patch, "of", of);
    if (!same_names(says, failed)) {
        ck_assert_msg(rewrite,
                      "%s should fail: %s\nit fails: %s\n(make mutant-lists "
                      "LAB=%.*s rewrites these lists)",
                      patch, says, failed, (int)strcspn(lab, "-"), lab);
        write_line(patch, "fails", failed);
        printf("%s failed: %s\n%*s fails: %s\n", patch, says,
               (int)strlen(patch) + 1, "now", failed);
    }
    check_points(lab, patch, lacks, breaks, &loss);
}

/* ---- twins --------------------------------------------------------------- */

void twin_check(const char *lab, const char *patch, const char *schedule)
{
    char of[MAX_TEXT], failed[MAX_TEXT], dir[CHILD_FOLDER];
    struct loss loss;
    read_line(patch, "of", of);
    ck_assert_msg(*of, "%s names no cases: \"of: A, B\"", patch);
    child_folder(dir, "commlab-twin");
    grade(lab, patch, schedule, of, "", dir, failed, &loss);
    child_remove(dir);
    ck_assert_msg(!*failed && loss.all < HUNDREDTH,
                  "%s is right, but loses %.2f points under schedule %s: %s",
                  patch, loss.all, schedule, failed);
}
