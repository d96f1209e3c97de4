/*
 * rounds.c: measured times
 *
 * On GPUs a time depends on what the machine did at that moment. So the
 * reference and the submission are run alternately, in as many rounds as an
 * interval needs that leaves out an outlier at either end (judge/interval.h).
 * The ratio of the two times of a round counts, because anything that slows the
 * machine down for seconds slows down both.
 *
 *     round 1   reference   submission        ratio: median of the iterations
 *     round 2   reference   submission               of one, over the other's
 *     ...                                     points: interval_of(ratios).low
 *
 * Every round is judged like any run, on inputs of its own, so a program can't
 * be fast only in runs that are not checked.
 */
#include "grader/run/rounds.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memmove */
#include <unistd.h> /* access */

#include "grader/base/folder.h"
#include "grader/run/shown.h"
#include "judge/interval.h"
#include "judge/points.h"

enum { ROUNDS = 9, ITERATIONS = 5, WARMUP = 3 };

struct timing { /* times of one case */
    double us[ROUNDS], reference_us[ROUNDS];
};

struct rounds { /* a batch in progress; the following are by position in it */
    const struct request *request;
    const struct place *place;
    struct run_batch *batch;
    struct timing *timing;
    struct judge_verdict *v; /* from the last run */
};

static int is_timed(const struct judge_verdict *v)
{
    return v->pass && v->time_us > 0;
}

/* Do one run of a round, and judge its cases. Returns the first case that the
 * run did not complete, or batch->n; -1 if this machine is at fault. */
static int run_one(struct rounds *m, int of_reference, struct result *r)
{
    struct run_batch *const b = m->batch;
    struct run run;
    struct shown s;
    int ended = 0;
    b->of_reference = of_reference;
    if (run_make(m->request, m->place, b, &run, r) != 0)
        return -1;
    shown_load(&s, m->request, m->place, b, &run);
    for (int i = 0; i < b->n; i++) {
        ended += ended == i && shown_finished(&s, i);
        shown_judge(&s, i, &m->v[i]);
        if (m->v[i].pass && !is_timed(&m->v[i]))
            judge_fail(&m->v[i], "it shows no time");
    }
    shown_release(&s);
    folder_remove(run.dir); // the outputs of 18 runs would fill the disk
    return ended;
}

/* Run the reference. If it fails, this machine is at fault. */
static int run_reference(struct rounds *m, int round, struct result *r)
{
    const struct run_batch *const b = m->batch;
    if (run_one(m, 1, r) < 0)
        return -1;
    for (int i = 0; i < b->n; i++) {
        if (!is_timed(&m->v[i]))
            return result_stop(r, OUTCOME_INFRA,
                               "the reference fails %s on %d ranks: %s",
                               m->place->plan->cases[b->case_no[i]].name,
                               b->nranks, m->v[i].message);
        m->timing[i].reference_us[round] = m->v[i].time_us;
    }
    return 0;
}

/* Take a case that failed in this round, or ended its run, out
 * of later rounds. */
static void drop(struct rounds *m, int i)
{
    struct run_batch *const b = m->batch;
    const size_t behind = (size_t)(--b->n - i);
    memmove(b->case_no + i, b->case_no + i + 1, behind * sizeof *b->case_no);
    memmove(m->timing + i, m->timing + i + 1, behind * sizeof *m->timing);
}

/* Run a round. Returns 1 if it is complete, 0 if it must be repeated without a
 * case that ended it, -1 with the outcome set. */
static int run_round(struct rounds *m, int round, struct result *r)
{
    struct run_batch *const b = m->batch;
    b->round = round + 1;
    if (run_reference(m, round, r) != 0)
        return -1;
    const int ended = run_one(m, 0, r);
    const int complete = ended == b->n;
    if (ended < 0)
        return -1;
    for (int i = complete ? b->n - 1 : ended; i >= 0; i--) {
        m->timing[i].us[round] = m->v[i].time_us;
        if (m->v[i].pass)
            continue;
        result_keep(r, b->case_no[i], b->nranks, &m->v[i]);
        drop(m, i);
    }
    return complete;
}

static void keep_timed(const struct rounds *m, int i, struct result *r)
{
    struct timing *const t = &m->timing[i];
    const int case_no = m->batch->case_no[i];
    double each[ROUNDS];
    for (int k = 0; k < ROUNDS; k++)
        each[k] = t->us[k] / t->reference_us[k];
    const struct interval ratio = interval_of(each, ROUNDS);
    struct judge_verdict v = JUDGE_VERDICT_NONE;
    v.pass = 1;
    v.right = 1;
    v.score = 1;
    v.time_us = interval_of(t->us, ROUNDS).middle;
    v.reference_us = interval_of(t->reference_us, ROUNDS).middle;
    v.low = ratio.low;
    v.high = ratio.high;
    points_judge_time(&m->place->plan->cases[case_no], &v);
    result_keep(r, case_no, m->batch->nranks, &v);
}

int rounds_possible(const struct place *p)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/solutions/%.*s", p->build,
             (int)strcspn(p->lab, "-"), p->lab);
    return access(path, X_OK) == 0;
}

int rounds_run(const struct request *q, const struct place *p,
               struct run_batch *b, struct result *r)
{
    struct rounds m = {.request = q,
                       .place = p,
                       .batch = b,
                       .timing = calloc((size_t)b->n, sizeof *m.timing),
                       .v = calloc((size_t)b->n, sizeof *m.v)};
    if (!m.timing || !m.v)
        abort();
    b->iterations = ITERATIONS;
    b->warmup = WARMUP;
    int complete = 0;
    for (int round = 0; round < ROUNDS && b->n > 0 && complete >= 0;) {
        complete = run_round(&m, round, r);
        round += complete;
    }
    for (int i = 0; i < b->n && complete >= 0; i++)
        keep_timed(&m, i, r);
    free(m.timing);
    free(m.v);
    return complete < 0 ? -1 : 0;
}
