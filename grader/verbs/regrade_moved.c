#include "grader/verbs/regrade_moved.h"

#include <math.h>   /* fabs */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

struct regrade_moved_case {
    int nright, nwrong; /* answers that were right; those that are wrong now */
    int nworth;         /* gradings in which the case had other points */
    double worth;       /* those in the first of them */
};

static int differ(double a, double b)
{
    return fabs(a - b) > 1e-6;
}

void regrade_moved_init(struct regrade_moved *m, const struct plan *plan)
{
    *m = (struct regrade_moved){.plan = plan};
    m->c = calloc((size_t)plan->ncases + 1, sizeof *m->c);
    if (!m->c)
        abort();
}

void regrade_moved_release(struct regrade_moved *m)
{
    free(m->c);
    free(m->absent);
    *m = (struct regrade_moved){.plan = NULL};
}

static const json_t *find(const json_t *tests, const char *name)
{
    size_t i;
    json_t *t;
    json_array_foreach(tests, i, t)
    {
        const char *const is = json_string_value(json_object_get(t, "name"));
        if (is && strcmp(is, name) == 0)
            return t;
    }
    return NULL;
}

/* An answer that had all its points, and has fewer now. */
static void add_answer(struct regrade_moved_case *m,
                       const struct grading_case *was, const json_t *is)
{
    const double most = json_number_value(json_object_get(is, "max_score")),
                 score = json_number_value(json_object_get(is, "score"));
    if (!is || was->outcome != OUTCOME_PASS)
        return;
    m->nright++;
    m->nwrong += score < most;
}

static void add_case(struct regrade_moved *m, const struct grading_case *was,
                     const json_t *tests)
{
    const struct plan_case *const c = plan_find(m->plan, was->name);
    if (!c) {
        if (!m->absent)
            m->absent = strdup(was->name);
        m->several |= strcmp(m->absent, was->name) != 0;
        return;
    }
    struct regrade_moved_case *const moved = &m->c[c - m->plan->cases];
    if (strcmp(c->kind, "answer") == 0)
        add_answer(moved, was, find(tests, was->name));
    if (differ(was->max_score, c->points) && moved->nworth++ == 0)
        moved->worth = was->max_score;
}

void regrade_moved_add(struct regrade_moved *m, const struct grading *was,
                       const json_t *is)
{
    const json_t *const tests = json_object_get(is, "tests");
    const double most = json_number_value(json_object_get(is, "max_score"));
    if (was->ncases == 0 || json_array_size(tests) == 0)
        return;
    m->ngradings++;
    for (int i = 0; i < was->ncases; i++)
        add_case(m, &was->cases[i], tests);
    if (differ(most, plan_points(m->plan)) && m->nodd++ == 0)
        m->odd = most;
}

/* ---- warnings ------------------------------------------------------------ */

static void warn_answers(const struct regrade_moved *m)
{
    int n = 0;
    for (int i = 0; i < m->plan->ncases; i++) {
        const struct regrade_moved_case *const c = &m->c[i];
        if (c->nwrong == 0)
            continue;
        fprintf(stderr,
                "grade regrade: %s: %d of %d right answers are now wrong\n",
                m->plan->cases[i].name, c->nwrong, c->nright);
        n++;
    }
    if (n)
        fprintf(stderr,
                "  the plan's numbers:, formula or tolerance moved after the "
                "students answered: put\n  them back, or regrade only other "
                "cases (--case)\n");
}

static void warn_points(const struct regrade_moved *m)
{
    for (int i = 0; i < m->plan->ncases; i++) {
        const struct regrade_moved_case *const c = &m->c[i];
        if (c->nworth)
            fprintf(stderr,
                    "grade regrade: %s: worth %g points when %d of %d were "
                    "graded, %g in the plan\n",
                    m->plan->cases[i].name, c->worth, c->nworth, m->ngradings,
                    m->plan->cases[i].points);
    }
    if (m->absent)
        fprintf(stderr, "grade regrade: the plan no longer has the case %s%s\n",
                m->absent, m->several ? ", nor others that were graded" : "");
}

static void warn_total(const struct regrade_moved *m)
{
    if (m->nodd)
        fprintf(stderr,
                "grade regrade: %g points in all, the plan's %g, in %d of %d\n"
                "  points moved between cases that are regraded and others: "
                "regrade without --case\n",
                m->odd, plan_points(m->plan), m->nodd, m->ngradings);
}

void regrade_moved_warn(const struct regrade_moved *m)
{
    warn_answers(m);
    warn_points(m);
    warn_total(m);
}
