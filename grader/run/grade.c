#include "grade.h"

#include "base/steady.h"
#include "build.h"
#include "cases.h"
#include "intake.h"

/* A submission that could not be judged scores nothing, out of all points. */
static void count_unjudged(const struct plan *p, struct result *r)
{
    r->score = r->max_score = 0;
    for (int i = 0; i < p->ncases; i++)
        r->max_score += p->cases[i].points;
}

/* What has to be there before a submission is looked at. */
static int prepare(const struct request *q, struct place *p, struct result *r)
{
    char err[PATH_MAX + 64];
    const int least = p->plan->isolation;
    if (q->isolation < least)
        return result_stop(r, OUTCOME_INFRA,
                           "the plan of %s asks for isolation %d, and this is "
                           "%d (--isolation %d)",
                           p->lab, least, q->isolation, least);
    return place_make_work(p, q, err, sizeof err) == 0
               ? 0
               : result_stop(r, OUTCOME_INFRA, "%s", err);
}

/* Which GPUs there are, if they are to be measured. */
static int probe(struct place *p, struct result *r)
{
    char err[400];
    return !p->machine.measured ||
                   machine_probe(&p->machine, p->build, err, sizeof err) == 0
               ? 0
               : result_stop(r, OUTCOME_INFRA, "%s", err);
}

void grade_submission(const struct request *q, struct place *p,
                      struct result *r)
{
    const double begin = steady_sec();
    result_init(r, p->plan->ncases);
    if (prepare(q, p, r) == 0 && intake_take(q->submission, p, r) == 0 &&
        build_program(q, p, r) == 0 && probe(p, r) == 0 &&
        cases_run(q, p, r) == 0)
        result_total(r, p->plan);
    else
        count_unjudged(p->plan, r);
    place_remove_work(p);
    r->sec = steady_sec() - begin;
}
