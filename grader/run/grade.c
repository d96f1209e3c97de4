#include "grader/run/grade.h"

#include <stdio.h>    /* snprintf */
#include <sys/stat.h> /* umask */

#include "base/steady.h"
#include "grader/build/build.h"
#include "grader/intake/intake.h"
#include "grader/run/cases.h"
#include "grader/sandbox/limits.h"
#include "judge/answers.h"

/* Count a submission that could not be judged as 0, out of all points. */
static void count_unjudged(const struct plan *p, struct result *r)
{
    r->score = r->max_score = 0;
    for (int i = 0; i < p->ncases; i++)
        r->max_score += p->cases[i].points;
}

/* Prepare what has to exist before a submission is read. */
static int prepare(const struct request *q, struct place *p, struct result *r)
{
    char err[PATH_MAX + 64];
    const int least = p->plan->isolation;
    if (q->isolation < least)
        return result_stop(r, OUTCOME_INFRA,
                           "the plan of %s asks for isolation %d, and this is "
                           "%d (--isolation %d)",
                           p->lab, least, q->isolation, least);
    return limits_check(err, sizeof err) == 0 &&
                   place_make_work(p, q, err, sizeof err) == 0
               ? 0
               : result_stop(r, OUTCOME_INFRA, "%s", err);
}

/* Keep the text of answers.txt: a person reads some of it. */
static void keep_answers(const struct place *p, struct result *r)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/src/answers.txt", p->work);
    r->answers = answers_load(path);
}

/* Find out which GPUs there are, if they are to be measured. */
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
    // The sandbox's user, who is not this one, reads what is written from here
    // on. What others must not read is in folders of mode 0700.
    const mode_t before = umask(022);
    result_init(r, p->plan->ncases);
    if (prepare(q, p, r) == 0 && intake_take(q->submission, p, r) == 0 &&
        build_program(q, p, r) == 0 && probe(p, r) == 0 &&
        cases_run(q, p, r) == 0)
        result_total(r, p->plan);
    else
        count_unjudged(p->plan, r);
    keep_answers(p, r);
    place_remove_work(p);
    umask(before);
    r->sec = steady_sec() - begin;
}
