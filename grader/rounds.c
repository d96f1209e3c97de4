/*
 * rounds.c: times that are measured
 *
 * On GPUs a time is what the machine did at that moment. So the reference and the
 * submission run by turns, in as many rounds as an interval needs that leaves an
 * outlier out at either end (judge/interval.h), and what counts is the ratio of
 * the two times of a round: whatever slowed the machine down for seconds slowed
 * both.
 *
 *     round 1   reference   submission        ratio: median of the iterations
 *     round 2   reference   submission               of one, over the other's
 *     ...                                     points: interval_of(ratios).low
 *
 * Every round is judged like any run, on inputs of its own: who is fast only when
 * nobody looks is looked at here.
 */
#define _GNU_SOURCE
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memmove */
#include <unistd.h> /* access */

#include "judge/interval.h"
#include "judge/points.h"
#include "run.h"
#include "verb.h"

enum { ROUNDS = 9, ITERATIONS = 5, WARMUP = 3 };

struct timing { /* of one case */
    double us[ROUNDS], reference_us[ROUNDS];
};

static int is_timed(const struct judge_verdict *v)
{
    return v->pass && v->time_us > 0;
}

/* One run of a round: the verdicts on its cases, by position, and the first case
 * that it did not get to the end of, or b->n. -1: this machine's fault. */
static int run_one(struct grade *g, struct batch *b, int of_reference,
                   struct judge_verdict *v)
{
    static struct sandbox_end end;
    char dir[RUN_FOLDER];
    struct shown s;
    int ended = 0;
    b->of_reference = of_reference;
    if (run_batch(g, b, dir, &end) != 0)
        return -1;
    shown_load(&s, g, b, dir);
    for (int i = 0; i < b->n; i++) {
        ended += ended == i && shown_finished(&s, b, i);
        shown_judge(&s, g, b, i, &end, &v[i]);
        if (v[i].pass && !is_timed(&v[i]))
            judge_fail(&v[i], "it shows no time");
    }
    shown_release(&s);
    verb_remove_folder(dir); // 18 runs' outputs are too much for a disk
    return ended;
}

/* What the reference can't do is this machine's fault. */
static int run_reference(struct grade *g, struct batch *b, int round,
                         struct timing *t)
{
    static struct judge_verdict v[RUN_MAX_CASES];
    if (run_one(g, b, 1, v) < 0)
        return -1;
    for (int i = 0; i < b->n; i++) {
        if (!is_timed(&v[i]))
            return grade_stop(
                g, OUTCOME_INFRA, "the reference fails %s on %d ranks: %s",
                g->plan->cases[b->case_no[i]].name, b->nranks, v[i].message);
        t[i].reference_us[round] = v[i].time_us;
    }
    return 0;
}

/* A case that failed in this round, or ended its run, is out of the others. */
static void drop(struct batch *b, struct timing *t, int i)
{
    b->n--;
    memmove(b->case_no + i, b->case_no + i + 1,
            (size_t)(b->n - i) * sizeof *b->case_no);
    memmove(t + i, t + i + 1, (size_t)(b->n - i) * sizeof *t);
}

/* 1 when the round is over, 0 when it has to be run again without a case that
 * ended it, -1 with the outcome set. */
static int run_round(struct grade *g, struct batch *b, int round,
                     struct timing *t)
{
    static struct judge_verdict v[RUN_MAX_CASES];
    b->round = round + 1;
    if (run_reference(g, b, round, t) != 0)
        return -1;
    const int ended = run_one(g, b, 0, v);
    const int complete = ended == b->n;
    if (ended < 0)
        return -1;
    for (int i = complete ? b->n - 1 : ended; i >= 0; i--) {
        t[i].us[round] = v[i].time_us;
        if (v[i].pass)
            continue;
        run_keep(g, b->case_no[i], b->nranks, &v[i]);
        drop(b, t, i);
    }
    return complete;
}

static void keep_timed(struct grade *g, const struct batch *b, int i,
                       struct timing *t)
{
    double each[ROUNDS];
    for (int k = 0; k < ROUNDS; k++)
        each[k] = t->us[k] / t->reference_us[k];
    const struct interval ratio = interval_of(each, ROUNDS);
    struct judge_verdict v = JUDGE_VERDICT_NONE;
    v.pass = 1;
    v.score = 1;
    v.time_us = interval_of(t->us, ROUNDS).middle;
    v.reference_us = interval_of(t->reference_us, ROUNDS).middle;
    v.low = ratio.low;
    v.high = ratio.high;
    points_judge_time(&g->plan->cases[b->case_no[i]], &v);
    run_keep(g, b->case_no[i], b->nranks, &v);
}

int rounds_possible(const struct grade *g)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/solutions/%.*s", g->build,
             (int)strcspn(g->lab, "-"), g->lab);
    return access(path, X_OK) == 0;
}

int rounds_run(struct grade *g, struct batch *b)
{
    struct timing *const t = calloc((size_t)b->n, sizeof *t);
    if (!t)
        abort();
    b->iterations = ITERATIONS;
    b->warmup = WARMUP;
    int complete = 0;
    for (int round = 0; round < ROUNDS && b->n > 0 && complete >= 0;) {
        complete = run_round(g, b, round, t);
        round += complete;
    }
    for (int i = 0; i < b->n && complete >= 0; i++)
        keep_timed(g, b, i, &t[i]);
    free(t);
    return complete < 0 ? -1 : 0;
}
