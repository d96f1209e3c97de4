#include "grader/job/result.h"

#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcspn */

#include "judge/points.h"

/* bytes kept of each sandbox's output */
enum { KEEP_FIRST = 8192, KEEP_LAST = 2048 };

void result_init(struct result *r, int ncases)
{
    *r = (struct result){.cases = calloc((size_t)ncases + 1, sizeof *r->cases)};
    if (!r->cases)
        abort();
}

void result_release(struct result *r)
{
    free(r->cases);
    free(r->answers);
    free(r->worklog);
    free(r->svg);
    free(r->view);
    json_decref(r->clocks[0]);
    json_decref(r->clocks[1]);
    *r = (struct result){.cases = NULL};
}

int result_stop(struct result *r, enum outcome outcome, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->message, sizeof r->message, format, args);
    va_end(args);
    r->outcome = outcome;
    return -1;
}

void result_note(struct result *r, const char *format, ...)
{
    va_list args;
    const size_t n = strlen(r->notes);
    va_start(args, format);
    if (n)
        snprintf(r->notes + n, sizeof r->notes - n, "; ");
    vsnprintf(r->notes + strlen(r->notes), sizeof r->notes - strlen(r->notes),
              format, args);
    va_end(args);
}

int result_log(struct result *r, const char *what,
               const struct sandbox_end *end)
{
    const struct log *const l = &end->log;
    char title[64];
    const int n =
        snprintf(title, sizeof title, "== %s: status %d\n", what, end->status);
    log_add(&r->log, title, (size_t)n);
    log_add(&r->log, l->head, l->nhead < KEEP_FIRST ? l->nhead : KEEP_FIRST);
    const size_t last = l->ntail < KEEP_LAST ? l->ntail : KEEP_LAST;
    log_add(&r->log, l->tail + l->ntail - last, last);
    snprintf(r->missing, sizeof r->missing, "%s", end->missing);
    r->memory = end->memory;
    r->processes = end->processes;
    r->limits = end->limits;
    r->refused = end->refused > r->refused ? end->refused : r->refused;
    if (!end->infra)
        return 0;
    return result_stop(r, OUTCOME_INFRA, "the sandbox cannot %s: %.*s", what,
                       (int)strcspn(l->head, "\n"), l->head);
}

/* Keep the verdict without its suspicion, unless a lower one is kept. */
static void keep_beneath(struct case_result *c, const struct judge_verdict *v)
{
    const double score = v->suspected ? v->beneath : v->score;
    if (c->judged && c->beneath <= score)
        return;
    c->beneath = score;
    snprintf(c->beneath_message, sizeof c->beneath_message, "%.999s",
             v->suspected ? v->beneath_message : v->message);
}

void result_keep(struct result *r, int case_no, int nranks,
                 const struct judge_verdict *v)
{
    struct case_result *const c = &r->cases[case_no];
    const int right = (!c->judged || c->verdict.right) && v->right;
    keep_beneath(c, v);
    c->verdict.right = right;
    if (c->judged && (c->verdict.suspected ||
                      (!v->suspected && c->verdict.score <= v->score)))
        return;
    c->judged = 1;
    c->verdict = *v;
    c->verdict.right = right;
    c->ranks = nranks;
}

void result_total(struct result *r, const struct plan *p)
{
    r->outcome = OUTCOME_PASS;
    for (int i = 0; i < p->ncases; i++) {
        struct case_result *const c = &r->cases[i];
        if (!c->judged)
            continue;
        c->outcome = points_outcome(&c->verdict);
        c->score = points_earned(&p->cases[i], &c->verdict);
        r->score += c->score;
        r->max_score += c->verdict.answered ? 0 : p->cases[i].points;
        r->nanswered += c->verdict.answered;
        r->nskipped += c->verdict.skipped;
        if (c->outcome > r->outcome)
            r->outcome = c->outcome;
    }
}
