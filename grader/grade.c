/*
 * grade.c: the whole way of one submission
 */
#define _GNU_SOURCE
#include "grade.h"

#include <stdarg.h>   /* va_list */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* mkdtemp */
#include <string.h>   /* strlen */
#include <sys/stat.h> /* chmod */

#include "steady.h"
#include "temp.h"
#include "verb.h"

enum { KEEP_FIRST = 8192, KEEP_LAST = 2048 }; /* of each sandbox's log */

const char *const outcome_name[] = {"pass", "fail", "infra", "suspected"};

int grade_stop(struct grade *g, enum outcome outcome, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(g->message, sizeof g->message, format, args);
    va_end(args);
    g->outcome = outcome;
    return -1;
}

int grade_ran(struct grade *g, const char *what, const struct sandbox_end *end)
{
    const struct log *const l = &end->log;
    char title[64];
    const int n =
        snprintf(title, sizeof title, "== %s: status %d\n", what, end->status);
    log_add(&g->log, title, (size_t)n);
    log_add(&g->log, l->head, l->nhead < KEEP_FIRST ? l->nhead : KEEP_FIRST);
    const size_t last = l->ntail < KEEP_LAST ? l->ntail : KEEP_LAST;
    log_add(&g->log, l->tail + l->ntail - last, last);
    snprintf(g->missing, sizeof g->missing, "%s", end->missing);
    if (!end->infra)
        return 0;
    return grade_stop(g, OUTCOME_INFRA, "the sandbox cannot %s: %.*s", what,
                      (int)strcspn(l->head, "\n"), l->head);
}

int grade_next_name(const char **list, char name[GRADE_NAME])
{
    if (!*list)
        return 0;
    const size_t n = strcspn(*list, ",");
    snprintf(name, GRADE_NAME, "%.*s", (int)n, *list);
    *list = (*list)[n] ? *list + n + 1 : NULL;
    return 1;
}

/* A folder that nobody else can write; who runs at level 3 has to get through
 * it to what is bound, but cannot list it. */
static int make_work(struct grade *g)
{
    if (g->work_arg)
        snprintf(g->work, sizeof g->work, "%s", g->work_arg);
    else
        temp_path(g->work, sizeof g->work, "commlab-grade");
    if ((g->work_arg ? verb_make_folder(g->work) : !mkdtemp(g->work)) ||
        chmod(g->work, 0711) != 0)
        return grade_stop(g, OUTCOME_INFRA, "cannot make %s: %m", g->work);
    snprintf(g->tmp, sizeof g->tmp, "%s/tmp", g->work);
    if (verb_make_folder(g->tmp) != 0)
        return grade_stop(g, OUTCOME_INFRA, "cannot make %s: %m", g->tmp);
    return 0;
}

/* What could not be judged scores nothing, but counts. */
static void count_unjudged(struct grade *g)
{
    if (!g->message[0])
        return;
    g->score = g->max_score = 0;
    for (int i = 0; i < g->plan->ncases; i++)
        g->max_score += g->plan->cases[i].points;
}

void grade_submission(struct grade *g)
{
    const double begin = steady_sec();
    if (g->isolation < g->plan->isolation)
        grade_stop(g, OUTCOME_INFRA,
                   "the plan of %s asks for isolation %d, and this is %d "
                   "(--isolation %d)",
                   g->lab, g->plan->isolation, g->isolation,
                   g->plan->isolation);
    else if (make_work(g) == 0 && grade_intake(g) == 0 && grade_build(g) == 0)
        grade_run(g);
    if (g->work[0])
        verb_remove_folder(g->work);
    count_unjudged(g);
    g->sec = steady_sec() - begin;
}
