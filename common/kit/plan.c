/*
 * plan.c: build/plan, the files and points of a lab's plan
 *
 *     build/plan lab1-collectives          run in the kit's top folder
 *
 * Prints what scripts and handouts have to agree with: the files that students
 * hand in, the points of each part, their total, and each part's idea. The plan
 * is read as the grader reads it: a plan that the grader would reject is an
 * error here, with file and line. Exit status: 0, 1 for a bad plan, 2 for bad
 * usage.
 */
#include <stdio.h> /* printf */

#include "judge/plan.h"

enum { MAX_PARTS = PLAN_MAX_PARTS };

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

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: plan LAB   (such as lab1-collectives)\n");
        return 2;
    }
    char visible[512], hidden[512], err[512];
    snprintf(visible, sizeof visible, "grader/plans/%s.yaml", argv[1]);
    snprintf(hidden, sizeof hidden, "grader/plans/hidden/%s.yaml", argv[1]);
    struct plan *const p = plan_load(visible, hidden, err, sizeof err);
    if (!p || plan_check_machines(p, err, sizeof err) != 0) {
        fprintf(stderr, "plan: %s\n", err);
        plan_free(p);
        return 1;
    }
    struct part part[MAX_PARTS] = {{0}};
    const int status = sum_parts(p, part);
    if (status == 0)
        print(p, part);
    plan_free(p);
    return status == 0 ? 0 : 1;
}
