/*
 * plan.c: build/plan, the files and points of a lab's plan
 *
 *     build/plan lab1                      run in the kit's top folder
 *     build/plan --answers lab1-collectives --student ada [--write]
 *
 * Prints what scripts and handouts must agree with: the files that students
 * hand in, the points of each part, their total, and each part's idea. The plan
 * is read as the grader reads it: one that the grader would reject is an error
 * here, with file and line, and so are a kind of case that the lab's judge.c
 * lacks, an unknown time zone, a question to which neighbours have the same
 * answer, and another total than 100.
 *
 * --answers prints the solution's answers.txt with the right numbers for a
 * student; --write replaces the file with it. A shell's > would empty the file
 * before it is read. Exit status: 0, 1 for a bad plan, 2 for bad usage.
 */
#define _GNU_SOURCE
#include <errno.h>  /* errno */
#include <glob.h>   /* glob */
#include <math.h>   /* fabs */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

#include "grader/intake/roster_time.h"
#include "judge/plan.h"

enum { MAX_PARTS = PLAN_MAX_PARTS };
enum { DIGITS = 5 }; /* digits of an answer that has a tolerance */

struct part {
    double points, hidden; /* hidden: the points of hidden cases */
    int ncases;
};

static int sum_parts(const struct plan *p, struct part part[MAX_PARTS])
{
    for (int i = 0; i < p->ncases; i++) {
        const struct plan_case *const c = &p->cases[i];
        if (c->part < 1 || c->part >= MAX_PARTS) {
            fprintf(stderr,
                    "plan: case \"%s\" is in part %d; parts are 1 to "
                    "%d\n",
                    c->name, c->part, MAX_PARTS - 1);
            return -1;
        }
        struct part *const s = &part[c->part];
        s->points += c->points;
        s->hidden += c->hidden ? c->points : 0;
        s->ncases++;
    }
    return 0;
}

static double sum(const struct part part[MAX_PARTS])
{
    double total = 0;
    for (int i = 1; i < MAX_PARTS; i++)
        total += part[i].points;
    return total;
}

static void print(const struct plan *p, const struct part part[MAX_PARTS])
{
    printf("lab %s: %s\nfiles", p->lab, p->title);
    for (int i = 0; i < p->nfiles; i++)
        printf(" %s", p->file[i]);
    printf("\n");
    for (int i = 1; i < MAX_PARTS; i++)
        if (part[i].ncases)
            printf("part %d: %g points, %g of them hidden, %d cases\n", i,
                   part[i].points, part[i].hidden, part[i].ncases);
    printf("total %g\n", sum(part));
    for (int i = 1; i < MAX_PARTS; i++)
        if (p->idea[i])
            printf("idea %d: %s\n", i, p->idea[i]);
}

/* ---- what the grader would reject --------------------------------------- */

