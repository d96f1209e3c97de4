/*
 * plan.c: build/plan, the files and points of a lab's plan
 *
 *     build/plan lab1-collectives          run in the kit's top folder
 *     build/plan --answers lab1-collectives --student ada
 *
 * Prints what scripts and handouts must agree with: the files that students
 * hand in, the points of each part, their total, and each part's idea. The plan
 * is read as the grader reads it: one that the grader would reject is an error
 * here, with file and line, and so is a question to which neighbours have the
 * same answer.
 *
 * --answers prints the solution's answers.txt with the right numbers for a
 * student. Exit status: 0, 1 for a bad plan, 2 for bad usage.
 */
#define _GNU_SOURCE
#include <errno.h>  /* errno */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */

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

static void print(const struct plan *p, const struct part part[MAX_PARTS])
{
    double total = 0;
    printf("lab %s: %s\nfiles", p->lab, p->title);
    for (int i = 0; i < p->nfiles; i++)
        printf(" %s", p->file[i]);
    printf("\n");
    for (int i = 1; i < MAX_PARTS; i++) {
        total += part[i].points;
        if (part[i].ncases)
            printf("part %d: %g points, %g of them hidden, %d cases\n", i,
                   part[i].points, part[i].hidden, part[i].ncases);
    }
    printf("total %g\n", total);
    for (int i = 1; i < MAX_PARTS; i++)
        if (p->idea[i])
            printf("idea %d: %s\n", i, p->idea[i]);
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

/* Print the solution's answers, line by line. */
static int print_answers(const struct plan *p)
{
    char path[512], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "solutions/%s/answers.txt", p->lab);
    FILE *const f = fopen(path, "re");
    if (!f) {
        fprintf(stderr, "plan: %s: %s\n", path, strerror(errno));
        return -1;
    }
    while (getline(&line, &room, f) >= 0) {
        const struct plan_case *const c = case_of(p, line);
        if (c)
            printf("%s = %.*g\n", plan_text(c, "question", ""),
                   plan_tolerance(c) > 0 ? DIGITS : 15, c->right);
        else
            fputs(line, stdout);
    }
    free(line);
    fclose(f);
    return 0;
}

/* ---- the command line ---------------------------------------------------- */

static int do_plan(const char *lab, const char *student)
{
    char visible[512], hidden[512], err[1024];
    struct part part[MAX_PARTS] = {{0}};
    snprintf(visible, sizeof visible, "grader/plans/%s.yaml", lab);
    snprintf(hidden, sizeof hidden, "grader/plans/hidden/%s.yaml", lab);
    struct plan *const p = plan_load(visible, hidden, err, sizeof err);
    if (!p || plan_check_machines(p, err, sizeof err) != 0 ||
        plan_check_answers(p, err, sizeof err) != 0) {
        fprintf(stderr, "plan: %s\n", err);
        plan_free(p);
        return 1;
    }
    int status = 0;
    if (student) {
        plan_draw(p, student);
        status = print_answers(p);
    } else if ((status = sum_parts(p, part)) == 0) {
        print(p, part);
    }
    plan_free(p);
    return status == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && argv[1][0] != '-')
        return do_plan(argv[1], NULL);
    if (argc == 5 && strcmp(argv[1], "--answers") == 0 &&
        strcmp(argv[3], "--student") == 0)
        return do_plan(argv[2], argv[4]);
    fprintf(stderr, "usage: plan LAB   (such as lab1-collectives)\n"
                    "       plan --answers LAB --student NAME\n");
    return 2;
}
