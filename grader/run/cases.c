/*
 * cases.c: which cases run together, and what they come to
 *
 * For each rank count and machine, one mpirun runs all cases that ask for it. A
 * case that ends the run (a crash, a hang) has left its status unwritten; it
 * alone pays. The others are run again without it, also those before it: a rank
 * saves its execution graph when it ends well, not before, and without a graph
 * nobody knows where a result came from.
 *
 * A machine that is measured has its own number of GPUs. Cases that need more
 * are skipped, by name, and no grade with skipped cases is final.
 */
#include "cases.h"

#include <string.h> /* strcmp */

#include "picture.h"
#include "rounds.h"

/*
 * Judge what the run of a batch has shown. Cases that have to be run again go
 * to `again`: those behind the one that ended the run, and those before it if
 * the graph is lost. A run may also end between two cases, since no other can
 * follow the first. Cases that are still to be measured go to `later`.
 */
static void judge_batch(const struct shown *s, struct batch *again,
                        struct batch *later, struct result *r)
{
    const struct place *const p = s->place;
    const struct batch *const b = s->batch;
    const int measured = p->machine.measured,
              timing = measured && rounds_possible(p);
    int last = 0; // the case that ended the run, or the batch's last
    while (last < b->n - 1 && shown_finished(s, last) &&
           shown_began(s, last + 1))
        last++;
    const int early = last < b->n - 1 || !shown_finished(s, last);
    const int lost = early && !s->spans && !measured;
    if (early)
        picture_keep_end(s, last, r);
    again->n = 0;
    for (int i = 0; i < b->n; i++) {
        const int case_no = b->case_no[i];
        const int timed = p->plan->cases[case_no].timed;
        struct judge_verdict v;
        if (i > last || (i < last && lost)) {
            again->case_no[again->n++] = case_no;
            continue;
        }
        shown_judge(s, i, &v);
        if (timed && timing && v.pass)
            later->case_no[later->n++] = case_no;
        else
            result_keep(r, case_no, b->nranks, &v);
    }
}

/* Run a batch until each of its cases is judged, or in `later`. */
static int run_batch(const struct request *q, const struct place *p,
                     struct batch b, struct batch *later, struct result *r)
{
    struct batch again = b;
    struct run run;
    struct shown s;
    for (; b.n > 0; b = again) {
        if (run_make(q, p, &b, &run, r) != 0)
            return -1;
        shown_load(&s, q, p, &b, &run);
        if (q->timeline)
            picture_keep(&s, r);
        judge_batch(&s, &again, later, r);
        shown_release(&s);
    }
    return 0;
}

/* ---- which cases run together -------------------------------------------- */

/* A case is worth what its worst rank count earns: once that is nothing, others
 * change nothing. But a picture may want to show them. */
static int is_lost(const struct request *q, const struct case_result *c)
{
    return c->judged && c->verdict.score == 0 && !q->timeline;
}

/* topo NULL: this machine, whatever it is. */
static int is_wanted(const struct request *q, const struct plan_case *c,
                     int nranks, const char *topo)
{
    if (!request_has_case(q, c->name) || (topo && strcmp(c->topo, topo) != 0))
        return 0;
    for (int i = 0; i < c->nranks; i++)
        if (c->ranks[i] == nranks)
            return 1;
    return 0;
}

/* How many GPUs nranks ranks need. */
static int needs(const struct judge_lab *lab, int nranks)
{
    const int ranks = lab->shares_gpus ? 1 : nranks;
    return ranks > lab->least_gpus ? ranks : lab->least_gpus;
}

static void skip(const struct batch *b, int nneeded, int ngpus,
                 struct result *r)
{
    for (int i = 0; i < b->n; i++) {
        struct judge_verdict v = JUDGE_VERDICT_NONE;
        v.skipped = 1;
        judge_fail(&v, "skipped: it needs %d GPUs, and this machine has %d",
                   nneeded, ngpus);
        result_keep(r, b->case_no[i], b->nranks, &v);
    }
}

/* All cases that ask for nranks ranks on this machine. */
static int run_ranks(const struct request *q, const struct place *p, int nranks,
                     const char *topo, struct result *r)
{
    const struct machine *const m = &p->machine;
    const int nneeded = needs(p->judge, nranks);
    struct batch b = {
        .nranks = nranks, .topo = topo, .iterations = RUN_ITERATIONS};
    struct batch later = b;
    for (int i = 0; i < p->plan->ncases && b.n < RUN_MAX_CASES; i++)
        if (is_wanted(q, &p->plan->cases[i], nranks, topo) &&
            !is_lost(q, &r->cases[i]))
            b.case_no[b.n++] = i;
    if (m->measured && m->ngpus < nneeded) {
        skip(&b, nneeded, m->ngpus, r);
        return 0;
    }
    if (run_batch(q, p, b, &later, r) != 0)
        return -1;
    return later.n > 0 ? rounds_run(q, p, &later, r) : 0;
}

static int run_all(const struct request *q, const struct place *p,
                   const char *topo, struct result *r)
{
    for (int n = 1; n <= RUN_MAX_RANKS; n++)
        if (run_ranks(q, p, n, topo, r) != 0)
            return -1;
    return 0;
}

/* True if no case of the plan before case i names the same machine. */
static int names_machine_first(const struct plan *p, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(p->cases[k].topo, p->cases[i].topo) == 0)
            return 0;
    return 1;
}

/* On the machines that cases name. */
static int run_modelled(const struct request *q, const struct place *p,
                        struct result *r)
{
    int err = 0;
    for (int i = 0; i < p->plan->ncases && !err; i++)
        if (names_machine_first(p->plan, i))
            err = run_all(q, p, p->plan->cases[i].topo, r);
    return err;
}

/* On this one, while no other grading measures on it. */
static int run_measured(const struct request *q, const struct place *p,
                        struct result *r)
{
    const int lock = machine_lock(&p->machine);
    r->clocks[0] = machine_clocks(&p->machine);
    const int err = run_all(q, p, NULL, r);
    r->clocks[1] = machine_clocks(&p->machine);
    machine_unlock(lock);
    return err;
}

int cases_run(const struct request *q, const struct place *p, struct result *r)
{
    return p->machine.measured ? run_measured(q, p, r) : run_modelled(q, p, r);
}
