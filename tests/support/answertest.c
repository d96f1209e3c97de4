#define _GNU_SOURCE
#include "answertest.h"

#include <check.h>
#include <math.h>   /* fabs */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "child.h"
#include "judge/judge.h"
#include "labtest.h"
#include "suite.h"

enum { MAX_NAMES = 1024, GRADE_SEC = 300, STUDENTS = 60, MAX_QUESTIONS = 32 };

static int is_question(const struct plan_case *c)
{
    return strcmp(c->kind, JUDGE_ANSWER) == 0;
}

int answertest_applies(const char *lab)
{
    struct plan *const p = labtest_plan(lab);
    int applies = 0;
    for (int i = 0; i < p->ncases; i++)
        applies |= is_question(&p->cases[i]);
    plan_free(p);
    return applies;
}

/* The share of the questions' points that an answers.txt gets under a student's
 * name; a shell command prints the file. */
static double share_of(const char *lab, const char *command, const char *name)
{
    char cases[MAX_NAMES] = "", dir[CHILD_FOLDER];
    struct plan *const p = labtest_plan(lab);
    double points = -1, most = 0;
    for (int i = 0; i < p->ncases; i++)
        if (is_question(&p->cases[i])) {
            strcat(cases, *cases ? "," : "");
            strcat(cases, p->cases[i].name);
        }
    plan_free(p);
    child_folder(dir, "commlab-answers");
    struct child c = child_run(
        GRADE_SEC,
        "cd %s && cp labs/%s/* %s && %s > %s/answers.txt && %s/grade run "
        "--seed 1 --lab %s --case %s --student %s %s",
        labtest_root(), lab, dir, command, dir, child_build(), lab, cases, name,
        dir);
    const char *const total = strstr(c.out, "\ntotal ");
    ck_assert_msg(total &&
                      sscanf(total, " total %lf of %lf", &points, &most) == 2,
                  "%s%s", c.out, c.err);
    child_clear(&c);
    child_remove(dir);
    return points / most;
}

static double share_of_own(const char *lab, const char *whose, const char *name)
{
    char command[8200];
    snprintf(command, sizeof command, "%s/plan --answers %s --student %s",
             child_build(), lab, whose);
    return share_of(lab, command, name);
}

void answertest_solution(const char *lab)
{
    struct child c =
        child_run(30,
                  "cd %s && %s/plan --answers %s --student %s | diff - "
                  "solutions/%s/answers.txt",
                  labtest_root(), child_build(), lab, SUITE_STUDENT, lab);
    ck_assert_msg(c.status == 0,
                  "the right answers (<) are not the solution's (>):\n%s%s",
                  c.out, c.err);
    child_clear(&c);
    ck_assert_double_eq(share_of_own(lab, SUITE_STUDENT, SUITE_STUDENT), 1);
}

void answertest_neighbour(const char *lab)
{
    ck_assert_double_eq(share_of_own(lab, "grace", "grace"), 1);
    ck_assert_double_lt(share_of_own(lab, SUITE_STUDENT, "grace"), 0.5);
}

struct student {
    struct draw draw;
    double right[MAX_QUESTIONS];
};

/* The share of points that b's answers get for a's questions. */
static double copied(const struct plan *p, const struct student *a,
                     const struct student *b)
{
    double points = 0, most = 0;
    for (int i = 0, k = 0; i < p->ncases; i++) {
        const struct plan_case *const c = &p->cases[i];
        if (!is_question(c))
            continue;
        const double off = fabs(a->right[k] - b->right[k]);
        points += off <= plan_tolerance(c) * fabs(a->right[k]) ? c->points : 0;
        most += c->points;
        k++;
    }
    return points / most;
}

void answertest_students(const char *lab)
{
    static struct student s[STUDENTS];
    struct plan *const p = labtest_plan(lab);
    double sum = 0;
    for (int n = 0; n < STUDENTS; n++) {
        char name[16];
        int k = 0;
        snprintf(name, sizeof name, "student%d", n);
        plan_draw(p, name);
        s[n].draw = p->draw;
        for (int i = 0; i < p->ncases; i++)
            if (is_question(&p->cases[i])) {
                ck_assert_int_lt(k, MAX_QUESTIONS);
                s[n].right[k++] = p->cases[i].right;
            }
    }
    for (int a = 0; a < STUDENTS; a++)
        for (int b = 0; b < STUDENTS; b++) {
            ck_assert_msg(
                a == b || memcmp(&s[a].draw, &s[b].draw, sizeof s[a].draw) != 0,
                "student%d and student%d have the same numbers", a, b);
            sum += a == b ? 0 : copied(p, &s[a], &s[b]);
        }
    const double mean = sum / (STUDENTS * (STUDENTS - 1));
    ck_assert_msg(mean <= 1. / 3, "a neighbour's answers get %.0f %%",
                  100 * mean);
    plan_free(p);
}