/* Read a whole file, which the caller frees; NULL if it isn't there. */
static char *read_all(const char *path)
{
    char *text = NULL;
    size_t room = 0;
    FILE *const f = fopen(path, "re");
    if (f && getdelim(&text, &room, 0, f) < 0) {
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

/* The grader knows the kinds from the judges it is linked with. This program
 * has to run before they are built, so it reads the source. */
static int check_kinds(const struct plan *p, char *err, size_t err_nbytes)
{
    char path[512], row[300];
    int status = 0;
    snprintf(path, sizeof path, "common/staff/%s/judge.c", p->lab);
    char *const judge = read_all(path);
    for (int i = 0; i < p->ncases && judge && status == 0; i++) {
        snprintf(row, sizeof row, ".name = \"%.200s\"", p->cases[i].kind);
        if (strcmp(p->cases[i].kind, "answer") == 0 || strstr(judge, row))
            continue;
        status = plan_wrong(p, &p->cases[i], err, err_nbytes,
                            "%s has no kind \"%s\" in kinds[]", path,
                            p->cases[i].kind);
    }
    free(judge);
    return status;
}

static int check_timezone(const struct plan *p, char *err, size_t err_nbytes)
{
    if (roster_timezone(p->timezone) == 0)
        return 0;
    snprintf(err, err_nbytes, "%s:%d: there is no time zone \"%s\"", p->path[0],
             p->timezone_line, p->timezone);
    return -1;
}

static int check_total(const struct plan *p, const struct part part[MAX_PARTS])
{
    const double total = sum(part);
    if (fabs(total - 100) < 1e-9)
        return 0;
    fprintf(stderr,
            "plan: the cases of %s, with the hidden ones, have %g points, not "
            "100\n",
            p->lab, total);
    return -1;
}

/* ---- answers ------------------------------------------------------------- */

/* The case that a line of answers.txt answers; NULL if it answers none. */
static const struct plan_case *case_of(const struct plan *p, const char *line)
{
    const size_t length = strcspn(line, " =\n");
    for (int i = 0; i < p->ncases; i++) {
        const char *const question = plan_text(&p->cases[i], "question", "");
        if (length > 0 && strlen(question) == length &&
            strncmp(line, question, length) == 0)
            return &p->cases[i];
    }
    return NULL;
}

/* Copy the lines of answers.txt, with the right numbers. Returns how many. */
static int copy_answers(const struct plan *p, FILE *from, FILE *to)
{
    char *line = NULL;
    size_t room = 0;
    int n = 0;
    for (; getline(&line, &room, from) >= 0; n++) {
        const struct plan_case *const c = case_of(p, line);
        if (c)
            fprintf(to, "%s = %.*g\n", plan_text(c, "question", ""),
                    plan_tolerance(c) > 0 ? DIGITS : 15, c->right);
        else
            fputs(line, to);
    }
    free(line);
    return n;
}

static int fail(const char *path, const char *what)
{
    fprintf(stderr, "plan: %s: %s\n", path, what);
    return -1;
}

/* Write the solution's answers.txt to `to`. */
static int print_answers(const struct plan *p, const char *path, FILE *to)
{
    FILE *const from = fopen(path, "re");
    if (!from)
        return fail(path, strerror(errno));
    const int n = copy_answers(p, from, to);
    fclose(from);
    if (n > 0)
        return 0;
    return fail(path, "is empty: git restore it, or write the questions, a "
                      "line \"NAME =\" for each, and run this with --write");
}

/* Replace the file once the new one is complete. */
static int write_answers(const struct plan *p, const char *path)
{
    char fresh[600];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *const to = fopen(fresh, "we");
    if (!to)
        return fail(fresh, strerror(errno));
    int status = print_answers(p, path, to);
    if (fclose(to) != 0 && status == 0)
        status = fail(fresh, strerror(errno));
    if (status == 0 && rename(fresh, path) != 0)
        status = fail(path, strerror(errno));
    if (status != 0)
        remove(fresh);
    return status;
}

/* ---- the command line ---------------------------------------------------- */

/* The lab's full name, as its plan has it: lab1 is lab1-collectives. What no
 * plan is named after stays as it is. */
static void find_lab(const char *name, char *full, size_t nbytes)
{
    static const char dir[] = "grader/plans/";
    char pattern[512];
    glob_t found;
    snprintf(full, nbytes, "%s", name);
    snprintf(pattern, sizeof pattern, "%s%s-*.yaml", dir, name);
    if (glob(pattern, 0, NULL, &found) == 0)
        snprintf(
            full, nbytes, "%.*s",
            (int)(strlen(found.gl_pathv[0] + strlen(dir)) - strlen(".yaml")),
            found.gl_pathv[0] + strlen(dir));
    globfree(&found);
}

static int do_plan(const char *name, const char *student, int write)
{
    char lab[256], visible[512], hidden[512], answers[512], err[1024];
    struct part part[MAX_PARTS] = {{0}};
    find_lab(name, lab, sizeof lab);
    snprintf(visible, sizeof visible, "grader/plans/%s.yaml", lab);
    snprintf(hidden, sizeof hidden, "grader/plans/hidden/%s.yaml", lab);
    struct plan *const p = plan_load(visible, hidden, err, sizeof err);
    if (!p || check_kinds(p, err, sizeof err) != 0 ||
        check_timezone(p, err, sizeof err) != 0 ||
        plan_check_machines(p, err, sizeof err) != 0 ||
        plan_check_answers(p, err, sizeof err) != 0) {
        fprintf(stderr, "plan: %s\n", err);
        plan_free(p);
        return 1;
    }
    int status = 0;
    if (student) {
        plan_draw(p, student);
        snprintf(answers, sizeof answers, "solutions/%s/answers.txt", p->lab);
        status = write ? write_answers(p, answers)
                       : print_answers(p, answers, stdout);
    } else if ((status = sum_parts(p, part)) == 0) {
        print(p, part);
        status = check_total(p, part);
    }
    plan_free(p);
    return status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const int write = argc == 6 && strcmp(argv[5], "--write") == 0;
    if (argc == 2 && argv[1][0] != '-')
        return do_plan(argv[1], NULL, 0);
    if (argc == 5 + write && strcmp(argv[1], "--answers") == 0 &&
        strcmp(argv[3], "--student") == 0)
        return do_plan(argv[2], argv[4], write);
    fprintf(stderr, "usage: plan LAB   (such as lab1)\n"
                    "       plan --answers LAB --student NAME [--write]\n");
    return 2;
}
