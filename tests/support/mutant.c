#define _GNU_SOURCE
#include "mutant.h"

#include <check.h>
#include <dirent.h>  /* scandir */
#include <jansson.h> /* json_load_file */
#include <stdio.h>   /* asprintf */
#include <stdlib.h>  /* qsort */
#include <string.h>  /* strtok */

#include "child.h"
#include "labtest.h" /* labtest_root */

enum { MAX_NAMES = 256, MAX_TEXT = 8192, GRADE_SEC = 600 };

/* ---- patches ------------------------------------------------------------- */

static int is_patch(const struct dirent *d)
{
    const char *const dot = strrchr(d->d_name, '.');
    return dot && strcmp(dot, ".patch") == 0;
}

int mutant_find(const char *lab, const char *patch[MUTANT_MAX])
{
    char folder[4200], *path;
    struct dirent **found;
    snprintf(folder, sizeof folder, "%s/tests/mutants/%s", labtest_root(), lab);
    const int n = scandir(folder, &found, is_patch, alphasort);
    if (n <= 0 || n > MUTANT_MAX) {
        fprintf(stderr, "%s: there are no mutants, or too many\n", folder);
        exit(EXIT_FAILURE);
    }
    for (int i = 0; i < n; i++) {
        if (asprintf(&path, "%s/%s", folder, found[i]->d_name) < 0)
            abort();
        patch[i] = path;
        free(found[i]);
    }
    free(found);
    return n;
}

/* The rest of the patch's line that begins with "WORD: ", "" without one. */
static void read_line(const char *patch, const char *word, char text[MAX_TEXT])
{
    struct child c =
        child_run(30, "sed -n 's/^%s: //p' %s | tr -d '\\n'", word, patch);
    ck_assert_msg(strlen(c.out) < MAX_TEXT, "%s: %s", patch, c.out);
    strcpy(text, c.out);
    child_clear(&c);
}

static void write_fails(const char *patch, const char *cases)
{
    struct child c =
        child_run(30, "sed -i 's/^fails: .*/fails: %s/' %s", cases, patch);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

/* ---- lists of cases ------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Do both lists, "A, B", have the same names? */
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

/* ---- grading ------------------------------------------------------------- */

/* The cases of a graded submission that did not pass, "A, B", in the plan's
 * order. */
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

/* Print why the cases failed that are not among those expected. */
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

/* Grade the solution with the patch, by the cases `of` or, if that is "", all;
 * dir is an empty folder. The cases that failed go to text; those that aren't
 * in `says` are explained. */
static void grade(const char *lab, const char *patch, const char *of,
                  const char *says, const char *dir, char text[MAX_TEXT])
{
    struct child c = child_run(
        30, "cp %s/solutions/%s/* %s && cd %s && patch -p1 --quiet < %s",
        labtest_root(), lab, dir, dir, patch);
    ck_assert_msg(c.status == 0, "%s does not apply: %s%s", patch, c.out,
                  c.err);
    child_clear(&c);
    char *path;
    ck_assert(asprintf(&path, "%s/grade.json", dir) > 0);
    // all files but the changed one are the solution's: compiled once for all
    c = child_run(GRADE_SEC,
                  "cd %s && mkdir -p -m 700 tests/objects && ./grade run "
                  "--objects tests/objects --lab %s %s$(echo %s | tr -d ' ') "
                  "--json %s %s",
                  child_build(), lab, *of ? "--case " : "", of, path, dir);
    json_t *const j = json_load_file(path, 0, NULL);
    const char *const problem =
        json_string_value(json_object_get(j, "message"));
    ck_assert_msg(j && problem && !*problem, "%s: status %d\n%s%s", patch,
                  c.status, c.out, c.err);
    list_failed(j, text);
    print_unexpected(j, says);
    json_decref(j);
    free(path);
    child_clear(&c);
}

void mutant_check(const char *lab, const char *patch)
{
    char says[MAX_TEXT], of[MAX_TEXT], failed[MAX_TEXT], dir[CHILD_FOLDER];
    const char *const rewrite = getenv("MUTANT_LISTS");
    read_line(patch, "fails", says);
    read_line(patch, "of", of);
    child_folder(dir, "commlab-mutant");
    grade(lab, patch, of, says, dir, failed);
    child_remove(dir);
    ck_assert_msg(*failed, "%s: no case catches this mistake", patch);
    if (same_names(says, failed))
        return;
    ck_assert_msg(rewrite && strcmp(rewrite, "1") == 0,
                  "%s should fail: %s\nit fails: %s\n(make mutant-lists "
                  "LAB=%.*s rewrites these lists)",
                  patch, says, failed, (int)strcspn(lab, "-"), lab);
    write_fails(patch, failed);
    printf("%s failed: %s\n%*s fails: %s\n", patch, says,
           (int)strlen(patch) + 1, "now", failed);
}
