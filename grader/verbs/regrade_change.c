#include "grader/verbs/regrade_change.h"

#include <math.h>   /* fabs */
#include <stdio.h>  /* printf */
#include <string.h> /* strcmp */

static const double LEAST = 0.004; /* points that differ when printed */

/* Print the cases whose points differ, as " ring -2 tree +1". Returns their
 * number. */
static int show_cases(const struct grading *was, const struct grading *is)
{
    int n = 0;
    for (int i = 0; i < is->ncases; i++) {
        const struct grading_case *const c = &is->cases[i];
        double before = 0;
        for (int k = 0; k < was->ncases; k++)
            if (strcmp(was->cases[k].name, c->name) == 0)
                before = was->cases[k].score;
        if (fabs(c->score - before) <= LEAST)
            continue;
        printf(" %s %+.2f", c->name, c->score - before);
        n++;
    }
    return n;
}

int regrade_show_change(const struct row *r, const struct attempt *was,
                        const struct attempt *is)
{
    char name[128];
    snprintf(name, sizeof name, "%s@%d", r->student->key, was->number);
    const double change = is->g.score - was->g.score;
    const int same = fabs(change) <= LEAST && was->g.outcome == is->g.outcome;
    if (same && !is->changed)
        return 0;
    printf("%-20s %-9s %6.2f -> %-9s %6.2f  %+.2f:", name,
           outcome_word(was->g.outcome, was->g.score), was->g.score,
           outcome_word(is->g.outcome, is->g.score), is->g.score, change);
    const int ncases = show_cases(&was->g, &is->g);
    printf("%s\n", !is->changed ? ""
                   : ncases     ? " (its points were overridden, and stay)"
                                : " (its points were overridden)");
    return !same;
}
