/*
 * cases.c: which cases run together, and what they come to
 *
 * For each rank count and machine, one mpirun runs all cases that ask for it. A
 * case that ends the run (a crash, a hang) has left its status unwritten; it alone
 * pays. The cases behind it are run again without it, and so are the timed ones
 * before it: a rank saves its execution graph when it ends well, not before.
 *
 * A machine that is measured has its own number of GPUs; what needs more is
 * skipped, by name, and no grade with skipped cases is final.
 */
#define _GNU_SOURCE
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "grading.h"
#include "judge/points.h"
#include "run.h"

void run_keep(struct grade *g, int case_no, int nranks,
              const struct judge_verdict *v)
{
    struct result *const r = &g->result[case_no];
    if (r->judged && (r->verdict.suspected ||
                      (!v->suspected && r->verdict.score <= v->score)))
        return;
    r->judged = 1;
    r->verdict = *v;
    r->ranks = nranks;
}

/*
 * Judge what the batch has shown, and leave in it the cases that have to be run
 * again: those behind the one that ended the run, and timed ones before it, whose
 * graph is lost. A run may also end between two cases, since no other can follow
 * the first. Cases that are still to be measured go to `later`.
 */
static void judge_batch(struct grade *g, struct batch *b, const char *dir,
                        const struct sandbox_end *end, struct batch *later)
{
    struct shown s;
    const int measured = g->machine.measured,
              timing = measured && rounds_possible(g);
    shown_load(&s, g, b, dir);
    int last = 0; // the case that ended the run, or the batch's last
    while (last < b->n - 1 && shown_finished(&s, b, last) &&
           shown_began(&s, b, last + 1))
        last++;
    const int early = last < b->n - 1 || !shown_finished(&s, b, last);
    const int lost = early && !s.spans && !measured;
    if (g->timeline && s.spans)
        shown_keep_timeline(&s, g, b);
    int left = 0;
    for (int i = 0; i < b->n; i++) {
        const int case_no = b->case_no[i];
        const int timed = g->plan->cases[case_no].timed;
        struct judge_verdict v;
        if (i > last || (i < last && lost && timed)) {
            b->case_no[left++] = case_no;
            continue;
        }
        shown_judge(&s, g, b, i, end, &v);
        if (timed && timing && v.pass)
            later->case_no[later->n++] = case_no;
        else
            run_keep(g, case_no, b->nranks, &v);
    }
    b->n = left;
    shown_release(&s);
}

/* ---- which cases run together ------------------------------------------------- */

static int is_listed(const char *list, const char *name)
{
    char listed[GRADE_NAME];
    while (grade_next_name(&list, listed))
        if (strcmp(listed, name) == 0)
            return 1;
    return 0;
}

/* topo NULL: this machine, whatever it is. */
static int wanted(const struct grade *g, const struct plan_case *c, int nranks,
                  const char *topo)
{
    if (g->only_case && !is_listed(g->only_case, c->name))
        return 0;
    if (topo && strcmp(c->topo, topo) != 0)
        return 0;
    for (int i = 0; i < c->nranks; i++)
        if (c->ranks[i] == nranks)
            return 1;
    return 0;
}

/* How many GPUs nranks ranks need. */
static int needs(const struct grade *g, int nranks)
{
    const int ranks = g->judge->shares_gpus ? 1 : nranks;
    return ranks > g->judge->least_gpus ? ranks : g->judge->least_gpus;
}

static void skip(struct grade *g, const struct batch *b)
{
    for (int i = 0; i < b->n; i++) {
        struct judge_verdict v = JUDGE_VERDICT_NONE;
        v.skipped = 1;
        judge_fail(&v, "skipped: it needs %d GPUs, and this machine has %d",
                   needs(g, b->nranks), g->machine.ngpus);
        run_keep(g, b->case_no[i], b->nranks, &v);
    }
}

/* All cases that ask for nranks ranks on this machine. */
static int run_ranks(struct grade *g, int nranks, const char *topo)
{
    static struct sandbox_end end;
    static struct batch b, later;
    b = (struct batch){
        .nranks = nranks, .topo = topo, .iterations = RUN_ITERATIONS};
    later = b;
    for (int i = 0; i < g->plan->ncases && b.n < RUN_MAX_CASES; i++)
        if (wanted(g, &g->plan->cases[i], nranks, topo))
            b.case_no[b.n++] = i;
    if (g->machine.measured && g->machine.ngpus < needs(g, nranks)) {
        skip(g, &b);
        return 0;
    }
    while (b.n > 0) {
        char dir[RUN_FOLDER];
        if (run_batch(g, &b, dir, &end) != 0)
            return -1;
        judge_batch(g, &b, dir, &end, &later);
    }
    return later.n > 0 ? rounds_run(g, &later) : 0;
}

/* Is case i the first of the plan that names its machine? */
static int names_machine(const struct plan *p, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(p->cases[k].topo, p->cases[i].topo) == 0)
            return 0;
    return 1;
}

/* Somebody has to look; it has to be run elsewhere; it is not full; it is. */
static int weight(enum outcome o)
{
    static const int weights[] = {[OUTCOME_PASS] = 0,
                                  [OUTCOME_FAIL] = 1,
                                  [OUTCOME_INFRA] = 2,
                                  [OUTCOME_SUSPECTED] = 3};
    return weights[o];
}

static void total(struct grade *g)
{
    g->outcome = OUTCOME_PASS;
    for (int i = 0; i < g->plan->ncases; i++) {
        struct result *const r = &g->result[i];
        if (!r->judged)
            continue;
        r->outcome = (enum outcome)grading_outcome(points_outcome(&r->verdict));
        r->score = points_earned(&g->plan->cases[i], &r->verdict);
        g->score += r->score;
        g->max_score += g->plan->cases[i].points;
        g->nskipped += r->verdict.skipped;
        if (weight(r->outcome) > weight(g->outcome))
            g->outcome = r->outcome;
    }
}

static int run_all(struct grade *g, const char *topo)
{
    for (int n = 1; n <= RUN_MAX_RANKS; n++)
        if (run_ranks(g, n, topo) != 0)
            return -1;
    return 0;
}

/* On the machines that cases name. */
static int run_modelled(struct grade *g)
{
    int err = 0;
    for (int i = 0; i < g->plan->ncases && !err; i++)
        if (names_machine(g->plan, i))
            err = run_all(g, g->plan->cases[i].topo);
    return err;
}

/* On this one, which nobody else measures meanwhile. */
static int run_measured(struct grade *g)
{
    char err[400];
    if (machine_probe(&g->machine, g->build, err, sizeof err) != 0)
        return grade_stop(g, OUTCOME_INFRA, "%s", err);
    const int lock = machine_lock(&g->machine);
    g->clocks[0] = machine_clocks(&g->machine);
    const int failed = run_all(g, NULL);
    g->clocks[1] = machine_clocks(&g->machine);
    machine_unlock(lock);
    return failed;
}

int grade_run(struct grade *g)
{
    if ((g->machine.measured ? run_measured(g) : run_modelled(g)) != 0)
        return -1;
    total(g);
    return 0;
}
